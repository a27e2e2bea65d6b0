"""The figures of a comparison: one instance in full, or several side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..objectives.lowest import judged
from ..studies.bounds import proved_bound
from ..studies.line_up import OURS
from ..studies.result import Comparison
from .labels import name_width
from .log_curves import draw_log_curves
from .looks import MOST, QUIET, Look, looks
from .measure import axes_size, plain, shortened
from .ratios import ratio_figure
from .regret_matrix import column_width, draw_matrix, head_height
from .style import FONT_SIZE, WIDTH, drawing, new_figure
from .ticks import tick_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP, BETWEEN = 0.5, 0.06, 0.42, 0.3, 0.12  # inches around the axes
TICK_LABEL = 0.26  # inches of a tick label on the y axis that LEFT has room for
NARROWEST, LOWEST = 1.8, 2.1  # inches of the curves at least
ROW = 0.175  # inches of a policy in the matrix


class Block(NamedTuple):
    """What stands beside the curves or, if that leaves them too narrow, below: in inches."""

    names: float  # to the left of the axes
    wide: float  # the axes
    tall: float
    head: float  # above the axes
    foot: float = 0.06  # below them


def comparison_figure(comparison: Comparison) -> Figure:
    """Return the figure of one instance, or, if there are several, of the ratios on each."""
    if len(comparison.instances) > 1:
        return ratio_figure(comparison)
    return one_instance_figure(comparison, comparison.instances[0].name)


def one_instance_figure(comparison: Comparison, instance: str) -> Figure:
    """Return regret in ln t under the main objective, and the matrix of all objectives."""
    matrix = comparison.matrix(instance)
    with drawing():
        wide = len(comparison.objectives[instance]) * column_width(matrix)
        head = max(TOP, head_height(matrix))
        block = Block(name_width(matrix), wide, ROW * len(matrix), head)
        left, right = _beside_curves(comparison, instance, block)
        draw_matrix(right, matrix, comparison_looks(comparison, instance))
        _title(right, "(b) All objectives", block)
    return left.figure  # type: ignore[return-value]


def comparison_looks(comparison: Comparison, instance: str) -> dict[str, Look]:
    """Return the looks of the policies on an instance: their own in colour, the quiet one if not.

    In colour are all of a few, or else the reference, ours, and those with the least regret.
    """
    rows = comparison.main(instance)
    best = sorted(rows, key=lambda label: rows[label].regret)
    ours = [label for label in OURS if label in rows]
    chosen = list(dict.fromkeys([comparison.reference, *ours, *best]))[:MOST]
    loud = looks(label for label in rows if label in chosen)
    return {label: loud.get(label, QUIET) for label in rows}


def _beside_curves(comparison: Comparison, instance: str, block: Block) -> tuple[Axes, Axes]:
    """Return axes with the curves and axes for the block, with room for long numbers at the left.

    How long these are is known when the curves are drawn; then they are drawn again.
    """
    axes = _two_axes(block, LEFT)
    _draw_curves(axes[0], comparison, instance)
    more = tick_width(axes[0]) - TICK_LABEL
    if more > 0:
        axes = _two_axes(block, LEFT + more)
        _draw_curves(axes[0], comparison, instance)
    return axes


def _two_axes(block: Block, left: float) -> tuple[Axes, Axes]:
    """Return axes for curves and axes for the block, which has room for the names of its rows."""
    across = WIDTH - left - BETWEEN - block.names - block.wide - RIGHT
    return _side_by_side(block, left, across) if across >= NARROWEST else _stacked(block, left)


def _side_by_side(block: Block, left: float, across: float) -> tuple[Axes, Axes]:
    high = max(LOWEST, block.tall)
    height = block.head + high + BOTTOM
    figure = new_figure(WIDTH, height)
    x, y = WIDTH - RIGHT - block.wide, BOTTOM + high - block.tall
    return (
        _add_axes(figure, left, BOTTOM, across, high),
        _add_axes(figure, x, y, block.wide, block.tall),
    )


def _stacked(block: Block, left: float) -> tuple[Axes, Axes]:
    """Return axes one above the other; the figure is wider than others if the block is."""
    table = block.names + block.wide
    width = max(WIDTH, table + 2 * RIGHT)
    below = block.foot + block.tall + block.head
    figure = new_figure(width, below + BOTTOM + LOWEST + TOP)
    x = min(left, width - RIGHT - table) + block.names
    return (
        _add_axes(figure, left, below + BOTTOM, width - left - 2 * RIGHT, LOWEST),
        _add_axes(figure, x, block.foot, block.wide, block.tall),
    )


def _add_axes(figure: Figure, x: float, y: float, wide: float, tall: float) -> Axes:
    """Add axes at a place and of a size in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes((x / width, y / height, wide / width, tall / height))


def _draw_curves(axes: Axes, comparison: Comparison, instance: str) -> None:
    """Draw the regret of all policies, those in colour within sight."""
    objective, styles = comparison.objectives[instance][0], comparison_looks(comparison, instance)
    curves = comparison.runs[instance].regret(objective)
    in_sight = [name for name in curves if styles[name] != QUIET]
    bound = next(iter(comparison.main(instance).values())).bound
    runs = comparison.runs[instance]
    judge = judged(objective, runs.minimize)
    proved = proved_bound(runs.policies, runs.arms, judge, runs.horizon)
    draw_log_curves(axes, curves, styles, in_sight, bound, proved)
    title = f"(a) Regret, {objective.label}"
    axes.set_title(plain(shortened(title, axes_size(axes)[0] / 72, FONT_SIZE)))
    axes.set_ylabel("Regret (reward units)", labelpad=2)


def _title(axes: Axes, text: str, block: Block) -> None:
    """Write a title above the names of the rows; y is given, or it would move above the heads."""
    axes.set_title(text, x=-block.names / block.wide, y=1.0)
