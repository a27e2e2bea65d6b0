"""The plot of each result: one panel, drawn into any axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..comparison.calibrate import CalibrationStudy
from ..comparison.result import Comparison, samples_bound
from ..errors import ParameterError
from ..live.views import DAILY, Views
from ..objectives import as_objective, level_name
from ..simulation.identify import Identification
from ..simulation.replay import Replay
from ..simulation.runs import Runs
from ..simulation.statistics import Z_95
from ..studies import Study
from ..text import counted
from .calibration import calibration_panels
from .comparison import draw_regret
from .experiment import experiment_panels
from .identification import draw_searches, height
from .layout import Handles, Panel, finish_heights, log_axis, write_numbers
from .regret import COLOR, curve_panel, emphasised, envelope
from .style import drawing, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.0, 3.6)  # inches
WIDE = 4.0  # ratios from which on their axis is a log axis


def plot_runs(runs: Runs, ax: Axes | None = None, objective: Any = None) -> Axes:
    value = runs.default_objective if objective is None else as_objective(objective)
    size = f"{counted(runs.replications, 'replication')} of {counted(runs.horizon, 'round')}"
    about = f"Regret, {value.label}: {counted(len(runs.arms), 'arm')}, {size}"
    panel = curve_panel(about, runs.regret(value), envelope(runs, value))
    return draw(panel, "Regret (reward units)", ax)


def plot_comparison(found: Comparison, ax: Axes | None = None, instance: str | None = None) -> Axes:
    """Draw the regret curves on one instance, under the objective that it is about."""
    names = [each.name for each in found.instances]
    if instance is None and len(names) > 1:
        raise ParameterError(
            f"Say which instance to draw, such as plot(instance={names[0]!r}): there are "
            f"{', '.join(names)}."
        )
    with drawing():
        ax = ax or new_axes(SIZE)
        add_legend(ax, draw_regret(ax, found, instance or names[0]))
    return ax


def plot_study(
    study: Study,
    ax: Axes | None = None,
    instance: str | None = None,
    horizon: int | None = None,
    objective: str | None = None,
) -> Axes:
    """Draw the regret curves of one instance, horizon and objective that a cell is about."""
    known = {(c.cell.instance, next(iter(c.curves)), c.cell.horizon): c
             for c in study.cells if c.curves}  # fmt: skip
    if not known:
        raise ParameterError("The study has no curves yet, or searches only. Run it again.")
    asked = (instance, objective, horizon)
    wanted = [key for key in known if all(a in (None, b) for a, b in zip(asked, key, strict=True))]
    if len({key[:2] for key in wanted}) != 1:
        there = ", ".join(dict.fromkeys(f"{name} ({label})" for name, label, _ in known))
        line = "plot(instance=…, objective=…)"
        raise ParameterError(f"Say what to draw, such as {line}: there are {there}.")
    each = known[max(wanted, key=lambda key: key[2])]
    label, curves = next(iter(each.curves.items()))
    title = f"Regret, {label}: {each.cell.instance}, {each.cell.horizon:,} rounds"
    styles = emphasised(curves, each.reference)
    return draw(curve_panel(title, curves, styles=styles), "Regret (reward units)", ax)


def plot_identification(found: Identification, ax: Axes | None = None) -> Axes:
    bounds = {name: samples_bound(found, name) for name in found.policies}
    with drawing():
        ax = ax or new_axes((SIZE[0], height(found) + 0.6))
        add_legend(ax, draw_searches(ax, found, bounds))
    return ax


def plot_replay(found: Replay, ax: Axes | None = None) -> Axes:
    """Draw what each policy realised, with its 95 % interval, and a thin line to a bad run."""
    records, ratio = found.records(), found.measure == "ratio"
    color, aim = look(0).color, level_name(found.quantile, minimize=found.minimize)
    with drawing():
        ax = ax or new_axes((SIZE[0], 0.28 * len(records) + 0.9))
        for row, each in enumerate(records):
            mean, half = each["realised"], Z_95 * each["realised_se"]
            ax.plot([mean, each["bad_run"]], [row, row], color=color, linewidth=0.6)
            ax.errorbar(mean, row, xerr=half, color=color, marker="o", elinewidth=2.2)
        if ratio and (highest := max(each["bad_run"] for each in records)) > WIDE:
            log_axis(ax, "x", 0.9, 1.1 * highest, 6)
        ax.axvline(1.0 if ratio else 0.0, color=COLOR, linewidth=0.9)
        ax.set_yticks(range(len(records)), [each["policy"] for each in records])
        ax.set_ylim(len(records) - 0.5, -0.5)
        ax.set_xlabel(f"Realised {aim}: {found.measure} to the best arm's, larger is worse")
        ax.set_title(f"{counted(len(found.arms), 'arm')}, {counted(found.horizon, 'round')}")
    return ax


def plot_calibration(study: CalibrationStudy, ax: Axes | None = None) -> Axes:
    return draw(calibration_panels(study)[0], "Coverage", ax)


def plot_live(found: Views, ax: Axes | None = None, by: str | None = None) -> Axes:
    """Draw each arm's quantile over the outcomes; if none is known, its share of the latest."""
    history = found.history(by=by)
    panel = experiment_panels(history, DAILY)[-1]
    arms = counted(len(history.arms), "arm")
    title = f"{panel.title}: {counted(int(history.told[-1]), 'outcome')}, {arms}"
    return draw(panel._replace(title=title), "", ax)


def draw(panel: Panel, ylabel: str, ax: Axes | None) -> Axes:
    """Draw a panel into these axes, or into new ones of pyplot."""
    with drawing():
        ax = ax or new_axes(SIZE)
        ax.set_title(panel.title)
        ax.set_xlabel(panel.xlabel)
        write_numbers(ax.yaxis)
        ax.margins(y=0.06)
        handles = panel.draw(ax)
        finish_heights(ax, panel.ylabel or ylabel, from_zero=panel.from_zero, most=panel.most)
        add_legend(ax, handles)
    return ax


def new_axes(size: tuple[float, float]) -> Axes:
    """Return the axes of a new figure of pyplot, which notebooks show."""
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def add_legend(ax: Axes, handles: Handles) -> None:
    ax.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1.01, 1.0))
