"""The sums of Theorems Q1, Q2, Q3, Q5, Q7 and F, for many thresholds at once.

A bound on E T_j(n) is 1 + Σ_s E_p[f_s] + Σ_s E_q[g_s]: pulls of arm j though it looks better than
it is, and pulls while the best arm looks worse. Every threshold u with Q_j⁺ < u < u* gives a bound,
by p = F_j(u−) and q = F_1(u−), the shares of rewards strictly below u. There is such a u iff p > τ
just below u*, that is F_j(u*−) > τ: assumption A(j). Then q < τ by itself. If several arms are
best, each may be arm 1; the least q is best.

Terms are summed by blocks of s, until the bound on the remaining ones is below ERROR, or to
MOST_TERMS; that bound is added, and so is what is outside the windows of the binomial
distributions. So each number is an upper bound, up to rounding (1e-11 of it). A threshold is given
up once its sums exceed the bound of another one.

A count c of s rewards has the probability P_τ(c) under Bin(s, τ), and under Bin(s, p) the
likelihood ratio (p/τ)^c ((1−p)/(1−τ))^(s−c) times as much. So one table of P_τ(c) f_s(c), for c
around τs, serves all p: the ratio is a factor for each s times a power for each c, and the
expectations E_p[f_s(C)] are a product of matrices. Nothing overflows: the powers count from the end
of the window where the ratio is largest.

s kl(c/s, τ) is computed with an error far below SLACK for s up to 10⁶. Where a bound asks whether
it is at most some budget, SLACK is added to the budget: the sums can only grow by that.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels.samples import needed
from .._kernels.special import ACCURATE, HALF_LOG_2_PI, stirling_series
from ..distributions import Distribution
from ..distributions.derived import Negated
from ..errors import AssumptionError
from ..objectives import Quantile, level_of_negated
from .lower_bounds import TIE
from .population import Arms, checked_arms

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

ERROR = 1e-7  # of either sum
MOST_TERMS = 2**15  # of a sum: some seconds
WINDOW_ENTRIES = 2**17  # at most in a window
LEAST_TERMS = 16  # of a block
TOGETHER = 16  # arms whose thresholds are summed at once: more take memory, and no less time
OUTSIDE = 26.0  # what lies outside a window has a probability of e^(−26) at most, for each s
SLACK = 1e-9
TINY = 1e-200
# Where r lies between τ and p, densest near the ends: each r gives a bound, the best one is taken.
WAYS = np.concatenate([np.sin(np.linspace(0.02, np.pi / 2, 96)[:-1]) ** 2, [0.9999, 0.999999, 1.0]])
# Shares of the way from one level to another where thresholds lie, densest at the ends. Fewer
# thresholds give a larger bound, never too small a one.
SHARES = np.concatenate([np.geomspace(1e-6, 0.04, 10), np.linspace(0.06, 0.94, 23)])
SHARES = np.unique(np.concatenate([SHARES, 1.0 - SHARES]))


class Observed(NamedTuple):
    """The arms as a policy observes them, costs negated, with their gaps and the best value."""

    given: Arms
    arms: Arms
    tau: float
    gaps: Array  # 0 for the best ones
    best: float  # u*


def observed(arms: Arms, tau: float, minimize: bool) -> Observed:
    """Return the arms with their gaps; of costs, the lowest quantile is best."""
    given, level = checked_arms(arms), Quantile(tau).tau
    rewards = list(given)
    if checks.flag("minimize", minimize):
        rewards, level = [Negated(arm) for arm in given], level_of_negated(level)
    objective = Quantile(level)
    best = float(objective.values(rewards).max())
    return Observed(given, rewards, level, objective.gaps(rewards), best)


def suboptimal_arms(arms: Observed) -> Iterator[int]:
    """Yield the arms that are not best."""
    yield from np.flatnonzero(arms.gaps > 0).tolist()


def below(arm: Distribution, u: Array) -> Array:
    """Return F(u−), the probability of a reward strictly below u."""
    return arm.cdf(np.nextafter(u, -np.inf))


def below_best(arms: Observed, u: Array) -> Array:
    """Return F_1(u−), the least of all best arms."""
    return np.min([below(arm, u) for arm in _best_arms(arms)], axis=0)


def _best_arms(arms: Observed) -> list[Distribution]:
    """Return the distributions of the best arms, each once."""
    pairs = zip(arms.arms, arms.gaps, strict=True)
    return list(dict.fromkeys(arm for arm, gap in pairs if gap == 0))


def open_share(arms: Observed, j: int) -> float:
    """Return F_j(u*−); refuse an arm for which A(j) fails."""
    share = float(below(arms.arms[j], np.array([arms.best]))[0])
    if share > arms.tau * (1.0 + TIE):
        return share
    raise _refusal(arms, j, share)


def _refusal(arms: Observed, j: int, share: float) -> AssumptionError:
    return AssumptionError(
        f"There is no bound for arm {j}, {arms.given[j]!r}: no threshold has more than "
        f"{arms.tau:g} of its mass strictly on the worse side, and less than that of the best "
        f"arm's (assumption A(j)); got {share:g} at the best arm's quantile. The proofs say "
        f"nothing then."
    )


class Pair(NamedTuple):
    """The shares of equal suboptimal arms, and of a best arm, below each threshold."""

    arms: list[int]
    p: Array
    q: Array


def thresholds(arms: Observed) -> list[Pair]:
    """Return the shares below many thresholds, for each distribution of suboptimal arms."""
    same: dict[Distribution, list[int]] = {}
    for j in suboptimal_arms(arms):
        same.setdefault(arms.arms[j], []).append(j)
    return [_pair(arms, each, open_share(arms, each[0])) for each in same.values()]


def _pair(arms: Observed, same: list[int], most: float) -> Pair:
    """Return the thresholds at quantiles of an arm and of the best ones, and just beside them."""
    own, top = arms.arms[same[0]], np.array([arms.best])
    places = own.quantile(arms.tau + (most - arms.tau) * SHARES)
    least = float(below_best(arms, places[:1])[0])
    levels = least + (arms.tau - least) * SHARES
    of_best = [arm.quantile(levels) for arm in _best_arms(arms)]
    places = np.concatenate([places, *of_best, top])
    places = np.concatenate([np.nextafter(places, -np.inf), places, np.nextafter(places, np.inf)])
    places = np.unique(places[places < arms.best])
    p = below(own, places)
    q = below_best(arms, places)
    usable = (p > arms.tau * (1.0 + TIE)) & (q < arms.tau * (1.0 - TIE))
    if not usable.any():  # the arms differ by hardly more than rounding
        raise _refusal(arms, same[0], most)
    p, q = p[usable], q[usable]  # both rise with u
    # Leave out thresholds that differ by rounding alone: of equal p the least q is enough.
    new = np.append(True, np.diff(p) > TIE * p[1:])
    return Pair(same, p[new], q[new])


class Window(NamedTuple):
    """Counts around τs for each s of a block; a row for each s, a column for each count."""

    s: Counts  # (m, 1)
    c: Counts  # (m, w)
    mass: Array  # (m, w) P_τ(c), 0 for what is no count
    evidence: Array  # (m, w) s kl(c/s, τ)
    tau: float
    from_above: bool  # columns go down from the largest count, for p > τ


def window(tau: float, s: Counts, low: Counts, high: Counts, *, from_above: bool) -> Window:
    """Return the window of the counts from low to high, each (m,), for the s of a block, (m,)."""
    steps = np.arange(int((high - low).max()) + 1)
    counts = high[:, None] - steps if from_above else low[:, None] + steps
    inside = (counts >= low[:, None]) & (counts <= high[:, None])
    c, trials = np.where(inside, counts, low[:, None]), s[:, None]
    rest = trials - c
    evidence = evidence_of(c, trials, tau)
    shapes = _shapes(int(s.max()))
    mass = shapes[c] * shapes[rest] / shapes[trials] * np.exp(-evidence)
    return Window(
        trials, c, np.where(inside, mass, 0.0), np.maximum(evidence, 0.0), tau, from_above
    )


def expectations(within: Window, values: Array, p: Array) -> Array:
    """Return E_p[f_s(C)] for each s and p, (m, Q); f_s(c) are the values, 0 outside the window."""
    tau, end = within.tau, within.c[:, :1]
    with np.errstate(divide="ignore"):
        at_end = _x_log(end, p / tau) + _x_log(within.s - end, (1.0 - p) / (1.0 - tau))
        odds = np.divide(p * (1.0 - tau), tau * (1.0 - p))
        step = 1.0 / odds if within.from_above else odds
    powers = np.cumprod(np.vstack([np.ones_like(p), *[step] * (within.c.shape[1] - 1)]), axis=0)
    powers[powers < TINY] = 0.0  # such products are slow, and e^(ln n + 26) at most times as large
    return np.exp(at_end) * ((within.mass * values) @ powers)


def reached(within: Window) -> Array:
    """Return π_s(c) = P_τ(B ≥ c) for each count of a window, without what is above it."""
    down = within.mass if within.from_above else within.mass[:, ::-1]
    chances = np.minimum(np.cumsum(down, axis=1), 1.0)
    return chances if within.from_above else chances[:, ::-1]


def reach(tau: float, s: Counts, exponent: float) -> Counts:
    """Return the largest count c ≤ s with c ≤ τs or s kl(c/s, τ) ≤ exponent.

    A binary search starts from the d of Bernstein's kl(τ + d, τ) ≥ d² / (2τ(1−τ) + 2(1−τ)d/3).
    """
    linear = exponent * (1.0 - tau) / (3.0 * s)
    far = linear + np.sqrt(linear * linear + 2.0 * exponent * tau * (1.0 - tau) / s)
    low = below_level(tau, s)
    high = np.minimum(s, np.ceil(s * (tau + far)).astype(np.int64)) + 1  # too large, or s + 1
    while (high - low > 1).any():
        middle = np.minimum((low + high) // 2, s)
        near = (middle <= low) | (evidence_of(middle, s, tau) <= exponent)
        low, high = np.where(near, np.maximum(low, middle), low), np.where(near, high, middle)
        high = np.where(low == s, s + 1, high)
    return low


def below_level(tau: float, s: Counts) -> Counts:
    """Return the largest k with k ≤ τs: `_kernels.samples.whole_below`, for arrays."""
    return s - at_level(1.0 - tau, s)


def at_level(tau: float, s: Counts) -> Counts:
    """Return the smallest k ≥ 1 with k ≥ τs: `_kernels.samples.rank`, for arrays."""
    least: Any = needed(tau, s)  # type: ignore[arg-type]
    return np.maximum(1, np.ceil(least)).astype(np.int64)


def evidence_of(c: Counts, s: Counts, tau: float) -> Array:
    """Return s kl(c/s, τ)."""
    return _x_log(c, c / (s * tau)) + _x_log(s - c, (s - c) / (s * (1.0 - tau)))


def _x_log(x: Counts, ratio: Array) -> Array:
    """Return x ln(ratio), 0 where x is, whatever the ratio."""
    return np.asarray(x * np.log(np.where(x > 0, ratio, 1.0)))


def _shapes(most: int) -> Array:
    """Return k^k e^(−k) / k! for k = 0 … most: P_{c/s}(c) is a quotient of three of them."""
    few = [1.0, *(k**k * math.exp(-k) / math.factorial(k) for k in range(1, int(ACCURATE)))]
    many = np.arange(len(few), max(most + 1, len(few)), dtype=np.float64)
    logarithms = -0.5 * np.log(many) - HALF_LOG_2_PI - stirling_series(many)  # type: ignore[arg-type]
    return np.concatenate([few, np.exp(logarithms)])


class _SuboptimalPulls(NamedTuple):
    """The first sums: Σ P(s kl⁺(Bin(s, p)/s, τ) ≤ budget), and that of Quantile-TS."""

    p: Array  # (Q, 1)
    to_tau: Array  # (Q, R) kl(r, τ)
    to_p: Array  # (Q, R) kl(r, p); ∞ if p = 1, as no share is below r then

    @classmethod
    def of(cls, p: Array, tau: float) -> "_SuboptimalPulls":
        """Choose the r between τ and p."""
        column = p[:, None]
        r = tau + (column - tau) * WAYS
        to_p = np.where(column == 1.0, np.inf, divergences(r, column))
        return cls(column, divergences(r, tau), to_p)

    def left(self, after: int, budget: float, *, by_rounds: bool = False, times: int = 1) -> Array:
        """Return max(0, budget / kl(r, τ) − S) + Σ_{s>S} e^(−s kl(r, p)), at the best r (1').

        The terms of the second sum may count several times (Theorem Q7). For Quantile-TS, the
        rounds in which a draw reaches u although F̂ ≥ r are counted too: n e^(−S kl(r, τ)) of them,
        and at most 1 (3').
        """
        with np.errstate(divide="ignore", over="ignore"):
            certain = np.maximum(0.0, budget / self.to_tau - after)
            lucky = np.exp(-(after + 1.0) * self.to_p) / -np.expm1(-self.to_p)
        drawn = np.exp(np.minimum(0.0, budget - after * self.to_tau)) if by_rounds else 0.0
        return np.min(certain + times * lucky + drawn, axis=1)

    def take(self, kept: NDArray[np.bool_]) -> "_SuboptimalPulls":
        """Return those of some p."""
        return _SuboptimalPulls(*(each[kept] for each in self))


def low_best_left(q: Array, tau: float, after: int, *, squared: bool = False) -> Array:
    """Return Σ_{s>S} A_s x^s of Lemma 2, or, squared, Σ s A_s x^s: (1') and (2').

    x = e^(−kl(τ, q)), and A_s = min{s(1−τ) + 1, 1/(1−ρ)} with 1/(1−ρ) = τ(1−q)/(τ−q).
    """
    divergence = divergences(np.full_like(q, tau), q)
    x, rest, first = np.exp(-divergence), -np.expm1(-divergence), after + 1.0
    with np.errstate(divide="ignore"):  # infinite where q is almost τ
        lead = np.exp(-first * divergence) / rest  # Σ x^s
        linear = lead * (first + x / rest)  # Σ s x^s
        square = lead * (first * first + (2.0 * first + (1.0 + x) / rest) * x / rest)  # Σ s² x^s
        steep = tau * (1.0 - q) / (tau - q)
    low, high = (linear, square) if squared else (lead, linear)
    return np.minimum((1.0 - tau) * high + low, steep * low)


def few_drawn_left(q: Array, tau: float, after: int) -> Array:
    """Return Σ_{s>S} 2 y^s, y = (√(qτ) + √((1−q)(1−τ)))², of (3')."""
    # 1 − √y is half the squared distance of the roots: the digits of 1 − y where q is near τ.
    distance = np.square(np.sqrt(q) - np.sqrt(tau)) + np.square(np.sqrt(1 - q) - np.sqrt(1 - tau))
    rest = distance / 2.0 * (2.0 - distance / 2.0)
    with np.errstate(divide="ignore"):
        found: Array = 2.0 * np.exp((after + 1.0) * np.log1p(-rest)) / rest
    return found


def divergences(p: Array, q: Array | float) -> Array:
    """Return kl(p, q) for arrays, with the digits of `_kernels.special.bernoulli_kl`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            np.where(x > 0, x * np.log1p(np.maximum(difference / y, -1.0)), 0.0)
            for x, y, difference in ((p, q, p - q), (1.0 - p, 1.0 - np.asarray(q), q - p))
        ]
    return np.maximum(np.where(p == q, 0.0, parts[0] + parts[1]), 0.0)


@dataclass(frozen=True)
class Theorem:
    """What is summed: the functions f_s and g_s, and bounds on the rest of their sums."""

    n: int
    tau: float
    plus: bool = False  # ln(n/s) instead of ln n: Q2
    trust: float = 0.0  # λ of Q5
    late: int = 0  # D of Q7
    waiting: bool = False  # whether evidence counts late answers (Q7)
    draws: bool = False  # Quantile-TS: Q3
    charged: int = 0  # M = mK of F
    ends: bool = False  # with a horizon, of F

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
        times = within.s + waiting if self.plus else np.ones_like(within.s)
        rounds = rounds * np.maximum(times, self.charged * math.exp(-self.trust))
        return within, np.minimum(self.n, 2.0 * rounds if self.ends else rounds)

    def worse_left(self, series: _SuboptimalPulls, after: int) -> Array:
        """Return an upper bound on the sum of the terms of f_s after s = S."""
        if after >= self.n:
            return np.zeros(len(series.p))
        budget = math.log(self.n / max(after, 1) if self.plus else self.n)
        if after == 0:  # pulls at s = 1 … s_0 are s_0 at most, beyond the D that Q7 counts once
            return series.left(0, budget, by_rounds=self.draws, times=1 + self.late)
        return (1 + self.late) * series.left(after, budget, by_rounds=self.draws)

    def better_left(self, q: Array, after: int) -> Array:
        """Return an upper bound on the sum of the terms of g_s after s = S."""
        if after >= self.n:
            return np.zeros_like(q)
        left = low_best_left(q, self.tau, after, squared=self.plus)
        if self.draws:
            return left + few_drawn_left(q, self.tau, after)
        more = self.late * -math.log(self.tau) if self.waiting else 0.0
        each = math.log1p(self.late) if self.waiting and self.plus else 0.0  # s + D ≤ (D + 1) s
        with np.errstate(over="ignore"):
            left = np.asarray(left * np.exp(self.trust + (more + each)))
            if self.charged > (after + 1) * math.exp(self.trust):  # else M < s e^λ for all s > S
                left += self.charged * np.exp(more) * low_best_left(q, self.tau, after)
        return 2.0 * left if self.ends else left

    def closed_form(self, p: Array, q: Array) -> Array:
        """Return (1'), (2') or (3'), for each threshold."""
        worse = self.worse_left(_SuboptimalPulls.of(p, self.tau), 0)
        return 1.0 + self.late + worse + self.better_left(q, 0)


def least_bounds(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    """Return the least bound over the thresholds of each arm; a few arms at a time."""
    few = [pairs[i : i + TOGETHER] for i in range(0, len(pairs), TOGETHER)]
    return np.concatenate([np.empty(0), *(_least_of_few(theorem, each) for each in few)])


def _least_of_few(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    p, q = (np.concatenate([pair[i] for pair in pairs]) for i in (1, 2))
    arm = np.repeat(np.arange(len(pairs)), [len(pair.p) for pair in pairs])
    series = _SuboptimalPulls.of(p, theorem.tau)
    worse = _Sum(theorem.worse_left(series, 0), 1 + theorem.late)
    better = _Sum(theorem.better_left(q, 0))
    best, done = np.full(len(pairs), np.inf), 0
    while done < min(theorem.n, MOST_TERMS) and (worse.going | better.going).any():
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
        exceeded = worse.so_far + better.so_far > best[arm]
        worse.going &= ~exceeded
        better.going &= ~exceeded
    outside = 3.0 * math.exp(-OUTSIDE) * done * (1 + theorem.late)
    return np.asarray(1.0 + theorem.late + best + outside)


class _Sum:
    """One of the two sums at all thresholds, so far."""

    def __init__(self, left: Array, times: int = 1) -> None:
        self.so_far = np.zeros_like(left)
        self.most = left.copy()
        self.going = np.ones(left.shape, bool)
        self.times = times  # how often a term may count, if all the terms before it do not

    def add(self, terms: Array, at: NDArray[np.bool_], left: Array, last: int) -> None:
        """Add a block of terms (m, Q), and lower the bound with one on the terms left."""
        tails = self.times * np.cumsum(terms[::-1], axis=0)[::-1]
        self.so_far[at] += tails[0]
        if self.times > 1:  # the pulls up to s are at most s + D: count them, and not the terms
            reached = np.arange(last - len(terms) + 1, last + 1)[:, None]
            after = np.vstack([tails[1:], np.zeros_like(tails[:1])])
            self.so_far[at] = np.minimum(self.so_far[at], np.min(reached + after, axis=0))
        self.most[at] = np.minimum(self.most[at], self.so_far[at] + left)
        self.going[at] = left > ERROR


def _block(theorem: Theorem, done: int) -> Counts:
    """Return the next s: twice as many each time, while the windows are small enough."""
    wide = reach(theorem.tau, np.array([done + 1]), math.log(theorem.n) + OUTSIDE)[0]
    wide += reach(1.0 - theorem.tau, np.array([done + 1]), OUTSIDE)[0] - done
    length = max(LEAST_TERMS, min(done, WINDOW_ENTRIES // int(wide)))
    return np.arange(done + 1, min(done + length, theorem.n, MOST_TERMS) + 1)


def least_closed_forms(theorem: Theorem, pairs: Sequence[Pair]) -> Array:
    """Return the least closed form over the thresholds of each arm."""
    return np.array([theorem.closed_form(pair.p, pair.q).min() for pair in pairs])


def sum_below(n: int, tau: float, p: float) -> float:
    """Return Σ_s P(Bin(s, p) < τs), p > τ, with a bound on the terms left out."""
    total, done, left = 0.0, 0, math.inf
    divergence = float(divergences(np.array([tau]), p)[0])
    while done < min(n, MOST_TERMS) and left > ERROR:
        s = np.arange(done + 1, min(2 * done + LEAST_TERMS, n, MOST_TERMS) + 1)
        done = int(s[-1])
        high = at_level(tau, s) - 1
        low = np.minimum(s - reach(1.0 - tau, s, OUTSIDE), high)
        within = window(tau, s, low, high, from_above=True)
        total += float(expectations(within, np.ones_like(within.mass), np.array([p])).sum())
        left = math.exp(-done * divergence) / math.expm1(divergence) if done < n else 0.0
    return total + left + math.exp(-OUTSIDE) * done
