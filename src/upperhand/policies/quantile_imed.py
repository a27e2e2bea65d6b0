"""Quantile-IMED: play the arm that is cheapest to mistake for the best.

IMED, the indexed minimum empirical divergence of J. Honda, A. Takemura, "Non-asymptotic analysis
of a new bandit algorithm for semi-bounded rewards", J. Mach. Learn. Res. 16:3721–3756, 2015, for
quantiles. With u* = max_j Q̂_j(τ) the best empirical quantile, N_j kl(F̂_j(u*), τ) is the evidence
against arm j being better than that: the log-likelihood ratio that the lower bound on regret counts
(`theory.lower_bounds.quantile_pulls`). The arm of a round is

    I_t ∈ argmin_j  N_j kl(max{F̂_j(u*), τ}, τ) + ln N_j,

where the first term is 0 for an arm whose own quantile is u*. An arm that looks worse is tried
again once ln of the leader's pulls has outgrown the evidence against it; that takes neither a clock
nor random numbers. Only the order of the rewards counts: no scale, no range, nothing to tune, and
the same choices if all rewards pass through an increasing map. A round costs O(K), a pull O(log N).

With `trust` = λ > 0 (H-Quantile-IMED, ours) the evidence against an arm without a reward above u*
is that of its Gaussian shape (`_kernels/gaussian_evidence.py`) where that is larger than
N_j ln(1/τ), but by no more than λ: the same guarantee, with e^λ on a constant (Theorem Q5), and the
same choices under affine maps only.

While answers are under way, F̂ is of the rewards seen, and N counts those to come too. The guarantee
is that of `KLQUCB`, with the finite-time bounds of Theorem Q2, and of Theorem Q7 for answers under
way (ours, `docs/proofs.md`).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import gaussian_evidence, samples
from .._kernels.argmax import Index, argmax
from .._kernels.compiler import kernel
from .._kernels.gaussian_evidence import Shapes
from .._kernels.samples import Samples
from .._kernels.special import bernoulli_kl
from .base import Functions, HedgingPolicy, central

QUANTILE, SHARE = 0, 1  # the cursors: at the arm's own quantile, at the best arm's


class QuantileIMED(HedgingPolicy):
    """Chase the best τ-quantile by the least evidence against an arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.QuantileIMED(tau=0.5), table).arms.tolist()
    [0, 1, 1, 0, 1, 1]
    """

    name = "Quantile-IMED"
    group = "own"
    compared = {"Quantile-IMED": {}, "H-Quantile-IMED": {"trust": 3.0}}


class State(NamedTuple):
    """What Quantile-IMED remembers of K arms; the evidence is remembered while it holds."""

    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    quantile: NDArray[np.float64]  # (K,) Q̂_j(τ), −∞ before the first reward
    best: NDArray[np.float64]  # (1,) u*
    evidence: NDArray[np.float64]  # (K,) N_j kl(F̂_j(u*), τ) + ln N_j …
    since: NDArray[np.float64]  # (K,) … for u* from here on, +∞ if there is none yet …
    until: NDArray[np.float64]  # (K,) … and below this …
    counted: NDArray[np.int64]  # (K,) … with so many pulls
    shapes: Shapes  # with `trust`: what the shapes of the arms say


def start(policy: QuantileIMED, arms: int, capacity: int) -> State:
    return State(
        samples=samples.empty(arms, capacity, policy.most_kept),
        pulls=np.zeros(arms, np.int64),
        quantile=np.full(arms, -np.inf),
        best=np.full(1, -np.inf),
        evidence=np.zeros(arms),
        since=np.full(arms, np.inf),
        until=np.full(arms, np.inf),
        counted=np.zeros(arms, np.int64),
        shapes=gaussian_evidence.no_shapes(arms),
    )


@kernel
def index(policy: QuantileIMED, state: State, arm: int, t: int) -> float:
    """Return −(N_j kl(max{F̂_j(u*), τ}, τ) + ln N_j), or +∞ for an arm not yet pulled.

    u* is that of the last `select`.
    """
    pulls, best = int(state.pulls[arm]), float(state.best[0])
    quantile = float(state.quantile[arm])
    if quantile == -math.inf:
        return math.inf
    if quantile >= best:
        return -math.log(pulls)
    if (
        not float(state.since[arm]) <= best < float(state.until[arm])
        or int(state.counted[arm]) != pulls
    ):
        _weigh(policy.tau, state, arm, best)
    evidence = float(state.evidence[arm])
    if policy.trust > 0.0 and float(state.until[arm]) == math.inf:  # all rewards are at most u*
        evidence += _by_shape(policy, state, arm, t, best)
    return -evidence


@kernel
def _by_shape(policy: QuantileIMED, state: State, arm: int, t: int, best: float) -> float:
    """Return how much more evidence the shape has than the order, from 0 to `trust`."""
    order = int(state.pulls[arm]) * policy.nats
    if order > gaussian_evidence.MOST_NATS:  # more than any ln t: the arm is not played anyway
        return 0.0
    shape = gaussian_evidence.shape_evidence(policy, state, arm, t, best, order + policy.trust)
    return min(max(shape - order, 0.0), policy.trust)


@kernel
def _weigh(tau: float, state: State, arm: int, best: float) -> None:
    """Count the rewards up to u*, and note between which of them that count stays the same."""
    pulls, own = int(state.pulls[arm]), state.samples
    seen = int(own.size[arm])
    below = samples.count_at_most(own, arm, SHARE, best)
    share = max(below / seen, tau)
    state.evidence[arm] = pulls * bernoulli_kl(share, tau) + math.log(pulls)
    state.counted[arm] = pulls
    state.since[arm] = samples.value_at(own, arm, SHARE, below)
    state.until[arm] = samples.value_at(own, arm, SHARE, below + 1) if below < seen else math.inf


@kernel
def select(
    index: Index, policy: QuantileIMED, state: State, t: int, rng: np.random.Generator
) -> int:
    """Return the arm with the least evidence against it."""
    state.best[0] = samples.best_quantile(state)
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy: QuantileIMED, state: State, arm: int, reward: float) -> None:
    if policy.trust > 0.0:
        gaussian_evidence.follow(policy, state, arm, reward)
    samples.add_reward(state, arm, reward)
    _look_up(policy, state, arm)


@kernel
def refresh(policy: QuantileIMED, state: State, arm: int) -> None:
    """Look the arm's quantile up; all else is recomputed when it is needed."""
    if policy.trust > 0.0:
        gaussian_evidence.lose_track(state.shapes, arm)
    _look_up(policy, state, arm)


@kernel
def _look_up(policy: QuantileIMED, state: State, arm: int) -> None:
    state.quantile[arm] = samples.quantile_of(policy.tau, state, arm, QUANTILE)
    state.since[arm] = math.inf


QuantileIMED.functions = Functions(
    start,
    index,
    update,
    select=select,
    full=samples.samples_full,
    interval=central,
    forget=samples.forget_reward,
    refresh=refresh,
    memory=("best", "evidence", "since", "until", "counted", "shapes"),
)
