"""The figures of a comparison: one instance in full, or several side by side.

Dots with 95 % intervals on a log axis.

Policy × instance as a dot plot: regrets in units of the reference's, on a log scale.

Policy × objective as a heat table: who pays how much under whose objective.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.default_policies import OURS
from ..comparison.result import Comparison, Row, proved_bound
from ..objectives import oriented
from ..text import three_digits
from .layout import (
    add_legend,
    axes_size,
    legend_height,
    name_rows,
    name_width,
    pieces,
    plain,
    shortened,
    text_width,
    tick_width,
    widest,
    wrapped,
)
from .regret import draw_log_curves
from .style import (
    FAINT,
    FONT_SIZE,
    INK,
    MARKERS,
    MOST,
    QUIET,
    SMALL_SIZE,
    WIDTH,
    Look,
    drawing,
    look,
    looks,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


LEFT, RIGHT, BOTTOM, TOP = 1.05, 0.12, 0.45, 0.3  # inches around the axes
WIDEST_NAME, WIDEST_REFERENCE = 2.0, 2.2  # inches of an instance's name, and under the axes
ROW, OF_POLICY = 0.3, 0.032  # inches of an instance, or of each policy in it if that is more
SPREAD = 0.75  # how much of its row the policies of an instance fill
GREYS = FAINT, "#c4c4c4"
MOST_STEPS = 1e4  # times the smallest ratio: a longer scale is marked at powers of ten alone
MANY = 50  # ticks: none is left out
Dot = tuple[float, float, float]  # a ratio, and the ends of its interval


def ratio_figure(comparison: Comparison) -> Figure:
    """Return a row for each instance, and on it the ratio of each policy with its 95 % interval.

    Only policies that play for the objective of some instance are drawn, unless none does; the
    reference is the line at 1.
    """
    reference = comparison.reference
    mains = {each.name: comparison.main(each.name) for each in comparison.instances}
    dots = {
        policy: [_dot(rows[policy]) if policy in rows else None for rows in mains.values()]
        for policy in drawn_policies(comparison)
    }
    about = shortened(reference, WIDEST_REFERENCE, FONT_SIZE)
    instances, policies = list(mains), list(dots)
    names, styles = list(map(plain, policies)), _looks(policies)
    with drawing():
        left = max(LEFT, min(widest(instances, SMALL_SIZE), WIDEST_NAME) + 2 * RIGHT)
        legend = legend_height(names, WIDTH)
        high = max(ROW, OF_POLICY * len(names)) * len(instances)
        height = TOP + high + BOTTOM + legend
        figure = new_figure(WIDTH, height)
        box = (left / WIDTH, (BOTTOM + legend) / height, 1 - (left + RIGHT) / WIDTH, high / height)
        axes = figure.add_axes(box)
        mark_one(axes, len(instances))
        handles = [
            _draw_policy(axes, dots[name], styles[name], (place + 0.5) / len(policies))
            for place, name in enumerate(policies)
        ]
        _dress(axes, instances, f"Regret in units of {about}'s (log scale)")
        _name_reference(axes, reference, left)
        add_legend(figure, handles, names)
    return figure


def _dot(row: Row) -> Dot:
    return row.ratio, row.ratio_low, row.ratio_high


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
    grey = {
        name: look(place)._replace(color=GREYS[place // len(MARKERS) % len(GREYS)])
        for place, name in enumerate(first[MOST:])
    }
    return _remarked(looks(first[:MOST]) | grey)


def _remarked(styles: dict[str, Look]) -> dict[str, Look]:
    """Return the looks with a marker of its own for each, if there are as many; the first keeps."""
    if len(styles) > len(MARKERS):
        return styles
    owner = {style.marker: name for name, style in reversed(styles.items())}
    spare = [marker for marker in MARKERS if marker not in owner]
    return {
        name: style if owner[style.marker] == name else style._replace(marker=spare.pop())
        for name, style in styles.items()
    }


def _draw_policy(axes: Axes, dots: Sequence[Dot | None], style: Look, offset: float) -> Any:
    """Draw a policy's dot on each instance, a little below the dots of those before it."""
    drawn = [
        (place + (offset - 0.5) * SPREAD, *dot) for place, dot in enumerate(dots) if dot is not None
    ]
    return draw_dots(axes, drawn, style, 3.6)


