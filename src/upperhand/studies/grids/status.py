"""How far a study is, as any shell can see from its folder."""

import time
from typing import NamedTuple

from .folder import Folder
from .plan import Cell, Plan
from .watching import Pace, noted

STALE = 60.0  # seconds after which a pace says nothing of now


class CellStatus(NamedTuple):
    """How many replications of a cell's policies are there."""

    cell: Cell
    done: int  # replications of all its policies together
    wanted: int


class Status(NamedTuple):
    """How far a study is."""

    cells: list[CellStatus]
    running: bool
    pace: Pace | None  # of the run that is under way, if it has told

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
    folder.told()  # refuses what is no study
    cells = []
    for cell in plan.cells:
        done = 0
        for series in cell.series:
            for block in folder.blocks(series):
                there = block.replications
                done += max(0, min(there.stop, plan.replications) - there.start)
        cells.append(CellStatus(cell, done, plan.replications * len(cell.policies)))
    running, note = folder.is_running(), noted(folder)
    fresh = running and note is not None and time.time() - note["at"] < STALE
    pace = Pace(*(note[name] for name in Pace._fields)) if note is not None and fresh else None
    return Status(cells, running, pace)
