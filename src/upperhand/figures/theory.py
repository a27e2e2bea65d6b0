"""The path from mean to tail: the utility of each arm at μ + κσ, and the shortfall of two arms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ..theory.gaussian import envelope, path_end, shortfalls, targets, utilities
from .layout import Handles, Panel, panel_figure
from .style import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Array = NDArray[np.float64]

RULE = "#bdbdbd"
SHADE, SHADE_WIDTH = "#e2e2e2", 7.0  # points, behind the lines of the best arms
CHARACTER = 0.025  # of a panel's width, in labels of ticks


def path_figure(means: ArrayLike, sds: ArrayLike, alpha: float, labels: Sequence[str]) -> Figure:
    """Return the utilities v_j(κ) = μ_j + κσ_j, and the shortfalls D_A(κ) and D_M(κ) beside them.

    A is the best arm at κ = a = z_{1−α/2}, M the best at κ = 0. If they are one arm, it is the best
    on all of the path: nothing falls short, and there are the utilities only.
    """
    a = path_end(alpha)
    acp, mean = targets(means, sds, a)
    names = list(labels)
    if len(names) != len(np.asarray(means)):
        raise ParameterError(f"Each arm needs a label; got {len(names)}: {', '.join(names)}.")
    knots = np.append(envelope(means, sds, a).kinks, a)  # between them all lines are straight

    def draw_utilities(axes: Axes) -> Handles:
        values = utilities(means, sds, knots)  # (S + 1, K)
        best = values.max(axis=1)
        axes.plot(knots, best, color=SHADE, linewidth=SHADE_WIDTH, zorder=1)
        return _draw_arms(axes, knots, values, dict(enumerate(names)))

    def draw_shortfalls(axes: Axes) -> Handles:
        losses = shortfalls(means, sds, knots)  # (S + 1, K)
        _draw_arms(axes, knots, losses, {acp: "A", mean: "M"})
        return {}

    xlabel = f"κ (0: mean, a = {_short(a)}: ACP value)"
    panels = [Panel("Utility μ + κσ, the best shaded", xlabel, draw_utilities, from_zero=False)]
    if acp != mean:
        names[acp] += " (A: best at a)"
        names[mean] += " (M: best at 0)"
        panels.append(Panel("Shortfall of A and M from the best", xlabel, draw_shortfalls))
    return panel_figure(panels, "Reward units", lettered=True)


def _draw_arms(axes: Axes, knots: Array, values: Array, arms: dict[int, str]) -> Handles:
    """Draw a line for each arm, and a thin one at each switch of the best arm, with its tick."""
    handles = Handles()
    for arm, name in arms.items():
        color, dash, _ = look(arm)
        (handles[name],) = axes.plot(knots, values[:, arm], color=color, linestyle=dash)
    for kappa in knots[1:-1]:
        axes.axvline(kappa, color=RULE, linewidth=0.7, zorder=0.9)
    axes.set_xlim(knots[0], knots[-1])
    ticks = _ticks(knots)
    axes.set_xticks(list(ticks), list(ticks.values()))
    return handles


def _ticks(knots: Array) -> dict[float, str]:
    """Return the labels of the x axis that do not touch: the switches' first, then 0 and a."""
    symbol = "κ₀ = " if len(knots) == 3 else ""  # several switches: numbers alone
    wanted = {float(kappa): f"{symbol}{_short(kappa)}" for kappa in knots[1:-1]}
    ticks: dict[float, str] = {}
    for kappa, label in (wanted | {0.0: "0", float(knots[-1]): "a"}).items():
        if all(
            abs(kappa - x) / knots[-1] > CHARACTER * (len(label) + len(other)) / 2
            for x, other in ticks.items()
        ):
            ticks[kappa] = label
    return ticks


def _short(kappa: float) -> str:
    return f"{kappa:.2f}" if kappa >= 0.1 else f"{kappa:.2g}"
