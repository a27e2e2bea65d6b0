"""Who plays a study's blocks: threads, any executor, or the workers of a Dask cluster.

On a cluster, arms, which may be a million values, are sent to each worker once, by a plugin that
also serves workers that come later. Each block goes with what it is to be played by, so a worker
with other versions or sources never plays one, whenever it came. The blocks of a worker that dies
are played by others. If the cluster itself fails, the run ends with one sentence, and the next run
resumes. This is the only file that knows Dask.
"""

import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from threading import Event
from typing import Any
from uuid import uuid4

from ..errors import ClusterError, MissingExtraError, ParameterError
from ..policies import Policy
from ..simulation.workers import BLOCKS_PER_WORKER, BROKEN, cores, pool
from .folder import RESUMES
from .plan import Task, differing, made_by, maker_of, play_block

LOCAL = "local"  # instead of an address: workers on this machine
CONNECT = 10.0  # seconds to wait for a scheduler
EVERY = 5.0  # seconds between two looks at the workers
ALONE = 120.0  # seconds without any worker after which a run ends


@contextmanager
def team(executor: Executor | None, scheduler: str | None, count: int) -> Iterator["ExecutorTeam"]:
    """Yield the workers of a run: a cluster's, the caller's executor, or threads."""
    if scheduler is not None:
        with dask_team(scheduler, count) as workers:
            yield workers
        return
    with pool(executor, count) as hands:
        stop = Event() if isinstance(hands, ThreadPoolExecutor) else None
        try:
            yield ExecutorTeam(hands, count, stop)
        except BrokenExecutor as error:
            raise ClusterError(f"{BROKEN} {RESUMES}") from error
        except BaseException:
            if stop is not None:
                stop.set()
            raise


class ExecutorTeam:
    """An executor that plays blocks; threads share an event that stops them."""

    def __init__(self, executor: Executor, count: int, stop: Event | None = None) -> None:
        self.executor, self.count, self.stop = executor, count, stop

    def most(self) -> int:
        return BLOCKS_PER_WORKER * max(1, self.count)

    def submit(self, task: Task) -> Future[Any]:
        job = task.cell.job(task.labels)
        return self.executor.submit(play_block, task.cell.kind, job, task.block, self.stop)

    def look(self) -> None:
        """Raise an error if no worker is left."""

    def may_pass(self, error: Exception) -> bool:
        """Tell whether another try may help; raise if no try of any block would."""
        if isinstance(error, BrokenExecutor):
            raise error
        return isinstance(error, OSError | MemoryError)


@contextmanager
def dask_team(address: str, count: int | None = None) -> Iterator["DaskTeam"]:
    """Give the workers of a scheduler, or of a cluster on this machine, as a team."""
    if not address.strip():
        raise ParameterError("The scheduler's address is empty. Write tcp://HOST:PORT.")
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtraError.needed("A cluster", "cluster") from error
    with ExitStack() as stack:
        place: Any = address
        if address == LOCAL:
            options: Any = {"threads_per_worker": 1, "dashboard_address": None}
            with _ignoring_interrupts():
                place = LocalCluster(count or cores(), silence_logs=logging.CRITICAL, **options)
            stack.enter_context(place)
        try:
            client = stack.enter_context(Client(place, timeout=CONNECT))
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"No scheduler answers at {address!r}: {error}. Start one by `dask scheduler`, and "
                "workers by `dask worker ADDRESS`; then run the study again."
            ) from error
        workers = DaskTeam(client, address)
        stack.callback(workers.leave)
        try:
            yield workers
        except CancelledError as error:
            raise workers.lost() from error


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
    def __init__(self, client: Any, address: str) -> None:
        super().__init__(client.get_executor(pure=False), 0)
        self.client, self.address = client, address
        self._run, self._sent = uuid4().hex, set[str]()  # other runs may use the same scheduler
        self._seen, self._looked, self._said = time.monotonic(), 0.0, False
        self.look()
        self._check_versions()

    def submit(self, task: Task) -> Future[Any]:
        job = task.cell.job(task.labels)
        key = f"upperhand-arms-{self._run}-{task.series[0].settings['arms']}"
        if key not in self._sent:
            self.client.register_plugin(_arms_plugin(key, job.arms))
            self._sent.add(key)
        bare = job._replace(arms=())
        wanted = [(each.policy, maker_of(each.policy)) for each in task.series]
        return self.executor.submit(_play_with, wanted, key, task.cell.kind, bare, task.block)

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
        return ClusterError(f"The scheduler at {self.address!r} is lost. {RESUMES}")

    def may_pass(self, error: Exception) -> bool:
        """End the run if the worker is at fault, and not the block: others would fare no better.

        One without upperhand, or with a very different one, cannot even read what it is sent, and
        fails in its own words: then all are asked.
        """
        if isinstance(error, ClusterError):
            raise error
        self._check_versions()
        return super().may_pass(error) or type(error).__module__.startswith("distributed.")

    def _check_versions(self) -> None:
        """Refuse workers with other versions of what the numbers depend on."""
        try:
            found = self.client.run(made_by, on_error="return")
        except Exception as error:
            raise self.lost() from error
        for worker, theirs in found.items():
            if isinstance(theirs, OSError):  # it is gone, and plays nothing
                continue
            if isinstance(theirs, BaseException):
                raise ClusterError(
                    f"The worker {worker} cannot tell its versions: {theirs}. Install upperhand "
                    f"{made_by()['upperhand']} there, with the extra lab. {RESUMES}"
                ) from theirs
            _refuse_others(worker, theirs, made_by())


def _refuse_others(worker: str, theirs: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    if other := differing(theirs, wanted):
        raise ClusterError(
            f"The worker {worker} has {other}: numbers may differ. Install the same "
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
    wanted: list[tuple[Policy, dict[str, str]]], key: str, kind: str, job: Any, block: range
) -> dict[str, Any]:
    """Play a block on a worker that has what is wanted, with the arms that it was sent."""
    from distributed import get_worker

    worker = get_worker()
    for policy, maker in wanted:  # the worker may have come when the study was begun
        _refuse_others(worker.address, maker_of(policy), maker)
    plugin: Any = worker.plugins[key]
    return play_block(kind, job._replace(arms=plugin.arms), block)
