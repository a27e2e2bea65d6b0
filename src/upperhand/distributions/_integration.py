"""E[(x − Y)₊] for laws that have no closed form for it: an integral of quantiles, or a sum."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..errors import MissingExtraError, ParameterError
from .base import Array

Function: TypeAlias = Callable[[Array], Array]

NEGLIGIBLE = 2.0**-60  # a share of the whole that changes no digit of it
LOWEST = 690.0  # −ln of the lowest level, near the smallest double
MOST_ATOMS = 10**7


def integrated_shortfall(quantile: Function, cdf: Function, mean: float, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x; `inf` if there is no mean and the lower tail is why.

    It is ∫ (x − F⁻¹(p)) dp over (0, F(x)), and with p = F(x) e^(−v) the lower tail, light or heavy,
    becomes an integrand that falls off exponentially.
    """
    values = [_integrated(quantile, cdf, mean, point) for point in x.ravel().tolist()]
    return np.reshape(values, x.shape)


def _integrated(quantile: Function, cdf: Function, mean: float, x: float) -> float:
    top = float(cdf(np.array([x]))[0])
    if top == 0.0 or (not math.isfinite(mean) and _has_heavy_lower_tail(quantile, top, x)):
        return 0.0 if top == 0.0 else math.inf

    def integrand(v: float) -> float:
        fall = x - float(quantile(np.array([top * math.exp(-v)]))[0])
        # Rounding may lift a quantile above x; far out SciPy's may be ∞ of either sign.
        return math.exp(-v) * max(fall, 0.0) if math.isfinite(fall) else 0.0

    ends = (0.0, 1.0, 8.0, 40.0, LOWEST + math.log(top))
    pieces = [_quad(integrand, low, high) for low, high in zip(ends, ends[1:], strict=False)]
    return top * math.fsum(pieces)


def _has_heavy_lower_tail(quantile: Function, top: float, x: float) -> bool:
    """Tell whether p (x − F⁻¹(p)) does not fall towards p = 0: then there is no mean below x."""
    levels = top * np.array([1e-4, 1e-8])
    near, far = levels * (x - quantile(levels))
    return bool(far >= 0.9 * near)


def _quad(f: Callable[[float], float], low: float, high: float) -> float:
    try:
        from scipy.integrate import quad
    except ImportError as error:
        raise MissingExtraError.needed("Computing with this law", "lab") from error
    # With full_output an integral that is less accurate than asked for gives no warning.
    return float(quad(f, low, high, epsabs=0.0, epsrel=1e-12, limit=200, full_output=True)[0])


def lattice_shortfall(quantile: Function, cdf: Function, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x, for a law whose atoms are one apart."""
    origin = float(quantile(np.array([0.5]))[0])
    values = [_summed(quantile, cdf, origin, point) for point in x.ravel().tolist()]
    return np.reshape(values, x.shape)


def _summed(quantile: Function, cdf: Function, origin: float, x: float) -> float:
    """Return (x − a) F(a) + F(a−1) + F(a−2) + …, the area under a staircase; a is an atom.

    F is asked half-way between atoms, where no rounding can put it on the wrong step.
    """
    highest = float(quantile(np.array([1.0 - 2.0**-53]))[0])
    atom = origin + math.floor(min(x, highest) - origin)
    top = float(cdf(np.array([atom + 0.5]))[0])
    lowest = float(quantile(np.array([NEGLIGIBLE * top]))[0]) if top > 0.0 else atom
    if atom - lowest > MOST_ATOMS:
        raise ParameterError(
            f"A shortfall sums the atoms below, and there are more than {MOST_ATOMS} of them below "
            f"{x:g}; sample the law into an Empirical."
        )
    below = np.arange(1.0, max(atom - lowest, 0.0) + 1.0)
    return (x - atom) * top + float(np.sum(cdf(atom + 0.5 - below)))
