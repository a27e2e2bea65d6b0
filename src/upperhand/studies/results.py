"""The results of a study so far, from the blocks in its folder, and how far it is.

Blocks are read one after the other. Of each replication a few numbers are kept, and of a curve the
moments: memory does not grow with what was recorded, and by a few bytes with each replication.
Each policy counts with the replications that it has, and pairs with those of the reference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Row, rows_of
from ..objectives import Objective, oriented
from ..simulation import identify
from ..simulation.identify import Identification, Summary
from ..simulation.runs import Curve
from ..simulation.statistics import Moments, PerReplication, regrets_of
from .folder import Folder
from .plan import PLAY, Cell, Plan, Series
from .run import Pace


class Evaluated(NamedTuple):
    """One policy under one objective."""

    numbers: PerReplication  # NaN where a replication is missing
    curve: Curve


@dataclass(frozen=True)
class CellResult:
    """The results of a cell: rows and curves by the objective's label, or answers of searches."""

    cell: Cell
    replications: dict[str, int]  # that each policy has
    rows: tuple[Row, ...] = ()
    curves: dict[str, dict[str, Curve]] = field(default_factory=dict)
    answers: tuple[Identification, ...] = ()  # those with as many replications together
    damaged: tuple[Path, ...] = ()  # blocks that were left out


def results(plan: Plan, folder: Folder) -> Iterator[CellResult]:
    """Yield the results of each cell, from the replications that each of its policies has."""
    for cell in plan.cells:
        evaluate = _played if cell.kind == PLAY else _searched
        yield evaluate(plan, folder, cell)


def _blocks(
    plan: Plan, folder: Folder, series: Series, damaged: list[Path]
) -> Iterator[tuple[range, NDArray[np.integer]]]:
    """Yield the replications of a series that belong to the plan, block by block."""
    for block in folder.blocks(series, damaged.append):
        if block.replications.start >= plan.replications:
            return
        there = range(block.replications.start, min(block.replications.stop, plan.replications))
        yield there, block.rows[: len(there)]


def _played(plan: Plan, folder: Folder, cell: Cell) -> CellResult:
    oriented_ = {o.label: oriented(o, cell.minimize) for o in cell.objectives}
    defined = {label: o for label, o in oriented_.items() if o.is_defined(cell.arms)}
    damaged = list[Path]()
    counts, found = dict[str, int](), dict[str, dict[str, Evaluated]]()
    for series in cell.series:
        blocks = _blocks(plan, folder, series, damaged)
        counts[series.label], evaluated = _evaluated(plan, cell, blocks, defined)
        if counts[series.label]:
            found[series.label] = evaluated
    reference = plan.reference if plan.reference in counts else next(iter(counts))
    rows, curves = list[Row](), dict[str, dict[str, Curve]]()
    for label, objective in defined.items() if found else ():
        curves[label] = {name: each[label].curve for name, each in found.items()}
        numbers = {name: each[label].numbers for name, each in found.items()}
        rows += rows_of(
            cell.instance, cell.arms, cell.policies, objective, cell.horizon, numbers, reference
        )
    return CellResult(cell, counts, tuple(rows), curves, damaged=tuple(damaged))


def _evaluated(
    plan: Plan,
    cell: Cell,
    blocks: Iterator[tuple[range, NDArray[np.integer]]],
    objectives: dict[str, Objective],
) -> tuple[int, dict[str, Evaluated]]:
    """Read a series once, and evaluate it under each objective; return its replications too."""
    gaps = {label: objective.gaps(cell.arms) for label, objective in objectives.items()}
    moments = {label: Moments((len(cell.rounds),)) for label in objectives}
    numbers = {
        label: PerReplication(*np.full((3, plan.replications), np.nan)) for label in objectives
    }
    count = 0
    for replications, pulls in blocks:
        count += len(replications)
        for label in objectives:
            some = PerReplication.of(cell.rounds, pulls, gaps[label])
            for whole, part in zip(numbers[label], some, strict=True):
                whole[replications.start : replications.stop] = part
            for regret in regrets_of(pulls, gaps[label]):
                moments[label].add(regret)
    found = {}
    for label in objectives if count else ():
        most = np.asarray(cell.rounds * float(gaps[label].max()), np.float64)
        ends = moments[label].interval(0.0, most)
        final = numbers[label].regret[~np.isnan(numbers[label].regret)]
        curve = Curve(cell.rounds, moments[label].mean, *ends, final)
        found[label] = Evaluated(numbers[label], curve)
    return count, found


