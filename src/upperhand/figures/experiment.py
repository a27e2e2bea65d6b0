"""How a live experiment went: the arms' shares of the outcomes, and their quantiles, over time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..live.history import History
from ..objectives import level_name
from ..text import counted
from .layout import Handles, Panel, count_axis, panel_figure
from .style import MOST, QUIET, THIN, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
BAR, SPACE = 0.025, 0.015  # of the x axis: an interval's column, and the space beside all columns
REACH = 0.35  # how far intervals stretch the y axis, in the range of the lines
FEW, FAINT = 20, 0.35  # outcomes of an arm until its quantile is more than a guess; its opacity
ROW, MARKS = 0.035, 25  # of the y axis: a row of triangles; and how many at most


def experiment_figure(history: History, confidence: float) -> Figure:
    return panel_figure(experiment_panels(history, confidence), "", height=2.7, lettered=True)


def experiment_panels(history: History, confidence: float) -> list[Panel]:
    """Return two panels: each arm's share of the latest outcomes, and its quantile so far.

    Quantiles of fewer than 20 outcomes are thin and faint; to the right stand the confidence
    intervals at the end. A triangle at an edge is a quantile that lies among failed trials; if all
    do, there is the first panel only. Of many arms, those with most outcomes are in colour.
    """
    if not len(history.told):
        raise ParameterError("There are no outcomes yet, so there is nothing to draw.")
    used = np.nansum(history.shares, axis=1)
    chosen = sorted(np.argsort(-used, kind="stable")[:MOST].tolist())
    own = looks([str(arm) for arm in chosen])
    styles = dict(zip(chosen, own.values(), strict=True))
    first, last = (datetime.fromtimestamp(float(at), UTC) for at in history.at[[0, -1]])
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last.day} {last:%b %H:%M}"
    timed = history.at[-1] > 0  # a bandit notes no times
    xlabel = "Outcomes" if not timed else f"Outcomes ({first.day} {first:%b, %H:%M} to {end} UTC)"

    def draw_shares(axes: Axes) -> Handles:
        axes.set_xlim(0, float(history.told[-1]))
        return _draw_lines(axes, history, history.shares, styles)

    def draw_quantiles(axes: Axes) -> Handles:
        axes.set_xlim(0, float(history.told[-1]) * (1 + 2 * SPACE + BAR * len(styles)))
        handles = _draw_lines(axes, history, history.quantiles, styles, few=FEW)
        for place, (arm, style) in enumerate(styles.items()):
            _mark_failures(axes, history.told, history.quantiles[arm], style, place)
            if np.isfinite(history.quantiles[arm, -1]):
                _draw_interval(axes, history, arm, style, place)
        return handles

    panels = [Panel("Share of the latest outcomes", xlabel, draw_shares)]
    if np.isfinite(history.quantiles).any():
        level = level_name(history.quantile or 0.5, minimize=history.minimize)
        bars = f"faint: of fewer than {FEW}; bars: {100 * confidence:.10g} % confidence"
        if np.isinf(history.quantiles).any():
            bars += "; ▲▼: among failures"
        panels.append(
            Panel(f"{level} so far", f"Outcomes ({bars})", draw_quantiles, from_zero=False)
        )
    return panels


def _draw_lines(
    axes: Axes, history: History, values: Array, styles: dict[int, Look], *, few: int = 0
) -> Handles:
    """Draw a line for each arm where its values are finite, faint until it has `few` outcomes.

    Arms that have no look are quiet.
    """
    count_axis(axes)
    values, handles = np.where(np.isfinite(values), values, np.nan), Handles()
    others = [arm for arm in range(len(history.arms)) if arm not in styles]
    for arm, (color, dash, marker) in styles.items():
        known = np.searchsorted(history.counts[arm], few)
        marker = marker if len(history.told) == 1 else ""  # one point alone is no line
        look: dict[str, Any] = {"color": color, "linestyle": dash, "marker": marker}
        x, y, name = history.told, values[arm], str(history.arms[arm])
        (handles[name],) = axes.plot(x[known:], y[known:], **look)
        if known:
            axes.plot(x[: known + 1], y[: known + 1], **look, alpha=FAINT, linewidth=1)
    if others:
        quiet = axes.plot(
            history.told, values[others].T, color=QUIET.color, linewidth=THIN, zorder=1.5
        )
        handles[counted(len(others), "other")] = quiet[0]
    return handles


def _draw_interval(axes: Axes, history: History, arm: int, style: Look, place: int) -> None:
    """Draw an estimate with its interval in a column; an end that lies further away is an arrow."""
    known = history.quantiles[np.isfinite(history.quantiles)]
    low, high = known.min(), known.max()
    reach = REACH * (high - low or abs(high) or 1.0)  # ends far away would make the lines flat
    ends = np.array(history.confidence[arm])
    column = np.clip(ends, low - reach, high + reach)
    x = float(history.told[-1]) * (1 + SPACE + BAR * (place + 0.5))
    axes.plot([x, x], column, color=style.color, linewidth=1.4, solid_capstyle="butt")
    axes.plot([x], history.quantiles[arm, -1:], color=style.color, marker="o", markersize=3.5)
    for end, at, cut in zip(ends, column, ("v", "^"), strict=True):
        axes.plot([x], [at], color=style.color, marker=cut if end != at else "_", markersize=4)


def _mark_failures(axes: Axes, x: NDArray[np.int64], y: Array, style: Look, place: int) -> None:
    """Mark by triangles at the edge, a row for each arm, where it lies among failures."""
    for edge, step, marker, beyond in (
        (1.0, -ROW, "^", y == np.inf),
        (0.0, ROW, "v", y == -np.inf),
    ):
        places = x[beyond][:: max(1, int(beyond.sum()) // MARKS)]
        if len(places):
            axes.plot(places, np.full(len(places), edge + step * (place + 0.5)), linestyle="none",
                      marker=marker, markersize=3, markeredgewidth=0, color=style.color,
                      transform=axes.get_xaxis_transform())  # fmt: skip
