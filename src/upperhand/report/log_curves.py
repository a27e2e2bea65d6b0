"""Regret against ln t: what grows like ln t is a straight line, and its slope can be read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..regret import Curve
from .curves import BAND_OPACITY
from .labels import axes_size
from .references import COLOR, DASHES, LOWER_BOUND, WIDTH
from .style import FONT_SIZE, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_DECADES = 3  # of rounds, back from the last
HEADROOM = 1.12


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
    if not np.isnan(curve.low).all():
        axes.fill_between(
            curve.rounds, curve.low, curve.high, color=style.color, alpha=BAND_OPACITY, linewidth=0
        )
    axes.plot(curve.rounds, curve.mean, color=style.color, linestyle=style.linestyle)


def _draw_bound(axes: Axes, bound: float, first: int, last: int) -> None:
    """Draw bound · ln t, a straight line here, with its name along it if it ends within sight."""
    ends = np.array([first, max(last, 2)])
    values = bound * np.log(ends)
    axes.plot(ends, values, color=COLOR, linewidth=WIDTH, linestyle=DASHES, zorder=2.5)
    if values[-1] < axes.get_ylim()[1]:
        wide, tall = axes_size(axes)
        rise = (values[-1] - values[0]) / axes.get_ylim()[1] * tall
        axes.annotate(
            LOWER_BOUND,
            (ends[0], values[0]),
            xytext=(5, 3 + 5 * rise / wide),
            textcoords="offset points",
            rotation=math.degrees(math.atan2(rise, wide)),
            rotation_mode="anchor",
            color=COLOR,
            fontsize=FONT_SIZE - 1,
        )
