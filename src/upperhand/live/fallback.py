"""While the store is slow or away: asks get the default, outcomes are kept, and none waits long.

A call with a time limit is left to the engine's thread. If the store does not answer in time, the
caller gets its default and goes on; an ask that the store answers later is given back. What
happened meanwhile is written to the log with the next call that reaches the store.
"""

import time
from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import Any

from ..errors import ParameterError, StoreAwayError, StoreBusyError, StoreError
from .decide import Ask, Command, Defaulted, Note, Release
from .engine import Engine, Job
from .forks import watch
from .trial import Trial, parse_id

MOST_WAITING = 1_000  # calls that wait for the store; more, and the store counts as away
MOST_KEPT = 100_000  # outcomes; more than that, and the caller gets the store's error
DEFAULT = "default"


def is_default(trial: object) -> bool:
    """Return whether a trial is a default arm, which the log does not know."""
    return isinstance(trial, Trial) and trial.how == DEFAULT


class Fallback:
    """What an experiment does while its store does not answer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.after_fork(child=True)
        watch(self)

    def before_fork(self) -> None:
        """Do nothing."""

    def after_fork(self, *, child: bool) -> None:
        """Begin with nothing in a child: what waits is the parent's to write."""
        if child:
            self._defaulted: dict[Any, int] = {}
            self._since = 0.0
            self._kept: deque[Sequence[Command]] = deque()
            self._unanswered = 0  # outcomes that the engine still tries to write
            self._lock = Lock()  # around the counts; never held while the store is waited for

    @property
    def waiting(self) -> bool:
        """Whether there is something to write to the log."""
        return bool(self._defaulted or self._kept)

    def begin(self, ask: Ask, **how: Any) -> Job:
        """Let the engine answer an ask; if nobody wants the answer then, it is given back."""
        if ask.default is not None and not isinstance(ask.default, str | int | float):
            raise ParameterError(f"default must be an arm; got {ask.default!r}.")
        if self._engine.waiting >= MOST_WAITING:
            raise StoreBusyError(
                f"{self._engine.waiting:,} calls wait for the store already. Try again later."
            )
        self.catch_up(wait=False)
        return self._engine.submit([ask], durable=False, **{"then": self.asked, **how})

    def ask(self, ask: Ask, timeout: float | None) -> Trial:
        """Ask with a time limit; answer the default if it passes or the store is away."""
        try:
            job = self.begin(ask)
            try:
                job.wait(timeout)
            finally:
                self.leave(job)
            return self.answer(job, timeout)
        except StoreError:
            if ask.default is None:
                raise
        return self.default(ask)

    def leave(self, job: Job) -> None:
        """Say that nobody waits for a job any more, unless it has ended."""
        with self._lock:
            job.withdrawn = not job.ended

    def answer(self, job: Job, timeout: float | None) -> Trial:
        """Return the trial of a job that nobody waits for any more, if it has ended."""
        if job.withdrawn:
            raise StoreBusyError(
                f"The store did not answer within {timeout:g} s. Try again, or wait."
            )
        trial: Trial = job.result()[0]
        return trial

    def default(self, ask: Ask) -> Trial:
        """Return the default arm as a trial, and count it."""
        with self._lock:
            self._since = self._since or time.time()
            self._defaulted[ask.default] = self._defaulted.get(ask.default, 0) + 1
        return Trial("", ask.default, None, 1.0, DEFAULT, time.time(), ask.by or "")

    def asked(self, jobs: Sequence[Job]) -> None:
        """Give back what was answered when nobody waited for it any more."""
        with self._lock:
            unwanted = [job for job in jobs if job.withdrawn and job.error is None]
        for job in unwanted:
            self.give_back(job.answers[0])

    def give_back(self, trial: Trial) -> None:
        """Release a trial, without waiting for the store."""
        if is_default(trial):
            return
        self._engine.submit([Release(parse_id(trial.id))], durable=False)

    def tell(self, commands: Sequence[Command], timeout: float | None) -> str:
        """Tell with a time limit; keep the outcome if it passes or the store is away."""
        job = self.keep(commands)
        job.wait(timeout)
        return self.told(job)

    def keep(self, commands: Sequence[Command], then: Any = None, future: Any = None) -> Job:
        """Let the engine write an outcome, and keep it if the store does not take it."""
        if len(self._kept) + self._unanswered >= MOST_KEPT:
            raise StoreAwayError(f"{MOST_KEPT:,} outcomes are kept already: the store is away.")
        self.catch_up(wait=False)
        return self._submit(commands, then=then or self.written, future=future)

    def told(self, job: Job) -> str:
        """Return the answer to an outcome; "kept" if the store did not take it in time."""
        with self._lock:
            job.kept = not job.ended
        if job.kept or isinstance(job.error, StoreError):
            return "kept"
        answer: str = job.result()[0]
        return answer

    def catch_up(self, *, wait: bool = True) -> None:
        """Write to the log what happened while the store was away, before anything else."""
        if not self.waiting:
            return
        with self._lock:
            defaulted, since, self._defaulted, self._since = self._defaulted, self._since, {}, 0.0
            kept, self._kept = self._kept, deque()
        jobs = [self._submit(commands, kept=True) for commands in kept]
        if defaulted:
            jobs.append(self._submit([Defaulted(defaulted, since)]))
        if wait:
            for job in jobs:
                job.wait()

    def _submit(self, commands: Sequence[Command], **how: Any) -> Job:
        with self._lock:
            self._unanswered += not isinstance(commands[0], Defaulted)
        return self._engine.submit(commands, durable=True, **{"then": self.written, **how})

    def written(self, jobs: Sequence[Job]) -> None:
        """Keep what the store, when it answered, did not take; note what was refused."""
        for job in jobs:
            first, away = job.commands[0], isinstance(job.error, StoreError)
            with self._lock:
                if not isinstance(first, Defaulted):
                    self._unanswered -= 1
                    if away:
                        self._kept.append(job.commands)
                elif away:
                    self._since = first.since
                    for arm, count in first.arms.items():
                        self._defaulted[arm] = self._defaulted.get(arm, 0) + count
                refused = job.kept and job.error is not None and not away
            if refused:
                text = "An outcome that was kept while the store was away was refused: "
                self._engine.submit([Note(f"{text}{job.error!r:.300}")], durable=True)

    def close(self) -> None:
        """Write what is kept; say what could not be written."""
        self.catch_up()
        if left := len(self._kept) + self._unanswered:
            raise StoreAwayError(
                f"{left:,} outcomes were kept while the store was away, and it still is. They "
                "are lost with this object."
            )
