"""References for the policies on ranks and order statistics."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .means import bernoulli_kl
from .ranks import SLACK, exact_rank, order_statistic, quantile
from .rounds import Histories, Late, Table, best, play_choice, play_index, pulls
from .shapes import shape_evidence


def quantile_ucb(
    table: Table,
    *,
    alpha: str,
    b: float = 1.0,
    init: int = 2,
    tail: str = "upper",
    late: Late | None = None,
) -> list[int]:
    """The empirical 1 − α/2 quantile (or α/2), plus b √(ln t / N)."""
    level = 1 - Fraction(alpha) / 2 if tail == "upper" else Fraction(alpha) / 2

    def index(past: Sequence[float], t: int) -> float:
        if pulls(past) < init or not past:
            return math.inf
        return quantile(past, level) + b * math.sqrt(math.log(t) / pulls(past))

    return play_index(table, index, late)


def qucb(table: Table, *, tau: str, c: float = 2.0, late: Late | None = None) -> list[int]:
    """The two lines of algorithm 2: x̂ of all raised quantiles, then the least p̂(x̂) − c_j."""

    def raised(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        level = float(Fraction(tau)) + math.sqrt(c * math.log(t - 1) / pulls(past))
        if level >= 1:
            return math.inf
        return order_statistic(past, exact_rank(Fraction(level), len(past), SLACK))

    def choice(histories: Histories, t: int) -> int:
        quantiles = [raised(past, t) for past in histories]
        top = max(quantiles)
        if top == math.inf:
            return best(quantiles, histories)

        def shortfall(past: Sequence[float]) -> float:
            return sum(y < top for y in past) / len(past) - math.sqrt(
                c * math.log(t - 1) / pulls(past)
            )

        return best([-shortfall(past) for past in histories], histories)

    return play_choice(table, choice, late)


def affordable(r: int, n: int, tau: Fraction, budget: Fraction, w: int) -> bool:
    """Tell whether w kl(r/n, τ) ≤ ln(budget), in whole numbers.

    e to the power of n kl(r/n, τ) is (r / (n τ))^r ((n − r) / (n (1 − τ)))^(n − r): rational. To
    the power of w it is compared with the n-th power of the budget, where doubles cannot tell.
    """
    excess = w * bernoulli_kl(r / n, float(tau)) - math.log(budget)
    if abs(excess) > 1e-6 * (1 + w):
        return excess < 0
    a, q = tau.numerator, tau.denominator
    left, right = r**r * (n - r) ** (n - r) * q**n, n**n * a**r * (q - a) ** (n - r)
    if w == n:
        return left * budget.denominator <= right * budget.numerator
    return left**w * budget.denominator**n <= right**w * budget.numerator**n


def kl_rank(n: int, tau: Fraction, budget: Fraction, w: int | None = None) -> int:
    """Return the largest r ≤ n with w kl(r/n, τ) ≤ ln(budget), at least ⌊τ n⌋; w ≥ n, or n."""
    r = math.floor(tau * n)
    while r < n and affordable(r + 1, n, tau, budget, w or n):
        r += 1
    return r


def share_from(past: Sequence[float], value: float) -> float:
    """Return the share of rewards that are at least this."""
    return 1.0 - sum(y < value for y in past) / len(past)


def kl_qucb(
    table: Table, *, tau: str, plus: bool = False, trust: float = 0.0, late: Late | None = None
) -> list[int]:
    """x_(r+1) with the largest r for which N kl(r/N, τ) ≤ ln t (plus: ln(t/N)); +∞ for r = N.

    With trust, x_(N) for r = N where the shape has more evidence than the budget against the best
    quantile, and where r would be less than N if the budget were less by `trust`.
    """
    level = Fraction(tau)

    def index(past: Sequence[float], t: int, top: float) -> float:
        n = len(past)
        if n == 0:
            return math.inf
        w = pulls(past)
        budget = max(Fraction(1), Fraction(t, w)) if plus else Fraction(t)
        r = kl_rank(n, level, budget, w)
        if r < n:
            return order_statistic(past, r + 1)
        nats = math.log(budget)
        if nats - trust >= -w * math.log(level):
            return math.inf
        doubted = shape_evidence(past, tau, t, len(table), top) > nats
        return max(past) if doubted else math.inf

    def choice(histories: Histories, t: int) -> int:
        top = max((quantile(past, tau) for past in histories if past), default=0.0)
        bounds = [index(past, t, top) for past in histories]
        return best(bounds, histories, second=share_from)

    return play_choice(table, choice, late)


def quantile_imed(
    table: Table, *, tau: str, trust: float = 0.0, late: Late | None = None
) -> list[int]:
    """The smallest N kl(max(F̂(u*), τ), τ) + ln N, without the first term at the best quantile.

    With trust, the evidence of the shape takes the place of the first term where it is larger, and
    the share 1: but no more than `trust` above it.
    """
    level = float(Fraction(tau))

    def cost(past: Sequence[float], t: int, top: float) -> float:
        if not past:
            return -math.inf
        w = pulls(past)
        if quantile(past, tau) >= top:
            return math.log(w)
        share = sum(y <= top for y in past) / len(past)
        order = w * bernoulli_kl(max(share, level), level)
        if trust > 0:
            shape = shape_evidence(past, tau, t, len(table), top)
            order = min(max(order, shape), order + trust)
        return order + math.log(w)

    def choice(histories: Histories, t: int) -> int:
        top = max((quantile(past, tau) for past in histories if past), default=0.0)
        return best([-cost(past, t, top) for past in histories], histories)

    return play_choice(table, choice, late)


def marab(table: Table, *, level: str, c: float = 1.0, late: Late | None = None) -> list[int]:
    """The mean of the k smallest rewards minus c √(ln⌈t level⌉ / k), with k = ⌈N level⌉."""

    def index(past: Sequence[float], t: int) -> float:
        if not past:
            return math.inf
        k = exact_rank(Fraction(level), len(past))
        worst = math.fsum(sorted(past)[:k]) / k
        pulled = exact_rank(Fraction(level), pulls(past))
        return worst - c * math.sqrt(math.log(exact_rank(Fraction(level), t)) / pulled)

    return play_index(table, index, late)


def quantile_ts(
    table: Table, *, tau: str, seed: int, binomial=None, late: Late | None = None
) -> list[int]:
    """x_(k) with k = 1 + Binomial(N, τ), one draw an arm in order, N = 0 too; +∞ for k = N + 1.

    While answers are under way, W of which N are seen: the same share of the way up as B is in
    Binomial(W, τ). `binomial(rng, n, p)` draws; NumPy's own unless told.
    """
    rng, level = np.random.default_rng(seed), float(Fraction(tau))
    draw = binomial or np.random.Generator.binomial

    def value(past: Sequence[float]) -> float:
        w = pulls(past)
        below = int(draw(rng, w, level))
        if below == w or not past:
            return math.inf
        return order_statistic(past, 1 + math.floor(Fraction(below, w) * len(past)))

    def choice(histories: Histories, t: int) -> int:
        drawn = [value(past) for past in histories]
        return best(drawn, histories, second=share_from)

    return play_choice(table, choice, late)
