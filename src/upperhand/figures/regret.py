"""Regret curves with their 95 % bands, and the bounds to compare them with.

A reference is a quiet line. A lower bound c · ln t, which no good policy beats as n → ∞
(`theory.lower_bounds`), says nothing about any one round: it is a slope, drawn in the corner. The
regret that one of the policies is proved not to exceed is a curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.default_policies import OURS
from ..comparison.result import Proved, lower_bound, proved_bound
from ..distributions import Distribution
from ..objectives import Mean, Objective, oriented
from ..simulation.runs import Curve, Runs
from ..text import short, three_digits
from .layout import Handles, Panel, count_axis, log_axis, panel_figure
from .style import MOST, QUIET, THIN, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LOWER_BOUND = "lower bound (n → ∞)"
SLOPE, LN_N = f"slope of the {LOWER_BOUND}", "\u00a0ln\u00a0n"  # spaces that do not break
UPPER_BOUND = "upper bound of {}"  # the policy that it is about
# What captions say of the lower bound; t is the round, or the last one.
TAIL_BOUND = (
    "Σ_j Δ_j ln t / kl(F_j(u*), τ) with τ = 1 − α/2, which every policy that is good on all "
    "distributions must meet as n → ∞"
)
MEAN_BOUND = "Lai and Robbins' for Gaussian arms with known variances"

COLOR = "#6f6f6f"  # no policy's colour
DASHES, ABOVE_DASHES = (0, (2.5, 1.5)), (0, (6, 1.5, 1, 1.5))  # of lower and upper bounds
TALLEST = 3.0  # a reference that ends more times higher than the curves would flatten them
LOWEST = 0.03  # of the curves' height: a reference that ends lower looks like the axis
BAND_OPACITY = 0.18
SLOPE_FROM = {"linear": 0.6, "log": 0.1}  # of the last round: where a slope starts
APART = 10.0  # times between the lowest and the highest final regret: then the y axis is a log axis
ROOM, TICKS = 30.0, 5  # such an axis begins at the lowest final regret over this
REACH = 1.5  # times a curve's height: an interval that ends higher is cut by the axis
HEADS = ("policy", "round", "mean", "low", "high")
OTHERS = "other policies"  # the name of all curves in the quiet look

Array = NDArray[np.float64]
Reference = float | Proved  # c of c · ln t, or a curve


def references(arms: Sequence[Distribution], objective: Objective) -> dict[str, float]:
    """Return the constant c of each lower bound c · ln t on this regret, by the line's name.

    Empty if there is no such statement for these arms, or it says nothing (c = 0) or too much
    (c = ∞, where regret must grow faster than ln n).

    >>> import upperhand as uh
    >>> arms = [uh.Normal(0.5, 1), uh.Normal(0, 1)]
    >>> references(arms, uh.Mean())  # 2 σ² / Δ
    {'lower bound (n → ∞)': 4.0}
    >>> references([*arms, uh.Uniform(0, 1)], uh.Mean())
    {}
    """
    constant = lower_bound(arms, objective)
    return {LOWER_BOUND: constant} if 0 < constant < math.inf else {}


def envelope(runs: Runs, objective: Objective) -> dict[str, Reference]:
    """Return the references, and the lowest bound that is proved of a policy at the last round."""
    valued = oriented(objective, runs.minimize)
    proved = proved_bound(runs.policies, runs.arms, valued, runs.horizon)
    above = {UPPER_BOUND.format(proved.label): proved} if proved else {}
    return {**references(runs.arms, valued), **above}


def draw_references(
    axes: Axes, last: float, references: Mapping[str, Reference], highest: float
) -> Handles:
    """End the axis at `highest`, draw the references, and return the legend's handles.

    A lower bound is a short line that rises from the x axis. Where that cannot be seen or compared
    with the curves, as on a log scale, its value is written in the legend.
    """
    axes.dataLim.y1, handles = highest, Handles()
    for name, each in references.items():
        if isinstance(each, Proved):
            t = np.geomspace(1, last, 200)
            handles |= draw_line(axes, name, t, each.at(t), highest)
            continue
        first = max(1.0, SLOPE_FROM[axes.get_xscale()] * last)
        t = np.geomspace(first, last, 50)
        y = each * np.log(t / first)
        if axes.get_yscale() == "linear" and LOWEST * highest <= y[-1] <= highest:
            handles |= draw_line(axes, SLOPE, t, y, highest)
        else:
            handles |= _only_named(axes, f"{name}: {three_digits(each)}{LN_N}")
    return handles


def draw_line(axes: Axes, name: str, x: Array, y: Array, highest: float) -> Handles:
    """Draw a thin line under the curves, where it is not NaN, and return its handle.

    A line that would flatten the curves is left out. One that looks like the axis is not drawn
    either, but its largest value is written in the legend.
    """
    largest = max(y[~np.isnan(y)], default=0.0)
    if 0 < largest < LOWEST * highest:
        return _only_named(axes, f"{name} ≤ {short(largest)}, not drawn")
    if largest > TALLEST * highest:
        return {}
    dashes = DASHES if LOWER_BOUND in name else ABOVE_DASHES
    return {name: axes.plot(x, y, color=COLOR, linewidth=0.9, linestyle=dashes, zorder=1.9)[0]}


def _only_named(axes: Axes, name: str) -> Handles:
    """Return what the legend says of the axes without a line."""
    from matplotlib.lines import Line2D

    title = axes.get_title(loc="left")
    return {(title[:4] if title.startswith("(") else "") + name: Line2D([], [], linestyle="none")}


def emphasised(curves: Mapping[str, Curve], reference: str | None = None) -> dict[str, Look]:
    """Return the look of each policy; of many, all but seven are quiet.

    In colour are the reference, ours, and then those with the lowest final regret.
    """
    ranks = {x: (x != reference, x not in OURS, curves[x].mean[-1]) for x in curves}
    chosen = sorted(ranks, key=ranks.__getitem__)[:MOST]
    return dict.fromkeys(curves, QUIET) | looks(name for name in curves if name in chosen)


def curve_panel(
    title: str,
    curves: Mapping[str, Curve],
    references: Mapping[str, Reference] = MappingProxyType({}),
    styles: Mapping[str, Look] | None = None,
    *,
    log: bool = True,
) -> Panel:
    """Return a panel of regret curves, each with the 95 % band of its mean (`draw_curves`).

    References by name are constants c of c · ln t, or curves.
    """

    def draw(axes: Axes) -> Handles:
        axes.set_xlim(0, max(int(curve.rounds[-1]) for curve in curves.values()))
        count_axis(axes)
        return draw_curves(axes, curves, styles or emphasised(curves), references, log=log)

    return Panel(title, "Round", draw)


def draw_curves(
    axes: Axes,
    curves: Mapping[str, Curve],
    styles: Mapping[str, Look],
    references: Mapping[str, Reference],
    *,
    log: bool = True,
) -> Handles:
    """Draw curves and references; return the handles of the legend, the highest curve first.

    Curves in the quiet look have no band. If `log`, the y axis is a log axis where final regrets
    are far apart. On linear axes all curves start from round 0, where regret is 0.
    """
    handles, highest = Handles(), 0.0
    finals = {name: float(curve.mean[-1]) for name, curve in curves.items()}
    lowest = min(finals.values())
    if log and 0 < APART * lowest <= max(finals.values()):
        axes.set_yscale("log")
    for name, curve in sorted(curves.items(), key=lambda named: styles[named[0]] == QUIET):
        points = np.array([curve.rounds, curve.mean, curve.low, curve.high])
        if axes.get_xscale() == axes.get_yscale() == "linear":
            points = np.insert(points, 0, 0, axis=1)
        rounds, mean, low, high = points
        color, dash, _ = styles[name]
        if styles[name] == QUIET:
            (handles[OTHERS],) = axes.plot(rounds, mean, color=color, linewidth=THIN, zorder=1.5)
            highest = max(highest, float(mean.max()))
            continue
        low, high = or_mean(low, mean), or_mean(high, mean)
        axes.fill_between(rounds, low, high, color=color, alpha=BAND_OPACITY, linewidth=0)
        (handles[name],) = axes.plot(rounds, mean, color=color, linestyle=dash)
        highest = max(highest, float(min(high.max(), REACH * mean.max())))
    handles = dict(sorted(handles.items(), key=lambda named: -finals.get(named[0], 0.0)))
    handles |= draw_references(axes, float(rounds[-1]), references, highest)
    if axes.get_yscale() == "log":
        log_axis(axes, "y", lowest / ROOM, 1.25 * axes.dataLim.y1, TICKS)
    return handles


def or_mean(edge: Array, mean: Array) -> Array:
    """Return the edge of an interval; of a single replication, which has none, the mean."""
    return np.where(np.isnan(edge), mean, edge)


def sweep_panel(
    title: str,
    xlabel: str,
    settings: Sequence[float],
    curves: Mapping[str, Sequence[Curve]],
    references: Mapping[str, Array] = MappingProxyType({}),
) -> Panel:
    """Return a panel of final regrets, with the settings from left to right in the order given.

    Each policy has a curve for each setting, and an error bar for the 95 % interval of its mean.
    References are values at each setting, by name, and are shown where they are below all policies.
    """

    def draw(axes: Axes) -> Handles:
        x = np.asarray(settings, dtype=np.float64)
        margin = 0.04 * (x[-1] - x[0])
        axes.set_xlim(x[0] - margin, x[-1] + margin)
        axes.set_xticks(x, [f"{setting:.2f}" for setting in x])
        handles, highest, lowest = Handles(), 0.0, np.full(len(x), np.inf)
        for name, (color, dash, marker) in looks(curves).items():
            ends = [(curve.mean[-1], curve.low[-1], curve.high[-1]) for curve in curves[name]]
            mean, low, high = np.array(ends).T
            low, high = or_mean(low, mean), or_mean(high, mean)
            handles[name] = axes.errorbar(
                x, mean, [mean - low, high - mean], color=color, linestyle=dash, marker=marker,
                markeredgewidth=0, elinewidth=1.0, capsize=3.5, capthick=1.0,
            )  # fmt: skip
            highest = max(highest, float(min(high.max(), REACH * mean.max())))
            lowest = np.minimum(lowest, mean)
        handles = dict(sorted(handles.items(), key=lambda named: -curves[named[0]][-1].mean[-1]))
        axes.dataLim.y1 = highest
        for name, y in references.items():
            handles |= draw_line(axes, name, x, np.where(y < lowest, y, np.nan), highest)
        return handles

    return Panel(title, xlabel, draw)


def curve_rows(
    group: str,
    curves: dict[str, dict[str, Curve]],
    references: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
) -> list[tuple[Any, ...]]:
    """Return heads, and curves and references in rows: one for each group, line and round."""
    rows: list[tuple[Any, ...]] = [(group, *HEADS)]
    for label, named in curves.items():
        for name, curve in named.items():
            points = zip(curve.rounds, curve.mean, curve.low, curve.high, strict=True)
            rows += [(label, name, *point) for point in points]
        rounds = next(iter(named.values())).rounds
        for name, each in references.get(label, {}).items():
            values = zip(rounds, each * np.log(rounds), strict=True)
            rows += [(label, name, t, y, math.nan, math.nan) for t, y in values]
    return rows


def instance_figure(runs: Runs, value: Objective) -> Figure:
    """Return two panels: regret under what an arm is worth, and under the mean.

    Where an arm has no mean, there is the first panel only. Each panel has the bounds of
    `envelope`, if there are any for these arms and policies and they lie within sight.
    """
    objectives = [value, Mean()] if Mean().is_defined(runs.arms) else [value]
    styles = emphasised(runs.regret(value))
    panels = [
        curve_panel(
            f"Cumulative regret, {each.label}", runs.regret(each), envelope(runs, each), styles
        )
        for each in objectives
    ]
    return panel_figure(panels, "Regret (reward units)", lettered=True)
