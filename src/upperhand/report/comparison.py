"""The figures of a comparison: one instance in full, several side by side, or the long run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..comparison.result import Comparison
from .highlights import QUIET, comparison_looks
from .log_curves import draw_log_curves
from .ratios import ratio_figure
from .regret_matrix import draw_matrix
from .row_names import NAME
from .slopes import draw_slopes
from .style import WIDTH, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP, BETWEEN = 0.5, 0.06, 0.42, 0.48, 0.12  # inches around the axes
ROW, COLUMN, WIDEST = 0.175, 0.5, 2.2  # inches of a policy, of an objective, of all of them
LOWEST = 2.1  # inches of the curves at least
SLOPE_ROW, SLOPES = 0.52, 1.9  # inches of a policy, and across


def comparison_figure(comparison: Comparison) -> Figure:
    """Return the figure of one instance, or, if there are several, of the ratios on each."""
    if len(comparison.instances) > 1:
        return ratio_figure(comparison)
    return one_instance_figure(comparison, comparison.instances[0].name)


def one_instance_figure(comparison: Comparison, instance: str) -> Figure:
    """Return regret in ln t under the main objective, and the matrix of all objectives."""
    matrix = comparison.matrix(instance)
    wide = min(COLUMN * len(comparison.objectives[instance]), WIDEST)
    with drawing():
        left, right = _two_axes(wide, ROW * len(matrix))
        _draw_curves(left, comparison, instance)
        draw_matrix(right, matrix, comparison_looks(comparison, instance))
        _title(right, "(b) All objectives", wide)
    return left.figure  # type: ignore[return-value]


def growth_figure(comparison: Comparison, instance: str) -> Figure:
    """Return regret in ln t, and its slope over the last two decades in units of the bound's."""
    rows = comparison.main(instance)
    with drawing():
        left, right = _two_axes(SLOPES, SLOPE_ROW * len(rows))
        _draw_curves(left, comparison, instance)
        draw_slopes(right, rows, comparison_looks(comparison, instance), comparison.replications)
        _title(right, "(b) Growth in the last two decades", SLOPES)
    return left.figure  # type: ignore[return-value]


def _two_axes(wide: float, tall: float) -> tuple[Axes, Axes]:
    """Return axes for curves, and to their right others of this size with room for row names."""
    high = max(LOWEST, tall)
    across, height = WIDTH - LEFT - BETWEEN - NAME - wide - RIGHT, TOP + high + BOTTOM
    figure, top = new_figure(WIDTH, height), BOTTOM + high
    left = figure.add_axes((LEFT / WIDTH, BOTTOM / height, across / WIDTH, high / height))
    x, y = WIDTH - RIGHT - wide, top - tall
    return left, figure.add_axes((x / WIDTH, y / height, wide / WIDTH, tall / height))


def _draw_curves(axes: Axes, comparison: Comparison, instance: str) -> None:
    """Draw the regret of all policies, those in colour within sight."""
    objective, styles = comparison.objectives[instance][0], comparison_looks(comparison, instance)
    curves = comparison.runs[instance].regret(objective)
    in_sight = [name for name in curves if styles[name] != QUIET]
    bound = next(iter(comparison.main(instance).values())).bound
    draw_log_curves(axes, curves, styles, in_sight, bound)
    axes.set_title(f"(a) Regret, {objective.label}")
    axes.set_ylabel("Regret (reward units)", labelpad=2)


def _title(axes: Axes, text: str, wide: float) -> None:
    """Write a title above the names of the rows; y is given, or it would move above the heads."""
    axes.set_title(text, x=-NAME / wide, y=1.0)
