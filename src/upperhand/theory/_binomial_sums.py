"""The sums of Theorems Q1, Q2, Q3, Q5 and Q7, for many thresholds at once.

A bound on E T_j(n) is 1 + Σ_s E_p[f_s] + Σ_s E_q[g_s]: pulls of arm j though it looks better than
it is, and pulls while the best arm looks worse. Terms are summed by blocks of s, until what is left
(`_series`) is below ERROR; it is added. After MOST terms it is added however large it is. A
threshold is given up once its sums exceed the bound of another one. What is outside the windows of
the binomial laws is added too. So each number is an upper bound, up to rounding (1e-11 of it).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._binomial_windows import (
    OUTSIDE,
    SLACK,
    Array,
    Counts,
    Window,
    at_level,
    below_level,
    expectations,
    reach,
    reached,
    window,
)
from ._series import PullsOfTheWorse, divergences, few_drawn_left, low_best_left
from ._thresholds import Pair

ERROR = 1e-7  # of either sum
MOST = 2**15  # terms of a sum: some seconds
ROOM = 2**17  # entries of a window
LEAST = 16  # terms of a block
TOGETHER = 16  # arms whose thresholds are summed at once: more take memory, and no less time


@dataclass(frozen=True)
class Theorem:
    """What is summed: the functions f_s and g_s, and what is left of their sums."""

    n: int
    tau: float
    plus: bool = False  # ln(n/s) instead of ln n: Q2
    trust: float = 0.0  # λ of Q5
    late: int = 0  # D of Q7 …
    waiting: bool = False  # … and whether evidence counts answers to come
    draws: bool = False  # Quantile-TS: Q3

    def worse(self, s: Counts) -> tuple[Window, Array]:
        """Return f_s: whether arm j still looks good enough at s rewards, or how likely."""
        low, log_n = s - reach(1.0 - self.tau, s, OUTSIDE), math.log(self.n)
        high = reach(self.tau, s, log_n + (OUTSIDE if self.draws else SLACK))
        within = window(self.tau, s, low, high, from_above=True)
        if self.draws:
            return within, np.minimum(1.0, self.n * reached(within))
        budget = log_n - (np.log(within.s) if self.plus else 0.0)
        small = within.c <= below_level(self.tau, within.s)
        return within, (small | (within.evidence <= budget + SLACK)).astype(np.float64)

    def better(self, s: Counts) -> tuple[Window, Array]:
        """Return g_s: how many rounds the best arm can look bad at s rewards, n at most."""
        high = reach(self.tau, s, math.log(self.n) + OUTSIDE)
        if self.draws:
            within = window(
                self.tau, s, s - reach(1.0 - self.tau, s, OUTSIDE), high, from_above=False
            )
            chances = np.maximum(reached(within), 1e-300)
            return within, np.minimum(self.n, (1.0 - chances) / chances)
        first = at_level(self.tau, s) if self.plus else below_level(self.tau, s) + 1
        within = window(self.tau, s, first, np.maximum(first, high), from_above=False)
        more = self.late / within.s if self.waiting else 0.0
        rounds = np.exp(np.minimum(within.evidence * (1.0 + more), 700.0) + self.trust)
        waiting = self.late if self.waiting else 0
        return within, np.minimum(self.n, rounds * (within.s + waiting if self.plus else 1.0))

    def worse_left(self, series: PullsOfTheWorse, after: int) -> Array:
        """Return what the terms of f_s after s = S add up to, at most."""
        if after >= self.n:
            return np.zeros(len(series.p))
        budget = math.log(self.n / max(after, 1) if self.plus else self.n)
        if after == 0:  # pulls at s = 1 … s_0 are s_0 at most, beyond the D that Q7 counts once
            return series.left(0, budget, by_rounds=self.draws, times=1 + self.late)
        return (1 + self.late) * series.left(after, budget, by_rounds=self.draws)

    def better_left(self, q: Array, after: int) -> Array:
        """Return what the terms of g_s after s = S add up to, at most."""
        if after >= self.n:
            return np.zeros_like(q)
        left = low_best_left(q, self.tau, after, squared=self.plus)
        if self.draws:
            return left + few_drawn_left(q, self.tau, after)
        more = self.late * -math.log(self.tau) if self.waiting else 0.0
        if self.waiting and self.plus:
            more += math.log1p(self.late)  # s + D ≤ (D + 1) s
        with np.errstate(over="ignore"):
            return np.asarray(left * np.exp(self.trust + more))

    def closed_form(self, p: Array, q: Array) -> Array:
        """Return (1'), (2') or (3'), for each threshold."""
        worse = self.worse_left(PullsOfTheWorse.of(p, self.tau), 0)
        return 1.0 + self.late + worse + self.better_left(q, 0)


class _Sum:
    """One of the two sums at all thresholds, as far as it has come."""

    def __init__(self, left: Array, times: int = 1) -> None:
        self.so_far = np.zeros_like(left)
        self.most = left.copy()
        self.going = np.ones(left.shape, bool)
        self.times = times  # as often may a term count, if all the terms before it do not

    def add(self, terms: Array, at: NDArray[np.bool_], left: Array, last: int) -> None:
        """Add a block of terms (m, Q) and note the bound that is known with what is left."""
        tails = self.times * np.cumsum(terms[::-1], axis=0)[::-1]
        self.so_far[at] += tails[0]
        if self.times > 1:  # the pulls up to s are at most s + D: count them, and not the terms
            reached = np.arange(last - len(terms) + 1, last + 1)[:, None]
            after = np.vstack([tails[1:], np.zeros_like(tails[:1])])
            self.so_far[at] = np.minimum(self.so_far[at], np.min(reached + after, axis=0))
        self.most[at] = np.minimum(self.most[at], self.so_far[at] + left)
        self.going[at] = left > ERROR


def least_bounds(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    """Return the least bound over the thresholds of each arm; a few arms at a time."""
    few = [pairs[i : i + TOGETHER] for i in range(0, len(pairs), TOGETHER)]
    return np.concatenate([np.empty(0), *(_least_of_few(theorem, each) for each in few)])


def _least_of_few(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    p, q = (np.concatenate([pair[i] for pair in pairs]) for i in (1, 2))
    arm = np.repeat(np.arange(len(pairs)), [len(pair.p) for pair in pairs])
    series = PullsOfTheWorse.of(p, theorem.tau)
    worse = _Sum(theorem.worse_left(series, 0), 1 + theorem.late)
    better = _Sum(theorem.better_left(q, 0))
    best, done = np.full(len(pairs), np.inf), 0
    while done < min(theorem.n, MOST) and (worse.going | better.going).any():
        s = _block(theorem, done)
        done = int(s[-1])
        if (at := worse.going.copy()).any():
            within, values = theorem.worse(s)
            terms = np.minimum(expectations(within, values, p[at]), 1.0)
            worse.add(terms, at, theorem.worse_left(series.take(at), done), done)
        if (at := better.going.copy()).any():
            within, values = theorem.better(s)
            terms = expectations(within, values, q[at])
            better.add(terms, at, theorem.better_left(q[at], done), done)
        np.minimum.at(best, arm, worse.most + better.most)
        hopeless = worse.so_far + better.so_far > best[arm]
        worse.going &= ~hopeless
        better.going &= ~hopeless
    outside = 3.0 * math.exp(-OUTSIDE) * done * (1 + theorem.late)
    return np.asarray(1.0 + theorem.late + best + outside)


def least_closed_forms(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    """Return the least closed form over the thresholds of each arm."""
    return np.array([theorem.closed_form(pair.p, pair.q).min() for pair in pairs])


def sum_below(n: int, tau: float, p: float) -> float:
    """Return Σ_s P(Bin(s, p) < τs), p > τ, with what is left after its last term added."""
    total, done, left = 0.0, 0, math.inf
    divergence = float(divergences(np.array([tau]), p)[0])
    while done < min(n, MOST) and left > ERROR:
        s = np.arange(done + 1, min(2 * done + LEAST, n, MOST) + 1)
        done = int(s[-1])
        high = at_level(tau, s) - 1
        low = np.minimum(s - reach(1.0 - tau, s, OUTSIDE), high)
        within = window(tau, s, low, high, from_above=True)
        total += float(expectations(within, np.ones_like(within.mass), np.array([p])).sum())
        left = math.exp(-done * divergence) / math.expm1(divergence) if done < n else 0.0
    return total + left + math.exp(-OUTSIDE) * done


def _block(theorem: Theorem, done: int) -> Counts:
    """Return the next s: twice as many each time, while the windows are small enough."""
    wide = reach(theorem.tau, np.array([done + 1]), math.log(theorem.n) + OUTSIDE)[0]
    wide += reach(1.0 - theorem.tau, np.array([done + 1]), OUTSIDE)[0] - done
    length = max(LEAST, min(done, ROOM // int(wide)))
    return np.arange(done + 1, min(done + length, theorem.n, MOST) + 1)
