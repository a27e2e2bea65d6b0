"""Quantile-TS: Thompson sampling for a quantile, by binomial ranks.

The Bayesian bootstrap (D. B. Rubin, Ann. Statist. 9, 1981) of an arm gives its N rewards and one
pseudo-observation at +∞ the weights of a Dirichlet(1, …, 1) distribution. These are the gaps
between N uniform numbers, so the τ-quantile of the reweighted sample is

    x_(k),  k = 1 + Binomial(N, τ),    and +∞ if k = N + 1.

Each round draws k for every arm and plays the arm with the largest x_(k); among several at +∞ the
one with the fewest pulls, among other equal ones the one with the largest share of rewards that
reach it. The chance of +∞, τ^N = exp(−N ln(1/τ)), makes it explore an arm whose rewards all lie
below at the rate that the lower bound on regret asks for (`theory.lower_bounds.quantile_pulls`).

It is to quantiles what non-parametric Thompson sampling (C. Riou, J. Honda, ALT 2020) and B-CVTS
(D. Baudry, R. Gautron, E. Kaufmann, O.-A. Maillard, ICML 2021) are to means and CVaR, without their
known upper bound on the rewards. Only the order of the rewards counts: no scale, no range, nothing
to tune, and the same choices (with the same seed) if all rewards pass through an increasing map. A
round costs O(K) draws and look-ups, and a pull O(log N).

The guarantee is that of `KLQUCB`, with the finite-time bounds of Theorem Q3 (ours,
`docs/proofs.md`).

While answers are under way, W pulls of which N are seen, B ~ Binomial(W, τ) is drawn as if all
were there, and k = ⌊B N / W⌋ + 1 is the same share of the way up: +∞ if B = W. For this case there
is no proof.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import samples
from .._kernels.argmax import Index, argmax_of_two
from .._kernels.compiler import kernel
from .._kernels.samples import Samples
from .._kernels.special import TABLE, binomial, binomial_once, tabulate
from .base import Functions, LevelPolicy, SketchablePolicy, central

DRAWN, SHARE = 0, 1  # the cursors


class QuantileTS(LevelPolicy, SketchablePolicy):
    """Chase the best τ-quantile by drawing each arm's from its Bayesian bootstrap.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.QuantileTS(tau=0.5), table, seed=0).arms.tolist()
    [0, 1, 0, 1, 1, 0]
    """

    name = "Quantile-TS"
    group = "own"
    compared = {"Quantile-TS": {}}
    draws = True


class State(NamedTuple):
    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    sums: NDArray[np.float64]  # (K, TABLE) for the binomial draws of arms with few rewards
    drawn: NDArray[np.float64]  # (K,) the quantile that was drawn last


def start(policy: QuantileTS, arms: int, capacity: int) -> State:
    return State(
        samples=samples.empty(arms, capacity, policy.most_kept),
        pulls=np.zeros(arms, np.int64),
        sums=np.ones((arms, TABLE)),
        drawn=np.full(arms, np.inf),
    )


@kernel
def index(policy: QuantileTS, state: State, arm: int, t: int) -> float:
    return float(state.drawn[arm])


@kernel
def select(index: Index, policy: QuantileTS, state: State, t: int, rng: np.random.Generator) -> int:
    """Draw a quantile for every arm, and return the arm with the largest."""
    for arm in range(len(state.pulls)):
        state.drawn[arm] = draw(policy, state, arm, rng)
    return argmax_of_two(index, reaching, policy, state, t, rng)


@kernel
def reaching(policy: QuantileTS, state: State, arm: int, t: int) -> float:
    """Return the share of the arm's rewards that reach the quantile drawn."""
    return samples.share_from(state, arm, SHARE, float(state.drawn[arm]))


@kernel
def draw(policy: QuantileTS, state: State, arm: int, rng: np.random.Generator) -> float:
    """Return x_(k) with k = 1 + Binomial(N, τ), or +∞ if k = N + 1; without a reward +∞ too."""
    pulls, seen = int(state.pulls[arm]), int(state.samples.size[arm])
    if pulls == seen:
        below = binomial(rng, pulls, policy.tau, state.sums[arm])
        return samples.value_at(state.samples, arm, DRAWN, below + 1) if below < pulls else math.inf
    below = binomial_once(rng, pulls, policy.tau)
    if below == pulls or seen == 0:
        return math.inf
    return samples.value_at(state.samples, arm, DRAWN, below * seen // pulls + 1)


@kernel
def update(policy: QuantileTS, state: State, arm: int, reward: float) -> None:
    samples.add_reward(state, arm, reward)
    refresh(policy, state, arm)


@kernel
def refresh(policy: QuantileTS, state: State, arm: int) -> None:
    """Recompute the table for the arm's binomial draws."""
    tabulate(state.sums[arm], int(state.samples.size[arm]), policy.tau)


QuantileTS.functions = Functions(
    start,
    index,
    update,
    select=select,
    full=samples.samples_full,
    interval=central,
    forget=samples.forget_reward,
    refresh=refresh,
    memory=("drawn",),
)
