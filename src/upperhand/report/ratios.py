"""Policy × instance as a dot plot: regrets in units of the reference's, on a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison.line_up import OURS
from ..comparison.result import Comparison
from ..distributions._special import t_quantile
from .highlights import MOST
from .style import FAINT, FONT_SIZE, WIDTH, Look, drawing, look, looks, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP = 1.05, 0.12, 0.45, 0.3  # inches around the axes
ROW = 0.3  # inches of an instance
LEGEND_ROW = 0.19
SPREAD = 0.66  # how much of its row the policies of an instance fill
WIDEST = math.log(100)  # of an interval, to either side: that nothing is known can be seen then
LABEL = 1.35  # inches of a name in the legend


def ratio_figure(comparison: Comparison) -> Figure:
    """Return a row for each instance, and on it the ratio of each policy with its 95 % interval.

    Only policies that play for the objective of some instance are drawn, unless none does; the
    reference is the line at 1.
    """
    names = drawn_policies(comparison)
    styles, count = _looks(names), len(comparison.instances)
    columns = min(len(names), int((WIDTH - 0.2) / LABEL))
    legend = LEGEND_ROW * math.ceil(len(names) / columns) + 0.1
    with drawing():
        high = ROW * count
        height = TOP + high + BOTTOM + legend
        figure = new_figure(WIDTH, height)
        axes = figure.add_axes(
            (
                LEFT / WIDTH,
                (BOTTOM + legend) / height,
                (WIDTH - LEFT - RIGHT) / WIDTH,
                high / height,
            )
        )
        handles = [
            _draw_policy(axes, comparison, name, styles[name], place / max(len(names) - 1, 1))
            for place, name in enumerate(names)
        ]
        _dress(axes, comparison)
        figure.legend(handles, names, loc="lower center", ncols=columns, borderaxespad=0.2)
    return figure


def drawn_policies(comparison: Comparison) -> list[str]:
    """Return the policies that play for what some instance is about, without the reference.

    All of the others if none of them does; the reference if there is no other.
    """
    main = [row for instance in comparison.runs for row in comparison.main(instance).values()]
    own = {row.policy for row in main if row.own} - {comparison.reference}
    others = [name for name in comparison.policies if name != comparison.reference]
    return [name for name in others if name in own or not own] or [comparison.reference]


def _looks(names: Sequence[str]) -> dict[str, Look]:
    """Return a look for each: the first few in colour, the others told apart by their markers."""
    first = sorted(names, key=lambda name: name not in OURS)
    grey = {name: look(place)._replace(color=FAINT) for place, name in enumerate(first[MOST:])}
    return {name: grey.get(name, style) for name, style in looks(names).items()}


def _draw_policy(axes: Axes, comparison: Comparison, name: str, style: Look, offset: float) -> Any:
    """Draw a policy's dot on each instance, a little below the dots of those before it."""
    rows = [comparison.main(instance.name).get(name) for instance in comparison.instances]
    here = [(place, row) for place, row in enumerate(rows) if row is not None and row.ratio > 0]
    y = [place + (offset - 0.5) * SPREAD for place, _ in here]
    count = comparison.replications
    intervals = [log_interval(row.ratio, row.ratio_se, count) for _, row in here]
    return axes.errorbar(
        [row.ratio for _, row in here],
        y,
        xerr=np.array(intervals).T if here else None,
        color=style.color,
        marker=style.marker,
        markersize=3.6,
        linestyle="none",
        elinewidth=0.9,
        markeredgewidth=0,
    )


def log_interval(value: float, error: float, replications: int) -> tuple[float, float]:
    """Return the way from a value > 0 down and up to the ends of its 95 % interval.

    The interval is taken in ln of the value, as the axis is, so that it stays above 0.
    """
    if not error > 0:
        return 0.0, 0.0
    quantile = float(t_quantile(np.asarray(0.975), replications - 1))
    factor = math.exp(min(quantile * error / value, WIDEST))
    return value - value / factor, value * factor - value


def _dress(axes: Axes, comparison: Comparison) -> None:
    """Write the instances at their rows, and mark the reference and the steps of the scale."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    names = [instance.name for instance in comparison.instances]
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color="#e6e6e6", linewidth=0.6, zorder=0.5)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    axes.annotate(
        comparison.reference,
        (1, 1),
        xycoords=axes.get_xaxis_transform(),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=FONT_SIZE - 1,
    )
    axes.grid(False)
    axes.grid(True, axis="x")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"Regret in units of {comparison.reference}'s (log scale)")
