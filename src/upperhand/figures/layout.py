"""Panels side by side, laid out in inches, with names at the lines or in one legend below.

How wide texts and axes are on the page, and how to make a text fit.

Widths are measured in the font of the settings in force: ask within `style.drawing`.

Names: at the ends of lines, where they touch nothing, to the left of rows, or in a legend.

The numbers on a y axis: all digits with commas, and the room that they take.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .style import FONT_SIZE, QUIET, SMALL_SIZE, WIDTH, Look, drawing, ink, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ELLIPSIS = "…"
ROUNDING = 1e-6  # inches


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in inches, at a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest text in inches; 0 if there is none."""
    return max((text_width(text, size) for text in texts), default=0.0)


def axes_size(axes: Axes) -> tuple[float, float]:
    """Return width and height of the axes in points."""
    place = axes.get_position()
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    return place.width * width * 72, place.height * height * 72


def shortened(text: str, room: float, size: float) -> str:
    """Return the text with as much of its middle left out as must be to fit the room, in inches.

    The beginning says which policy it is, and the end how it is set.
    """
    kept, short = len(text), text
    while kept > 2 and text_width(short, size) > room + ROUNDING:
        kept -= 1
        short = text[: kept - kept // 2].rstrip() + ELLIPSIS + text[len(text) - kept // 2 :]
    return short


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Return the text in lines that fit the room, in inches; words that do not are shortened."""
    for characters in range(len(text), 0, -1):
        found = textwrap.wrap(text, characters, break_long_words=False)
        if widest(found, size) <= room + ROUNDING:
            return found
    return [shortened(line, room, size) for line in pieces(text)]


def pieces(text: str) -> list[str]:
    """Return the parts between which a line may end: after spaces and hyphens.

    >>> pieces("mean-variance (ρ=1)")
    ['mean-', 'variance', '(ρ=1)']
    """
    return textwrap.wrap(text, 1, break_long_words=False)


def plain(text: str) -> str:
    """Return the text for Matplotlib to draw as it is: a dollar sign starts no formula."""
    return text.replace("$", r"\$")


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


def write_numbers(axes: Axes) -> None:
    """Write numbers on the y axis as everywhere: 100,000 and −0.5."""
    from matplotlib.ticker import FuncFormatter

    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))


def tick_width(axes: Axes) -> float:
    """Return the inches of the widest number on the y axis."""
    low, high = axes.get_ylim()
    return widest((_number(y) for y in axes.get_yticks() if low <= y <= high), SMALL_SIZE)


def _number(value: float) -> str:
    return f"{value:,.10g}".replace("-", "−")


LEFT, RIGHT, BOTTOM, TOP, BETWEEN = 0.58, 0.24, 0.45, 0.30, 0.52  # inches around the axes
HEADROOM = 0.16  # how far the y axis goes beyond the lines, in their range: room for names
TICK_LABEL = 0.36  # inches of a tick label on the y axis that the margins have room for


class Panel(NamedTuple):
    """One pair of axes: what is written on it, and how it draws its lines."""

    title: str
    xlabel: str
    draw: Callable[[Axes], list[Line]]
    from_zero: bool = True  # False: the y axis covers the lines, wherever they are
    most: float = math.inf  # where the y axis ends at the latest


def panel_figure(
    panels: Sequence[Panel], ylabel: str, *, height: float = 2.5, share_y: bool = False
) -> Figure:
    """Return panels side by side, all in the unit of `ylabel`, which is written once."""
    with drawing():
        width = WIDTH if len(panels) > 1 else WIDTH * 0.6
        figure = new_figure(width, height)
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        _lay_out(figure)
        drawn = [_fill(axes, panel) for axes, panel in zip(grid, panels, strict=True)]
        ranges = [_y_range(panel, lines) for panel, lines in zip(panels, drawn, strict=True)]
        if share_y:
            lows, highs = zip(*ranges, strict=True)
            ranges = [(min(lows), max(highs))] * len(panels)
        for axes, limits in zip(grid, ranges, strict=True):
            axes.set_ylim(limits)
            axes.tick_params(labelleft=axes is grid[0] or not share_y)
        grid[0].set_ylabel(ylabel)
        _lay_out(figure)
        _name_lines(figure, panels, drawn)
    return figure


def _lay_out(figure: Figure, *, legend: float = 0.0) -> None:
    """Set the margins in inches: fixed ones cost nothing and line up from figure to figure.

    Only tick labels longer than usual move them.
    """
    panels, (width, height) = len(figure.axes), figure.get_size_inches()
    more = max(0.0, max(map(tick_width, figure.axes)) - TICK_LABEL)
    left, between = LEFT + more, BETWEEN + more
    across = (width - left - RIGHT - (panels - 1) * between) / panels
    figure.subplots_adjust(
        left=left / width,
        right=1 - RIGHT / width,
        bottom=(BOTTOM + legend) / height,
        top=1 - TOP / height,
        wspace=between / across,
    )


def _fill(axes: Axes, panel: Panel) -> list[Line]:
    """Draw and title one panel; return its lines."""
    from matplotlib.ticker import MaxNLocator

    axes.set_title(plain(panel.title))
    axes.set_xlabel(panel.xlabel)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    write_numbers(axes)
    return panel.draw(axes)


def _y_range(panel: Panel, lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of the y axis; never equal ones, which would leave it without a length."""
    high = max(float(np.max(line.high)) for line in lines)
    if panel.from_zero:
        return 0.0, (1 + HEADROOM) * (high if high > 0 else 1.0)
    low = min(float(np.min(line.low)) for line in lines)
    room = HEADROOM * (high - low or abs(high) or 1.0)
    return low - room, min(high + room, panel.most)


def _name_lines(figure: Figure, panels: Sequence[Panel], drawn: Sequence[Sequence[Line]]) -> None:
    """Name lines at their ends; where they do not fit, the quiet ones in a legend, or else all."""
    if _named_at_ends(figure, drawn, drawn):
        return
    loud = [[line for line in lines if not line.quiet] for lines in drawn]
    loud_fit = _named_at_ends(figure, drawn, loud)
    handles = {
        _in_legend(panel, line): line.handle
        for panel, lines in zip(panels, drawn, strict=True)
        for line in lines
        if line.quiet or not loud_fit
    }
    _put_legend(figure, handles)


def _in_legend(panel: Panel, line: Line) -> str:
    """Return the name of a line; if it is not drawn, with the letter of the panel it is about."""
    letter = panel.title[:4] if panel.title.startswith("(") and line.handle is None else ""
    return letter + line.name


def _named_at_ends(
    figure: Figure, drawn: Sequence[Sequence[Line]], named: Sequence[Sequence[Line]]
) -> bool:
    """Write these names at their lines, if there is room for all of them in all panels."""
    places = list(map(find_places, figure.axes, drawn, named))
    found = [boxes for boxes in places if boxes is not None]
    if len(found) < len(places):
        return False
    for axes, lines, boxes in zip(figure.axes, named, found, strict=True):
        write_names(axes, lines, boxes)
    return True


def _put_legend(figure: Figure, handles: dict[str, Any]) -> None:
    """Put these names in one legend below all panels, where room is made for it."""
    from matplotlib.lines import Line2D

    width, height = figure.get_size_inches()
    room = legend_height(list(handles), width)
    figure.set_size_inches(width, height + room)
    _lay_out(figure, legend=room)
    empty = Line2D([], [], linestyle="none")
    add_legend(figure, [handle or empty for handle in handles.values()], list(handles))
