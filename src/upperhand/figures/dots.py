"""Dots with 95 % intervals on a log axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .looks import Look
from .style import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TICKS = 6
WIDEST = 100.0  # a factor, of an interval to either side: that nothing is known can be seen then


def draw_dots(
    axes: Axes, dots: Iterable[tuple[float, float, float, float]], style: Look, size: float
) -> Any:
    """Draw dots (y, value, low, high) with their intervals from low to high."""
    places = np.array(list(dots)).reshape(-1, 4)
    ends = [log_interval(*each) for each in places[:, 1:]]
    return axes.errorbar(
        places[:, 1], places[:, 0], xerr=np.array(ends).T if ends else None, linestyle="none",
        color=style.color, marker=style.marker, markersize=size, markeredgewidth=0, elinewidth=1.0,
    )  # fmt: skip


def log_interval(value: float, low: float, high: float) -> tuple[float, float]:
    """Return the way from a value > 0 down and up to the ends of its interval, on a log axis.

    It stays above 0, and goes no further than a factor of `WIDEST` either way.
    """
    if not low < high:  # or they are not known
        return 0.0, 0.0
    down, up = value - max(low, value / WIDEST), min(high, value * WIDEST) - value
    return max(down, 0.0), max(up, 0.0)  # an end may be off by a rounding


def mark_one(axes: Axes, rows: int) -> None:
    """Make the x axis logarithmic, with a line at 1, over so many rows from the top."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(False)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def ticks(smallest: float, largest: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten within the range; the powers alone if many.

    >>> ticks(0.5, 3), ticks(0.5, 700)
    ([0.5, 1.0, 2.0], [1.0, 10.0, 100.0])
    """
    powers = range(math.floor(math.log10(smallest)), math.floor(math.log10(largest)) + 1)
    steps = [[float(f"{m}e{power}") for power in powers for m in of] for of in ((1, 2, 5), (1,))]
    many, few = ([x for x in each if smallest <= x <= largest] for each in steps)
    return many if len(many) <= MOST_TICKS else few
