"""The path from mean to tail: what each arm is worth at μ + κσ, and what settling on one costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ..theory.gaussian import envelope, path_end, shortfalls, targets, utilities
from .layout import Line, Panel, axes_size, panel_figure, plain, text_width
from .style import SMALL_SIZE, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Array = NDArray[np.float64]

RULE = "#bdbdbd"
SHADE, SHADE_WIDTH = "#e2e2e2", 7.0  # points, behind the lines of the best arms
TICK_GAP = 4.0  # points between labels on the x axis


class _Path(NamedTuple):
    """An instance on [0, a]; everything drawn is straight between the knots."""

    means: ArrayLike
    sds: ArrayLike
    labels: Sequence[str]
    knots: Array  # (S + 1,) from 0 over the switches to a


def path_figure(means: ArrayLike, sds: ArrayLike, alpha: float, labels: Sequence[str]) -> Figure:
    """Return the utilities v_j(κ) = μ_j + κσ_j, and the shortfalls D_A(κ) and D_M(κ) beside them.

    A is the best arm at κ = a = z_{1−α/2}, M the best at κ = 0. If they are one arm, it is the best
    on all of the path: nothing falls short, and there are the utilities only.
    """
    a = path_end(alpha)
    acp, mean = targets(means, sds, a)
    if len(labels) != len(np.asarray(means)):
        raise ParameterError(f"Each arm needs a label; got {len(labels)}: {', '.join(labels)}.")
    path = _Path(means, sds, list(map(plain, labels)), np.append(envelope(means, sds, a).kinks, a))
    if acp == mean:
        panels = [_utility_panel("Utility μ + κσ, the best shaded", path)]
    else:
        panels = [
            _utility_panel("(a) Utility μ + κσ, the best shaded", path),
            _shortfall_panel("(b) Shortfall from the best, D(κ)", path, acp, mean),
        ]
    return panel_figure(panels, "Reward units")


def _utility_panel(title: str, path: _Path) -> Panel:
    """Return a line for each arm, the best one at each κ shaded."""

    def draw(axes: Axes) -> list[Line]:
        values = utilities(path.means, path.sds, path.knots)  # (S + 1, K)
        best = values.max(axis=1)
        axes.plot(path.knots, best, color=SHADE, linewidth=SHADE_WIDTH, zorder=1)
        _mark_switches(axes, path.knots, values)
        lines = [
            _draw_line(axes, label, arm, path.knots, values[:, arm])
            for arm, label in enumerate(path.labels)
        ]
        return [replace(line, roams=True, quiet=True) for line in lines]

    return Panel(title, _xlabel(path), draw, from_zero=False)


def _shortfall_panel(title: str, path: _Path, acp: int, mean: int) -> Panel:
    """Return D_A, which falls to 0, and D_M, which rises from it."""

    def draw(axes: Axes) -> list[Line]:
        losses = shortfalls(path.means, path.sds, path.knots)  # (S + 1, K)
        _mark_switches(axes, path.knots, losses[:, [acp, mean]])
        falling = _draw_line(axes, f"$D_A$, {path.labels[acp]}", acp, path.knots, losses[:, acp])
        rising = _draw_line(axes, f"$D_M$, {path.labels[mean]}", mean, path.knots, losses[:, mean])
        return [replace(falling, end="left"), rising]

    return Panel(title, _xlabel(path), draw)


def _xlabel(path: _Path) -> str:
    return f"κ (0: mean, a = {_short(path.knots[-1])}: ACP value)"


def _draw_line(axes: Axes, name: str, arm: int, x: Array, y: Array) -> Line:
    """Draw a line in the look of the arm, the same in both panels."""
    style = look(arm)
    (handle,) = axes.plot(x, y, color=style.color, linestyle=style.linestyle)
    return Line(name, style.color, x, y, y, handle)


def _mark_switches(axes: Axes, knots: Array, heights: Array) -> None:
    """Draw a thin line from each switch of the best arm down to its tick on the x axis."""
    foot = 2 * heights.min() - heights.max()  # below the axis, where it is cut off
    for kappa, values in zip(knots[1:-1], heights[1:-1], strict=True):
        axes.plot([kappa, kappa], [foot, values.max()], color=RULE, linewidth=0.7, zorder=0.9)
    axes.set_xlim(knots[0], knots[-1])
    ticks = _ticks(knots, axes_size(axes)[0])
    axes.set_xticks(list(ticks), list(ticks.values()))


def _ticks(knots: Array, width: float) -> dict[float, str]:
    """Return the labels of the x axis that do not touch: the switches' first, then 0 and a."""
    symbol = "κ₀ = " if len(knots) == 3 else ""  # several switches: numbers alone
    wanted = {float(kappa): f"{symbol}{_short(kappa)}" for kappa in knots[1:-1]}
    ticks: dict[float, str] = {}
    for kappa, label in (wanted | {0.0: "0", float(knots[-1]): "a"}).items():
        wide = {x: 36 * text_width(label + ticks[x], SMALL_SIZE) + TICK_GAP for x in ticks}
        if all(abs(kappa - x) / knots[-1] * width >= wide[x] for x in ticks):
            ticks[kappa] = label
    return ticks


def _short(kappa: float) -> str:
    return f"{kappa:.2f}" if kappa >= 0.1 else f"{kappa:.2g}"
