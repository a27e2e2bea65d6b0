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
    top = cdf(x)
    reached = top > 0.0  # below the support nothing falls short
    level = np.where(reached, top, 1.0)

    def integrand(v: Array, x: Array, level: Array) -> Array:
        fall = x - quantile(level * np.exp(-v))
        # Rounding may lift a quantile above x; far out SciPy's may be ∞ of either sign.
        return np.where(np.isfinite(fall), np.exp(-v) * np.maximum(fall, 0.0), 0.0)

    if not math.isfinite(mean) and _has_heavy_lower_tail(quantile):
        return np.where(reached, np.inf, 0.0)
    areas = _tanhsinh(integrand, LOWEST + np.log(level), x, level)
    return np.where(reached, level * areas, 0.0)


def _has_heavy_lower_tail(quantile: Function) -> bool:
    """Tell whether p F⁻¹(p) does not vanish towards p = 0: then there is no mean below any x."""
    levels = np.array([0.5, 1e-8, 1e-12])
    centre, *ends = quantile(levels).tolist()
    near, far = (level * (centre - end) for level, end in zip(levels[1:], ends, strict=True))
    return bool(far >= 0.9 * near > 0.0)


def _tanhsinh(f: Callable[..., Array], high: Array, *parameters: Array) -> Array:
    """Return ∫ f(v, *parameters) dv over [0, high], element by element."""
    try:
        from scipy.integrate import tanhsinh
    except ImportError as error:
        raise MissingExtraError.needed("Computing with this law", "lab") from error
    return np.asarray(tanhsinh(f, 0.0, high, args=parameters, rtol=1e-12).integral)


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
