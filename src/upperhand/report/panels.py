"""Panels side by side, laid out in inches, with names at the lines or in one legend below."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .labels import Line, label_lines
from .style import WIDTH, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP, BETWEEN = 0.58, 0.24, 0.45, 0.30, 0.52  # inches around the axes
LEGEND_ROW = 0.19  # inches
HEADROOM = 1.16  # how far the y axis goes beyond the highest line: room for its name


class Panel(NamedTuple):
    """One pair of axes: what is written on it, and how it draws its lines."""

    title: str
    xlabel: str
    draw: Callable[[Axes], list[Line]]


def panel_figure(
    panels: Sequence[Panel], ylabel: str, *, height: float = 2.5, share_y: bool = False
) -> Figure:
    """Return panels side by side that all show the same quantity, from 0 upwards."""
    with drawing():
        width = WIDTH if len(panels) > 1 else WIDTH * 0.6
        figure = new_figure(width, height)
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        _lay_out(figure, len(panels), legend=0.0)
        drawn = [_fill(axes, panel) for axes, panel in zip(grid, panels, strict=True)]
        highest = [_highest(lines) for lines in drawn]
        for axes, top in zip(grid, highest, strict=True):
            axes.set_ylim(0, HEADROOM * (max(highest) if share_y else top))
            axes.tick_params(labelleft=axes is grid[0] or not share_y)
        grid[0].set_ylabel(ylabel)
        if not all(map(label_lines, grid, drawn)):
            _legend_instead(figure, drawn)
    return figure


def _lay_out(figure: Figure, panels: int, *, legend: float) -> None:
    """Set the margins in inches: fixed ones cost nothing and line up from figure to figure."""
    width, height = figure.get_size_inches()
    across = (width - LEFT - RIGHT - (panels - 1) * BETWEEN) / panels
    figure.subplots_adjust(
        left=LEFT / width,
        right=1 - RIGHT / width,
        bottom=(BOTTOM + legend) / height,
        top=1 - TOP / height,
        wspace=BETWEEN / across,
    )


def _fill(axes: Axes, panel: Panel) -> list[Line]:
    """Draw and title one panel; return its lines."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_title(panel.title)
    axes.set_xlabel(panel.xlabel)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    return panel.draw(axes)


def _highest(lines: Sequence[Line]) -> float:
    """Return the top of the highest line; never 0, which would leave the axis without a length."""
    return max([1e-9, *(float(np.max(line.high)) for line in lines)])


def _legend_instead(figure: Figure, drawn: Sequence[Sequence[Line]]) -> None:
    """Take the names off the lines and put them in one legend below all panels."""
    for axes in figure.axes:
        for text in list(axes.texts):
            text.remove()
    handles = {line.name: line.handle for lines in drawn for line in lines}
    width, height = figure.get_size_inches()
    columns = max(1, min(len(handles), int(width / (0.6 + 0.075 * max(map(len, handles))))))
    room = LEGEND_ROW * math.ceil(len(handles) / columns) + 0.05
    figure.set_size_inches(width, height + room)
    _lay_out(figure, len(figure.axes), legend=room)
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="lower center",
        ncols=columns,
        borderaxespad=0.2,
        handlelength=2.6,
    )
