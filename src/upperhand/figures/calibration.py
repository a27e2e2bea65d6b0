"""Calibrators on one series: coverage over windows against what is wanted, and width."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..comparison.calibrate import CalibrationStudy
from .layout import Line, Panel, panel_figure, plain
from .regret import BAND_OPACITY
from .style import FAINT, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
POINTS = 600  # of a line at most: more cannot be told apart on a page
THIN = 1.1  # points: lines cross often


def calibration_figure(study: CalibrationStudy) -> Figure:
    """Return two panels: each method's coverage over windows, and the mean width in them.

    The grey band holds 95 % of the windows of a method whose misses are independent and as many as
    wanted. Where no interval is finite there is no width.
    """
    styles = looks(study.intervals)
    widths = {name: study.local_width(name) for name in study.intervals}
    known = {name: width for name, width in widths.items() if np.isfinite(width).any()}
    panels = [_coverage_panel(study, styles, "(a) " if known else "")]
    if known:
        panels.append(_width_panel(study, styles, known))
    return panel_figure(panels, "", height=2.7)


def _coverage_panel(study: CalibrationStudy, styles: dict[str, Look], letter: str) -> Panel:
    def draw(axes: Axes) -> list[Line]:
        wanted = 1 - study.alpha
        radius = 1.96 * math.sqrt(study.alpha * wanted / study.window)
        ends = max(wanted - radius, 0.0), min(wanted + radius, 1.0)
        axes.axhspan(*ends, color=FAINT, alpha=BAND_OPACITY, linewidth=0, zorder=0.8)
        axes.axhline(wanted, color=FAINT, linewidth=0.8, zorder=0.9)
        shares = {name: study.local_coverage(name) for name in study.intervals}
        return _draw(axes, study, styles, shares)

    title = f"{letter}Coverage over {study.window:,} values; wanted: {1 - study.alpha:.4g}"
    xlabel = "Value (grey: 95 % of windows, by chance)"
    return Panel(title, xlabel, draw, from_zero=False, most=1.02)


def _width_panel(
    study: CalibrationStudy, styles: dict[str, Look], widths: dict[str, Array]
) -> Panel:
    def draw(axes: Axes) -> list[Line]:
        return _draw(axes, study, styles, widths)

    return Panel("(b) Mean width of their finite intervals", "Value", draw)


def _draw(
    axes: Axes, study: CalibrationStudy, styles: dict[str, Look], heights: dict[str, Array]
) -> list[Line]:
    """Draw a line for each method, at the last value of each window; return them to be named."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    last = len(study.y)
    ends = np.arange(study.window, last + 1)
    shown = np.unique(np.linspace(0, len(ends) - 1, POINTS).round().astype(np.int64))
    lines = []
    for name, values in heights.items():
        kept = shown[np.isfinite(values[shown])]
        x, y, style = ends[kept], values[kept], styles[name]
        (handle,) = axes.plot(x, y, color=style.color, linestyle=style.linestyle, linewidth=THIN)
        lines.append(Line(plain(name), style.color, x, y, y, handle, quiet=True))
    axes.set_xlim(min(study.window, last - 1), last)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    return lines
