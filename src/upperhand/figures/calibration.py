"""Calibrators on one series: coverage over windows against the wanted one, and width."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..comparison.calibrate import CalibrationStudy
from .layout import Handles, Panel, count_axis, panel_figure
from .regret import BAND_OPACITY
from .style import FAINT, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 600  # of a line at most: more cannot be distinguished on a page


def calibration_figure(study: CalibrationStudy) -> Figure:
    return panel_figure(calibration_panels(study), "", height=2.7, lettered=True)


def calibration_panels(study: CalibrationStudy) -> list[Panel]:
    """Return two panels: each method's coverage over windows, and the mean width in them.

    The grey band holds 95 % of the windows of a method whose misses are independent and as many as
    wanted. Where no interval is finite there is no width.
    """
    widths = {name: study.local_width(name) for name in study.intervals}
    widths = {name: width for name, width in widths.items() if np.isfinite(width).any()}
    title = f"Coverage over {study.window:,} values; wanted: {1 - study.alpha:.4g}"
    xlabel = "Value (grey: 95 % of windows, by chance)"

    def draw_coverage(axes: Axes) -> Handles:
        wanted = 1 - study.alpha
        radius = 1.96 * math.sqrt(study.alpha * wanted / study.window)
        ends = max(wanted - radius, 0.0), min(wanted + radius, 1.0)
        axes.axhspan(*ends, color=FAINT, alpha=BAND_OPACITY, linewidth=0, zorder=0.8)
        axes.axhline(wanted, color=FAINT, linewidth=0.8, zorder=0.9)
        return _draw(axes, study, {name: study.local_coverage(name) for name in study.intervals})

    def draw_widths(axes: Axes) -> Handles:
        return _draw(axes, study, widths)

    panels = [Panel(title, xlabel, draw_coverage, "Coverage", from_zero=False, most=1.02)]
    if widths:
        panels.append(Panel("Mean width of their finite intervals", "Value", draw_widths, "Width"))
    return panels


def _draw(
    axes: Axes, study: CalibrationStudy, heights: Mapping[str, NDArray[np.float64]]
) -> Handles:
    """Draw a line for each method, at the last value of each window."""
    styles, handles, last = looks(study.intervals), Handles(), len(study.known)
    ends = np.arange(study.window, last + 1)
    shown = np.unique(np.linspace(0, len(ends) - 1, POINTS).round().astype(np.int64))
    for name, values in heights.items():
        kept, (color, dash, _) = shown[np.isfinite(values[shown])], styles[name]
        (handles[name],) = axes.plot(
            ends[kept], values[kept], color=color, linestyle=dash, linewidth=1.1
        )
    axes.set_xlim(min(study.window, last - 1), last)
    count_axis(axes)
    return handles
