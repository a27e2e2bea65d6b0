"""Regret curves with their bands, and the bounds to compare them with.

Bounds as quiet lines in regret figures: what is known of regret, from below and from above.

Below is c · ln t, which no good policy beats as n → ∞ (`theory.lower_bounds`). Above is what one of
the policies in the figure is proved not to exceed at any t (`theory.quantile_policies`). Here they
are named, drawn, and explained for captions.

Regret against ln t: what grows like ln t is a straight line, and its slope can be read.

One figure for any simulation: the same runs under the tail and under the mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Proved, lower_bound, proved_bound
from ..distributions import Distribution
from ..objectives import Mean, Objective, oriented
from ..policies import Policy
from ..simulation.runs import Curve, Runs
from ..text import columns, short
from .layout import (
    AFTER,
    SAMPLE,
    Line,
    Panel,
    axes_size,
    panel_figure,
    plain,
    shortened,
    text_width,
    write_numbers,
)
from .style import SMALL_SIZE, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LOWER_BOUND = "lower bound (n → ∞)"
UPPER_BOUND = "upper bound of {}"  # the policy that it is about
# What captions say of the line; t is the round, or the last one.
TAIL_BOUND = (
    "Σ_j Δ_j ln t / kl(F_j(u*), τ) with τ = 1 − α/2, which every policy that is good on all laws "
    "must meet as n → ∞"
)
MEAN_BOUND = "Lai and Robbins' for Gaussian arms with known variances"

COLOR, WIDTH = "#6f6f6f", 0.9  # thin and grey: no policy's look
DASHES, ABOVE_DASHES = (0, (2.5, 1.5)), (0, (6, 1.5, 1, 1.5))  # of what is below, and above
TALLEST = 3.0  # how many times higher than the curves a reference may end
LOWEST = 0.03  # of the curves' height: what ends lower cannot be told from the axis


Reference = float | Proved  # c of c · ln t, or a curve


def references(arms: Sequence[Distribution], objective: Objective) -> dict[str, float]:
    """Return the constant c of each line c · ln t to draw with a regret, by the line's name.

    None if there is no such statement for these arms, or it says nothing (c = 0) or too much
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


def envelope(
    arms: Sequence[Distribution], objective: Objective, policies: Mapping[str, Policy], last: int
) -> dict[str, Reference]:
    """Return the references, and the least bound that is proved of a policy at the last round."""
    proved = proved_bound(policies, arms, objective, last)
    above = {UPPER_BOUND.format(proved.label): proved} if proved else {}
    return {**references(arms, objective), **above}


