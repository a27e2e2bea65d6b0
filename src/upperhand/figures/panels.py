"""Panels side by side, laid out in inches, with names at the lines or in one legend below."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .labels import Line, find_places, write_names
from .style import WIDTH, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP, BETWEEN = 0.58, 0.24, 0.45, 0.30, 0.52  # inches around the axes
LEGEND_ROW = 0.19  # inches
HEADROOM = 0.16  # how far the y axis goes beyond the lines, in their range: room for names
TICK_LABEL = 5  # characters of a tick label on the y axis that the margins have room for
TICK_CHARACTER = 0.066  # inches


class Panel(NamedTuple):
    """One pair of axes: what is written on it, and how it draws its lines."""

    title: str
    xlabel: str
    draw: Callable[[Axes], list[Line]]
    from_zero: bool = True  # False: the y axis covers the lines, wherever they are


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
        _name_lines(figure, drawn)
    return figure


def _lay_out(figure: Figure, *, legend: float = 0.0) -> None:
    """Set the margins in inches: fixed ones cost nothing and line up from figure to figure.

    Only tick labels longer than usual move them.
    """
    panels, (width, height) = len(figure.axes), figure.get_size_inches()
    longest = max(map(_longest_tick_label, figure.axes))
    more = TICK_CHARACTER * max(0, longest - TICK_LABEL)
    left, between = LEFT + more, BETWEEN + more
    across = (width - left - RIGHT - (panels - 1) * between) / panels
    figure.subplots_adjust(
        left=left / width,
        right=1 - RIGHT / width,
        bottom=(BOTTOM + legend) / height,
        top=1 - TOP / height,
        wspace=between / across,
    )


def _longest_tick_label(axes: Axes) -> int:
    """Return how many characters the longest number on the y axis has."""
    low, high = axes.get_ylim()
    return max((len(_number(tick)) for tick in axes.get_yticks() if low <= tick <= high), default=0)


def _fill(axes: Axes, panel: Panel) -> list[Line]:
    """Draw and title one panel; return its lines."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_title(panel.title)
    axes.set_xlabel(panel.xlabel)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))
    return panel.draw(axes)


def _number(value: float) -> str:
    return f"{value:,.10g}".replace("-", "−")


def _y_range(panel: Panel, lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of the y axis; never equal ones, which would leave it without a length."""
    high = max(float(np.max(line.high)) for line in lines)
    if panel.from_zero:
        return 0.0, (1 + HEADROOM) * (high if high > 0 else 1.0)
    low = min(float(np.min(line.low)) for line in lines)
    room = HEADROOM * (high - low or abs(high) or 1.0)
    return low - room, high + room


def _name_lines(figure: Figure, drawn: Sequence[Sequence[Line]]) -> None:
    """Name lines at their ends; where they do not fit, the quiet ones in a legend, or else all."""
    if _named_at_ends(figure, drawn, drawn):
        return
    loud = [[line for line in lines if not line.quiet] for lines in drawn]
    loud_fit = _named_at_ends(figure, drawn, loud)
    _add_legend(figure, [line for lines in drawn for line in lines if line.quiet or not loud_fit])


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


def _add_legend(figure: Figure, lines: Sequence[Line]) -> None:
    """Put the names of these lines in one legend below all panels."""
    handles = {line.name: line.handle for line in lines}
    width, height = figure.get_size_inches()
    columns = max(1, min(len(handles), int(width / (0.6 + 0.075 * max(map(len, handles))))))
    room = LEGEND_ROW * math.ceil(len(handles) / columns) + 0.05
    figure.set_size_inches(width, height + room)
    _lay_out(figure, legend=room)
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="lower center",
        ncols=columns,
        borderaxespad=0.2,
        handlelength=2.6,
    )
