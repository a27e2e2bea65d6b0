"""Play what a study's folder lacks: threads, any executor, or a Dask cluster; resume at any time.

Workers play blocks and send them back. This process alone writes them, each as soon as it is there.
So a crash loses the blocks under way, a cluster needs no common disk, and the files are the same
whoever played them and in whatever order.

On a cluster, arms, which may be a million values, are sent to each worker once, by a plugin that
also serves workers that come later. Each block goes with the versions that it is to be played by,
so a worker with others never plays one, whenever it came. The blocks of a worker that dies are
played by others. If the cluster itself fails, the run ends with one sentence, and the next run
resumes. This is the only file that knows Dask.
"""

import logging
import os
import signal
import sys
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event
from typing import Any, NamedTuple

from .. import checks
from ..errors import ClusterError, MissingExtraError, ParameterError
from ..files import versions
from ..simulation.workers import BLOCKS_PER_WORKER, completed, cores, pool
from .folder import NUMBERS, RESUMES, DamagedBlockError, Folder, write_plan
from .plan import TOGETHER, Cell, Plan, Series, distribution, hashed, play_block
from .progress import watched

TRIES = 3  # times that a block may fail before it is given up
LOCAL = "local"  # instead of an address: workers on this machine
CONNECT = 10.0  # seconds to wait for a scheduler
EVERY = 5.0  # seconds between two looks at the workers
ALONE = 120.0  # seconds without any worker after which a run ends
PATIENCE = 10  # tenths of a second in which another process may be looking at the lock


class Task(NamedTuple):
    """A block of some policies of a cell, to be played."""

    cell: Cell
    series: tuple[Series, ...]
    block: range
    tries: int = 0  # that failed

    @property
    def labels(self) -> tuple[str, ...]:
        """The policies that play."""
        return tuple(each.label for each in self.series)

    @property
    def steps(self) -> int:
        """Rounds in all; of searches, at most."""
        return len(self.series) * len(self.block) * self.cell.horizon


class Failure(NamedTuple):
    """A block that was given up."""

    task: Task
    error: Exception


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
    if scheduler and scheduler != LOCAL and workers is not None:
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
        with watched(folder, plan, there, tasks, progress) as advance:
            if not tasks:
                return Ran(0, there, [])
            with _team(executor, scheduler, count) as team:
                played, failures = _play(tasks, team, folder, advance)
    return Ran(played, there, failures)


def _play(
    tasks: list[Task], team: "ExecutorTeam", folder: Folder, advance: Callable[[Task], None]
) -> tuple[int, list[Failure]]:
    """Play the tasks and write their blocks; return how many, and what was given up."""
    waiting, played, failures = deque(tasks), 0, list[Failure]()
    for task, future in completed(waiting, team.submit, team.most, team.look):
        error = future.exception()
        if error is None:
            for series in task.series:
                rows = future.result()[series.label]
                folder.write(task.cell, series, task.block, rows)
                played += 1
            advance(task)
            continue
        if not isinstance(error, Exception) or isinstance(error, CancelledError):
            raise error  # Ctrl-C, or the executor is going away
        team.failed(error)
        if task.tries + 1 < TRIES:
            waiting.appendleft(task._replace(tries=task.tries + 1))
        elif len(task.series) > 1:  # one of them may be at fault: each by itself
            alone = [task._replace(series=(each,), tries=0) for each in task.series]
            waiting.extendleft(alone)
        else:
            failures.append(Failure(task, error))
    return played, failures


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
def _team(executor: Executor | None, scheduler: str | None, count: int) -> Iterator["ExecutorTeam"]:
    """Give those who play: a cluster, the caller's executor, or threads."""
    if scheduler is not None:
        with dask_team(scheduler, count) as team:
            try:
                yield team
            except CancelledError as error:
                raise team.lost() from error
        return
    with pool(executor, count) as hands:
        stop = Event() if isinstance(hands, ThreadPoolExecutor) else None
        try:
            yield ExecutorTeam(hands, count, stop)
        except BrokenExecutor as error:
            raise ClusterError(f"The executor is broken: {error} {RESUMES}") from error
        except BaseException:
            if stop is not None:
                stop.set()
            raise


class ExecutorTeam:
    """An executor that plays blocks; threads share an event that stops them."""

    def __init__(self, executor: Executor, count: int, stop: Event | None = None) -> None:
        self.executor, self.count, self.stop = executor, count, stop

    def most(self) -> int:
        """Return how many blocks to give out at a time."""
        return BLOCKS_PER_WORKER * max(1, self.count)

    def submit(self, task: Task) -> Future[Any]:
        """Have a block played."""
        job = task.cell.job(task.labels)
        return self.executor.submit(play_block, task.cell.kind, job, task.block, self.stop)

    def look(self) -> None:
        """Raise if nobody is left to play."""

    def failed(self, error: Exception) -> None:
        """Raise if a block failed for a reason that no other try would help."""


