"""Policy × instance as a dot plot: regrets in units of the reference's, on a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..studies.line_up import OURS
from ..studies.result import Comparison
from .highlights import MOST
from .labels import axes_size
from .legend import add_legend, legend_height
from .style import FAINT, FONT_SIZE, MARKERS, WIDTH, Look, drawing, look, looks, new_figure
from .text_width import plain, shortened, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP = 1.05, 0.12, 0.45, 0.3  # inches around the axes
WIDEST_NAME, WIDEST_REFERENCE = 2.0, 2.2  # inches of an instance's name, and under the axes
ROW, OF_POLICY = 0.3, 0.032  # inches of an instance, or of each policy in it if that is more
SPREAD = 0.75  # how much of its row the policies of an instance fill
WIDEST = 100.0  # a factor, of an interval to either side: that nothing is known can be seen then
GREYS = FAINT, "#c4c4c4"
SIZE = FONT_SIZE - 1  # of names


def ratio_figure(comparison: Comparison) -> Figure:
    """Return a row for each instance, and on it the ratio of each policy with its 95 % interval.

    Only policies that play for the objective of some instance are drawn, unless none does; the
    reference is the line at 1.
    """
    names = drawn_policies(comparison)
    styles, count = _looks(names), len(comparison.instances)
    with drawing():
        left, legend = _left(comparison), legend_height(names, WIDTH)
        high = max(ROW, OF_POLICY * len(names)) * count
        height = TOP + high + BOTTOM + legend
        figure = new_figure(WIDTH, height)
        axes = figure.add_axes(
            (
                left / WIDTH,
                (BOTTOM + legend) / height,
                (WIDTH - left - RIGHT) / WIDTH,
                high / height,
            )
        )
        handles = [
            _draw_policy(axes, comparison, name, styles[name], (place + 0.5) / len(names))
            for place, name in enumerate(names)
        ]
        _dress(axes, comparison)
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
    loud = looks(first[:MOST])
    grey = {
        name: look(place)._replace(color=GREYS[place // len(MARKERS) % len(GREYS)])
        for place, name in enumerate(first[MOST:])
    }
    return loud | grey


def _draw_policy(axes: Axes, comparison: Comparison, name: str, style: Look, offset: float) -> Any:
    """Draw a policy's dot on each instance, a little below the dots of those before it."""
    rows = [comparison.main(instance.name).get(name) for instance in comparison.instances]
    here = [(place, row) for place, row in enumerate(rows) if row is not None and row.ratio > 0]
    y = [place + (offset - 0.5) * SPREAD for place, _ in here]
    intervals = [log_interval(row.ratio, row.ratio_low, row.ratio_high) for _, row in here]
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


def log_interval(value: float, low: float, high: float) -> tuple[float, float]:
    """Return the way from a value > 0 down and up to the ends of its interval, on a log axis.

    It stays above 0, and goes no further than a factor of `WIDEST` either way.
    """
    if not low < high:  # or they are not known
        return 0.0, 0.0
    down, up = value - max(low, value / WIDEST), min(high, value * WIDEST) - value
    return max(down, 0.0), max(up, 0.0)  # an end may be off by a rounding


def _dress(axes: Axes, comparison: Comparison) -> None:
    """Write the instances at their rows, and mark the reference and the steps of the scale."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    names = [shortened(instance.name, WIDEST_NAME, SIZE) for instance in comparison.instances]
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), map(plain, names))
    axes.set_ylim(len(names) - 0.5, -0.5)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color="#e6e6e6", linewidth=0.6, zorder=0.5)
    axes.axvline(1, color=FAINT, linewidth=0.9, zorder=0.9)
    axes.grid(False)
    axes.grid(True, axis="x")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    about = shortened(comparison.reference, WIDEST_REFERENCE, FONT_SIZE)
    axes.set_xlabel(plain(f"Regret in units of {about}'s (log scale)"))


def _name_reference(axes: Axes, name: str, left: float) -> None:
    """Write the name above the line at 1, or as near to there as the edges of the figure allow."""
    name = shortened(name, WIDTH - 2 * RIGHT, SIZE)
    half = text_width(name, SIZE) / 2
    wide, tall = axes_size(axes)
    low, high = map(math.log, axes.get_xlim())
    middle = left + wide / 72 * low / (low - high)  # inches from the left edge of the figure
    middle = min(max(middle, half + RIGHT), WIDTH - half - RIGHT)
    axes.annotate(
        plain(name),
        (72 * (middle - left), tall + 3),
        xycoords="axes points",
        ha="center",
        fontsize=SIZE,
        annotation_clip=False,
    )


def _left(comparison: Comparison) -> float:
    """Return the inches to the left of the axes: more than usual if an instance's name is long."""
    longest = max(text_width(instance.name, SIZE) for instance in comparison.instances)
    return max(LEFT, min(longest, WIDEST_NAME) + 2 * RIGHT)
