"""How fast regret grows in ln t, against the lower bound: a dot for each policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..comparison.result import Row
from .ratios import log_interval
from .row_names import name_rows
from .style import FAINT, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTOR = 2.0  # the shaded range: the bound over this to the bound times this
SHADE = "#f0f0f0"


def draw_slopes(
    axes: Axes, rows: Mapping[str, Row], styles: Mapping[str, Look], replications: int
) -> None:
    """Draw slope / bound with its 95 % interval; what lies within a factor of two is shaded."""
    axes.set_xscale("log")
    axes.axvspan(1 / FACTOR, FACTOR, color=SHADE, linewidth=0, zorder=0.5)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    for place, (name, row) in enumerate(rows.items()):
        if not row.slope_ratio > 0:
            continue
        down, up = log_interval(row.slope_ratio, row.slope_se / row.bound, replications)
        axes.errorbar(
            row.slope_ratio,
            place,
            xerr=[[down], [up]],
            color=styles[name].color,
            marker=styles[name].marker,
            markersize=5,
            markeredgewidth=0,
            elinewidth=1.1,
        )
    _dress(axes, rows)
    name_rows(axes, {name: styles[name] for name in rows})


def _dress(axes: Axes, rows: Mapping[str, Row]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    drawn = [row.slope_ratio for row in rows.values() if row.slope_ratio > 0]
    smallest, largest = min([1 / FACTOR, *drawn]), max([FACTOR, *drawn])
    axes.set_xlim(0.8 * smallest, 1.25 * largest)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if smallest <= t <= largest]
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Slope in ln t, lower bound's = 1")
