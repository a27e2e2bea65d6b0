"""Names written at the ends of lines, where they touch nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .style import FONT_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

End = Literal["right", "left"]
ENDS: tuple[End, ...] = ("right", "left")

CHARACTER = 0.62  # width of a character in font sizes, on the generous side
POINTS = 25  # at which a line is looked at under a name
INSET = 4.0  # points between the y axis and a name
PAD = 0.45  # free space above and below a name, in font sizes


@dataclass(frozen=True, eq=False)
class Line:
    """A drawn line, with what its name must not touch."""

    name: str
    color: str
    x: NDArray[Any]  # (G,) in data units, from left to right on the page
    low: NDArray[np.float64]  # (G,) the lower edge of line and band
    high: NDArray[np.float64]  # (G,)
    handle: Any  # for a legend
    end: End = "right"  # where its name stands
    roams: bool = False  # whether its name may stand at either end, and clear of a slant
    quiet: bool = False  # whether its name leaves for a legend before the others' do


class Place(NamedTuple):
    """A rectangle for a name, in points from the lower left corner of the axes."""

    end: End  # which the name is flush with
    left: float
    right: float
    bottom: float
    top: float


def find_places(axes: Axes, lines: Sequence[Line], named: Sequence[Line]) -> list[Place] | None:
    """Return a place for each name just above or below its line's end; None if one has none."""
    width, height = axes_size(axes)
    ranges = [_in_points(axes, line) for line in lines]
    placed: list[Place] = []
    for line in named:
        places = _candidates(line, width, *_in_points(axes, line))
        free = next((place for place in places if _is_free(place, height, ranges, placed)), None)
        if free is None:
            return None
        placed.append(free)
    return placed


def write_names(axes: Axes, named: Sequence[Line], places: Sequence[Place]) -> None:
    """Write each name in its place, in the colour of its line."""
    for line, place in zip(named, places, strict=True):
        axes.annotate(
            line.name,
            (place.right if place.end == "right" else place.left, place.bottom + PAD * FONT_SIZE),
            xycoords="axes points",
            ha=place.end,
            va="bottom",
            color=line.color,
        )


def _candidates(
    line: Line, width: float, x: NDArray[Any], low: NDArray[Any], high: NDArray[Any]
) -> Iterator[Place]:
    """Yield the places for a name: above an end of its line, then below it."""
    wide, tall = CHARACTER * FONT_SIZE * len(line.name), (1 + 2 * PAD) * FONT_SIZE
    for end in ENDS if line.roams else (line.end,):
        left, right = (width - wide, width) if end == "right" else (INSET, INSET + wide)
        under = np.linspace(left, right, POINTS) if line.roams else x[-1 if end == "right" else 0]
        top, foot = float(np.interp(under, x, high).max()), float(np.interp(under, x, low).min())
        yield Place(end, left, right, top, top + tall)
        yield Place(end, left, right, foot - tall, foot)


def _is_free(
    place: Place,
    height: float,
    ranges: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    placed: Sequence[Place],
) -> bool:
    """Tell whether the place lies within the axes and clear of all lines and other names."""
    if place.left < 0 or place.bottom < 0 or place.top > height + PAD * FONT_SIZE:
        return False
    if any(_overlap(place, other) for other in placed):
        return False
    across = np.linspace(place.left, place.right, POINTS)
    return not any(
        np.any(
            (np.interp(across, x, low) < place.top - 0.5)
            & (np.interp(across, x, high) > place.bottom + 0.5)
        )
        for x, low, high in ranges
    )


def _overlap(one: Place, other: Place) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.bottom < other.top and other.bottom < one.top


def axes_size(axes: Axes) -> tuple[float, float]:
    """Return width and height of the axes in points."""
    place = axes.get_position()
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    return place.width * width * 72, place.height * height * 72


def _in_points(axes: Axes, line: Line) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return x, low and high in points from the lower left corner of the axes."""
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    width, height = axes_size(axes)
    return (
        (np.asarray(line.x) - x0) / (x1 - x0) * width,
        (line.low - y0) / (y1 - y0) * height,
        (line.high - y0) / (y1 - y0) * height,
    )
