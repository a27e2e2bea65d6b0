"""The figure of a comparison: dots of regrets in units of the reference's, a row for each policy.

Several instances have a panel each. One instance has a panel for each objective, below its curves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison.result import Comparison, Row
from ..text import counted
from .layout import Handles, finish_heights, log_axis, wrapped, write_numbers
from .regret import draw_curves, emphasised, envelope
from .style import FAINT, QUIET, SMALL_SIZE, WIDTH, Look, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

CURVES = 2.3  # inches of the panel of curves
SHOWN_DECADES = 3  # of rounds in it, back from the last
COLUMNS, TICKS = 4, 3  # at most: of panels side by side, and of ticks on the scale of each
NAME = 1.9  # inches of a policy's name, which is written in several lines if it is longer
LINE, AROUND = 0.14, 0.9  # inches of a line of a name, and of what is around a panel of dots
WIDEST = 100.0  # the largest factor of an interval to either side: nothing more can be seen


def comparison_figure(comparison: Comparison) -> Figure:
    """Return a panel for each instance, or for one instance its curves and all objectives.

    A dot is the ratio of a policy's regret at the last round to the reference's, with its 95 %
    interval. It is filled if the objective is the policy's own.
    """
    head, panels = 0.0, {each.name: comparison.main(each.name) for each in comparison.instances}
    if len(panels) == 1:
        ((instance, rows),) = panels.items()
        matrix = comparison.matrix(instance)
        labels = [objective.label for objective in comparison.objectives[instance]]
        panels = {label: {policy: matrix[policy][label] for policy in rows} for label in labels}
        head = CURVES
    names = {policy: wrapped(policy, NAME) for policy in comparison.policies}
    tall = AROUND + LINE * sum(map(_lines, names.values()))  # of a panel
    deep = math.ceil(len(panels) / COLUMNS)
    with drawing():
        figure = new_figure(WIDTH, head + deep * tall)
        dots: FigureBase = figure
        if head:
            above, dots = figure.subfigures(
                2, 1, squeeze=False, height_ratios=[head, deep * tall]
            ).flat
            handles = draw_regret(above.subplots(), comparison, comparison.instances[0].name)
            above.legend(
                handles.values(), handles.keys(), loc="outside right upper", fontsize=SMALL_SIZE
            )
        columns = math.ceil(len(panels) / deep)
        grid = dots.subplots(deep, columns, sharex=True, sharey=True, squeeze=False)
        _draw_panels(list(grid.flat), panels, names, comparison_looks(comparison))
        unit = wrapped(f"Regret in units of {comparison.reference}'s (log scale)", WIDTH - NAME)
        dots.supxlabel(f"{unit}; filled: the policy's own objective", fontsize=SMALL_SIZE)
    return figure


def _lines(name: str) -> int:
    return name.count("\n") + 1


def comparison_looks(comparison: Comparison) -> dict[str, Look]:
    """Return the look of each policy, by its regret on the first instance (`emphasised`)."""
    first = comparison.instances[0].name
    curves = comparison.runs[first].regret(comparison.objectives[first][0])
    return dict.fromkeys(comparison.policies, QUIET) | emphasised(curves, comparison.reference)


def draw_regret(axes: Axes, comparison: Comparison, instance: str) -> Handles:
    """Draw regret against ln t, of which a straight line has a slope that can be read.

    Return the handles of the legend.
    """
    runs, objective = comparison.runs[instance], comparison.objectives[instance][0]
    n = max(runs.horizon, 2)
    log_axis(axes, "x", max(1, n // 10**SHOWN_DECADES), n, SHOWN_DECADES + 1)
    styles, bounds = comparison_looks(comparison), envelope(runs, objective)
    axes.margins(y=0.06)
    write_numbers(axes.yaxis)
    handles = draw_curves(axes, runs.regret(objective), styles, bounds)
    size = f"{runs.replications:,} × {counted(runs.horizon, 'round')}"
    axes.set_title(wrapped(f"Regret, {objective.label}: {instance}, {size}", WIDTH - NAME))
    axes.set_xlabel("Round (log scale)")
    finish_heights(axes, "Regret (reward units)")
    return {wrapped(name, NAME): handle for name, handle in handles.items()}


def _draw_panels(
    grid: Sequence[Axes],
    panels: Mapping[str, Mapping[str, Row]],
    names: Mapping[str, str],
    styles: Mapping[str, Look],
) -> None:
    """Draw dots on common rows and a common scale; a row is as high as its name has lines."""
    lines = np.array(list(map(_lines, names.values())))
    places = np.cumsum(lines) - lines / 2
    seen = [1 / 2, 2.0]
    for axes, (title, rows) in zip(grid, panels.items(), strict=False):
        columns = axes.get_subplotspec().get_gridspec().ncols  # type: ignore[union-attr]
        axes.set_title(wrapped(title, (WIDTH - NAME) / columns), fontsize=SMALL_SIZE)
        axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
        for place, policy in zip(places, names, strict=True):
            row, style = rows.get(policy), styles[policy]
            if row is not None and 0 < row.ratio < math.inf:
                seen += draw_dot(
                    axes, place, (row.ratio, row.ratio_low, row.ratio_high),
                    style._replace(color=FAINT) if style == QUIET else style,
                    filled=row.own, markersize=3.6, elinewidth=1.0,
                )  # fmt: skip
    for place, axes in enumerate(grid):
        if place < len(panels):
            log_axis(axes, "x", 0.8 * min(seen), 1.25 * max(seen), TICKS)
            axes.tick_params(labelbottom=True)
        else:
            axes.set_axis_off()
    grid[0].set_yticks(places, names.values())
    grid[0].set_ylim(lines.sum(), 0)


def draw_dot(
    axes: Axes, y: float, estimate: Sequence[float], style: Look, *, filled: bool = True, **how: Any
) -> tuple[float, float]:
    """Draw a value with the ends of its interval on a log axis; return the ends that are drawn."""
    value, low, high = estimate
    if not low < high:  # or they are not known
        low = high = value
    low, high = min(max(low, value / WIDEST), value), max(min(high, value * WIDEST), value)
    axes.errorbar(
        [value], [y], xerr=[[value - low], [high - value]], color=style.color, linestyle="none",
        marker=style.marker, markerfacecolor=style.color if filled else "white", **how,
    )  # fmt: skip
    return low, high
