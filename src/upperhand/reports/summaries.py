"""The table of each result: what `print`, notebooks and commands show."""

from typing import Any

import numpy as np

from ..comparison.calibrate import CalibrationStudy
from ..comparison.result import Comparison, samples_bound
from ..errors import ParameterError
from ..objectives import Mean, Objective, level_name, level_of, oriented, same_level
from ..policies.best_arm.base import FixedConfidence
from ..results import Summary
from ..simulation.identify import Identification
from ..simulation.replay import Replay
from ..simulation.runs import Runs
from ..text import counted, short, with_error
from .comparison import columns_of, ratio_table, size_and_absent, standing_table

MANY_ARMS = 8  # with more, the table has no column for each


def runs_summary(runs: Runs) -> Summary:
    """Return regret and pulls of each policy; without one objective, the pulls alone."""
    size = f"{counted(runs.replications, 'replication')} of {counted(runs.horizon, 'round')}"
    title = f"{counted(len(runs.arms), 'arm')}, {size}, seed {runs.seed}"
    notes, curves, heads = list[str](), {}, ["policy"]
    try:
        objective = runs.default_objective
        curves = runs.regret(objective)
    except ParameterError as error:
        notes.append(str(error))
    if curves:
        valued = oriented(objective, runs.minimize)
        heads.append(f"regret, {valued.label}")
        means = [oriented(Mean(), runs.minimize)] if objective != Mean() else []
        shown_by = [each for each in (valued, *means) if each.is_defined(runs.arms)]
        notes += [best_first(each.label, each, runs) for each in shown_by]
        errors = " ± one standard error" if runs.replications > 1 else " of one replication"
        notes.append(f"Regret{errors}; pulls on average.")
        notes += other_levels(runs, objective)
    pulled = [f"pulls of {arm}" for arm in runs.arm_names]
    shown = pulled if len(pulled) <= MANY_ARMS else []
    rows, records = [], []
    for name, pulls in runs.pulls.items():
        record: dict[str, Any] = {"policy": name}
        row = [name]
        if name in curves:
            record |= {"regret": float(curves[name].final.mean()), "se": curves[name].se}
            row.append(with_error(record["regret"], record["se"]))
        means_of = pulls[:, -1].mean(axis=0).tolist()
        records.append(record | dict(zip(pulled, means_of, strict=True)))
        rows.append((*row, *(f"{records[-1][head]:.0f}" for head in shown)))
    return Summary(title, (*heads, *shown), tuple(rows), tuple(notes), tuple(records))


def other_levels(runs: Runs, objective: Objective) -> list[str]:
    """Say which policies play for another quantile than the table is about."""
    wanted = level_of(objective.for_costs() if runs.minimize else objective)
    own = {name: level_of(policy.objective) for name, policy in runs.policies.items()}
    other = [
        f"{name} (p{100 * tau:.12g})"
        for name, tau in own.items()
        if tau and wanted and not same_level(tau, wanted)
    ]
    return [f"Set to play for another quantile: {', '.join(other)}."] if other else []


def best_first(label: str, objective: Objective, result: Runs | Identification) -> str:
    """Return the names of the arms with their values under an objective, the best ones first."""
    order = np.argsort(objective.gaps(result.arms), kind="stable")
    values = objective.sign * objective.values(result.arms) + 0.0
    return arms_in_order(label, [(result.arm_names[j], values[j]) for j in order], result.minimize)


def arms_in_order(label: str, worth: list[tuple[str, float]], minimize: bool) -> str:
    """Return the names of arms with what they are worth, a few if there are many."""
    listed = ", ".join(f"{name} ({value:.5g})" for name, value in worth[:MANY_ARMS])
    more = ", …" if len(worth) > MANY_ARMS else ""
    return f"Arms by {label}, the {'lowest' if minimize else 'highest'} first: {listed}{more}."


