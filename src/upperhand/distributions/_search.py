"""The lower inverse of any distribution function, by bisection over the doubles themselves."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .base import Array

Keys: TypeAlias = npt.NDArray[np.int64]

GAP = 1e-9  # far above rounding, far below what people would call a difference


def first_double_reaching(
    target: Array, cdf: Callable[[Array], Array], low: Array, high: Array
) -> Array:
    """Return the smallest double x in [low, high] with cdf(x) ≥ target, or `high` if there is none.

    Doubles, put in order, are integers (see `_keys`), so that halving the integer interval ends at
    two neighbouring doubles after at most 64 steps, wherever the atoms and flat parts may be and
    even between −inf and inf.
    """
    below = np.broadcast_to(_keys(low), target.shape)
    reached = np.where(cdf(low) >= target, below, _keys(high))
    while np.any(below + 1 < reached):
        middle = (below >> 1) + (reached >> 1) + (below & reached & 1)  # the sum may overflow
        enough = cdf(_doubles(middle)) >= target
        below, reached = np.where(enough, below, middle), np.where(enough, middle, reached)
    return _doubles(reached)


def first_double_almost_reaching(
    target: Array, almost: Array, cdf: Callable[[Array], Array], low: Array, high: Array
) -> Array:
    """Return the first double that reaches the target, or, across a gap, that almost reaches it.

    Weights such as 0.1 and 0.7 add up to a hair below 0.8, and that hair must not carry a quantile
    over to the next atom. So a level that is reached up to rounding counts as reached, wherever
    this makes more than a difference of rounding: where the distribution function is flat in
    between, or the two places are at least GAP times the searched range apart.
    """
    strict, forgiving = first_double_reaching(np.stack([target, almost]), cdf, low, high)
    with np.errstate(invalid="ignore", over="ignore"):  # the ends may be infinite
        flat = cdf(np.nextafter(strict, -np.inf)) - cdf(forgiving) <= (target - almost) / 4
        far = strict - forgiving > GAP * (high - low)
    found: Array = np.where((forgiving < strict) & (flat | far), forgiving, strict)
    return found


def _keys(x: Array) -> Keys:
    """Return the place of each double in the order of all doubles: 0 for 0, odd under x → −x."""
    magnitude = np.abs(x).view(np.int64)
    return np.where(x < 0.0, -magnitude, magnitude)


def _doubles(keys: Keys) -> Array:
    """Return the doubles at these places: the inverse of `_keys`."""
    return np.copysign(np.abs(keys).view(np.float64), keys)
