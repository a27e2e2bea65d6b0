"""Replications spread over workers: cut into blocks, played by threads or an executor, gathered.

Blocks are played in any order; what is gathered is kept by the block's place, so the numbers do not
depend on the workers. The first error, or Ctrl-C, stops all of them.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np

from .. import checks
from ..errors import ParameterError
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
        blocks = _blocks(self.replications, self.count * BLOCKS_PER_WORKER, length, size)
        bar = progress_bar(what, self.replications, self.progress)
        stop = Event()
        with _pool(self.executor, self.count) as pool, bar as advance:
            shared = stop if isinstance(pool, ThreadPoolExecutor) else None  # not across processes
            futures: dict[Future[Any], range] = {
                pool.submit(play_block, job, block, shared): block for block in blocks
            }
            try:
                for future in as_completed(list(futures)):
                    block = futures.pop(future)  # or its result would stay to the end
                    keep(block, future.result())
                    advance(len(block))
            except BaseException:
                stop.set()
                for future in futures:
                    future.cancel()
                raise


def cores() -> int:
    """Return how many cores this process may use: a batch system or taskset may allow a few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _blocks(replications: int, pieces: int, length: int, size: int = 0) -> list[range]:
    """Cut the replications into ranges of nearly equal length: that many, or more short ones."""
    longest = max(1, min(ROUNDS_PER_BLOCK // length, BYTES_PER_BLOCK // max(size, 1)))
    count = min(max(pieces, math.ceil(replications / longest)), replications)
    edges = np.linspace(0, replications, count + 1).astype(int)
    return [range(a, b) for a, b in pairwise(edges)]


@contextmanager
def _pool(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """Give the caller's executor, left running, or threads of our own."""
    if isinstance(executor, Executor):
        yield executor
    elif executor is not None:
        raise ParameterError(f"executor must be a concurrent.futures.Executor; got {executor!r}.")
    else:
        with ThreadPoolExecutor(workers) as threads:
            yield threads
