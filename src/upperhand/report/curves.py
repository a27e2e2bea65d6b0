"""Regret curves with their bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..regret import Curve
from .labels import Line, axes_size
from .panels import Panel
from .style import Look, looks
from .tables import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND_OPACITY = 0.18
TICK_ROOM = 43  # points between ticks on the x axis


def curve_panel(title: str, curves: dict[str, Curve]) -> Panel:
    """Return a panel of regret curves, each with the 95 % band of its mean."""
    return Panel(title, "Round", lambda axes: draw_curves(axes, curves))


def draw_curves(axes: Axes, curves: dict[str, Curve]) -> list[Line]:
    """Draw the curves, and return them as lines to be named."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    styles = looks(curves)
    lines = [_draw_curve(axes, name, curve, styles[name]) for name, curve in curves.items()]
    axes.set_xlim(0, max(int(curve.rounds[-1]) for curve in curves.values()))
    ticks = max(2, int(axes_size(axes)[0] / TICK_ROOM))
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    return lines


def _draw_curve(axes: Axes, name: str, curve: Curve, style: Look) -> Line:
    """Draw one curve from round 0, where its regret is 0, with its band if it has one."""
    rounds, mean = np.insert(curve.rounds, 0, 0), np.insert(curve.mean, 0, 0)
    low, high = (_edge(edge, mean) for edge in (curve.low, curve.high))
    axes.fill_between(rounds, low, high, color=style.color, alpha=BAND_OPACITY, linewidth=0)
    (handle,) = axes.plot(rounds, mean, color=style.color, linestyle=style.linestyle)
    return Line(name, style.color, rounds, low, high, handle)


def _edge(edge: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edge of a band from round 0; a single replication has no band but the line."""
    from_start = np.insert(edge, 0, 0)
    return np.where(np.isnan(from_start), mean, from_start)


def curve_columns(group: str, curves: dict[str, dict[str, Curve]]) -> dict[str, list[Any]]:
    """Return what is drawn as columns, one row for each group, policy and round."""
    rows = [
        (label, name, *point)
        for label, named in curves.items()
        for name, curve in named.items()
        for point in zip(curve.rounds, curve.mean, curve.low, curve.high, strict=True)
    ]
    return columns((group, "policy", "round", "mean", "low", "high"), rows)
