"""The results of a study so far, from the blocks in its folder, and how far it is.

Blocks are read one after the other. Of each replication a few numbers are kept, and of a curve the
moments: memory does not grow with what was recorded, and by a few bytes with each replication.
Each policy counts with the replications that it has, and pairs with those of the reference.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Row, rows_of
from ..objectives import Objective, oriented
from ..results import Result, frame
from ..simulation import identify
from ..simulation.identify import Identification, Numbers
from ..simulation.runs import Curve
from ..simulation.statistics import Moments, PerReplication, regret_band, regrets_of
from .folder import Folder
from .plan import PLAY, SEARCH, Cell, Plan


@dataclass(frozen=True)
class CellResult:
    """The results of a cell: rows and curves by the objective's label, or answers of searches."""

    cell: Cell
    replications: dict[str, int]  # that each policy has
    rows: tuple[Row, ...] = ()
    curves: dict[str, dict[str, Curve]] = field(default_factory=dict)
    answers: tuple[Identification, ...] = ()  # those with as many replications together
    damaged: tuple[Path, ...] = ()  # blocks that were left out
    reference: str | None = None  # the policy that the others are compared with


def results(plan: Plan, folder: Folder) -> Iterator[CellResult]:
    """Yield the results of each cell, from the replications that each of its policies has."""
    for cell in plan.cells:
        evaluate = _played if cell.kind == PLAY else _searched
        yield evaluate(plan, folder, cell)


def _played(plan: Plan, folder: Folder, cell: Cell) -> CellResult:
    objectives = [oriented(objective, cell.minimize) for objective in cell.objectives]
    defined = [objective for objective in objectives if objective.is_defined(cell.arms)]
    counts, damaged = dict[str, int](), list[Path]()
    found: dict[str, dict[str, _Evaluated]] = {each.label: {} for each in defined}
    for series in cell.series:
        evaluated = [_Evaluated(plan, cell, objective) for objective in defined]
        counts[series.label] = 0
        for replications, pulls in folder.blocks(series, damaged.append, plan.replications):
            counts[series.label] += len(replications)
            for each in evaluated:
                each.add(replications, pulls)
        if counts[series.label]:
            for objective, each in zip(defined, evaluated, strict=True):
                found[objective.label][series.label] = each
    reference = plan.reference if plan.reference in counts else next(iter(counts))
    rows, curves, common = list[Row](), {}, (cell.instance, cell.arms, cell.policies)
    for objective in defined if any(counts.values()) else ():
        named = found[objective.label].items()
        numbers = {label: each.numbers for label, each in named}
        rows += rows_of(*common, objective, cell.horizon, numbers, reference)
        curves[objective.label] = {label: each.curve() for label, each in named}
    return CellResult(cell, counts, tuple(rows), curves, (), tuple(damaged), reference)


class _Evaluated:
    """The replications of one policy under one objective, as blocks come."""

    def __init__(self, plan: Plan, cell: Cell, objective: Objective) -> None:
        self.rounds, self.gaps = cell.rounds, objective.gaps(cell.arms)
        self.moments = Moments((len(cell.rounds),))
        self.numbers = PerReplication(*np.full((3, plan.replications), np.nan))

    def add(self, replications: range, pulls: NDArray[np.integer]) -> None:
        some = PerReplication.of(self.rounds, pulls, self.gaps)
        for whole, part in zip(self.numbers, some, strict=True):
            whole[replications.start : replications.stop] = part
        for regret in regrets_of(pulls, self.gaps):
            self.moments.add(regret)

    def curve(self) -> Curve:
        found, most = self.moments, np.asarray(self.rounds * float(self.gaps.max()), np.float64)
        ends = regret_band(found.count, found.mean, found.error, most)
        return Curve(self.rounds, found.mean, *ends, self.numbers.known().regret)


