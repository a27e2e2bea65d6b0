"""Replications spread over workers: cut into blocks, played by threads or an executor, gathered.

Blocks are played in any order. Each result goes to the place of its block, so the numbers do not
depend on the workers. The first error, or Ctrl-C, stops all of them.
"""

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from .. import checks
from ..errors import ClusterError, ParameterError
from ..text import is_terminal

T = TypeVar("T")
MOST_ROUNDS = 2**40  # of a replication, or replications: more than any memory holds
BLOCKS_PER_WORKER = 4  # so that a slow block does not leave the other workers idle for long
ROUNDS_PER_BLOCK = 1_000_000  # so that a bar moves every second or so
BYTES_PER_BLOCK = 4_000_000  # so that what is on its way to the result is small against it
BROKEN = (
    "The executor's processes ended: guard the script's main part by if __name__ == '__main__': "
    "where they are spawned, or look for what killed one, such as too little memory."
)
LOOK = 1.0  # seconds between two looks at how the executor is


@dataclass(frozen=True)
class Workers:
    """How many replications are played, and by whom."""

    replications: int
    count: int
    executor: Executor | None
    progress: bool | None

    @classmethod
    def checked(
        cls,
        replications: float,
        workers: int | None,
        executor: Executor | None,
        progress: bool | None,
    ) -> "Workers":
        """Return them, or refuse what cannot be."""
        total = checks.count("replications", replications, least=1, most=MOST_ROUNDS)
        count = cores() if workers is None else checks.integer("workers", workers, least=1)
        return cls(total, count, executor, progress)

    @property
    def replications_of_one(self) -> int:
        """How many replications a process plays, if all play as many."""
        is_here = self.executor is None or isinstance(self.executor, ThreadPoolExecutor)
        return self.replications if is_here else math.ceil(self.replications / self.count)

    def results(
        self,
        what: str,  # for the progress bar
        play: Callable[[range, Event | None], Any],
        length: int,  # rounds of a replication at most
        size: int = 0,  # bytes of a replication's result
    ) -> Iterator[tuple[range, Any]]:
        """Yield each block of replications with its result, as soon as it is there.

        `play` and the results must be plain enough to be sent to another machine.
        """
        most = self.count * BLOCKS_PER_WORKER
        blocks = cut(self.replications, length, size, pieces=most)
        bar = progress_bar(what, self.replications, self.progress)
        stop = Event()
        with pool(self.executor, self.count) as team, bar as advance:
            shared = stop if isinstance(team, ThreadPoolExecutor) else None  # not across processes
            try:
                for block, future in completed(
                    deque(blocks), lambda each: team.submit(play, each, shared), lambda: most
                ):
                    yield block, future.result()
                    advance(len(block))
            except BaseException as error:
                stop.set()
                if isinstance(error, BrokenExecutor):
                    raise ClusterError(BROKEN) from error
                raise


def completed(
    tasks: deque[T],  # modified
    submit: Callable[[T], Future[Any]],
    most: Callable[[], int],
    look: Callable[[], object] = lambda: None,
) -> Iterator[tuple[T, Future[Any]]]:
    """Have all tasks done, at most so many at a time, and yield each with its future.

    The caller may add tasks meanwhile. `look` is called about once a second, and may raise. An
    error, or Ctrl-C, cancels the tasks that have not begun.
    """
    out: dict[Future[Any], T] = {}
    try:
        while True:
            while tasks and len(out) < most():
                task = tasks.popleft()
                out[submit(task)] = task
            if not out:
                return
            done, _ = wait(out, timeout=LOOK, return_when="FIRST_COMPLETED")
            look()
            while done:
                future = done.pop()
                yield out.pop(future), future
                del future  # with its result, which may be large
    finally:
        for future in out:
            future.cancel()


def cores() -> int:
    """Return how many cores this process may use: a batch system or taskset may allow a few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cut(
    replications: int, length: int, size: int = 0, *, pieces: int, rounds: int = ROUNDS_PER_BLOCK
) -> list[range]:
    """Cut replications of that many rounds and bytes into blocks: so many pieces, or shorter ones.

    >>> cut(5, length=500_000, pieces=1)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    share = math.ceil(replications / pieces)
    each = max(1, min(rounds // length, BYTES_PER_BLOCK // max(size, 1), share))
    starts = range(0, replications, each)
    return [range(start, min(start + each, replications)) for start in starts]


@contextmanager
def pool(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """Give the caller's executor, left running, or threads of our own."""
    if isinstance(executor, Executor):
        yield executor
    elif executor is not None:
        raise ParameterError(f"executor must be a concurrent.futures.Executor; got {executor!r}.")
    else:
        with ThreadPoolExecutor(workers) as threads:
            yield threads


@contextmanager
def advised(advice: str) -> Iterator[None]:
    """Add to an error of too little memory what to do; the block knows what takes the memory."""
    try:
        yield
    except MemoryError as error:
        error.add_note(advice)
        raise


@contextmanager
def progress_bar(
    what: str, total: int, show: bool | None = None
) -> Iterator[Callable[[int], object]]:
    """Show a bar on standard error, and give what moves it on; by default on a terminal only."""
    wanted = is_terminal(sys.stderr) if show is None else show
    if not wanted or getattr(sys.stderr, "closed", False):
        yield lambda _steps: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda steps: progress.advance(task, steps)
