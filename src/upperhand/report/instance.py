"""One figure for any simulation: the same runs under the tail and under the mean."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import ParameterError
from ..objectives import Mean, Objective
from ..runs import Runs
from ..summary import Tail, tail_objective
from .curves import curve_panel
from .figure import save_single
from .panels import Panel, panel_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["instance_figure", "save_single"]


def instance_figure(runs: Runs, alpha: float, tail: Tail = "upper") -> Figure:
    """Return two panels: regret under the tail value of level alpha, and under the mean.

    Where an arm has no mean, there is the tail panel only.
    """
    panels = [_panel(runs, tail_objective(alpha, tail))]
    with suppress(ParameterError):  # an arm without a mean: a Student-t with df ≤ 1, say
        panels.append(_panel(runs, Mean()))
    return panel_figure(panels, "Regret (reward units)")


def _panel(runs: Runs, objective: Objective) -> Panel:
    return curve_panel(f"Cumulative regret, {objective.label}", runs.regret(objective))
