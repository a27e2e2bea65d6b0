"""Replications spread over workers: cut into blocks, played by threads or an executor, gathered.

Blocks are played in any order; what is gathered is kept by the block's place, so the numbers do not
depend on the workers. The first error, or Ctrl-C, stops all of them.

Tasks given to an executor, a few at a time, and their results kept as they come.

A progress bar for long work on a terminal, and nothing anywhere else.
"""

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any, NamedTuple, TypeVar

from .. import checks
from ..errors import ParameterError

T = TypeVar("T")
PATIENCE = 1.0  # seconds between two looks at how the executor is


class Given(NamedTuple):
    """A task that the executor has, and how often it had it before."""

    task: Any
    failures: int


def dispatch(
    tasks: Iterable[T],
    submit: Callable[[T], Future[Any]],
    keep: Callable[[T, Any], object],
    most: Callable[[], int],
    *,
    tries: int = 1,
    give_up: Callable[[T, Exception], Iterable[T]] | None = None,
    look: Callable[[], object] = lambda: None,
    failed: Callable[[Exception], object] = lambda _: None,
) -> None:
    """Have all tasks done, at most so many given out at a time, and keep each one's result.

    A task that fails is given out again, up to so many times in all; then `give_up` is told, and
    says what to do instead, if anything. Without `give_up` its error is raised. `failed` is told of
    each failure before, and may raise where no other try would help. `look` is called about once a
    second, and may raise. An error, or Ctrl-C, takes back what was not begun.
    """
    waiting, again = iter(tasks), list[Given]()
    out: dict[Future[Any], Given] = {}
    try:
        while True:
            while len(out) < most() and (given := _next(waiting, again)) is not None:
                out[submit(given.task)] = given
            if not out:
                return
            done, _ = wait(out, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            look()
            while done:  # what was kept is let go of at once
                future = done.pop()
                given = out.pop(future)
                error = future.exception()
                if error is None:
                    keep(given.task, future.result())
                    continue
                failures = given.failures + 1
                if give_up is None or not isinstance(error, Exception):
                    raise error
                if isinstance(error, CancelledError):  # by the executor, which is going away
                    raise error
                failed(error)
                if failures < tries:
                    again.append(Given(given.task, failures))
                else:
                    again += [Given(task, 0) for task in give_up(given.task, error)]
    finally:
        for future in out:
            future.cancel()


def _next(waiting: Any, again: list[Given]) -> Given | None:
    """Return the next task: one that failed before, or a new one; None if there is none."""
    if again:
        return again.pop()
    return next((Given(task, 0) for task in waiting), None)


@contextmanager
def progress_bar(
    what: str, total: int, show: bool | None = None
) -> Iterator[Callable[[int], object]]:
    """Show a bar on standard error, and give what moves it on; by default on a terminal only."""
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda _steps: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda steps: progress.advance(task, steps)


MOST_ROUNDS = 2**40  # of a replication, or replications: more than any memory holds
BLOCKS_PER_WORKER = 4  # so that a slow block does not leave the other workers idle for long
ROUNDS_PER_BLOCK = 1_000_000  # so that a bar moves every second or so
BYTES_PER_BLOCK = 4_000_000  # so that what is on its way to the result is small against it


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
        replications: int,
        workers: int | None,
        executor: Executor | None,
        progress: bool | None,
    ) -> "Workers":
        """Return them, or refuse what cannot be."""
        total = checks.integer("replications", replications, least=1, most=MOST_ROUNDS)
        count = cores() if workers is None else checks.integer("workers", workers, least=1)
        return cls(total, count, executor, progress)

    def run(
        self,
        what: str,  # for the progress bar
        play_block: Callable[[Any, range, Event | None], Any],
        job: Any,
        length: int,  # rounds of a replication at most
        keep: Callable[[range, Any], None],
        size: int = 0,  # bytes of a replication's result
    ) -> None:
        """Play all blocks of the job, and have each one's result kept as soon as it is there.

        The job and the results must be plain enough to be sent to another machine.
        """
        blocks = cut(self.replications, length, size, pieces=self.count * BLOCKS_PER_WORKER)
        bar = progress_bar(what, self.replications, self.progress)
        stop = Event()
        with pool(self.executor, self.count) as team, bar as advance:
            shared = stop if isinstance(team, ThreadPoolExecutor) else None  # not across processes

            def submit(block: range) -> Future[Any]:
                return team.submit(play_block, job, block, shared)

            def kept(block: range, result: Any) -> None:
                keep(block, result)
                advance(len(block))

            try:
                dispatch(blocks, submit, kept, lambda: self.count * BLOCKS_PER_WORKER)
            except BaseException:
                stop.set()
                raise


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
