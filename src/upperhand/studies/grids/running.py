"""Play what a study's folder lacks: threads, any executor, or a cluster; resume at any time.

Workers play blocks and send them back; this process alone writes them, each as soon as it is
there. So a crash loses the blocks under way, a cluster needs no common disk, and the files are the
same whoever played them and in whatever order.
"""

import os
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple, Protocol

from ... import checks
from ...errors import ClusterError, ParameterError
from ...simulation.dispatch import dispatch
from ...simulation.workers import BLOCKS_PER_WORKER, cores, pool
from .folder import RESUMES, DamagedBlockError, Folder
from .plan import TOGETHER, Cell, Plan, Series, play_block
from .watching import watched
from .written import write_plan

TRIES = 3  # times that a block may fail before it is given up
PATIENCE = 10  # tenths of a second in which another process may be looking at the lock


class Task(NamedTuple):
    """A block of some policies of a cell, to be played."""

    cell: Cell
    series: tuple[Series, ...]
    block: range

    @property
    def labels(self) -> tuple[str, ...]:
        """Who plays."""
        return tuple(each.label for each in self.series)

    @property
    def steps(self) -> int:
        """Rounds in all; of searches, at most."""
        return len(self.series) * len(self.block) * self.cell.horizon


class Failure(NamedTuple):
    """A block that was given up."""

    task: Task
    error: Exception


class Team(Protocol):
    """Who plays blocks: see `cluster.py` for another one."""

    def most(self) -> int:
        """Return how many blocks to give out at a time."""

    def submit(self, task: Task) -> Future[Any]:
        """Have a block played."""

    def look(self) -> object:
        """Raise if nobody is left to play."""

    def failed(self, error: Exception) -> object:
        """Raise if a block failed for a reason that no other try would help."""


class Ran(NamedTuple):
    """What a run did."""

    played: int  # blocks, one for each policy
    there: int  # blocks that were there already
    failures: list[Failure]


def run_plan(
    plan: Plan,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> Ran:
    """Play all blocks that the folder lacks, and write them there.

    Parameters
    ----------
    plan, out
        The study, and its folder, which is made if need be.
    workers
        Threads; by default one for each core.
    executor
        Any ``concurrent.futures.Executor`` to use instead; `workers` then says how many it has.
    scheduler
        The address of a Dask scheduler, ``tcp://…``, or "local" for a cluster on this machine.
    progress
        Whether to tell how far it is; by default a bar on a terminal, and lines elsewhere.
    """
    if scheduler and scheduler != "local" and workers is not None:
        raise ParameterError(
            f"A scheduler has its own workers; got workers = {workers}. Leave that out."
        )
    folder = Folder(out)
    folder.make()
    count = cores() if workers is None else checks.integer("workers", workers, least=1)
    with folder.locked(PATIENCE):
        folder.open_for(plan)
        write_plan(plan, folder)
        there, tasks = missing(plan, folder)
        failures: list[Failure] = []
        played = 0
        with watched(folder, plan, there, tasks, progress) as advance:

            def keep(task: Task, rows: dict[str, Any]) -> None:
                nonlocal played
                for series in task.series:
                    folder.write(task.cell, series, task.block, rows[series.label])
                    played += 1
                advance(task)

            def give_up(task: Task, error: Exception) -> list[Task]:
                if len(task.series) > 1:  # one of them may be at fault: each by itself
                    return [task._replace(series=(each,)) for each in task.series]
                failures.append(Failure(task, error))
                return []

            if tasks:
                with _team(executor, scheduler, count) as team:
                    dispatch(
                        tasks,
                        team.submit,
                        keep,
                        team.most,
                        tries=TRIES,
                        give_up=give_up,
                        look=team.look,
                        failed=team.failed,
                    )
    return Ran(played, there, failures)


def missing(plan: Plan, folder: Folder) -> tuple[int, list[Task]]:
    """Return how many blocks are there, whole, and what is to be played."""
    there, tasks = 0, []
    for cell in plan.cells:
        lacking: dict[tuple[int, int], list[Series]] = {}
        for series in cell.series:
            known = []
            for block in folder.blocks(series):
                try:
                    folder.read(block)
                except DamagedBlockError:
                    folder.discard(block)
                else:
                    known.append(block.replications)
            there += len(known)
            for block_ in cell.blocks(plan.replications):
                for gap in gaps(block_, known):
                    lacking.setdefault((gap.start, gap.stop), []).append(series)
        for (start, stop), all_series in sorted(lacking.items()):
            for first in range(0, len(all_series), TOGETHER):
                some = tuple(all_series[first : first + TOGETHER])
                tasks.append(Task(cell, some, range(start, stop)))
    return there, tasks


def gaps(block: range, known: list[range]) -> Iterator[range]:
    """Yield what none of the known ranges, which rise and do not overlap, has of a block.

    >>> list(gaps(range(0, 10), [range(2, 4), range(8, 20)]))
    [range(0, 2), range(4, 8)]
    """
    start = block.start
    for place in range(bisect_right(known, start, key=lambda each: each.stop), len(known)):
        each = known[place]
        if each.start >= block.stop:
            break
        if each.start > start:
            yield range(start, each.start)
        start = each.stop
    if start < block.stop:
        yield range(start, block.stop)


@contextmanager
def _team(executor: Executor | None, scheduler: str | None, count: int) -> Iterator[Team]:
    """Give those who play: a cluster, the caller's executor, or threads."""
    if scheduler is not None:
        from .cluster import dask_team

        with dask_team(scheduler, count) as team:
            try:
                yield team
            except CancelledError as error:
                raise team.lost() from error
        return
    with pool(executor, count) as hands:
        stop = Event() if isinstance(hands, ThreadPoolExecutor) else None
        try:
            yield _Hands(hands, stop, count)
        except BrokenExecutor as error:
            raise ClusterError(f"The executor is broken: {error} {RESUMES}") from error
        except BaseException:
            if stop is not None:
                stop.set()
            raise


class _Hands:
    """An executor as a team; threads share an event that stops them."""

    def __init__(self, hands: Executor, stop: Event | None, count: int) -> None:
        self.hands, self.stop, self.count = hands, stop, count

    def most(self) -> int:
        return BLOCKS_PER_WORKER * self.count

    def submit(self, task: Task) -> Future[Any]:
        job = task.cell.job(task.labels)
        return self.hands.submit(play_block, task.cell.kind, job, task.block, self.stop)

    def look(self) -> None:
        pass

    def failed(self, error: Exception) -> None:
        pass
