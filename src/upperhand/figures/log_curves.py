"""Regret against ln t: what grows like ln t is a straight line, and its slope can be read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..simulation.regret import Curve
from .curves import BAND_OPACITY
from .looks import Look
from .measure import axes_size, text_width
from .references import COLOR, LOWER_BOUND, LOWEST, draw_reference, too_low
from .style import SMALL_SIZE

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
) -> None:
    """Draw the curves, with bands for those in sight; the others may leave through the top.

    The y axis is made for the ones in sight. The lower bound bound · ln t is a thin dashed line,
    left out if it is no finite number above 0.
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
    if 0 < bound < math.inf:
        _draw_bound(axes, bound, first, last)


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


def _write(axes: Axes, text: str, x: float, y: float, **place: Any) -> None:
    """Write a name that begins at a point, readable across lines."""
    from matplotlib.patheffects import withStroke

    name = axes.annotate(text, (x, y), xycoords="axes points", rotation_mode="anchor", **place)
    outline = withStroke(linewidth=2, foreground="white")
    name.set(color=COLOR, fontsize=SMALL_SIZE, path_effects=[outline])
