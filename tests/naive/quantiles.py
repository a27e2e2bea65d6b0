"""The twins of the policies on ranks and order statistics."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .means import bernoulli_kl
from .ranks import SLACK, exact_rank, order_statistic, quantile
from .rounds import Histories, Table, best, play_choice, play_index


def quantile_ucb(
    table: Table, *, alpha: str, b: float = 1.0, init: int = 2, tail: str = "upper"
) -> list[int]:
    """The empirical 1 − α/2 quantile (or α/2), plus b √(ln t / N)."""
    level = 1 - Fraction(alpha) / 2 if tail == "upper" else Fraction(alpha) / 2

    def index(past: Sequence[float], t: int) -> float:
        if len(past) < init:
            return math.inf
        return quantile(past, level) + b * math.sqrt(math.log(t) / len(past))

    return play_index(table, index)


def qucb(table: Table, *, tau: str, c: float = 2.0) -> list[int]:
    """The two lines of algorithm 2: x̂ of all raised quantiles, then the least p̂(x̂) − c_j."""

    def raised(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        level = float(Fraction(tau)) + math.sqrt(c * math.log(t - 1) / len(past))
        if level >= 1:
            return math.inf
        return order_statistic(past, exact_rank(Fraction(level), len(past), SLACK))

    def choice(histories: Histories, t: int) -> int:
        top = max(raised(past, t) for past in histories)

        def shortfall(past: Sequence[float]) -> float:
            if not past:
                return -math.inf
            return sum(y < top for y in past) / len(past) - math.sqrt(
                c * math.log(t - 1) / len(past)
            )

        return best([-shortfall(past) for past in histories], histories)

    return play_choice(table, choice)


def affordable(r: int, n: int, tau: Fraction, budget: Fraction) -> bool:
    """Tell whether n kl(r/n, τ) ≤ ln(budget), in whole numbers.

    e to the power of n kl(r/n, τ) is (r / (n τ))^r ((n − r) / (n (1 − τ)))^(n − r): rational.
    """
    a, q = tau.numerator, tau.denominator
    left = r**r * (n - r) ** (n - r) * q**n * budget.denominator
    return left <= n**n * a**r * (q - a) ** (n - r) * budget.numerator


def kl_rank(n: int, tau: Fraction, budget: Fraction) -> int:
    """Return the largest r ≤ n with n kl(r/n, τ) ≤ ln(budget), and ⌊τ n⌋ at least."""
    r = math.floor(tau * n)
    while r < n and affordable(r + 1, n, tau, budget):
        r += 1
    return r


def share_from(past: Sequence[float], value: float) -> float:
    """Return the share of rewards that are at least this."""
    return 1.0 - sum(y < value for y in past) / len(past)


def kl_qucb(table: Table, *, tau: str, plus: bool = False) -> list[int]:
    """x_(r+1) with the largest r for which N kl(r/N, τ) ≤ ln t (plus: ln(t/N)); +∞ for r = N."""

    def index(past: Sequence[float], t: int) -> float:
        n = len(past)
        if n == 0:
            return math.inf
        budget = max(Fraction(1), Fraction(t, n)) if plus else Fraction(t)
        r = kl_rank(n, Fraction(tau), budget)
        return math.inf if r == n else order_statistic(past, r + 1)

    def choice(histories: Histories, t: int) -> int:
        bounds = [index(past, t) for past in histories]
        return best(bounds, histories, second=share_from)

    return play_choice(table, choice)


def quantile_imed(table: Table, *, tau: str) -> list[int]:
    """The smallest N kl(max(F̂(u*), τ), τ) + ln N, without the first term at the best quantile."""
    level = float(Fraction(tau))

    def cost(past: Sequence[float], top: float) -> float:
        n = len(past)
        if quantile(past, tau) >= top:
            return math.log(n)
        share = sum(y <= top for y in past) / n
        return n * bernoulli_kl(max(share, level), level) + math.log(n)

    def choice(histories: Histories, t: int) -> int:
        if t <= len(histories):
            return t - 1
        top = max(quantile(past, tau) for past in histories)
        costs = [cost(past, top) for past in histories]
        return costs.index(min(costs))

    return play_choice(table, choice)


def marab(table: Table, *, level: str, c: float = 1.0) -> list[int]:
    """The mean of the k smallest rewards minus c √(ln⌈t level⌉ / k), with k = ⌈N level⌉."""

    def index(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        k = exact_rank(Fraction(level), len(past))
        worst = math.fsum(sorted(past)[:k]) / k
        return worst - c * math.sqrt(math.log(exact_rank(Fraction(level), t)) / k)

    return play_index(table, index)


def quantile_ts(table: Table, *, tau: str, seed: int, binomial=None) -> list[int]:
    """x_(k) with k = 1 + Binomial(N, τ), one draw an arm in order, N = 0 too; +∞ for k = N + 1.

    `binomial(rng, n, p)` draws; NumPy's own unless told.
    """
    rng, level = np.random.default_rng(seed), float(Fraction(tau))
    draw = binomial or np.random.Generator.binomial

    def value(past: Sequence[float]) -> float:
        k = 1 + int(draw(rng, len(past), level))
        return math.inf if k > len(past) else order_statistic(past, k)

    def choice(histories: Histories, t: int) -> int:
        drawn = [value(past) for past in histories]
        return best(drawn, histories, second=share_from)

    return play_choice(table, choice)
