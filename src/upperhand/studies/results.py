"""The results of a study so far, from the blocks in its folder, one after the other.

Of each replication a few numbers are kept, and of a curve the moments: memory does not grow with
what was recorded, and by a few bytes with each replication.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Row, rows_of
from ..errors import FileError
from ..objectives import Objective, oriented
from ..simulation import identify
from ..simulation.identify import Identification, Numbers
from ..simulation.runs import Curve
from ..simulation.statistics import Moments, PerReplication, regrets_of
from .folder import DamagedBlockError, Folder
from .plan import PLAY, Cell, Plan, Series


class Evaluated(NamedTuple):
    """One policy under one objective."""

    numbers: PerReplication
    curve: Curve


@dataclass(frozen=True)
class CellResult:
    """The results of a cell: rows and curves by the objective's label, or answers of searches."""

    cell: Cell
    replications: int  # that all its policies have
    rows: tuple[Row, ...] = ()
    curves: dict[str, dict[str, Curve]] | None = None
    answers: Identification | None = None


def results(plan: Plan, folder: Folder) -> Iterator[CellResult]:
    """Yield the results of each cell, from the replications that all its policies have."""
    for cell in plan.cells:
        count = min(common(folder, series, plan.replications) for series in cell.series)
        if count == 0:
            yield CellResult(cell, 0)
        elif cell.kind == PLAY:
            yield _played(plan, folder, cell, count)
        else:
            yield _searched(folder, cell, count)


def common(folder: Folder, series: Series, most: int) -> int:
    """Return how many replications from the first on are there, without a gap."""
    end = 0
    for block in folder.blocks(series):
        if block.replications.start > end:
            break
        end = block.replications.stop
    return min(end, most)


def blocks_of(folder: Folder, series: Series, count: int) -> Iterator[NDArray[np.integer]]:
    """Yield the first replications of a series, block by block."""
    for block in folder.blocks(series):
        if block.replications.start >= count:
            return
        try:
            rows = folder.read(block)
        except DamagedBlockError as error:
            raise FileError(
                f"The block {str(block.path)!r} is damaged. Run the study again to replace it."
            ) from error
        yield rows[: count - block.replications.start]


def _played(plan: Plan, folder: Folder, cell: Cell, count: int) -> CellResult:
    evaluated = {o.label: oriented(o, cell.minimize) for o in cell.objectives}
    defined = {label: o for label, o in evaluated.items() if o.is_defined(cell.arms)}
    found = {s.label: _evaluated(folder, cell, s, count, defined) for s in cell.series}
    reference = plan.reference if plan.reference in found else next(iter(found))
    rows, curves = list[Row](), {}
    for label, objective in defined.items():
        curves[label] = {name: each[label].curve for name, each in found.items()}
        numbers = {name: each[label].numbers for name, each in found.items()}
        rows += rows_of(
            cell.instance, cell.arms, cell.policies, objective, cell.horizon, numbers, reference
        )
    return CellResult(cell, count, tuple(rows), curves)


def _evaluated(
    folder: Folder, cell: Cell, series: Series, count: int, objectives: dict[str, Objective]
) -> dict[str, Evaluated]:
    """Read a series once, and evaluate it under each objective."""
    gaps = {label: objective.gaps(cell.arms) for label, objective in objectives.items()}
    moments = {label: Moments((len(cell.rounds),)) for label in objectives}
    numbers: dict[str, list[PerReplication]] = {label: [] for label in objectives}
    for pulls in blocks_of(folder, series, count):
        for label in objectives:
            numbers[label].append(PerReplication.of(cell.rounds, pulls, gaps[label]))
            for regret in regrets_of(pulls, gaps[label]):
                moments[label].add(regret)
    found = {}
    for label in objectives:
        whole = PerReplication(*map(np.concatenate, zip(*numbers[label], strict=True)))
        most = np.asarray(cell.rounds * float(gaps[label].max()), np.float64)
        ends = moments[label].interval(0.0, most)
        curve = Curve(cell.rounds, moments[label].mean, *ends, whole.regret)
        found[label] = Evaluated(whole, curve)
    return found


def _searched(folder: Folder, cell: Cell, count: int) -> CellResult:
    job = cell.job(tuple(cell.policies))
    answers = {
        series.label: identify.evaluated(
            job, series.label, np.concatenate(list(blocks_of(folder, series, count)))
        )
        for series in cell.series
    }
    policies: dict[str, Any] = dict(cell.policies)
    found = Identification(
        cell.arms, policies, cell.horizon, count, cell.seed, answers, cell.minimize
    )
    return CellResult(cell, count, answers=found)


PLAYED = ("instance", "horizon", "replications", *Row._fields[1:])
SEARCHED = ("instance", "cap", "replications", "policy", *Numbers._fields)


def played_rows(each: CellResult) -> list[tuple[Any, ...]]:
    """Return the rows of a cell of plays, under `PLAYED`."""
    size = (each.cell.horizon, each.replications)
    return [(row.instance, *size, *row[1:]) for row in each.rows]


def searched_rows(each: CellResult) -> list[tuple[Any, ...]]:
    """Return the rows of a cell of searches, under `SEARCHED`."""
    if each.answers is None:
        return []
    head = (each.cell.instance, each.cell.horizon, each.replications)
    return [(*head, name, *each.answers[name]) for name in each.cell.policies]
