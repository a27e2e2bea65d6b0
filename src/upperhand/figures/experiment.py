"""How a live experiment went: the arms' shares of the outcomes, and their quantiles, over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..live.history import History
from ..objectives import level_name
from ..text import counted
from .layout import THIN, Line, Panel, axes_size, panel_figure, plain
from .regret import TICK_ROOM
from .style import MOST, QUIET, SMALL_SIZE, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
BAR, SPACE = 0.025, 0.015  # of the x axis: an interval's column, and the space beside all columns
REACH = 0.35  # how far intervals stretch the y axis, in the range of the lines
ROW, MARKS = 0.035, 25  # of the y axis: a row of triangles; and how many at most


class Shown(NamedTuple):
    """An arm in colour: its place, its name as it is drawn, its look."""

    arm: int
    name: str
    style: Look


def experiment_figure(history: History, confidence: float) -> Figure:
    """Return two panels: each arm's share of the latest outcomes, and its quantile so far.

    To the right of the quantiles stand their confidence intervals at the end. A triangle at an edge
    is a quantile that lies among failed trials; if all do, there is the first panel only. Of many
    arms, those with most outcomes are in colour.
    """
    used = np.nansum(history.shares, axis=1)
    chosen = sorted(np.argsort(-used, kind="stable")[:MOST].tolist())
    styles = looks([history.arms[arm] for arm in chosen])
    shown = [Shown(arm, plain(name), style)
             for arm, (name, style) in zip(chosen, styles.items(), strict=True)]  # fmt: skip
    level = level_name(history.quantile or 0.5, minimize=history.minimize)
    sure = f"bars: {100 * confidence:.10g} % confidence"
    if np.isinf(history.quantiles).any():
        sure += "; ▲▼: among failures"
    known = bool(np.isfinite(history.quantiles).any())
    title = f"{'(a) ' if known else ''}Share of the latest outcomes"
    panels = [Panel(title, _span(history), lambda axes: _shares(axes, history, shown))]
    if known:
        title, below = f"(b) {level} so far", f"Outcomes ({sure})"
        draw = lambda axes: _quantiles(axes, history, shown)  # noqa: E731
        panels.append(Panel(title, below, draw, from_zero=False))
    return panel_figure(panels, "", height=2.7)


def _span(history: History) -> str:
    """Return the name of the x axis, which says when that was."""
    first, last = (datetime.fromtimestamp(float(at), UTC) for at in history.at[[0, -1]])
    days = [f"{day.day} {day:%b}" for day in (first, last)]
    if first.date() == last.date():
        when = f"{days[0]}, {first:%H:%M} to {last:%H:%M}"
    else:
        when = f"{days[0]} {first:%H:%M} to {days[1]} {last:%H:%M}"
    return f"Outcomes told ({when} UTC)"


def _shares(axes: Axes, history: History, shown: Sequence[Shown]) -> list[Line]:
    _frame(axes, history, 0.0)
    lines = _others(axes, history, history.shares, shown)
    return lines + [_drawn(axes, each, history.told, history.shares[each.arm]) for each in shown]


def _quantiles(axes: Axes, history: History, shown: Sequence[Shown]) -> list[Line]:
    """Draw the quantiles, and to their right the intervals, each in a column of its own."""
    last = float(history.told[-1])
    _frame(axes, history, 2 * SPACE + BAR * len(shown))
    lines = _others(axes, history, history.quantiles, shown)
    limits = _limits(history)
    for place, each in enumerate(shown):
        values = history.quantiles[each.arm]
        _mark_failures(axes, history.told, values, each.style, place)
        line = _drawn(axes, each, history.told, values)
        if np.isfinite(values[-1]):
            x = last * (1 + SPACE + BAR * (place + 0.5))
            ends = np.array(history.confidence[each.arm])
            column = _draw_interval(axes, x, float(values[-1]), ends, limits, each.style.color)
            line = _with_column(line, x, last * BAR / 2, column)
        if len(line.x):
            lines.append(line)
    return lines


def _draw_interval(
    axes: Axes, x: float, value: float, ends: Array, limits: Array, color: str
) -> Array:
    """Draw an estimate with its interval; an end that lies further away gets an arrow."""
    column: Array = np.clip(ends, *limits)
    axes.plot([x, x], column, color=color, linewidth=1.4, solid_capstyle="butt")
    axes.plot([x], [value], color=color, marker="o", markersize=3.5)
    for end, at, cut in zip(ends, column, ("v", "^"), strict=True):
        axes.plot([x], [at], color=color, marker=cut if end != at else "_", markersize=4)
    return column


def _limits(history: History) -> Array:
    """Return how far intervals are drawn: ends far away would make the lines flat."""
    known = history.quantiles[np.isfinite(history.quantiles)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    room = REACH * (high - low or abs(high) or 1.0)
    return np.array([low - room, high + room])


def _drawn(axes: Axes, each: Shown, x: NDArray[np.int64], y: Array) -> Line:
    """Draw a line where its values are finite."""
    shown = np.where(np.isfinite(y), y, np.nan)
    (handle,) = axes.plot(x, shown, color=each.style.color, linestyle=each.style.linestyle)
    if len(x) == 1:  # a line of one point cannot be seen
        handle.set_marker(each.style.marker)
    known = np.isfinite(y)
    return Line(each.name, each.style.color, x[known].astype(np.float64), y[known], y[known],
                handle)  # fmt: skip


def _with_column(line: Line, x: float, half: float, column: Array) -> Line:
    """Return a line whose name also keeps clear of the interval beside it."""
    ends = [x - half, x + half]
    return Line(
        line.name, line.color, np.append(line.x, ends), np.append(line.low, column[[0, 0]]),
        np.append(line.high, column[[1, 1]]), line.handle,
    )  # fmt: skip


def _mark_failures(axes: Axes, x: NDArray[np.int64], y: Array, style: Look, place: int) -> None:
    """Mark by triangles at the edge, a row for each arm, where it lies among failures."""
    for edge, step, marker, beyond in (
        (1.0, -ROW, "^", y == np.inf),
        (0.0, ROW, "v", y == -np.inf),
    ):
        places = x[beyond][:: max(1, int(beyond.sum()) // MARKS)]
        axes.plot(places, np.full(len(places), edge + step * (place + 0.5)), linestyle="none",
                  marker=marker, markersize=3, markeredgewidth=0, color=style.color,
                  transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip


def _others(axes: Axes, history: History, values: Array, shown: Sequence[Shown]) -> list[Line]:
    """Draw the arms that are not in colour as quiet lines with one name."""
    others = sorted(set(range(len(history.arms))) - {each.arm for each in shown})
    if not others:
        return []
    rows = np.where(np.isfinite(values[others]), values[others], np.nan)
    handles = axes.plot(history.told, rows.T, color=QUIET.color, linewidth=THIN, zorder=1.5)
    known = np.isfinite(rows).any(axis=0)
    if not known.any():
        return []
    x, rows = history.told[known].astype(np.float64), rows[:, known]
    name = counted(len(others), "other")
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    return [Line(name, QUIET.color, x, low, high, handles[0], quiet=True)]


def _frame(axes: Axes, history: History, more: float) -> None:
    """Set the x axis: whole numbers of outcomes, and room to the right."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    last = float(history.told[-1])
    axes.set_xlim(0, last * (1 + more))
    ticks = max(2, int(axes_size(axes)[0] / TICK_ROOM))
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.label.set_fontsize(SMALL_SIZE)
