"""One figure for any simulation: the same runs under the tail and under the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..objectives import Mean, Objective
from ..objectives.lowest import judged
from ..simulation.runs import Runs
from .curves import curve_panel
from .panels import Panel, panel_figure
from .references import envelope

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    judge = judged(objective, runs.minimize)
    lines = envelope(runs.arms, judge, runs.policies, runs.horizon)
    return curve_panel(title, runs.regret(objective), lines)
