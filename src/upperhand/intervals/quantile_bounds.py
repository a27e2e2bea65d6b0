"""Ranks of the order statistics that bound a quantile at all times at once: DKW and stitched.

S. R. Howard, A. Ramdas, "Sequential estimation of quantiles with applications to A/B testing and
best-arm identification", Bernoulli 28(3):1704–1728, 2022; the first radius is from B. Szörényi,
R. Busa-Fekete, P. Weng, E. Hüllermeier, "Qualitative multi-armed bandits: a quantile-based
approach", ICML 2015. With the radius r_t(p) after t independent values,

    upper end x_(⌊(p + r_t(p)) t⌋ + 1),  +∞ if there are not so many values,
    lower end x_(⌈(p − r_t(1−p)) t⌉),    −∞ if that is not a rank,

and for any law, with atoms or without, each end fails at some t with probability at most δ.

Why, also with ties: let q = sup{x : F(x) ≤ p}, the largest p-quantile. Then P(X < q) ≤ p, so the
number A_t of values below q is at most Binomial(t, p), jointly for all t. The k-th value is below q
exactly if A_t ≥ k, and the rank above is the smallest k with k − pt > t r_t(p): if the upper end
fails, A_t − pt has crossed the boundary t r_t(p). The lower end is the same for the values above
inf{x : F(x) ≥ p}, of which each is one with probability at most 1 − p; counted from the top, its
rank is that of the upper end at the level 1 − p. Both ends together thus hold all p-quantiles.

A call costs O(1). `beta_binomial.py` has the third boundary, which is the tightest.
"""

import math

from .._kernels.compile import kernel

EXPONENT, RATIO = 1.4, 2.04  # s and η of the stitched boundary, as in the published comparison
ZETA = 3.1055472779775815  # Riemann's ζ(s)
SLOPE = (RATIO**0.25 + RATIO**-0.25) / math.sqrt(2.0)  # k₁
SKEW = (math.sqrt(RATIO) + 1.0) / 2.0  # k₂
OFFSET = math.log(ZETA / math.log(RATIO) ** EXPONENT)


@kernel
def upper_rank(p: float, t: int, radius: float) -> int:
    """Return the rank (1-based) of the upper end for the level p after t values; t + 1 is +∞."""
    return min(t + 1, math.floor((p + radius) * t) + 1)


@kernel
def lower_rank(p: float, t: int, radius: float) -> int:
    """Return the rank of the lower end; 0 is −∞. The radius is the one of the level 1 − p."""
    return max(0, math.ceil((p - radius) * t))


@kernel
def dkw_radius(t: int, delta: float) -> float:
    """Return √(ln(π² t² / 3δ) / 2t), the same for all levels.

    The inequality of Dvoretzky, Kiefer and Wolfowitz, with error 6δ / (π² t²) at t: the sum over t
    is δ for both ends together, and at all levels at once. One end alone fails with δ/2.
    """
    return math.sqrt(math.log((math.pi * t) ** 2 / (3.0 * delta)) / (2.0 * t))


@kernel
def stitched_radius(p: float, t: int, delta: float, t_min: float) -> float:
    """Return the polynomial stitched radius of error δ at the level p, tight from t_min on.

    (√(k₁² v l + (k₂ c l)²) + k₂ c l) / t with v = p (1−p) max(t, t_min), c = (1−2p)/3 and
    l = s ln ln(η max(t, t_min) / t_min) + ln(ζ(s) / ln^s η) + ln(1/δ): Theorem 1(a), as in the
    authors' program (gostevehoward/quantilecs). No public text of the theorem's closed form with
    rounded constants was found; it is not used. Above p = ½ c is negative, which the general
    theorem of stitching does not speak of: there the error was checked by exact chances (a test).
    """
    late = max(float(t), t_min)
    log_term = EXPONENT * math.log(math.log(RATIO * late / t_min)) + OFFSET - math.log(delta)
    skew = SKEW * (1.0 - 2.0 * p) / 3.0 * log_term
    return (math.sqrt(SLOPE**2 * p * (1.0 - p) * late * log_term + skew**2) + skew) / t
