"""Successive elimination for quantiles.

K. E. Nikolakakis, D. S. Kalogerias, O. Sheffet, A. D. Sarwate, "Quantile multi-armed bandits:
optimal best-arm identification and a differentially private scheme", IEEE J. Sel. Areas Inf. Theory
2(2), 2021 (arXiv:2006.06792). The active arms are pulled once each; after n pulls of
each, arm a is dropped if some active arm b has

    Q̂_a(τ + D) < Q̂_b(τ − D),    D = √(ln(4 K n² / δ) / 2n),

Q̂(p) = x_(⌈pn⌉), +∞ for p > 1 and −∞ for p ≤ 0. The last arm is the answer. By the inequality of
Dvoretzky, Kiefer, Wolfowitz and Massart all is well with probability at least 1 − 0.83 δ. With a
tolerance, which the paper does not have, an arm k with Q̂_k(τ+ε−D) > Q̂_j(τ+D) for all other active
arms j is the answer too (QPAC's rule); with ε = 0 that says nothing new.

How it is read: of the article only the abstract and introduction were found in public text. D is
quoted from memory of it and its constant proved again: Σ_n K · 2 exp(−2nD²) = Σ_n δ/2n² ≤ 0.83 δ.

The paper's scheme for private rewards was not read, and is not here. A pull costs O(log n); a
comparison of the arms O(K).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, rank, samples_full
from ..._kernels.sorted_samples import SortedSamples, value_at
from ..base import Functions
from . import base
from .base import FixedConfidence


class QuantileElimination(FixedConfidence):
    """Find the arm with the best τ-quantile by dropping the others.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QuantileElimination(tau=0.9).objective
    Quantile(tau=0.9)
    """

    name = "Quantile elimination"


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j
    active: NDArray[np.bool_]  # (K,)
    due: NDArray[np.int64]  # (1,) pulls until the arms are compared
    found: NDArray[np.int64]  # (1,) the answer, or NONE


def start(policy: QuantileElimination, arms: int, capacity: int) -> State:
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        active=np.ones(arms, np.bool_),
        due=np.array([arms]),
        found=np.array([base.NONE]),
    )


@kernel
def update(policy: QuantileElimination, state: State, arm: int, reward: float) -> None:
    """Learn a reward; compare the arms if each has got one in this pass."""
    pulls = add_reward(state, arm, reward)
    state.due[0] -= 1
    if int(state.due[0]) == 0:
        base.compare(_end, policy, state, pulls)


@kernel
def round_radius(events: float, n: int, delta: float) -> float:
    """Return D = √(ln(events / δ) / 2n): two-sided, it fails with probability 2δ / events."""
    return math.sqrt(math.log(events / delta) / (2.0 * n))


@kernel
def _end(policy: QuantileElimination, state: State, arm: int, end: int, n: int) -> float:
    """Return Q̂_j(τ ± D), or Q̂_j(τ+ε−D); +∞ for a level above 1, −∞ for one of 0 or less."""
    radius = round_radius(4.0 * len(state.pulls) * n * n, n, policy.delta)
    upper = end in (base.UPPER, base.UPPER_TOLERANT)
    level = policy.tau + (policy.epsilon if end == base.LOWER_TOLERANT else 0.0)
    level = level + radius if upper else level - radius
    if level > 1.0:
        return math.inf
    cursor = base.UPPER if upper else end
    return value_at(state.samples, arm, cursor, rank(level, n)) if level > 0.0 else -math.inf


QuantileElimination.functions = Functions(
    start, base.fewest_pulls, update, full=samples_full, stop=base.found, recommend=base.recommend
)