@contextmanager
def dask_team(address: str, count: int | None = None) -> Iterator["DaskTeam"]:
    """Give the workers of a scheduler, or of a cluster on this machine, as a team."""
    if not address.strip():
        raise ParameterError("The scheduler's address is empty. Write tcp://HOST:PORT.")
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtraError.needed("A cluster", "cluster") from error
    if address == LOCAL:
        with _ignoring_interrupts():
            local = LocalCluster(
                n_workers=count or cores(),
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        with local, Client(local) as client:
            yield DaskTeam(client, address)  # whose arms end with it
        return
    try:
        client = Client(address, timeout=CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"No scheduler answers at {address!r}: {error}. Start one by `dask scheduler`, and "
            "workers by `dask worker ADDRESS`; then run the study again."
        ) from error
    with client:
        team = DaskTeam(client, address)
        try:
            yield team
        finally:
            team.leave()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Let processes that are started here not hear Ctrl-C, which a terminal sends to all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class DaskTeam(ExecutorTeam):
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, address: str) -> None:
        super().__init__(client.get_executor(pure=False), 0)
        self.client, self.address = client, address
        self._sent: set[str] = set()
        self._mine = {name: versions()[name] for name in NUMBERS}
        self._seen, self._looked, self._said = time.monotonic(), 0.0, False
        self.look()
        self._check_versions()

    def submit(self, task: Task) -> Future[Any]:
        """Have a block played by some worker."""
        job = task.cell.job(task.labels)
        specs = [distribution(arm.spec()) for arm in task.cell.arms]
        key = f"upperhand-arms-{hashed([task.cell.minimize, *specs])}"
        if key not in self._sent:
            self.client.register_plugin(_arms_plugin(key, job.arms))
            self._sent.add(key)
        bare = job._replace(arms=())
        return self.executor.submit(_play_with, self._mine, key, task.cell.kind, bare, task.block)

    def leave(self) -> None:
        """Take the arms back from the workers, which go on without us."""
        for key in self._sent:
            with suppress(Exception):  # the cluster may be gone
                self.client.unregister_worker_plugin(key)

    def look(self) -> None:
        """Count the workers now and then; raise if the scheduler is gone, or all of them are."""
        if self.client.status != "running":
            raise self.lost()
        now = time.monotonic()
        if now - self._looked < EVERY:
            return
        self._looked = now
        self.count = sum(self.client.nthreads().values())
        if self.count > 0:
            self._seen, self._said = now, False
        elif now - self._seen > ALONE:
            raise ClusterError(
                f"The scheduler at {self.address!r} has had no worker for {ALONE:.0f} seconds. "
                "Start some by `dask worker ADDRESS`, and run the study again: it resumes."
            )
        elif not self._said:
            self._said = True
            print(f"No worker at {self.address} yet: waiting.", file=sys.stderr, flush=True)

    def lost(self) -> ClusterError:
        """Return what is said when the scheduler is gone."""
        return ClusterError(f"The scheduler at {self.address!r} is lost. {RESUMES}")

    def failed(self, error: Exception) -> None:
        """End the run if the worker is at fault, and not the block: others would fare no better.

        One without upperhand, or with a very different one, cannot even read what it is sent, and
        fails in its own words: then all are asked.
        """
        if isinstance(error, ClusterError):
            raise error
        self._check_versions()

    def _check_versions(self) -> None:
        """Refuse workers with other versions of what the numbers depend on."""
        try:
            found = self.client.run(_versions, on_error="return")
        except Exception as error:
            raise self.lost() from error
        for worker, theirs in found.items():
            if isinstance(theirs, OSError):  # it is gone, and plays nothing
                continue
            if isinstance(theirs, BaseException):
                raise ClusterError(
                    f"The worker {worker} cannot tell its versions: {theirs}. Install upperhand "
                    f"{self._mine['upperhand']} there, with the extra lab. {RESUMES}"
                ) from theirs
            _refuse_others(worker, theirs, self._mine)


def _versions() -> dict[str, str]:
    return versions()


def _refuse_others(worker: str, theirs: dict[str, str], wanted: dict[str, str]) -> None:
    """Refuse a worker whose numbers may differ."""
    other = [
        f"{n} {theirs.get(n)} (here {wanted[n]})" for n in wanted if theirs.get(n) != wanted[n]
    ]
    if other:
        raise ClusterError(
            f"The worker {worker} has {', '.join(other)}: numbers may differ. Install the same "
            f"versions there, or stop it. {RESUMES}"
        )


def _arms_plugin(key: str, arms: Any) -> Any:
    """Return the plugin that keeps arms on every worker."""
    from distributed import WorkerPlugin

    class Arms(WorkerPlugin):
        name = key

        def __init__(self) -> None:
            self.arms = arms

    return Arms()


def _play_with(
    wanted: dict[str, str], key: str, kind: str, job: Any, block: range
) -> dict[str, Any]:
    """Play a block on a worker of these versions, with the arms that it was sent."""
    from distributed import get_worker

    worker = get_worker()
    _refuse_others(worker.address, versions(), wanted)  # it may have come when the study was begun
    plugin: Any = worker.plugins[key]
    return play_block(kind, job._replace(arms=plugin.arms), block)
