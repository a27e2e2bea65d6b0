"""Panels side by side with one legend below, wrapped texts, and the numbers on axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple

from .style import WIDTH, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INCH = 14  # characters that fit into an inch
LEGEND_ROW = 0.19  # inches
SAMPLE = 8  # characters of a legend: the sample of a line, and the space around a name


def wrapped(text: str, inches: float) -> str:
    r"""Return the text in lines that fit a width; words that do not are broken.

    >>> wrapped("mean-variance (ρ=1)", 1.0)
    'mean-variance\n(ρ=1)'
    """
    text = textwrap.fill(text, max(4, int(INCH * inches)))
    return text.replace("$", r"\$")  # a dollar sign starts no formula


Handles = dict[str, Any]  # what is shown in a legend, by its name there


class Panel(NamedTuple):
    """One pair of axes: what is written on it, and how it draws its lines."""

    title: str
    xlabel: str
    draw: Callable[[Axes], Handles]
    ylabel: str = ""  # of these axes alone
    from_zero: bool = True  # False: the y axis covers the lines, wherever they are
    most: float = math.inf  # where the y axis ends at the latest


def panel_figure(
    panels: Sequence[Panel],
    ylabel: str,
    *,
    height: float = 2.5,
    share_y: bool = False,
    lettered: bool = False,
) -> Figure:
    """Return panels side by side, all in the unit of `ylabel`, which is written once.

    If they are `lettered` and there are several, their titles begin with (a), (b), ….
    """
    from matplotlib.ticker import MaxNLocator

    with drawing():
        figure = new_figure(WIDTH if len(panels) > 1 else WIDTH * 0.6, height)
        grid = figure.subplots(1, len(panels), sharey=share_y, squeeze=False)[0]
        room, handles = figure.get_figwidth() / len(panels) - 0.3, Handles()
        letters = iter(ascii_lowercase)
        for axes, panel in zip(grid, panels, strict=True):
            letter = f"({next(letters)}) " if lettered and len(panels) > 1 else ""
            axes.set_title(wrapped(letter + panel.title, room))
            axes.set_xlabel(wrapped(panel.xlabel, room))
            axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
            write_numbers(axes.yaxis)
            axes.margins(y=0.06)
            handles |= panel.draw(axes)
        for axes, panel in zip(grid, panels, strict=True):  # after all, as they may share it
            label = panel.ylabel or (ylabel if axes is grid[0] else "")
            finish_heights(axes, label, from_zero=panel.from_zero, most=panel.most)
        add_legend(figure, handles)
    return figure


def finish_heights(
    axes: Axes, ylabel: str, *, from_zero: bool = True, most: float = math.inf
) -> None:
    """Set where the y axis begins and ends, and write what it shows."""
    low, high = axes.get_ylim()
    log = axes.get_yscale() == "log"
    axes.set_ylim(0 if from_zero and not log else low, min(high, most))
    axes.set_ylabel(", ".join(filter(None, (ylabel, "log scale" * log))))


def add_legend(figure: Figure, handles: Handles) -> None:
    """Write the names below all axes, in as many columns as fit; the figure gets taller."""
    width, height = figure.get_size_inches()
    names = [wrapped(name, width - SAMPLE / INCH) for name in handles]
    lines = [line for name in names for line in name.splitlines()]
    columns = max(1, int(width * INCH) // (max(map(len, lines)) + SAMPLE))
    rows = math.ceil(len(names) / columns) * max(name.count("\n") + 1 for name in names)
    figure.set_figheight(height + LEGEND_ROW * rows + 0.1)
    figure.legend(handles.values(), names, loc="outside lower center", ncols=columns)


def write_numbers(axis: Axis) -> None:
    """Write numbers on an axis as everywhere: 100,000, −0.5 and 7.5e9."""

    def written(value: float, _place: float) -> str:
        mantissa, power = f"{value:.9e}".split("e")
        plain = value == 0 or 1e-4 <= abs(value) < 1e7
        text = f"{value:,.10g}" if plain else f"{float(mantissa):.10g}e{int(power)}"
        return text.replace("-", "−")

    axis.set_major_formatter(written)


def count_axis(axes: Axes) -> None:
    """Write whole numbers on the x axis, as many as there is space for beside other panels."""
    from matplotlib.ticker import MaxNLocator

    panels = axes.get_subplotspec().get_gridspec().ncols  # type: ignore[union-attr]
    ticks = min(5, 10 // panels)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def log_axis(axes: Axes, name: str, low: float, high: float, most: int) -> None:
    """Make the x or y axis logarithmic from `low` to `high`, with no more ticks than `most`."""
    limits = {f"{name}lim": (low, high), f"{name}ticks": log_ticks(low, high, most)}
    axes.set(**{f"{name}scale": "log"}, **limits)
    axes.minorticks_off()
    write_numbers(getattr(axes, f"{name}axis"))


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Return 1, 2 and 5 or 1 and 3 times the powers of ten in the range; if many, some powers.

    >>> log_ticks(0.5, 3, 6), log_ticks(0.2, 3, 3), log_ticks(0.5, 700, 6), log_ticks(0.5, 2e5, 3)
    ([0.5, 1.0, 2.0], [0.3, 1.0, 3.0], [1.0, 10.0, 100.0], [1.0, 100.0, 10000.0])
    """
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    between = (1, 3) if high < 100 * low else (1,)
    for digits, step in ((1, 2, 5), 1), (between, 1), ((1,), 1), ((1,), 2), ((1,), 3), ((1,), 6):
        steps = [float(f"{m}e{power}") for power in powers if power % step == 0 for m in digits]
        ticks = [x for x in steps if low <= x <= high]
        if len(ticks) <= most:
            break
    return ticks
