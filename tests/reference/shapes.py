"""What a Gaussian shape says against an arm: moments in fractions, the divergence by a search."""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist

from scipy import optimize

from .means import exact_moments
from .ranks import quantile
from .rounds import pulls

FAILED = 1e300  # a trial that failed


def gaussian_divergence(a: float, z: float) -> float:
    """Return the least divergence from N(0, 1) to a Gaussian with mean + z sd = a, by a search.

    KL(N(0, 1), N(m, r²)) = ln r + (1 + m²) / (2 r²) − ½, searched over ln r.
    """
    if a <= z:
        return 0.0

    def divergence(log_r: float) -> float:
        r = math.exp(log_r)
        m = a - z * r
        return log_r + (1 + m * m) / (2 * r * r) - 0.5

    width = 2 + 2 * math.log(2 + abs(a) + abs(z))
    found = optimize.minimize_scalar(divergence, bounds=(-width, width), method="bounded",
                                     options={"xatol": 1e-9})  # fmt: skip
    return float(found.fun)


def shows_a_shape(past: Sequence[float], tau: str, t: int, arms: int) -> bool:
    """Tell whether the rewards are enough, all different, and none a failed trial."""
    n, level = len(past), Fraction(tau)
    enough = n >= 3 and ((1 - level) * n >= 2 or n * arms * 10 >= t)
    return enough and len(set(past)) == n and max(map(abs, past)) < FAILED


def shape_evidence(past: Sequence[float], tau: str, t: int, arms: int, u: float) -> float:
    """Return (W − 2) K, K the least divergence to a Gaussian whose τ-quantile is u; or 0."""
    if not shows_a_shape(past, tau, t, arms) or max(past) > u:
        return 0.0
    n, mean, squares = exact_moments(past)
    sd = math.sqrt(squares / n)
    if sd == 0:
        return 0.0
    z = max(NormalDist().inv_cdf(float(tau)), (quantile(past, tau) - mean) / sd)
    return (pulls(past) - 2) * gaussian_divergence((u - mean) / sd, z)