def _dress(axes: Axes, instances: Sequence[str], scale: str) -> None:
    """Write the instances at their rows, and mark the steps of the scale."""
    from matplotlib.ticker import LogLocator

    names = [plain(shortened(name, WIDEST_NAME, SMALL_SIZE)) for name in instances]
    axes.set_yticks(range(len(names)), names)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color="#e6e6e6", linewidth=0.6, zorder=0.5)
    axes.grid(True, axis="x")
    low, high = axes.get_xlim()
    steps = (1.0, 2.0, 5.0) if high / low <= MOST_STEPS else (1.0,)
    axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=MANY))
    axes.set_xlabel(plain(scale))


def _name_reference(axes: Axes, name: str, left: float) -> None:
    """Write the name above the line at 1, or as near to there as the edges of the figure allow."""
    name = shortened(name, WIDTH - 2 * RIGHT, SMALL_SIZE)
    half = text_width(name, SMALL_SIZE) / 2
    wide, tall = axes_size(axes)
    low, high = map(math.log, axes.get_xlim())
    middle = left + wide / 72 * low / (low - high)  # inches from the left edge of the figure
    middle = min(max(middle, half + RIGHT), WIDTH - half - RIGHT)
    text = axes.annotate(plain(name), (72 * (middle - left), tall + 3), xycoords="axes points")
    text.set(ha="center", fontsize=SMALL_SIZE, annotation_clip=False)


SMALL, LARGE = "#ffffff", "#f0b595"  # the ends of the scale: dark ink is legible on both
SIZE = FONT_SIZE - 1.5  # of heads and cells
COLUMN, WIDEST_HEAD = 0.5, 0.9  # inches of an objective, at least; and of a word above it, at most
PAD = 0.07  # inches beside a text
LINE = 1.3 * SIZE / 72  # inches of a line of a head

Matrix = Mapping[str, Mapping[str, Row]]  # policy × label of an objective


def column_width(matrix: Matrix) -> float:
    """Return the inches of a column: no number and no word of a head is wider."""
    words = [word for head in _heads(matrix) for word in pieces(head)]
    cells = [
        text_width(three_digits(row.regret), SIZE, bold=True)
        for rows in matrix.values()
        for row in rows.values()
    ]
    return max(COLUMN, PAD + min(widest(words, SIZE), WIDEST_HEAD), PAD + max(cells))


def head_height(matrix: Matrix) -> float:
    """Return the inches that the heads need above their columns."""
    return LINE * max(map(len, _head_lines(matrix))) + PAD


def draw_matrix(axes: Axes, matrix: Matrix, styles: Mapping[str, Look]) -> None:
    """Draw a row for each policy and a column for each objective.

    The darker a cell, the larger the regret in its column; a frame marks a policy's own objective.
    """
    from matplotlib.colors import LinearSegmentedColormap

    labels = list(next(iter(matrix.values())))
    regrets = np.array([[rows[label].regret for label in labels] for rows in matrix.values()])
    colours = LinearSegmentedColormap.from_list("regret", [SMALL, LARGE])
    axes.pcolormesh(shades(regrets), cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=1)
    axes.invert_yaxis()
    for place, rows in enumerate(matrix.values()):
        _write_cells(axes, place, [rows[label] for label in labels])
    _head_columns(axes, matrix)
    name_rows(axes, {policy: styles[policy] for policy in matrix}, middle=0.5)


