"""References for the sums in Theorems Q1 to Q7, for one threshold: integers and fractions only.

e to the power of s kl(c/s, τ) is (c / (s τ))^c ((s − c) / (s (1 − τ)))^(s − c): rational.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from .quantiles import affordable

Term = Callable[[int, int], Fraction]


def chance(s: int, c: int, p: Fraction) -> Fraction:
    """Return P(Bin(s, p) = c)."""
    return math.comb(s, c) * p**c * (1 - p) ** (s - c)


def mean(s: int, p: Fraction, term: Term) -> Fraction:
    """Return E[term(s, C)] with C ~ Bin(s, p)."""
    return sum((chance(s, c, p) * term(s, c) for c in range(s + 1)), Fraction(0))


def likelihood(s: int, c: int, tau: Fraction) -> Fraction:
    """Return e^(s kl(c/s, τ))."""
    return Fraction(c, s) ** c / tau**c * Fraction(s - c, s) ** (s - c) / (1 - tau) ** (s - c)


def reached(s: int, c: int, tau: Fraction) -> Fraction:
    """Return P(Bin(s, τ) ≥ c)."""
    return sum((chance(s, k, tau) for k in range(c, s + 1)), Fraction(0))


def looks_good(s: int, c: int, tau: Fraction, budget: Fraction) -> bool:
    """Tell whether s kl⁺(c/s, τ) ≤ ln(budget)."""
    return c <= tau * s or affordable(c, s, tau, budget, s)


def kl_qucb(n: int, tau: Fraction, p: Fraction, q: Fraction, late: int = 0) -> Fraction:
    """Theorem Q1, and Q7 with evidence of the answers seen: the best s_0 of all."""
    good = [
        mean(s, p, lambda s, c: Fraction(looks_good(s, c, tau, Fraction(n))))
        for s in range(1, n + 1)
    ]
    bad = _low_best(n, tau, q, lambda s, c: likelihood(s, c, tau) if c > tau * s else Fraction(0))
    return 1 + late + min(s0 + (late + 1) * sum(good[s0:]) for s0 in range(n + 1)) + bad


def kl_qucb_plus(
    n: int,
    tau: Fraction,
    p: Fraction,
    q: Fraction,
    trust: int = 1,
    charged: int = 0,
    times: int = 1,
) -> Fraction:
    """Theorem Q2, Q5 with e^λ = trust, and F with M = charged, and times = 2 for a horizon."""
    good = sum(
        mean(s, p, lambda s, c: Fraction(looks_good(s, c, tau, Fraction(n, s))))
        for s in range(1, n + 1)
    )
    return 1 + good + _plus_low_best(n, tau, q, trust, charged, times)


def quantile_ts(n: int, tau: Fraction, p: Fraction, q: Fraction) -> Fraction:
    """Theorem Q3, equation 3, with 1/π − 1 at most n."""
    good = sum(
        mean(s, p, lambda s, c: min(Fraction(1), n * reached(s, c, tau))) for s in range(1, n + 1)
    )
    return 1 + good + _low_best(n, tau, q, lambda s, c: 1 / reached(s, c, tau) - 1)


def imed_lattice(n: int, tau: Fraction, p: Fraction, closed: Fraction, q: Fraction) -> Fraction:
    """Quantile-IMED on a lattice: p below u*, `closed` up to and with u*."""
    good = sum(
        mean(s, p, lambda s, c: Fraction(c < tau * s))
        + mean(s, closed, lambda s, c: Fraction(looks_good(s, c, tau, Fraction(n, s))))
        for s in range(1, n + 1)
    )
    return 1 + good + _plus_low_best(n, tau, q)


def _plus_low_best(
    n: int, tau: Fraction, q: Fraction, trust: int = 1, charged: int = 0, times: int = 1
) -> Fraction:
    def rounds(s: int, c: int) -> Fraction:
        each = times * max(trust * s, charged)
        return each * likelihood(s, c, tau) if c >= tau * s else Fraction(0)

    return _low_best(n, tau, q, rounds)


def _low_best(n: int, tau: Fraction, q: Fraction, rounds: Term) -> Fraction:
    """Return the second sum: the rounds that each count of the best arm can last, n at most."""
    return sum(
        (mean(s, q, lambda s, c: min(Fraction(n), rounds(s, c))) for s in range(1, n + 1)),
        Fraction(0),
    )
