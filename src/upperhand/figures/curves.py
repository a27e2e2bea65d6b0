"""Regret curves with their bands, and the bounds to compare them with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..simulation.regret import Curve
from ..text import columns
from .labels import Line
from .looks import Look, looks
from .measure import axes_size, plain
from .panels import Panel
from .references import Reference, draw_references, values_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