def shades(regrets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return √(regret / the largest in its column): the root tells small regrets apart."""
    largest = regrets.max(axis=0)
    return np.asarray(np.sqrt(np.maximum(regrets, 0) / np.where(largest > 0, largest, 1.0)))


def _write_cells(axes: Axes, place: int, rows: Sequence[Row]) -> None:
    from matplotlib.patches import Rectangle

    for column, row in enumerate(rows):
        text = axes.text(column + 0.5, place + 0.52, three_digits(row.regret), fontsize=SIZE)
        text.set(ha="center", va="center", weight="bold" if row.own else "normal")
        if row.own:
            frame = Rectangle((column + 0.04, place + 0.06), 0.92, 0.88, fill=False)
            frame.set(edgecolor=INK, linewidth=0.8)
            axes.add_patch(frame)


def _head_columns(axes: Axes, matrix: Matrix) -> None:
    heads = [plain("\n".join(lines)) for lines in _head_lines(matrix)]
    axes.set_xticks(np.arange(len(heads)) + 0.5, heads, fontsize=SIZE)
    axes.tick_params(labeltop=True, bottom=False, labelbottom=False, length=0, pad=1)
    axes.spines[:].set_visible(False)
    axes.grid(False)


def _heads(matrix: Matrix) -> list[str]:
    """Return the labels of the objectives; a number keeps its sign."""
    return [label.replace(" %", "\u00a0%") for label in next(iter(matrix.values()))]


def _head_lines(matrix: Matrix) -> list[list[str]]:
    room = column_width(matrix) - PAD / 2
    return [wrapped(head, room, SIZE) for head in _heads(matrix)]


COMPARISON_LEFT, COMPARISON_RIGHT, COMPARISON_BOTTOM, COMPARISON_TOP, BETWEEN = (
    0.5,
    0.06,
    0.42,
    0.3,
    0.12,
)  # inches around the axes
TICK_LABEL = 0.26  # inches of a tick label on the y axis that LEFT has room for
NARROWEST, LOWEST = 1.8, 2.1  # inches of the curves at least
COMPARISON_ROW = 0.175  # inches of a policy in the matrix


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
        head = max(COMPARISON_TOP, head_height(matrix))
        block = Block(name_width(matrix), wide, COMPARISON_ROW * len(matrix), head)
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
    axes = _two_axes(block, COMPARISON_LEFT)
    _draw_curves(axes[0], comparison, instance)
    more = tick_width(axes[0]) - TICK_LABEL
    if more > 0:
        axes = _two_axes(block, COMPARISON_LEFT + more)
        _draw_curves(axes[0], comparison, instance)
    return axes


def _two_axes(block: Block, left: float) -> tuple[Axes, Axes]:
    """Return axes for curves and axes for the block, which has room for the names of its rows."""
    across = WIDTH - left - BETWEEN - block.names - block.wide - COMPARISON_RIGHT
    return _side_by_side(block, left, across) if across >= NARROWEST else _stacked(block, left)


def _side_by_side(block: Block, left: float, across: float) -> tuple[Axes, Axes]:
    high = max(LOWEST, block.tall)
    height = block.head + high + COMPARISON_BOTTOM
    figure = new_figure(WIDTH, height)
    x, y = WIDTH - COMPARISON_RIGHT - block.wide, COMPARISON_BOTTOM + high - block.tall
    return (
        _add_axes(figure, left, COMPARISON_BOTTOM, across, high),
        _add_axes(figure, x, y, block.wide, block.tall),
    )


def _stacked(block: Block, left: float) -> tuple[Axes, Axes]:
    """Return axes one above the other; the figure is wider than others if the block is."""
    table = block.names + block.wide
    width = max(WIDTH, table + 2 * COMPARISON_RIGHT)
    below = block.foot + block.tall + block.head
    figure = new_figure(width, below + COMPARISON_BOTTOM + LOWEST + COMPARISON_TOP)
    x = min(left, width - COMPARISON_RIGHT - table) + block.names
    return (
        _add_axes(
            figure, left, below + COMPARISON_BOTTOM, width - left - 2 * COMPARISON_RIGHT, LOWEST
        ),
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
    judge = oriented(objective, runs.minimize)
    proved = proved_bound(runs.policies, runs.arms, judge, runs.horizon)
    draw_log_curves(axes, curves, styles, in_sight, bound, proved)
    title = f"(a) Regret, {objective.label}"
    axes.set_title(plain(shortened(title, axes_size(axes)[0] / 72, FONT_SIZE)))
    axes.set_ylabel("Regret (reward units)", labelpad=2)


def _title(axes: Axes, text: str, block: Block) -> None:
    """Write a title above the names of the rows; y is given, or it would move above the heads."""
    axes.set_title(text, x=-block.names / block.wide, y=1.0)
