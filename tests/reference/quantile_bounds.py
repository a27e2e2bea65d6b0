"""Boundaries of quantile confidence sequences as published, for sums s of variance v; with SciPy.

They are in the general form of Howard et al., "Time-uniform Chernoff bounds" and "Time-uniform,
nonparametric, nonasymptotic confidence sequences": increments between −g and h. A count of t trials
of chance p has g = p, h = 1 − p, v = p(1−p)t. `tests/intervals` pins them to the tests of confseq.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


def exact_log_mass_above(a: int, b: int, p: float) -> Decimal:
    """Return ln(∫_p^1 θ^(a−1) (1−θ)^(b−1) dθ / (p^a (1−p)^b)), by the binomial sum it is."""
    with localcontext(prec=60):
        odds = Decimal(p) / (1 - Decimal(p))
        term, total = Decimal(1), Decimal(0)  # C(n, j) odds^j, n = a + b − 1
        for j in range(a):
            total += term
            term *= odds * (a + b - 1 - j) / (j + 1)
        # B(a, b) (1−p)^n Σ_{j<a} C(n, j) odds^j, over p^a (1−p)^b; term is that of j = a by now
        return (total / (term * a * (1 - Decimal(p)))).ln()


def log_mixture(s: ArrayLike, v: float, v_opt: float, g: float, h: float, alpha: float) -> NDArray:
    """Return the logarithm of the one-sided beta-binomial mixture."""
    s = np.asarray(s, np.float64)
    budget = 2 * math.log(1 / (2 * alpha))
    r = max(v_opt / (budget + math.log(1 + budget)) - g * h, g * h / 1000)

    def log_incomplete(a: ArrayLike, b: ArrayLike) -> NDArray:
        with np.errstate(divide="ignore"):  # far below the root the mass underflows
            return np.log(special.betainc(a, b, h / (g + h))) + special.betaln(a, b)

    below, above = (v + h * s) / (h * (g + h)), (v - g * s) / (g * (g + h))
    prior = r / (h * (g + h)), r / (g * (g + h))
    return (
        v / (g * h) * math.log(g + h)
        - below * math.log(g)
        - above * math.log(h)
        + log_incomplete(prior[1] + above, prior[0] + below)
        - log_incomplete(prior[1], prior[0])
    )


def stitched(v: float, alpha: float, v_min: float, c: float, s: float, eta: float) -> float:
    """Return the polynomial stitched boundary."""
    v = max(v, v_min)
    k1, k2 = (eta**0.25 + eta**-0.25) / math.sqrt(2), (math.sqrt(eta) + 1) / 2
    times = s * math.log(math.log(eta * v / v_min))
    ell = times + math.log(special.zeta(s) / (alpha * math.log(eta) ** s))
    return math.sqrt(k1**2 * v * ell + (k2 * c * ell) ** 2) + k2 * c * ell


def upper_rank(p: float, t: int, radius: float) -> int:
    """Return the smallest k with k − pt > t · radius, t + 1 if none is, by trying them all."""
    edge = (Fraction(p) + Fraction(radius)) * t
    return next((k for k in range(1, t + 1) if k > edge), t + 1)


def mixture_rank(p: float, t: int, delta: float, t_opt: float) -> int:
    """Return the smallest k for which the mixture reaches 1/δ, by computing it for all k ≥ pt."""
    k = np.arange(math.ceil(p * t), t + 1)
    v = p * (1 - p)
    crossed = log_mixture(k - p * t, v * t, v * t_opt, p, 1 - p, delta) >= math.log(1 / delta)
    return int(k[crossed][0]) if crossed.any() else t + 1


def ranks(method: str, tau: float, delta: float, t_opt: int, t: int) -> tuple[int, int]:
    """Return the ranks of the two ends, counted from below: 0 for −∞, t + 1 for +∞."""

    def upper(p: float) -> int:
        if method == "beta-binomial":
            return mixture_rank(p, t, delta / 2, t_opt)
        if method == "dkw":
            radius = math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))
        else:
            v = p * (1 - p)
            radius = stitched(v * t, delta / 2, v * t_opt, (1 - 2 * p) / 3, 1.4, 2.04) / t
        return upper_rank(p, t, radius)

    return t + 1 - upper(1 - tau), upper(tau)
