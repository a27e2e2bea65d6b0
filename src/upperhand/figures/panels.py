"""Panels side by side, laid out in inches, with names at the lines or in one legend below."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .labels import Line, add_legend, find_places, legend_height, write_names
from .measure import plain
from .style import WIDTH, drawing, new_figure
from .ticks import tick_width, write_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
