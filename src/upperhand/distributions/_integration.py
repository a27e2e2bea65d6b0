"""E[(x − Y)₊] = ∫ F over (−∞, x], from nothing but the distribution function F.

The integral is taken outwards from the place where F is half of F(x): downwards until what is left
does not count, upwards to x. Further out than the scale that F has there, the variable is the
logarithm of the distance, so that light tails, power tails and an x far above all the rewards take
a dozen pieces each.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..errors import MissingExtraError
from ._search import first_double_reaching
from .base import Array

Level: TypeAlias = Callable[[float], float]

FARTHEST = 1e300
ACCURACY = 1e-12  # relative, asked of each piece
NEGLIGIBLE = 2.0**-60  # a share of the whole that changes no digit of it
CHUNK = 2**20  # atoms that are summed at once


def integrated_shortfall(cdf: Callable[[Array], Array], mean: float, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x; `inf` if there is no mean and the lower tail is why."""
    with np.errstate(all="ignore"):  # far out, anything may overflow on its way to 0
        values = [_integrated(cdf, mean, float(point)) for point in x.flat]
    return np.reshape(values, x.shape)


def _integrated(cdf: Callable[[Array], Array], mean: float, x: float) -> float:
    def level(y: float) -> float:
        return float(cdf(np.array([y]))[0])

    if (top := level(x)) == 0.0:
        return 0.0
    low, high = np.array([-math.inf]), np.array([x])
    quarter, centre = first_double_reaching(top * np.array([0.25, 0.5]), cdf, low, high).tolist()
    scale = max(centre - quarter, 1e-9 * (abs(centre) + x - centre), 1.0 / FARTHEST)
    if not math.isfinite(mean) and _falls_too_slowly(level, centre, scale):
        return math.inf
    down = _outwards(lambda r: level(centre - r), scale, FARTHEST)
    return down + _outwards(lambda r: level(centre + r), scale, x - centre)


def _falls_too_slowly(level: Level, centre: float, scale: float) -> bool:
    """Whether r·F(centre − r) does not fall far out, so that F cannot be integrated."""
    nearer, farther = (r * level(centre - r) for r in (1e4 * scale, 1e8 * scale))
    return 0.9 * nearer <= farther and farther > 0.0


def _outwards(level: Level, scale: float, reach: float) -> float:
    """Return the integral of level(r) over 0 < r < reach, piece by piece until pieces vanish."""
    if reach <= 0.0:
        return 0.0
    near = min(scale, reach)
    total = piece = _integral(level, 0.0, near, 0.0)
    start, end, width = math.log(near), math.log(reach), 1.0
    while start < end and piece > NEGLIGIBLE * total:
        stop = min(start + width, end)
        piece = _integral(lambda w: level(math.exp(w)) * math.exp(w), start, stop, total)
        total += piece
        start, width = stop, 2.0 * width
    return total


def _integral(f: Level, low: float, high: float, already: float) -> float:
    """Return ∫ f over [low, high], to ACCURACY of itself or of what there is already."""
    tolerance = {"epsabs": ACCURACY * already, "epsrel": ACCURACY, "limit": 500}
    result = _scipy().quad(f, low, high, full_output=1, **tolerance)  # full output never warns
    return float(result[0])


def lattice_shortfall(cdf: Callable[[Array], Array], atoms: Array, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x, and `atoms` the last atoms up to x; all atoms are one apart."""
    values = [_summed(cdf, *pair) for pair in zip(atoms.flat, x.flat, strict=True)]
    return np.reshape(values, x.shape)


def _summed(cdf: Callable[[Array], Array], atom: float, x: float) -> float:
    """Return (x − a)F(a) + F(a−1) + F(a−2) + …, the area under a staircase; a is the atom.

    F is asked half-way between atoms, where no rounding can put it on the wrong step.
    """
    if atom > x:
        return 0.0
    total = float((x - atom) * cdf(np.array([atom + 0.5]))[0])
    first, count, rest = 0, 1024, math.inf
    while rest > NEGLIGIBLE * total:
        rest = float(np.sum(cdf(atom - 0.5 - np.arange(first, first + count))))
        total += rest
        first, count = first + count, min(2 * count, CHUNK)
    return total


def _scipy() -> Any:
    try:
        import scipy.integrate
    except ImportError as error:
        raise MissingExtraError.needed("Computing with this law", "lab") from error
    return scipy.integrate
