"""Dots with 95 % intervals on a log axis: regrets in units of another's, and slopes of regret."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..distributions._special import t_quantile
from ..studies.line_up import OURS
from ..studies.result import Comparison, Row
from .labels import add_legend, legend_height, name_rows
from .measure import axes_size, plain, shortened, text_width, widest
from .style import (
    FAINT,
    FONT_SIZE,
    MARKERS,
    MOST,
    SMALL_SIZE,
    WIDTH,
    Look,
    drawing,
    ink,
    look,
    looks,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP = 1.05, 0.12, 0.45, 0.3  # inches around the axes
WIDEST_NAME, WIDEST_REFERENCE = 2.0, 2.2  # inches of an instance's name, and under the axes
ROW, OF_POLICY = 0.3, 0.032  # inches of an instance, or of each policy in it if that is more
SPREAD = 0.75  # how much of its row the policies of an instance fill
WIDEST = math.log(100)  # of an interval, to either side: that nothing is known can be seen then
GREYS = FAINT, "#c4c4c4"

FACTOR = 2.0  # the shaded range of slopes: the bound over this to the bound times this
SHADE = "#f0f0f0"
FLOOR = 0.005  # of slope / bound: what is less is 0 in tables too, and would stretch a log axis
MOST_TICKS = 6


def ratio_figure(comparison: Comparison) -> Figure:
    """Return a row for each instance, and on it the ratio of each policy with its 95 % interval.

    Only policies that play for the objective of some instance are drawn, unless none does; the
    reference is the line at 1.
    """
    policies = drawn_policies(comparison)
    names, styles = list(map(plain, policies)), _looks(policies)
    instances = [instance.name for instance in comparison.instances]
    with drawing():
        left = max(LEFT, min(widest(instances, SMALL_SIZE), WIDEST_NAME) + 2 * RIGHT)
        legend = legend_height(names, WIDTH)
        high = max(ROW, OF_POLICY * len(names)) * len(instances)
        height = TOP + high + BOTTOM + legend
        figure = new_figure(WIDTH, height)
        box = (left / WIDTH, (BOTTOM + legend) / height, 1 - (left + RIGHT) / WIDTH, high / height)
        axes = figure.add_axes(box)
        _mark_one(axes, len(instances))
        handles = [
            _draw_policy(axes, comparison, name, styles[name], (place + 0.5) / len(policies))
            for place, name in enumerate(policies)
        ]
        _dress(axes, instances, comparison.reference)
        _name_reference(axes, comparison.reference, left)
        add_legend(figure, handles, names)
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
    grey = {
        name: look(place)._replace(color=GREYS[place // len(MARKERS) % len(GREYS)])
        for place, name in enumerate(first[MOST:])
    }
    return looks(first[:MOST]) | grey


def _draw_policy(axes: Axes, comparison: Comparison, name: str, style: Look, offset: float) -> Any:
    """Draw a policy's dot on each instance, a little below the dots of those before it."""
    rows = [comparison.main(instance.name).get(name) for instance in comparison.instances]
    dots = [
        (place + (offset - 0.5) * SPREAD, row.ratio, row.ratio_se)
        for place, row in enumerate(rows)
        if row is not None and row.ratio > 0
    ]
    return _draw_dots(axes, dots, style, comparison.replications, 3.6)


def _draw_dots(
    axes: Axes,
    dots: Iterable[tuple[float, float, float]],
    style: Look,
    replications: int,
    size: float,
) -> Any:
    """Draw dots (y, value, standard error) with their intervals."""
    places = np.array(list(dots)).reshape(-1, 3)
    ends = [log_interval(value, error, replications) for _, value, error in places]
    return axes.errorbar(
        places[:, 1], places[:, 0], xerr=np.array(ends).T if ends else None, linestyle="none",
        color=style.color, marker=style.marker, markersize=size, markeredgewidth=0, elinewidth=1.0,
    )  # fmt: skip


def log_interval(value: float, error: float, replications: int) -> tuple[float, float]:
    """Return the way from a value > 0 down and up to the ends of its 95 % interval.

    The interval is taken in ln of the value, as the axis is, so that it stays above 0.
    """
    if not error > 0:
        return 0.0, 0.0
    quantile = float(t_quantile(np.asarray(0.975), replications - 1))
    factor = math.exp(min(quantile * error / value, WIDEST))
    return value - value / factor, value * factor - value


def _mark_one(axes: Axes, rows: int) -> None:
    """Make the x axis logarithmic, with a line at 1, over so many rows from the top."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(False)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _dress(axes: Axes, instances: Sequence[str], reference: str) -> None:
    """Write the instances at their rows, and mark the steps of the scale."""
    from matplotlib.ticker import LogLocator

    names = [plain(shortened(name, WIDEST_NAME, SMALL_SIZE)) for name in instances]
    axes.set_yticks(range(len(names)), names)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color="#e6e6e6", linewidth=0.6, zorder=0.5)
    axes.grid(True, axis="x")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    about = shortened(reference, WIDEST_REFERENCE, FONT_SIZE)
    axes.set_xlabel(plain(f"Regret in units of {about}'s (log scale)"))


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


def draw_slopes(
    axes: Axes, rows: Mapping[str, Row], styles: Mapping[str, Look], replications: int
) -> None:
    """Draw slope / bound with its 95 % interval; what lies within a factor of two is shaded."""
    _mark_one(axes, len(rows))
    axes.axvspan(1 / FACTOR, FACTOR, color=SHADE, linewidth=0, zorder=0.5)
    for place, (name, row) in enumerate(rows.items()):
        if row.slope_ratio >= FLOOR:
            dot = (place, row.slope_ratio, row.slope_se / row.bound)
            _draw_dots(axes, [dot], styles[name], replications, 5)
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
