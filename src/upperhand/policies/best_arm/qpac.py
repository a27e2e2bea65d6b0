"""QPAC: drop arms whose quantile is too low, until one is good enough.

B. Szörényi, R. Busa-Fekete, P. Weng, E. Hüllermeier, "Qualitative multi-armed bandits: a
quantile-based approach", ICML 2015, PMLR 37:1660–1668, algorithm 1. The active arms are pulled once
each; then, with U_j(p) and L_j(p) the ends of a confidence sequence of error δ/K for the p-quantile
of arm j, each active arm k is looked at in turn:

    if L_k(τ+ε) > U_j(τ) for all other active arms j: stop, the answer is k,
    if U_k(τ+ε) < max_j L_j(τ): drop k,

and if one arm is left, it is the answer. The ends are order statistics, U of the rank ⌊(p+c)N⌋ + 1
and L of ⌈(p−c)N⌉, infinite where there is none such. The paper's radius is that of
Dvoretzky, Kiefer, Wolfowitz and Massart, c = √(ln(π² N² K / 3δ) / 2N), for all levels at once. With
radius="beta-binomial" the ends are those of S. R. Howard, A. Ramdas, Bernoulli 28(3), 2022 ("QPAC
BB" in their published comparison), far tighter where τ is near 0 or 1.

How the paper is read: it compares L_k(τ+ε), by ≥, with the largest U(τ) of all arms, k included,
which a single arm hardly ever meets. We compare with the *other* arms', strictly, as does the code
of Howard and Ramdas' comparison; like it, we look at "answer" before "drop".

Guarantee (Theorem 1): for any distributions, with probability at least 1 − δ the answer k has
Q_k(τ+ε) ≥ max_j Q_j(τ), after O(Σ_j ln(K / δΔ_j) / Δ_j²) pulls, Δ_j = max(ε, gap in level). It
needs only one error δ/K for each arm: let * be the best arm. If U_*(τ) never fails, and L_j(τ+ε)
fails for no wrong arm j nor L_j(τ) for a right one, * is not dropped and no wrong arm is answered,
for the ranks grow with the level. With ε = 0, it does not stop if the best arms are equal.

All active arms have the same N, and so the same four ranks. They are looked up after a pass over
the arms: a pull costs O(log N), and the end of a pass O(K) more.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, samples_full
from ..._kernels.sorted_samples import SortedSamples, value_at
from ...calibrators import quantile_sequence as bounds
from ...parameters import derived, parameter
from ..base import Functions
from . import base
from .base import FixedConfidence


class QPAC(FixedConfidence):
    """Find an arm with the best τ-quantile, up to ε in level, by dropping the others.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QPAC(tau=0.9, epsilon=0.025, radius="beta-binomial").objective
    Quantile(tau=0.9)
    """

    name = "QPAC"

    radius: Literal["dkw", "beta-binomial"] = parameter(
        'The confidence sequence: "dkw" is the paper\'s, "beta-binomial" the tightest.',
        default="dkw",
    )
    t_opt: int = parameter(
        'For "beta-binomial": the number of pulls of an arm around which it is tightest.',
        default=1000, least=1, most=10**9,
    )  # fmt: skip

    @derived
    def mixed(self) -> bool:
        """Whether the ends are those of the beta-binomial mixture."""
        return self.radius == "beta-binomial"


class Mixtures(NamedTuple):
    """What the ranks of the four ends come from."""

    lower: bounds.BetaBinomial
    upper: bounds.BetaBinomial
    lower_tolerant: bounds.BetaBinomial
    upper_tolerant: bounds.BetaBinomial


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    active: NDArray[np.bool_]  # (K,)
    due: NDArray[np.int64]  # (1,) pulls until the pass ends
    found: NDArray[np.int64]  # (1,) the answer, or NONE
    ranks: NDArray[np.int64]  # (4,) of the ends, at the last pass
    mixtures: Mixtures


def start(policy: QPAC, arms: int, capacity: int) -> State:
    tolerant = policy.tau + policy.epsilon
    levels = (1.0 - policy.tau, policy.tau, 1.0 - tolerant, tolerant)
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        active=np.ones(arms, np.bool_),
        due=np.array([arms]),
        found=np.array([base.NONE]),
        ranks=np.array([0, 1, 0, 1]),
        mixtures=Mixtures(
            *(bounds.beta_binomial(p, policy.delta / arms, float(policy.t_opt)) for p in levels)
        ),
    )


@kernel
def update(policy: QPAC, state: State, arm: int, reward: float) -> None:
    """Learn a reward; compare the arms if each has got one in this pass."""
    pulls = add_reward(state, arm, reward)
    state.due[0] -= 1
    if int(state.due[0]) == 0:
        _find_ranks(policy, state, pulls)
        base.compare(_end, policy, state, pulls)


@kernel
def _find_ranks(policy: QPAC, state: State, pulls: int) -> None:
    """Find the ranks of the four ends after so many pulls of each arm."""
    if policy.mixed:
        for end in range(4):
            upper = end in (base.UPPER, base.UPPER_TOLERANT)
            known = int(state.ranks[end]) if upper else pulls - int(state.ranks[end])
            smallest = bounds.beta_binomial_rank(state.mixtures[end], pulls, pulls - 1, known)
            state.ranks[end] = smallest if upper else pulls + 1 - smallest
    else:
        radius = bounds.dkw_radius(pulls, policy.delta / len(state.pulls))
        state.ranks[base.LOWER] = bounds.lower_rank(policy.tau, pulls, radius)
        state.ranks[base.UPPER] = bounds.upper_rank(policy.tau, pulls, radius)
        tolerant = policy.tau + policy.epsilon
        state.ranks[base.LOWER_TOLERANT] = bounds.lower_rank(tolerant, pulls, radius)
        state.ranks[base.UPPER_TOLERANT] = bounds.upper_rank(tolerant, pulls, radius)


@kernel
def _end(policy: QPAC, state: State, arm: int, end: int, pulls: int) -> float:
    """Return an end of a confidence interval of the arm's; the end's number is its cursor too."""
    rank = int(state.ranks[end])
    if rank > pulls:
        return math.inf
    return value_at(state.samples, arm, end, rank) if rank > 0 else -math.inf


QPAC.functions = Functions(
    start, base.fewest_pulls, update, full=samples_full, stop=base.found, recommend=base.recommend
)
