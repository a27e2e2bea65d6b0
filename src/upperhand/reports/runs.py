"""Reports of runs: a simulation, a search for the best arm, and a study of calibrators."""

import math
from collections.abc import Mapping
from typing import Any

from ..comparison.calibrate import HEADS, CalibrationStudy
from ..objectives import arms_under
from ..policies.best_arm.base import FixedBudget, FixedConfidence
from ..simulation.identify import Identification
from ..text import counted, short, with_error
from .markdown import Block, Note, Paragraph, Report, Table

MANY_ARMS = 8  # with more, only the best arms' pulls are shown
BEST = " *best*"
COSTS = "Arms pay costs: the lowest is best."


def simulation_report(summary: dict[str, Any]) -> Report:
    """Return the tables of `simulation.summary.summarise`."""
    count = summary["replications"]
    size = f"{counted(count, 'replication')} of {counted(summary['horizon'], 'round')}"
    errors = "Regret ± one standard error" if count > 1 else "Regret of one replication"
    blocks: list[Block] = [_arms(summary), _policies(summary)]
    blocks.append(Paragraph(f"{errors}; pulls on average."))
    blocks += [Paragraph(COSTS)] if summary["minimize"] else []
    title = f"{counted(len(summary['arms']), 'arm')}, {size}, seed {summary['seed']}"
    return Report(title, tuple(blocks))


def _arms(summary: dict[str, Any]) -> Table:
    labels, best = summary["objectives"], summary["all_best"]
    rows = [
        (str(j), arm["law"], *(_value(arm[key], j in best.get(key, ())) for key in labels))
        for j, arm in enumerate(summary["arms"])
    ]
    return Table(("arm", "distribution", *labels.values()), tuple(rows), left=2)


def _value(value: float | None, is_best: bool) -> str:
    """Return an arm's value, the best marked; the mark of others is blank: columns line up."""
    return ("—" if value is None else f"{value:.5g}") + (BEST if is_best else " " * len(BEST))


def _policies(summary: dict[str, Any]) -> Table:
    keys = [key for key in summary["objectives"] if key in summary["best"]]
    count = len(summary["arms"])
    shown = range(count) if count <= MANY_ARMS else sorted(set(summary["best"].values()))
    rows = [
        (
            policy["name"],
            *(_regret(policy["regret"][key]) for key in keys),
            *(f"{policy['pulls'][j]:.0f}" for j in shown),
        )
        for policy in summary["policies"]
    ]
    heads = [f"regret, {summary['objectives'][key]}" for key in keys]
    return Table(("policy", *heads, *(f"pulls of {j}" for j in shown)), tuple(rows))


def _regret(regret: dict[str, Any]) -> str:
    return with_error(regret["mean"], math.nan if regret["se"] is None else regret["se"])


def identification_report(found: Identification, bounds: Mapping[str, float]) -> Report:
    """Return the tables of a search; bounds are the minimum mean samples of each policy, or NaN."""
    size = f"{counted(found.replications, 'replication')} of at most {counted(found.cap, 'pull')}"
    sure = {(p.delta, p.epsilon) for p in found.policies.values() if isinstance(p, FixedConfidence)}
    if len(sure) == 1:
        delta, epsilon = sure.pop()
        size += f", δ = {delta:g}, ε = {epsilon:g}"
    notes = [
        "Samples: mean (95 % interval), median and 90 % quantile. Error: share of wrong answers.",
        "Lower bound: mean samples of any policy that is wrong with probability δ at most.",
    ]
    if any(isinstance(policy, FixedBudget) for policy in found.policies.values()):
        notes.append("A policy with a fixed budget has no lower bound.")
    notes += [COSTS] if found.minimize else []
    title = f"{counted(len(found.arms), 'arm')}, {size}, seed {found.seed}"
    tables = _quantiles(found), _searches(found, bounds)
    return Report(title, (*tables, *map(Paragraph, notes), *map(Note, found.notes)))


def _quantiles(found: Identification) -> Table:
    """Return the arms with their quantiles at each level that some policy looks at."""
    arms, best = arms_under(found.objectives, found.arms).values()
    rows = [
        (str(j), arm["law"], *(_value(x, j in best[name]) for name, x in arm["values"].items()))
        for j, arm in enumerate(arms)
    ]
    return Table(("arm", "distribution", *best), tuple(rows), left=2)


def _searches(found: Identification, bounds: Mapping[str, float]) -> Table:
    heads, rows = found.table()
    known = ["—" if math.isnan(bounds[name]) else short(bounds[name]) for name in found.policies]
    both = [(row[0], bound, *row[1:]) for row, bound in zip(rows, known, strict=True)]
    return Table((heads[0], "lower bound", *heads[1:]), tuple(both))


def calibration_report(study: CalibrationStudy) -> Report:
    """Return the table of a study, what its columns mean, and the notes."""
    ends = f"{study.alpha / 2:.4g} and {1 - study.alpha / 2:.4g}"
    columns = (
        f"In windows: lowest and highest coverage of {counted(study.window, 'value')} in a row.",
        "Width: mean of the finite intervals; an empty one counts as 0.",
        f"Loss: mean pinball loss of the ends at {ends}, without infinite and empty intervals.",
    )
    table = Table(HEADS, tuple(study.rows()))
    return Report(study.title, (table, *map(Paragraph, columns), *map(Note, study.notes)))
