"""Stirling's series: what lnΓ(x) is beyond (x − ½) ln x − x + ½ ln 2π."""

import math

from .compile import kernel

HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)
ACCURATE = 16.0  # from here on, four terms of the series are off by less than 10⁻¹⁴


@kernel
def stirling_series(x: float) -> float:
    """Return 1/(12x) − 1/(360x³) + …, for x ≥ `ACCURATE`."""
    square = 1.0 / (x * x)
    return (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x


@kernel
def stirling_rest(x: float) -> float:
    """Return lnΓ(x) − (x − ½) ln x + x − ½ ln 2π, for any x > 0."""
    if x >= ACCURATE:
        return stirling_series(x)
    return math.lgamma(x) - (x - 0.5) * math.log(x) + x - HALF_LOG_2_PI
