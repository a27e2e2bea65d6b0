"""Replications spread over workers: cut into blocks, played by threads or an executor, gathered.

Blocks are played in any order; what is gathered is kept by the block's place, so the numbers do not
depend on the workers. The first error, or Ctrl-C, stops all of them.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any

from .. import checks
from ..errors import ParameterError
from .dispatch import dispatch
from .progress import progress_bar

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
