"""Regret against ln t: what grows like ln t is a straight line, and its slope can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..regret import Curve
from .curves import BAND_OPACITY
from .references import COLOR, DASHES, WIDTH
from .style import FONT_SIZE, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_DECADES = 4  # of rounds, back from the last
HEADROOM = 1.12


def draw_log_curves(
    axes: Axes,
    curves: Mapping[str, Curve],
    styles: Mapping[str, Look],
    in_sight: Mapping[str, Curve],
    bound: float,
) -> None:
    """Draw the curves, with bands for those in sight; the others may leave through the top.

    The y axis is made for the ones in sight. The lower bound bound · ln t is a thin dashed line,
    left out if it is no finite number above 0.
    """
    for name, curve in curves.items():
        _draw(axes, curve, styles[name], loud=name in in_sight)
    last = max(int(curve.rounds[-1]) for curve in curves.values())
    first = max(1, last // 10**SHOWN_DECADES)
    top = HEADROOM * max(float(np.nanmax([c.mean[-1], c.high[-1]])) for c in in_sight.values())
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
    """Draw bound · ln t, with its name along it if it ends within sight."""
    t = np.geomspace(first, max(last, 2), 50)
    axes.plot(t, bound * np.log(t), color=COLOR, linewidth=WIDTH, linestyle=DASHES, zorder=2.5)
    bottom, top = axes.get_ylim()
    if bound * math.log(last) < top:
        axes.annotate(
            "lower bound (n → ∞)",
            (t[0], max(bound * math.log(t[0]), bottom)),
            xytext=(4, 6),
            textcoords="offset points",
            color=COLOR,
            fontsize=FONT_SIZE - 1,
        )
