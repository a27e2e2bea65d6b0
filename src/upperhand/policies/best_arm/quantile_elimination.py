"""Successive elimination for quantiles, with or without privacy.

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

With `privacy` = η the run is η-differentially private: if one reward were another, no course of
pulls, stopping time and answer would be more likely by a factor of more than e^η. Their abstract
promises this with finite sample sizes whatever the rewards. Their private algorithm was not read,
so that all of this one is ours: the fresh batches, and how arms are compared. Batch i has n = 2^i
new rewards of each of A active arms; older rewards play no part. The evidence against arm a is

    s_a = max_b max{j : a_(⌈τn⌉+j) < b_(⌊τn⌋−j+1)}   (order statistics; −∞, +∞ outside 1…n)

and a is dropped if s_a + Z_a > nD + R, with independent Z_a, P(Z = z) ∝ exp(−|z| η/A), and
D = √(ln(8 A i² / δ) / 2n), R = (A/η) ln(4 A i² / δ).

- Privacy: another reward moves each order statistic by one place at most, so each s_a by 1 at most,
  and all of them together by A: exp(−|z| η/A) then gives e^η. A reward is in one batch only. What
  is done is a function of the s_a + Z_a; so is the guess before the end, the arm with the least.
  (The proof is for exact draws; these are made of random numbers with 53 bits.)
- Correctness: in batch i, D fails with probability at most A · 2 exp(−2nD²) = δ/4i², and some
  Z_a > R with at most A exp(−Rη/A) = δ/4i². Otherwise s_a > nD for a dropped arm, so that
  Q_a(τ) ≤ a_(⌈τn⌉+j) < b_(⌊τn⌋−j+1) ≤ Q_b(τ). In all, an error has at most 0.83 δ.

Tolerance and privacy do not go together here. A pull costs O(log n); a comparison of the arms O(K),
and O(K² log n) with privacy, where there are as many as doublings.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.argmax import Index, argmax
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, rank, samples_full, whole_below
from ..._kernels.sorted_samples import SortedSamples, value_at
from ...errors import ParameterError
from ...parameters import derived, parameter
from ..base import Functions
from . import base
from .base import (
    LOWER,
    LOWER_TOLERANT,
    NONE,
    UPPER,
    UPPER_TOLERANT,
    FixedConfidence,
    active_arms,
    compare,
    end_with_the_last,
    fewest_pulls,
    found,
)


class QuantileElimination(FixedConfidence):
    """Find the arm with the best τ-quantile by dropping the others, privately if asked.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QuantileElimination(tau=0.9, privacy=0.5).objective
    Quantile(tau=0.9)
    """

    name = "Quantile elimination"

    privacy: float | None = parameter(
        "The η of η-differential privacy: the smaller, the more private, and the more pulls. "
        "None: not private.",
        default=None, above=0, most=1e6,
    )  # fmt: skip

    @derived
    def loss(self) -> float:
        """η, or 0 for no privacy."""
        return self.privacy or 0.0

    def check(self) -> None:
        """Refuse a tolerance together with privacy."""
        super().check()
        if self.privacy is not None and self.epsilon > 0:
            raise ParameterError(
                f"epsilon must be 0 with privacy; got {self.epsilon:g} with privacy="
                f"{self.privacy:g}. Leave one of them out."
            )


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted; with privacy, those of the batch
    pulls: NDArray[np.int64]  # (K,) T_j
    active: NDArray[np.bool_]  # (K,)
    due: NDArray[np.int64]  # (1,) pulls until the arms are compared
    found: NDArray[np.int64]  # (1,) the answer, or NONE
    batch: NDArray[np.int64]  # (1,) i: the present batch
    noise: NDArray[np.float64]  # (K,) Z_j of the present batch
    evidence: NDArray[np.float64]  # (K,) s_j + Z_j of the last batch


def start(policy: QuantileElimination, arms: int, capacity: int) -> State:
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        active=np.ones(arms, np.bool_),
        due=np.array([0 if policy.loss > 0.0 else arms]),
        found=np.array([NONE]),
        batch=np.array([0]),
        noise=np.zeros(arms),
        evidence=np.zeros(arms),
    )


@kernel
def select(
    index: Index, policy: QuantileElimination, state: State, t: int, rng: np.random.Generator
) -> int:
    """Return the active arm with the fewest pulls; with privacy, begin a batch if one is over."""
    if int(state.due[0]) == 0:
        state.batch[0] += 1
        arms = active_arms(state)
        state.due[0] = arms << int(state.batch[0])
        sorted_samples.clear(state.samples)
        for arm in range(len(state.pulls)):
            if state.active[arm]:
                state.noise[arm] = _geometric(rng, arms / policy.loss) - _geometric(
                    rng, arms / policy.loss
                )
    return argmax(index, policy, state, t, rng)


@kernel
def _geometric(rng: np.random.Generator, scale: float) -> float:
    """Return a draw of Z ≥ 0 with P(Z ≥ z) = exp(−z / scale), for whole z."""
    return float(math.floor(-scale * math.log1p(-rng.random())))


@kernel
def update(policy: QuantileElimination, state: State, arm: int, reward: float) -> None:
    """Learn a reward; compare the arms if each has got its share."""
    add_reward(state, arm, reward)
    state.due[0] -= 1
    if int(state.due[0]) == 0:
        pulls = int(state.samples.size[arm])
        if policy.loss > 0.0:
            _compare_privately(policy, state, pulls)
        else:
            compare(_end, policy, state, pulls)
            state.due[0] = active_arms(state)
        end_with_the_last(state)


@kernel
def round_radius(events: float, n: int, delta: float) -> float:
    """Return D = √(ln(events / δ) / 2n): two-sided, it fails with probability 2δ / events."""
    return math.sqrt(math.log(events / delta) / (2.0 * n))


@kernel
def noise_bound(events: float, scale: float, delta: float) -> float:
    """Return R = scale · ln(events / δ), which a noise exceeds with probability δ / events."""
    return scale * math.log(events / delta)


@kernel
def _end(policy: QuantileElimination, state: State, arm: int, end: int, n: int) -> float:
    """Return Q̂_j(τ ± D), or Q̂_j(τ+ε−D); +∞ for a level above 1, −∞ for one of 0 or less."""
    radius = round_radius(4.0 * len(state.pulls) * n * n, n, policy.delta)
    upper = end in (UPPER, UPPER_TOLERANT)
    level = policy.tau + (policy.epsilon if end == LOWER_TOLERANT else 0.0)
    level = level + radius if upper else level - radius
    if level > 1.0:
        return math.inf
    cursor = UPPER if upper else end
    return value_at(state.samples, arm, cursor, rank(level, n)) if level > 0.0 else -math.inf


@kernel
def _compare_privately(policy: QuantileElimination, state: State, n: int) -> None:
    """Drop the arms against which there is evidence, whatever the noise."""
    arms, i = active_arms(state), float(state.batch[0])
    limit = n * round_radius(8.0 * arms * i * i, n, policy.delta)
    limit += noise_bound(4.0 * arms * i * i, arms / policy.loss, policy.delta)
    for arm in range(len(state.pulls)):
        if state.active[arm]:
            most = -n
            for other in range(len(state.pulls)):
                if state.active[other] and other != arm:
                    most = max(most, evidence(state, arm, other, policy.tau, n))
            state.evidence[arm] = most + float(state.noise[arm])
    least = math.inf
    for arm in range(len(state.pulls)):
        if state.active[arm]:
            least = min(least, float(state.evidence[arm]))
    for arm in range(len(state.pulls)):  # noise may speak against all arms: one is kept
        if state.active[arm] and float(state.evidence[arm]) > max(limit, least):
            state.active[arm] = False


@kernel
def evidence(state: State, worse: int, better: int, tau: float, n: int) -> int:
    """Return the largest j with worse_(⌈τn⌉+j) < better_(⌊τn⌋−j+1), by bisection; −n at least.

    The left side grows with j and the right one falls.
    """
    up, down = rank(tau, n), whole_below(tau, n) + 1
    low, high = -up, min(n - up, down - 1)  # at −⌈τn⌉ the left side is −∞
    while low < high:
        j = (low + high + 1) // 2
        right = math.inf if down - j > n else value_at(state.samples, better, LOWER, down - j)
        if value_at(state.samples, worse, UPPER, up + j) < right:
            low = j
        else:
            high = j - 1
    return low


def recommend(policy: QuantileElimination, state: State) -> list[int]:
    """Return the arm found; before that, a guess: with privacy, the arm with the least evidence."""
    if policy.loss == 0.0 or int(state.found[0]) != NONE:
        return base.recommend(policy, state)
    return [int(np.argmin(np.where(state.active, state.evidence, np.inf)))]


QuantileElimination.functions = Functions(
    start, fewest_pulls, update, select=select, full=samples_full, stop=found, recommend=recommend
)
