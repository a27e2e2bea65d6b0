"""Names written at the ends of lines, where they touch nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .style import FONT_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHARACTER = 0.62  # width of a character in font sizes, on the generous side
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


class _Box(NamedTuple):
    """A rectangle in points from the lower left corner of the axes."""

    left: float
    right: float
    bottom: float
    top: float


def label_lines(axes: Axes, lines: Sequence[Line]) -> bool:
    """Write each name just above or below its line's right end; False if one does not fit."""
    width, height = axes_size(axes)
    ranges = [_in_points(axes, line) for line in lines]
    placed: list[_Box] = []
    for line, (_, lows, highs) in zip(lines, ranges, strict=True):
        boxes = _candidates(line.name, width, float(lows[-1]), float(highs[-1]))
        free = [box for box in boxes if _is_free(box, height, ranges, placed)]
        if not free:
            return False
        placed.append(free[0])
    for line, box in zip(lines, placed, strict=True):
        axes.annotate(
            line.name,
            (box.right, box.bottom + PAD * FONT_SIZE),
            xycoords="axes points",
            ha="right",
            va="bottom",
            color=line.color,
        )
    return True


def _candidates(name: str, width: float, low: float, high: float) -> list[_Box]:
    """Return the places for a name: above the end of its line, then below it."""
    left, tall = width - CHARACTER * FONT_SIZE * len(name), (1 + 2 * PAD) * FONT_SIZE
    return [_Box(left, width, high, high + tall), _Box(left, width, low - tall, low)]


def _is_free(
    box: _Box,
    height: float,
    ranges: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    placed: Sequence[_Box],
) -> bool:
    """Tell whether the box lies within the axes and clear of all lines and other names."""
    if box.left < 0 or box.bottom < 0 or box.top > height + PAD * FONT_SIZE:
        return False
    if any(box.bottom < other.top and other.bottom < box.top for other in placed):
        return False
    across = np.linspace(box.left, box.right, 25)
    return not any(
        np.any(
            (np.interp(across, x, low) < box.top - 0.5)
            & (np.interp(across, x, high) > box.bottom + 0.5)
        )
        for x, low, high in ranges
    )


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
