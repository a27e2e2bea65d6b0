"""The least and the greatest value of a density on an interval, on ever finer grids."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._score_law import Ends

Array = NDArray[np.float64]

GRID, REFINEMENTS = 1025, 3  # the last grid is some 10⁸ times finer than the first
STILL_GROWING = 2.0  # a greatest density that the last refinement still doubles has no end


class Extreme(NamedTuple):
    """A least or greatest value, and where it is."""

    value: float
    place: float


def extremes(density: Callable[[Array], Array], part: Ends) -> tuple[Extreme, Extreme]:
    """Return the least and the greatest density on an interval; one that never ends is infinite."""
    least, greatest = _refined(density, part, np.argmin), _refined(density, part, np.argmax)
    if not greatest[-1].value <= STILL_GROWING * greatest[-2].value:
        return least[-1], greatest[-1]._replace(value=np.inf)
    return least[-1], greatest[-1]


def _refined(
    density: Callable[[Array], Array], part: Ends, best: Callable[[Array], np.intp]
) -> list[Extreme]:
    """Return the extreme on a grid, and on ever finer grids around it."""
    points, found = np.linspace(*part, GRID), []
    for _ in range(1 + REFINEMENTS):
        values = density(points)
        place = int(best(values))
        found.append(Extreme(float(values[place]), float(points[place])))
        points = np.linspace(points[max(place - 1, 0)], points[min(place + 1, GRID - 1)], GRID)
    return found