def _searched(plan: Plan, folder: Folder, cell: Cell) -> CellResult:
    job, damaged, counts = cell.job(tuple(cell.policies)), list[Path](), dict[str, int]()
    answers = dict[str, identify.Answers]()
    for series in cell.series:
        rows = [r for _, r in folder.blocks(series, damaged.append, plan.replications)]
        counts[series.label] = sum(map(len, rows))
        if rows:
            answers[series.label] = identify.evaluated(job, series.label, np.concatenate(rows))
    found = []
    for count, labels in groupby(sorted(answers, key=lambda each: -counts[each]), counts.get):
        theirs = {label: answers[label] for label in labels}
        policies: dict[str, Any] = {label: cell.policies[label] for label in theirs}
        size = (cell.horizon, count or 0, cell.seed)
        found.append(Identification(cell.arms, policies, *size, theirs, cell.minimize))
    return CellResult(cell, counts, answers=tuple(found), damaged=tuple(damaged))


HEADS = {
    PLAY: ("instance", "horizon", "replications", *Row._fields[1:]),
    SEARCH: ("instance", "cap", "replications", "policy", *Numbers._fields),
}


def setting_names(plan: Plan, kind: str) -> list[str]:
    """Return the names of all settings of the policies in cells of that kind."""
    policies = [p for cell in plan.cells if cell.kind == kind for p in cell.policies.values()]
    return list(dict.fromkeys(name for policy in policies for name in policy.settings))


def table_rows(each: CellResult, settings: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a cell, under the `HEADS` of its kind and the names of settings."""
    cell = each.cell
    found: list[tuple[str, tuple[Any, ...]]] = [(row.policy, row[1:]) for row in each.rows]
    for answers in each.answers:
        found += [(label, (label, *answers[label])) for label in answers.policies]
    for label, numbers in found:
        given = cell.policies[label].settings
        values = [getattr(given.get(name), "spec", given.get(name)) for name in settings]
        known = ["" if value is None else value for value in values]
        yield (cell.instance, cell.horizon, each.replications[label], *numbers, *known)


class Study(Result):
    """What a study has found so far, from its folder."""

    summary_by: ClassVar[str] = "reports.study:study_summary"
    plot_by: ClassVar[str] = "figures.results:plot_study"

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.folder = Folder(out)
        self.plan = self.folder.read_plan()

    @cached_property
    def cells(self) -> tuple[CellResult, ...]:
        """The results of each instance and horizon."""
        return tuple(results(self.plan, self.folder))

    def to_frame(self, *, searches: bool = False) -> Any:
        """Return the rows of results.csv as a DataFrame, or those of searches.csv."""
        kind = SEARCH if searches else PLAY
        settings = setting_names(self.plan, kind)
        heads = (*HEADS[kind], *(f"setting_{name}" for name in settings))
        cells = [each for each in self.cells if each.cell.kind == kind]
        rows = [row for each in cells for row in table_rows(each, settings)]
        return frame([dict(zip(heads, row, strict=True)) for row in rows])


class Status(NamedTuple):
    replications: list[int]  # of each cell, of all its policies together
    done: int  # rounds played; of searches, at most
    damaged: list[Path]  # blocks, which do not count
    running: bool
    pace: str  # of the run that is under way
    failures: list[str]  # of the last run


def status_of(plan: Plan, folder: Folder) -> Status:
    """Return how far a study is; it may be running."""
    counts, damaged = [], list[Path]()
    for cell in plan.cells:
        blocks = (folder.blocks(s, damaged.append, plan.replications) for s in cell.series)
        counts.append(sum(len(replications) for each in blocks for replications, _ in each))
    done = sum(count * cell.horizon for count, cell in zip(counts, plan.cells, strict=True))
    running, note = folder.is_running(), folder.noted()
    pace = str(note.get("pace", "")) if running else ""
    failures = note["failures"] if isinstance(note.get("failures"), list) else []
    once = [*dict.fromkeys(damaged)]  # cells may share a series
    return Status(counts, done, once, running, pace, [*map(str, failures)])
