"""Policy × instance as a dot plot: regrets in units of the reference's, on a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..studies.line_up import OURS
from ..studies.result import Comparison, Row
from .dots import draw_dots, mark_one
from .labels import add_legend, legend_height
from .looks import MARKERS, MOST, Look, look, looks
from .measure import axes_size, plain, shortened, text_width, widest
from .style import FAINT, FONT_SIZE, SMALL_SIZE, WIDTH, drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
