"""Dots with 95 % intervals on a log axis; and with them how fast regret grows, policy by policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..studies.result import Row
from .labels import name_rows
from .looks import Look, ink
from .style import FAINT, SMALL_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 100.0  # a factor, of an interval to either side: that nothing is known can be seen then
FACTOR = 2.0  # the shaded range of slopes: the bound over this to the bound times this
SHADE = "#f0f0f0"
FLOOR = 0.005  # of slope / bound: what is less is 0 in tables too, and would stretch a log axis
MOST_TICKS = 6


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


def draw_slopes(axes: Axes, rows: Mapping[str, Row], styles: Mapping[str, Look]) -> None:
    """Draw slope / bound with its 95 % interval; what lies within a factor of two is shaded."""
    mark_one(axes, len(rows))
    axes.axvspan(1 / FACTOR, FACTOR, color=SHADE, linewidth=0, zorder=0.5)
    for place, (name, row) in enumerate(rows.items()):
        if row.slope_ratio >= FLOOR:
            ends = (row.slope_low / row.bound, row.slope_high / row.bound)
            draw_dots(axes, [(place, row.slope_ratio, *ends)], styles[name], 5)
        elif row.slope_ratio >= 0:  # a log axis has no place for it: 0 at the left edge
            zero = axes.text(0.02, place, "0", transform=axes.get_yaxis_transform())
            zero.set(va="center", fontsize=SMALL_SIZE, color=ink(styles[name].color))
    drawn = [row.slope_ratio for row in rows.values() if row.slope_ratio >= FLOOR]
    smallest, largest = min([1 / FACTOR, *drawn]), max([FACTOR, *drawn])
    axes.set_xlim(0.8 * smallest, 1.25 * largest)
    axes.spines["left"].set_visible(False)
    axes.set_xticks(ticks(smallest, largest))
    axes.minorticks_off()
    axes.set_xlabel("Slope in ln t, lower bound's = 1")
    name_rows(axes, {name: styles[name] for name in rows})


def ticks(smallest: float, largest: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten within the range; the powers alone if many.

    >>> ticks(0.5, 3), ticks(0.5, 700)
    ([0.5, 1.0, 2.0], [1.0, 10.0, 100.0])
    """
    powers = range(math.floor(math.log10(smallest)), math.floor(math.log10(largest)) + 1)
    steps = [[float(f"{m}e{power}") for power in powers for m in of] for of in ((1, 2, 5), (1,))]
    many, few = ([x for x in each if smallest <= x <= largest] for each in steps)
    return many if len(many) <= MOST_TICKS else few