def values_at(reference: Reference, t: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a reference is at rounds t."""
    if isinstance(reference, Proved):
        return reference.at(t)
    logs: NDArray[np.float64] = np.log(t)
    return reference * logs


def draw_references(
    axes: Axes,
    x: NDArray[np.float64],
    values: Mapping[str, NDArray[np.float64]],
    curves: Sequence[Line],
) -> list[Line]:
    """Draw thin lines under the curves, and return them as lines to be named.

    A line that would end so high that the curves lie flat is left out: n is too small for it. One
    that would lie on the axis is not drawn either, but its value is said.
    """
    highest = max(float(np.max(curve.high)) for curve in curves)
    seen = {name: y for name, y in values.items() if 0 < np.max(y) <= TALLEST * highest}
    return [
        _said(name, x, y) if np.max(y) < LOWEST * highest else draw_reference(axes, name, x, y)
        for name, y in seen.items()
    ]


def draw_reference(axes: Axes, name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Draw one such line, and return it to be named."""
    dashes = DASHES if name == LOWER_BOUND else ABOVE_DASHES
    (handle,) = axes.plot(x, y, color=COLOR, linewidth=WIDTH, linestyle=dashes, zorder=1.9)
    return Line(name, COLOR, x, y, y, handle, quiet=True)


def _said(name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Return a line that is not drawn, its largest value in its name."""
    return Line(too_low(name, float(np.max(y))), COLOR, x, y, y, None, quiet=True)


def too_low(name: str, value: float) -> str:
    """Say the value of a reference that cannot be told from the axis."""
    return f"{name} ≤ {short(value)}, not drawn"


BAND_OPACITY = 0.18
TICK_ROOM = 43  # points between ticks on the x axis
NO_REFERENCES: Mapping[str, Reference] = MappingProxyType({})


def curve_panel(
    title: str, curves: dict[str, Curve], references: Mapping[str, Reference] = NO_REFERENCES
) -> Panel:
    """Return a panel of regret curves, each with the 95 % band of its mean.

    References by name are quiet lines under the curves: constants c of c · ln t, or curves.
    """
    return Panel(title, "Round", lambda axes: _draw(axes, curves, references))


def _draw(axes: Axes, curves: dict[str, Curve], references: Mapping[str, Reference]) -> list[Line]:
    """Draw the curves and references, and return them as lines to be named."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    styles = looks(curves)
    lines = [_draw_curve(axes, name, curve, styles[name]) for name, curve in curves.items()]
    last = max(int(curve.rounds[-1]) for curve in curves.values())
    t = np.geomspace(1, last, 200)
    bounds = {name: values_at(each, t) for name, each in references.items()}
    lines += draw_references(axes, t, bounds, lines)
    axes.set_xlim(0, last)
    ticks = max(2, int(axes_size(axes)[0] / TICK_ROOM))
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    return lines


def _draw_curve(axes: Axes, name: str, curve: Curve, style: Look) -> Line:
    """Draw one curve from round 0, where its regret is 0, with its band if it has one."""
    rounds, mean = np.insert(curve.rounds, 0, 0), np.insert(curve.mean, 0, 0)
    low, high = (or_mean(np.insert(edge, 0, 0), mean) for edge in (curve.low, curve.high))
    axes.fill_between(rounds, low, high, color=style.color, alpha=BAND_OPACITY, linewidth=0)
    (handle,) = axes.plot(rounds, mean, color=style.color, linestyle=style.linestyle)
    return Line(plain(name), style.color, rounds, low, high, handle)


def or_mean(edge: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edge of an interval; a single replication has none but the mean."""
    return np.where(np.isnan(edge), mean, edge)


def curve_columns(
    group: str,
    curves: dict[str, dict[str, Curve]],
    references: Mapping[str, Mapping[str, Reference]] = MappingProxyType({}),
) -> dict[str, list[Any]]:
    """Return curves and references as columns, one row for each group, line and round."""
    rows = [
        (label, name, *point)
        for label, named in curves.items()
        for name, curve in (named | _as_curves(named, references.get(label, {}))).items()
        for point in zip(curve.rounds, curve.mean, curve.low, curve.high, strict=True)
    ]
    return columns((group, "policy", "round", "mean", "low", "high"), rows)


def _as_curves(curves: dict[str, Curve], references: Mapping[str, Reference]) -> dict[str, Curve]:
    """Return the references at the rounds of the curves, without a band."""
    rounds = next(iter(curves.values())).rounds
    unknown = np.full(len(rounds), np.nan)
    values = {name: values_at(each, rounds) for name, each in references.items()}
    return {name: Curve(rounds, y, unknown, unknown, y[-1:]) for name, y in values.items()}


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
        _draw_log(axes, curve, styles[name], loud=name in in_sight)
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


def _draw_log(axes: Axes, curve: Curve, style: Look, *, loud: bool) -> None:
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


def instance_figure(runs: Runs, value: Objective) -> Figure:
    """Return two panels: regret under what an arm is worth, and under the mean.

    Where an arm has no mean, there is the first panel only. Each panel has the bounds of
    `envelope`, if there are any for these arms and policies and they lie within sight.
    """
    objectives = [value]
    if Mean().is_defined(runs.arms):
        objectives.append(Mean())
    letters = ("(a) ", "(b) ") if len(objectives) > 1 else ("",)
    panels = [_panel(*each, runs) for each in zip(letters, objectives, strict=True)]
    return panel_figure(panels, "Regret (reward units)")


def _panel(letter: str, objective: Objective, runs: Runs) -> Panel:
    title = f"{letter}Cumulative regret, {objective.label}"
    judge = oriented(objective, runs.minimize)
    lines = envelope(runs.arms, judge, runs.policies, runs.horizon)
    return curve_panel(title, runs.regret(objective), lines)