def _searched(plan: Plan, folder: Folder, cell: Cell) -> CellResult:
    job, damaged, counts = cell.job(tuple(cell.policies)), list[Path](), dict[str, int]()
    answers = dict[str, identify.Answers]()
    for series in cell.series:
        rows = [rows for _, rows in _blocks(plan, folder, series, damaged)]
        counts[series.label] = sum(map(len, rows))
        if rows:
            answers[series.label] = identify.evaluated(job, series.label, np.concatenate(rows))
    found = []
    for count, labels in groupby(sorted(answers, key=lambda each: -counts[each]), counts.get):
        some = list(labels)
        policies: dict[str, Any] = {label: cell.policies[label] for label in some}
        theirs = {label: answers[label] for label in some}
        found.append(
            Identification(
                cell.arms, policies, cell.horizon, count or 0, cell.seed, theirs, cell.minimize
            )
        )
    return CellResult(cell, counts, answers=tuple(found), damaged=tuple(damaged))


PLAYED = ("instance", "horizon", "replications", *Row._fields[1:])
SEARCHED = ("instance", "cap", "replications", "policy", *Summary._fields)


def setting_names(plan: Plan, kind: str) -> list[str]:
    """Return the names of all settings of the policies in cells of that kind."""
    cells = (cell for cell in plan.cells if cell.kind == kind)
    policies = (policy for cell in cells for policy in cell.policies.values())
    return list(dict.fromkeys(name for policy in policies for name in policy.settings))


def played_rows(each: CellResult, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a cell of plays, under `PLAYED` and the names of settings."""
    return [
        (
            row.instance,
            each.cell.horizon,
            each.replications[row.policy],
            *row[1:],
            *_settings(each.cell, row.policy, names),
        )
        for row in each.rows
    ]


def searched_rows(each: CellResult, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a cell of searches, under `SEARCHED` and the names of settings."""
    cell = each.cell
    return [
        (
            cell.instance,
            cell.horizon,
            found.replications,
            name,
            *found.summary(name),
            *_settings(cell, name, names),
        )
        for found in each.answers
        for name in found.policies
    ]


def _settings(cell: Cell, label: str, names: Sequence[str]) -> list[Any]:
    """Return a policy's settings in the order of the names; empty where it has none."""
    given = cell.policies[label].settings
    values = [given.get(name) for name in names]
    return ["" if value is None else getattr(value, "spec", value) for value in values]


class CellStatus(NamedTuple):
    """How many replications of a cell's policies are there."""

    cell: Cell
    done: int  # replications of all its policies together
    wanted: int


class Status(NamedTuple):
    """How far a study is."""

    cells: list[CellStatus]
    damaged: list[Path]  # blocks, which do not count
    running: bool
    pace: Pace | None  # of the run that is under way
    failures: list[str]  # of the last run

    @property
    def done(self) -> int:
        """Rounds played; of searches, at most."""
        return sum(each.done * each.cell.horizon for each in self.cells)

    @property
    def wanted(self) -> int:
        """Rounds in all."""
        return sum(each.wanted * each.cell.horizon for each in self.cells)


def status_of(plan: Plan, folder: Folder) -> Status:
    """Return how far a study is; it may be running."""
    cells, damaged = [], list[Path]()
    for cell in plan.cells:
        blocks = (b for s in cell.series for b in _blocks(plan, folder, s, damaged))
        done = sum(len(replications) for replications, _ in blocks)
        cells.append(CellStatus(cell, done, plan.replications * len(cell.policies)))
    running, note = folder.is_running(), folder.noted()
    try:
        pace = Pace(*note["pace"]) if running else None
    except (LookupError, TypeError):
        pace = None
    failures = [str(each) for each in note.get("failures", ())]
    return Status(cells, list(dict.fromkeys(damaged)), running, pace, failures)
