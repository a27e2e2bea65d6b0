"""The one file that knows Dask: blocks played by the workers of a cluster.

Blocks come back to this process, which writes them, so a cluster needs no common disk. Arms, which
may be a million values, are sent to each worker once, by a plugin that also serves workers that
come later. Each block goes with the versions that it is to be played by, so a worker with others
never plays one, whenever it came. A worker that dies has its blocks played by others; what is wrong
with the cluster itself ends the run with a sentence, and the next run resumes.
"""

import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ...errors import ClusterError, MissingExtraError, ParameterError
from ...files import versions
from ...simulation.workers import BLOCKS_PER_WORKER, cores
from .folder import NUMBERS, RESUMES
from .plan import hashed, law, play_block

if TYPE_CHECKING:
    from .running import Task

LOCAL = "local"  # instead of an address: workers on this machine
CONNECT = 10.0  # seconds to wait for a scheduler
EVERY = 5.0  # seconds between two looks at the workers
ALONE = 120.0  # seconds without any worker after which a run ends


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


class DaskTeam:
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.executor = client.get_executor(pure=False)
        self.threads = 0
        self._sent: set[str] = set()
        self._mine = {name: versions()[name] for name in NUMBERS}
        self._seen, self._looked, self._said = time.monotonic(), 0.0, False
        self.look()
        self._check_versions()

    def most(self) -> int:
        """Return how many blocks to give out at a time."""
        return BLOCKS_PER_WORKER * max(1, self.threads)

    def submit(self, task: "Task") -> Future[Any]:
        """Have a block played by some worker."""
        job = task.cell.job(task.labels)
        key = f"upperhand-arms-{hashed([law(arm.spec()) for arm in job.arms])}"
        if key not in self._sent:
            self.client.register_plugin(_arms_plugin(key, job.arms))
            self._sent.add(key)
        bare = job._replace(arms=())
        future: Future[Any] = self.executor.submit(
            _play_with, self._mine, key, task.cell.kind, bare, task.block
        )
        return future

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
        self.threads = sum(self.client.nthreads().values())
        if self.threads > 0:
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
