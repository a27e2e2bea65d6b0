"""How fast regret grows in ln t, against the lower bound: a dot for each policy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..studies.result import Row
from .ratios import log_interval
from .row_names import name_rows
from .style import FAINT, FONT_SIZE, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTOR = 2.0  # the shaded range: the bound over this to the bound times this
SHADE = "#f0f0f0"
FLOOR = 0.005  # of slope / bound: what is less is 0 in tables too, and would stretch a log axis
MOST_TICKS = 6


def draw_slopes(axes: Axes, rows: Mapping[str, Row], styles: Mapping[str, Look]) -> None:
    """Draw slope / bound with its 95 % interval; what lies within a factor of two is shaded."""
    axes.set_xscale("log")
    axes.axvspan(1 / FACTOR, FACTOR, color=SHADE, linewidth=0, zorder=0.5)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    for place, (name, row) in enumerate(rows.items()):
        if row.slope_ratio >= FLOOR:
            _draw_slope(axes, place, row, styles[name])
        elif row.slope_ratio >= 0:
            _write_zero(axes, place, styles[name])
    _dress(axes, rows)
    name_rows(axes, {name: styles[name] for name in rows})


def _draw_slope(axes: Axes, place: int, row: Row, style: Look) -> None:
    down, up = log_interval(row.slope_ratio, row.slope_low / row.bound, row.slope_high / row.bound)
    axes.errorbar(
        row.slope_ratio,
        place,
        xerr=[[down], [up]],
        color=style.color,
        marker=style.marker,
        markersize=5,
        markeredgewidth=0,
        elinewidth=1.1,
    )


def _write_zero(axes: Axes, place: int, style: Look) -> None:
    """Write 0 at the left edge: a log axis has no place for it."""
    axes.text(
        0.02,
        place,
        "0",
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=FONT_SIZE - 1,
        color=style.color,
    )


def _dress(axes: Axes, rows: Mapping[str, Row]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    drawn = [row.slope_ratio for row in rows.values() if row.slope_ratio >= FLOOR]
    smallest, largest = min([1 / FACTOR, *drawn]), max([FACTOR, *drawn])
    axes.set_xlim(0.8 * smallest, 1.25 * largest)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    axes.set_xticks(ticks(smallest, largest))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Slope in ln t, lower bound's = 1")


def ticks(smallest: float, largest: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten within the range; the powers alone if many.

    >>> ticks(0.5, 3), ticks(0.5, 700)
    ([0.5, 1.0, 2.0], [1.0, 10.0, 100.0])
    """
    powers = range(math.floor(math.log10(smallest)), math.floor(math.log10(largest)) + 1)
    steps = [[float(f"{m}e{power}") for power in powers for m in of] for of in ((1, 2, 5), (1,))]
    many, few = ([x for x in each if smallest <= x <= largest] for each in steps)
    return many if len(many) <= MOST_TICKS else few