def identification_summary(found: Identification) -> Summary:
    """Return how many samples each policy took, and how often it was wrong."""
    size = f"{counted(found.replications, 'replication')} of at most {counted(found.cap, 'pull')}"
    title = f"{counted(len(found.arms), 'arm')}, {size}, seed {found.seed}"
    heads, rows = found.table()
    bounds = {name: samples_bound(found, name) for name in found.policies}
    records = tuple(
        {"policy": name, "lower_bound": bounds[name], **found[name]._asdict()} for name in bounds
    )
    notes = [best_first(label, each, found) for label, each in found.objectives.items()]
    notes.append(
        "Samples: mean (95 % interval), median and 90 % quantile. Error: share of wrong answers."
    )
    sure = [each for each in found.policies.values() if isinstance(each, FixedConfidence)]
    if sure:  # a policy with a fixed budget has no lower bound
        known = map(short, bounds.values())
        heads = (heads[0], "lower bound", *heads[1:])
        rows = [(row[0], bound, *row[1:]) for row, bound in zip(rows, known, strict=True)]
        settings = {f"δ = {each.delta:g} and ε = {each.epsilon:g}" for each in sure}
        by = settings.pop() if len(settings) == 1 else "its δ and ε"
        notes.append(f"Lower bound: mean samples of every policy with fixed confidence, by {by}.")
    return Summary(title, heads, tuple(rows), (*notes, *found.notes), records)


def comparison_summary(found: Comparison) -> Summary:
    """Return one instance in full, or several by their ratios to the reference."""
    names = [instance.name for instance in found.instances]
    notes = size_and_absent(found)
    if len(names) == 1:
        about = found.instances[0].note or counted(len(found.instances[0].arms), "arm")
        title = f"{names[0]}: {about}; regret under the {found.objectives[names[0]][0].label}"
        table = standing_table(found, names[0])
        notes = [*columns_of(found, table), *notes]
    else:
        title = f"Regret in units of {found.reference}'s"
        table = ratio_table(found, found.policies, names)
    for name, (first, *_) in found.objectives.items():
        notes += other_levels(found.runs[name], getattr(first, "objective", first))
    records = tuple(row._asdict() for name in names for row in found.main(name).values())
    notes = list(dict.fromkeys(notes))
    return Summary(title, table.header, table.rows, tuple(notes), records)


def replay_summary(found: Replay) -> Summary:
    """Return what each policy realised, relative to the best arm."""
    size = f"{counted(found.replications, 'replication')} of {counted(found.horizon, 'round')}"
    records, aim = found.records(), level_name(found.quantile, minimize=found.minimize)
    table = [
        {
            "policy": each["policy"],
            "realised": with_error(each["realised"], each["realised_se"]),
            "bad run": short(each["bad_run"]),
            "excess": with_error(each["excess"], each["excess_se"]),
            "failures": f"{100 * each['failures']:.1f}%",
            "best arm": f"{100 * each['best_arm_share']:.1f}%",
        }
        | ({"rows": f"{each['rows']:.0f}"} if "rows" in each else {})
        for each in records
    ]
    order = sorted(found.arms, key=lambda arm: found.arms[arm], reverse=not found.minimize)
    notes = (
        arms_in_order(aim, [(arm, found.arms[arm]) for arm in order], found.minimize),
        f"Realised: the {found.measure} of the policy's {aim} to the best arm's, larger is worse.",
    )
    title = f"{counted(len(found.arms), 'arm')}, {size} ({found.order}), seed {found.seed}"
    rows = tuple(tuple(row.values()) for row in table)
    return Summary(title, tuple(table[0]), rows, notes, tuple(records))


def calibration_summary(study: CalibrationStudy) -> Summary:
    """Return how often the intervals of each method cover, and how wide they are."""
    methods, values = counted(len(study.intervals), "method"), counted(len(study.known), "value")
    wanted = f"{100 * (1 - study.alpha):.4g} % wanted"
    title = f"{methods} on {values}, {wanted}, forecast: {study.forecast}"
    table = [
        {
            "method": name,
            "coverage": f"{each.coverage:.3f}",
            "95 % interval": f"{each.coverage_low:.3f}–{each.coverage_high:.3f}",
            "in windows": f"{each.local_lowest:.3f}–{each.local_highest:.3f}",
            "width": short(each.width),
            "infinite": f"{each.infinite:,}",
            "empty": f"{each.empty:,}",
            "loss below": short(each.pinball_lower),
            "loss above": short(each.pinball_upper),
        }
        for name, each in study.scores.items()
    ]
    ends = f"{study.alpha / 2:.4g} and {1 - study.alpha / 2:.4g}"
    notes = (
        f"In windows: lowest and highest coverage of {counted(study.window, 'value')} in a row.",
        "Width: mean of the finite intervals; an empty one counts as 0.",
        f"Loss: mean pinball loss of the ends at {ends}, without infinite and empty intervals.",
    )
    records = tuple({"method": name, **each._asdict()} for name, each in study.scores.items())
    rows = tuple(tuple(row.values()) for row in table)
    return Summary(title, tuple(table[0]), rows, (*notes, *study.notes), records)
