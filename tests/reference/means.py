"""References for the policies on means and variances: in fractions, rounded once."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .rounds import Late, Table, explore_then_commit, play_index, pulls


class Moments(NamedTuple):
    """A sample's size, its mean, and Σ (y − mean)²."""

    n: int
    mean: float
    squares: float


def exact_moments(history: Sequence[float]) -> Moments:
    """Return the moments without any rounding but the last."""
    return _exact_moments(tuple(history))


def exact_mean(history: Sequence[float]) -> float:
    """Return the mean without any rounding but the last."""
    return _exact_mean(tuple(history))


@lru_cache(maxsize=100)  # in a round one arm's history changes, the others are asked for again
def _exact_mean(history: tuple[float, ...]) -> float:
    return float(Fraction(sum(map(units, history)), len(history) * UNITS))


@lru_cache(maxsize=100)
def _exact_moments(history: tuple[float, ...]) -> Moments:
    n, values = len(history), list(map(units, history))
    squares = n * sum(y * y for y in values) - sum(values) ** 2
    return Moments(n, _exact_mean(history), float(Fraction(squares, n * UNITS**2)))


UNITS = 2**1074  # every double is a whole number of units of 1 / UNITS; so are their sums


@lru_cache(maxsize=10_000)
def units(y: float) -> int:
    """Return a double in these units, in which sums are fast and exact."""
    return int(Fraction(y) * UNITS)


def ucb1(table: Table, *, late: Late | None = None) -> list[int]:
    """X̄ + √(2 ln t / N)."""

    def index(past: Sequence[float], t: int) -> float:
        return exact_mean(past) + math.sqrt(2 * math.log(t) / pulls(past)) if past else math.inf

    return play_index(table, index, late)


def ucb1_normal(table: Table, *, late: Late | None = None) -> list[int]:
    """X̄ + √(16 S² ln(t − 1) / N), once every arm has ⌈8 ln t⌉ pulls, and two."""

    def index(past: Sequence[float], t: int) -> float:
        if pulls(past) < max(2, math.ceil(8 * math.log(t))) or len(past) < 2:
            return math.inf
        n, mean, squares = exact_moments(past)
        return mean + math.sqrt(16 * (squares / (n - 1)) * math.log(t - 1) / pulls(past))

    return play_index(table, index, late)


def ucb_v(
    table: Table, *, span: float, zeta: float = 1.2, c: float = 1.0, late: Late | None = None
) -> list[int]:
    """X̄ + √(2 σ̂² E / N) + 3 c span E / N, with E = ζ ln t."""

    def index(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        n, mean, squares = exact_moments(past)
        e, w = zeta * math.log(t), pulls(past)
        return mean + math.sqrt(2 * (squares / n) * e / w) + 3 * c * span * e / w

    return play_index(table, index, late)


def kl_budget(t: int, c: float) -> float:
    """Return ln t + c ln ln t, where neither logarithm of a logarithm nor budget is negative."""
    return max(0.0, math.log(t) + c * math.log(max(1.0, math.log(t))))


def kl_ucb_gaussian(table: Table, *, sd: float, c: float = 0.0, late: Late | None = None):
    """X̄ + sd √(2 (ln t + c ln ln t) / N)."""

    def index(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        return exact_mean(past) + sd * math.sqrt(2 * kl_budget(t, c) / pulls(past))

    return play_index(table, index, late)


def bernoulli_kl(p: float, q: float) -> float:
    """Return p ln(p/q) + (1 − p) ln((1 − p)/(1 − q)), with 0 ln 0 = 0."""
    terms = [(p, q), (1 - p, 1 - q)]
    if any(x > 0 and y == 0 for x, y in terms):
        return math.inf
    return sum(x * math.log(x / y) for x, y in terms if x > 0)


def kl_upper(p: float, budget: float) -> float:
    """Return the largest q in [p, 1] with kl(p, q) ≤ budget, by halving until doubles run out."""
    low, high = p, 1.0
    if bernoulli_kl(p, 1.0) <= budget:
        return 1.0
    while low < (middle := (low + high) / 2) < high:
        if bernoulli_kl(p, middle) <= budget:
            low = middle
        else:
            high = middle
    return low


def kl_ucb_bernoulli_index(past: Sequence[float], t: int, c: float = 0.0) -> float:
    """Return sup{q ≤ 1: N kl(X̄, q) ≤ ln t + c ln ln t}."""
    if not past:
        return math.inf
    return kl_upper(min(max(exact_mean(past), 0.0), 1.0), kl_budget(t, c) / pulls(past))


def kl_ucb_bernoulli(table: Table, *, c: float = 0.0, late: Late | None = None) -> list[int]:
    """Play the index above; for rewards without ties, as the policy computes it another way."""
    return play_index(table, lambda past, t: kl_ucb_bernoulli_index(past, t, c), late)


def mv_lcb(
    table: Table, *, horizon: int, span: float, rho: float = 1.0, late: Late | None = None
) -> list[int]:
    """−(σ̂² − ρ X̄) + (5 span² + ρ span) √(ln(1/δ) / (2 N)), with δ = 1/horizon²."""

    def index(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        n, mean, squares = exact_moments(past)
        radius = math.sqrt(2 * math.log(horizon) / (2 * pulls(past)))
        return -(squares / n - rho * mean) + (5 * span**2 + rho * span) * radius

    return play_index(table, index, late)


def exploration_pulls(horizon: int) -> int:
    """Return the smallest e ≥ 1 with e ≥ (horizon / 14)^(2/3), in whole numbers: 14² e³ ≥ n²."""
    e = 1
    while 14**2 * e**3 < horizon**2:
        e += 1
    return e


def exp_exp(table: Table, *, horizon: int, rho: float = 1.0, late: Late | None = None) -> list[int]:
    """Explore round-robin, then commit to the largest ρ X̄ − σ̂² of the exploration."""
    e = exploration_pulls(horizon)

    def worth(past: Sequence[float]) -> float:
        n, mean, squares = exact_moments(past[:e])
        return rho * mean - squares / n

    return explore_then_commit(table, e, worth, late)
