"""Threads that share an experiment share its commits.

While one turn is being written to the disk, the operations of other threads gather in a batch. The
thread that began the batch runs all of it in the next turn, so that one wait for the disk serves
them all; the others wait for one event. If the thread that runs a batch is interrupted, the others
gather again, and none is told of an interrupt that was not its own. Whether the interrupted turn
was committed is found out from the log before the next one, so that nothing happens twice.
"""

import os
from threading import Event as Signal
from threading import Lock
from typing import Any

from ..errors import StoreError
from .session import Attempt, FailedError, Operation, Session


class Job:
    """One operation, and what became of it."""

    __slots__ = ("answer", "done", "durable", "error", "run", "timeout")

    def __init__(self, run: Operation, *, durable: bool, timeout: float | None) -> None:
        self.run, self.durable, self.timeout = run, durable, timeout
        self.answer: Any = None
        self.error: BaseException | None = None
        self.done = False

    def result(self) -> Any:
        """Return the answer, or raise what was wrong."""
        if self.error is not None:
            raise self.error
        return self.answer


class Batch:
    """Jobs that are run in one turn."""

    __slots__ = ("jobs", "over")

    def __init__(self, job: Job) -> None:
        self.jobs = [job]
        self.over: Signal | None = None  # made by the first that has to wait


class Commits:
    """Runs operations of many threads in few turns."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._begin()

    def _begin(self) -> None:
        self._gathering: Batch | None = None
        self._doubtful: tuple[list[Job], Attempt] | None = None  # whose turn was cut short
        self._gate = Lock()  # around `_gathering`
        self._writing = Lock()  # held by who runs a batch
        self._process = os.getpid()

    def perform(self, run: Operation, *, durable: bool, timeout: float | None = None) -> Any:
        """Run an operation; return when it is committed."""
        if self._process != os.getpid():  # a fork: threads that held the locks are not here
            self._begin()
        job = Job(run, durable=durable, timeout=timeout)
        while not job.done:
            own = Batch(job)
            try:
                try:
                    batch = self._join(job, own)
                    if batch is own:
                        self._lead(own)
                    elif batch.over is not None:
                        batch.over.wait()
                finally:
                    self._end(own)
            finally:  # an interrupt may come between the lines above: nobody may wait for ever
                self._end(own)
        return job.result()

    def alone(self) -> Lock:
        """Return the lock that keeps turns away, for a look at the machine between them."""
        if self._process != os.getpid():
            self._begin()
        return self._writing

    def _join(self, job: Job, own: Batch) -> Batch:
        """Return the batch that the job is in: the one that gathers, or else its own."""
        with self._gate:
            batch = self._gathering
            if batch is None:
                batch = self._gathering = own
            else:
                batch.over = batch.over or Signal()
                batch.jobs.append(job)
        return batch

    def _end(self, batch: Batch) -> None:
        self._close(batch)  # from here on nobody joins it, or begins to wait for it
        if batch.over is not None:
            batch.over.set()

    def _close(self, batch: Batch) -> None:
        """Let no more jobs into a batch."""
        with self._gate:
            if self._gathering is batch:
                self._gathering = None

    def _lead(self, batch: Batch) -> None:
        """Run a batch, in one turn unless a job fails half-way."""
        with self._writing:
            self._close(batch)
            waiting = list(batch.jobs)
            while waiting:
                waiting = self._turn(waiting)

    def _settle(self) -> None:
        """Find out what became of jobs whose leader was interrupted."""
        if self._doubtful is not None:
            jobs, attempt = self._doubtful
            if self._session.happened(attempt):
                _answer(jobs, attempt.found)
            self._doubtful = None

    def _turn(self, jobs: list[Job]) -> list[Job]:
        """Run jobs in one turn; return those that must be run again without the one that failed."""
        attempt = Attempt()
        try:
            self._settle()
            jobs = [job for job in jobs if not job.done]
            if not jobs:
                return []
            durable, limits = any(job.durable for job in jobs), [job.timeout for job in jobs]
            timeout = max((limit for limit in limits if limit is not None), default=None)
            if None in limits:  # somebody has time
                timeout = None
            self._doubtful = jobs, attempt
            operations = [job.run for job in jobs]
            found = self._session.run(operations, durable=durable, timeout=timeout, attempt=attempt)
            _answer(jobs, found)
            self._doubtful = None
        except FailedError as failure:
            self._doubtful = None
            culprit = jobs[failure.place]
            culprit.error, culprit.done = failure.__cause__, True
            return [job for job in jobs if job is not culprit]
        except Exception as error:  # the store
            self._doubtful = None
            if self._happened(attempt):  # its answer was lost, and not what it was told
                _answer(jobs, attempt.found)
            else:
                for job in jobs:
                    job.error, job.done = error, True
        return []

    def _happened(self, attempt: Attempt) -> bool:
        """Find out whether a turn that failed was committed; no, if the store does not say."""
        try:
            return bool(attempt.events) and self._session.happened(attempt)
        except StoreError:
            return False


def _answer(jobs: list[Job], found: list[Any]) -> None:
    """Give each job what its operation returned, or refused by."""
    for job, answer in zip(jobs, found, strict=True):
        if isinstance(answer, BaseException):
            job.error = answer
        else:
            job.answer = answer
        job.done = True
