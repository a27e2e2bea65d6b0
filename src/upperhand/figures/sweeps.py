"""Final values against a setting, with error bars, and lines to compare them with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..simulation.runs import Curve
from .layout import Handles, Panel
from .regret import draw_references, or_mean
from .style import looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


References = Mapping[str, NDArray[np.float64]]
NO_REFERENCES: References = MappingProxyType({})


class Sweep(NamedTuple):
    """One line of the panel: at each setting a mean and its 95 % interval."""

    mean: NDArray[np.float64]  # (S,)
    low: NDArray[np.float64]  # (S,) NaN if there is no interval
    high: NDArray[np.float64]  # (S,)

    @classmethod
    def of(cls, curves: Iterable[Curve]) -> Self:
        """Return the final values of curves, one curve for each setting."""
        ends = [(curve.mean[-1], curve.low[-1], curve.high[-1]) for curve in curves]
        return cls(*np.array(ends).T)


def sweep_panel(
    title: str,
    xlabel: str,
    settings: Sequence[float],
    sweeps: dict[str, Sweep],
    references: References = NO_REFERENCES,
) -> Panel:
    """Return a panel with the settings from left to right in the order given, rising or falling.

    References are values to compare with, one at each setting, by name: quiet lines.
    """
    return Panel(title, xlabel, lambda axes: _draw(axes, settings, sweeps, references))


def _draw(
    axes: Axes, settings: Sequence[float], sweeps: dict[str, Sweep], references: References
) -> Handles:
    """Draw the sweeps, with a marker and an error bar at each setting, and the references."""
    x = np.asarray(settings, dtype=np.float64)
    margin = 0.04 * (x[-1] - x[0])
    axes.set_xlim(x[0] - margin, x[-1] + margin)
    axes.set_xticks(x, [f"{setting:.2f}" for setting in x])
    handles, highest = Handles(), 0.0
    for name, (color, dash, marker) in looks(sweeps).items():
        mean, low, high = sweeps[name]
        bars = [mean - or_mean(low, mean), or_mean(high, mean) - mean]
        handles[name] = axes.errorbar(
            x, mean, bars, color=color, linestyle=dash, marker=marker, markeredgewidth=0,
            elinewidth=1.0, capsize=3.5, capthick=1.0,
        )  # fmt: skip
        highest = max(highest, float(or_mean(high, mean).max()))
    return handles | draw_references(axes, x, references, highest)
