"""The lower inverse of any distribution function, by bisection over the doubles themselves."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .base import Array

Keys: TypeAlias = npt.NDArray[np.int64]


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


def _keys(x: Array) -> Keys:
    """Return the place of each double in the order of all doubles: 0 for 0, odd under x → −x."""
    magnitude = np.abs(x).view(np.int64)
    return np.where(x < 0.0, -magnitude, magnitude)


def _doubles(keys: Keys) -> Array:
    """Return the doubles at these places: the inverse of `_keys`."""
    return np.copysign(np.abs(keys).view(np.float64), keys)
