"""Regret against ln t: what grows like ln t is a straight line, and its slope can be read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..simulation.regret import Curve
from ..studies.bounds import Proved
from .curves import BAND_OPACITY
from .labels import AFTER, SAMPLE
from .looks import Look
from .measure import axes_size, plain, shortened, text_width
from .references import COLOR, LOWER_BOUND, LOWEST, UPPER_BOUND, draw_reference, too_low, values_at
from .style import SMALL_SIZE
from .ticks import write_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_DECADES = 3  # of rounds, back from the last
HEADROOM = 1.12
ABOVE = f"{LOWER_BOUND}: above"  # what is said if no part of it is in sight
INSET, NEAR = 5.0, 3.0  # points between a name and the edges of the axes, and its line


def draw_log_curves(
    axes: Axes,
    curves: Mapping[str, Curve],
    styles: Mapping[str, Look],
    in_sight: Collection[str],
    bound: float,
    proved: Proved | None = None,
) -> None:
    """Draw the curves, with bands for those in sight; the others may leave through the top.

    The y axis is made for the ones in sight. The lower bound bound · ln t is a thin dashed line,
    left out if it is no finite number above 0. So is what is proved of a policy, if it ends within
    sight.
    """
    for name, curve in curves.items():
        _draw(axes, curve, styles[name], loud=name in in_sight)
    seen = [curves[name] for name in in_sight]
    last = max(int(curve.rounds[-1]) for curve in curves.values())
    first = max(1, last // 10**SHOWN_DECADES)
    top = HEADROOM * max(float(np.nanmax([c.mean[-1], c.high[-1]])) for c in seen)
    axes.set_xscale("log")
    axes.set_xlim(first, max(last, 2))
    axes.set_ylim(0, top if top > 0 else 1.0)
    axes.set_xlabel("Round (log scale)")
    axes.minorticks_off()
    write_numbers(axes)
    if 0 < bound < math.inf:
        _draw_bound(axes, bound, first, last)
    top = axes.get_ylim()[1]
    if proved and LOWEST * top <= proved.regret[-1] < top:
        _draw_proved(axes, proved, first, last, lower=bound * math.log(last) < LOWEST * top)


def _draw(axes: Axes, curve: Curve, style: Look, *, loud: bool) -> None:
    if not loud:
        axes.plot(curve.rounds, curve.mean, color=style.color, linewidth=0.7, zorder=1.5)
        return
    axes.fill_between(
        curve.rounds, curve.low, curve.high, color=style.color, alpha=BAND_OPACITY, linewidth=0
    )
    axes.plot(curve.rounds, curve.mean, color=style.color, linestyle=style.linestyle)


def _draw_bound(axes: Axes, bound: float, first: int, last: int) -> None:
    """Draw bound · ln t, a straight line here, and its name within the axes in any case."""
    ends = np.array([first, max(last, 2)], dtype=np.float64)
    values, top = bound * np.log(ends), axes.get_ylim()[1]
    wide, tall = axes_size(axes)  # here and below in points, from the lower left corner
    if values[1] < LOWEST * top:
        _write(axes, too_low(LOWER_BOUND, float(values[1])), INSET, tall - INSET, va="top")
        return
    draw_reference(axes, LOWER_BOUND, ends, values)
    start, end = values / top * tall
    slope, length = (end - start) / wide, 72 * text_width(LOWER_BOUND, SMALL_SIZE)
    slant = math.atan(slope)
    x = INSET + SMALL_SIZE * math.sin(slant)  # the letters lean to the left
    y = start + slope * x + NEAR / math.cos(slant)
    if start >= tall:
        _write(axes, ABOVE, INSET, tall - INSET, va="top")
    elif y + length * math.sin(slant) + SMALL_SIZE * math.cos(slant) <= tall:
        _write(axes, LOWER_BOUND, x, y, rotation=math.degrees(slant))
    else:  # too short a piece of the line is in sight: to its right, or under its end
        left = min((tall - start) / slope + INSET, wide - length)
        _write(axes, LOWER_BOUND, left, min(tall, start + slope * left) - INSET, va="top")


def _draw_proved(axes: Axes, proved: Proved, first: int, last: int, *, lower: bool) -> None:
    """Draw what is proved of a policy, and name it in the upper left corner, where no curve is.

    If the name of the lower bound stands there, it is below that.
    """
    t = np.geomspace(first, last, 100)
    line = draw_reference(axes, UPPER_BOUND.format(proved.label), t, values_at(proved, t))
    wide, tall = axes_size(axes)
    room = (wide - 2 * INSET) / 72 - (SAMPLE + AFTER) * SMALL_SIZE / 72
    name = plain(shortened(line.name, room, SMALL_SIZE))
    top = 1.0 - (INSET + (1.5 * SMALL_SIZE if lower else 0.0)) / tall
    legend = axes.legend(
        [line.handle], [name], loc="upper left", bbox_to_anchor=(INSET / wide, top),
        borderaxespad=0.0, borderpad=0.0, handlelength=SAMPLE, handletextpad=AFTER,
        fontsize=SMALL_SIZE, labelcolor=COLOR, frameon=False,
    )  # fmt: skip
    legend.get_texts()[0].set_path_effects([_outline()])


def _write(axes: Axes, text: str, x: float, y: float, **place: Any) -> None:
    """Write a name that begins at a point, readable across lines."""
    name = axes.annotate(text, (x, y), xycoords="axes points", rotation_mode="anchor", **place)
    name.set(color=COLOR, fontsize=SMALL_SIZE, path_effects=[_outline()])


def _outline() -> Any:
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=2, foreground="white")
