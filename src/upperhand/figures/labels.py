"""Names: at the ends of lines, where they touch nothing, to the left of rows, or in a legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .looks import QUIET, Look, ink
from .measure import axes_size, plain, shortened, text_width, widest
from .style import FONT_SIZE, SMALL_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

End = Literal["right", "left"]
ENDS: tuple[End, ...] = ("right", "left")

POINTS = 25  # at which a line is looked at under a name
INSET, AIR = 4.0, 3.0  # points between the y axis and a name, and beside a name
PAD = 0.45  # free space above and below a name, in font sizes

SWATCH, GAP = 0.26, 0.06  # inches: the sample of a line, and a space to either side of a row's name
LEAST, MOST = 1.5, 3.2  # inches of all that: figures line up unless a name is long
THIN = 0.7  # points: the lines of policies that are not in colour

SIDE, LEGEND_ROW = 0.1, 0.19  # inches: to either side of the legend, and of a row of it
SAMPLE, AFTER, APART = 2.4, 0.8, 2.0  # font sizes: a sample, the space after it, between columns
EM = FONT_SIZE / 72


@dataclass(frozen=True, eq=False)
class Line:
    """A drawn line, with what its name must not touch."""

    name: str  # as Matplotlib draws it
    color: str
    x: NDArray[Any]  # (G,) in data units, from left to right on the page
    low: NDArray[np.float64]  # (G,) the lower edge of line and band
    high: NDArray[np.float64]  # (G,)
    handle: Any  # for a legend; None if the line is only said
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
    """Write each name in its place, in the colour of its line, darker if it is too pale to read."""
    for line, place in zip(named, places, strict=True):
        x = place.right if place.end == "right" else place.left
        text = axes.annotate(line.name, (x, place.bottom + PAD * FONT_SIZE), xycoords="axes points")
        text.set(ha=place.end, va="bottom", color=ink(line.color))


def _candidates(
    line: Line, width: float, x: NDArray[Any], low: NDArray[Any], high: NDArray[Any]
) -> Iterator[Place]:
    """Yield the places for a name: above an end of its line, then below it."""
    wide, tall = 72 * text_width(line.name, FONT_SIZE) + AIR, (1 + 2 * PAD) * FONT_SIZE
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


def _in_points(axes: Axes, line: Line) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return x, low and high in points from the lower left corner of the axes."""
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    width, height = axes_size(axes)
    x, low, high = np.asarray(line.x), line.low, line.high
    up = height / (y1 - y0)
    return (x - x0) / (x1 - x0) * width, (low - y0) * up, (high - y0) * up


def name_width(names: Iterable[str]) -> float:
    """Return the inches that the names of rows need; what is longer than MOST is shortened."""
    return min(max(SWATCH + 2 * GAP + widest(names, SMALL_SIZE), LEAST), MOST)


def name_rows(axes: Axes, styles: Mapping[str, Look], middle: float = 0.0) -> None:
    """Write the names at y = middle, middle + 1, …, from `name_width` inches to the left on.

    Before each is a sample of the line that it has elsewhere.
    """
    across = axes.get_yaxis_transform()  # x in widths of the axes, y in rows
    inch = 72 / axes_size(axes)[0]
    wide = name_width(styles)
    axes.set_yticks([])
    for y, (name, style) in enumerate(styles.items()):
        ends = [-wide * inch, (SWATCH - wide) * inch]
        (sample,) = axes.plot(ends, [y + middle] * 2, transform=across, clip_on=False)
        sample.set(color=style.color, linestyle=style.linestyle)
        shown = plain(shortened(name, wide - SWATCH - 2 * GAP, SMALL_SIZE))
        text = axes.text((SWATCH + GAP - wide) * inch, y + middle, shown, transform=across)
        text.set(va="center", fontsize=SMALL_SIZE)
        if style == QUIET:
            sample.set_linewidth(THIN)
        else:
            text.set_color(ink(style.color))


def legend_height(names: Sequence[str], width: float) -> float:
    """Return the inches that the legend takes in a figure of that width, with a space above."""
    return LEGEND_ROW * math.ceil(len(names) / _columns(names, width)) + 0.1


def add_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Write the names along the lower edge; one that is wider than the figure is shortened."""
    width = float(figure.get_size_inches()[0])
    room = width - 2 * SIDE - EM * (SAMPLE + AFTER)
    figure.legend(
        handles, [shortened(name, room, FONT_SIZE) for name in names], loc="lower center",
        ncols=_columns(names, width), borderaxespad=0.2, borderpad=0.2, handlelength=SAMPLE,
        handletextpad=AFTER, columnspacing=APART,
    )  # fmt: skip


def _columns(names: Sequence[str], width: float) -> int:
    column = widest(names, FONT_SIZE) + EM * (SAMPLE + AFTER + APART)
    return max(1, min(len(names), int((width - 2 * SIDE + EM * APART) / column)))
