"""While the store is slow or away: asks get the default, outcomes are kept, and none waits long.

A call with a time limit runs on a thread of its own. If the store does not answer in time, the
caller gets its default and goes on; an ask that the store answers later is given back. What
happened meanwhile is written to the log with the next call that reaches the store.
"""

import os
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedTooLong
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import ParameterError, StoreAwayError, StoreBusyError, StoreError, UpperhandError
from .decisions import Ask, arm_number, decide_ask
from .log.event import Event, Kind
from .trial import Trial
from .writer import Writer

if TYPE_CHECKING:
    from .experiment import Experiment

WORKERS = 16
MOST_WAITING = 1_000  # calls that wait for the store; more, and the store counts as away
MOST_KEPT = 100_000  # outcomes; more than that, and the caller is told of the store's error
STOOD_IN = "default"


class WithdrawnError(UpperhandError):
    """Nobody waits for this ask any more."""


class Standby:
    """What an experiment does while its store does not answer."""

    def __init__(self, experiment: "Experiment") -> None:
        self._experiment = experiment
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._pool: ThreadPoolExecutor | None = None
        self._lock = Lock()  # around the counts; never held while the store is waited for
        self._catching_up = Lock()
        self._waiting = 0  # calls that the store has not answered
        self._defaulted: dict[Any, int] = {}
        self._since = 0.0
        self._kept: deque[Callable[[Writer], Any]] = deque()
        self._unanswered = 0  # outcomes that were kept and that a thread still tries to write

    @property
    def waiting(self) -> bool:
        """Whether there is something to write to the log."""
        if self._process != os.getpid():  # a fork: what waits there is the parent's to write
            self._begin()
        return bool(self._defaulted or self._kept)

    def stood_in(self, trial: object) -> bool:
        """Tell whether a trial is a default, which the log does not know."""
        return isinstance(trial, Trial) and trial.how == STOOD_IN

    def ask(self, ask: Ask, default: Any, timeout: float | None) -> Trial:
        """Ask with a time limit; answer the default if it passes or the store is away."""
        if default is not None and not isinstance(default, str | int | float):
            raise ParameterError(f"default must be an arm; got {default!r}.")
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        withdrawn: list[bool] = []

        def operation(writer: Writer) -> Trial:
            if withdrawn:
                raise WithdrawnError
            if default is not None:
                arm_number(writer.machine, default)
            return decide_ask(writer, ask)

        try:
            running = self._run(operation, durable=False, timeout=limit)
            try:
                found: Trial = running.result(limit)
                return found
            except BaseException:  # too late, or interrupted: nobody has the trial
                withdrawn.append(True)
                running.add_done_callback(self._give_back)
                raise
        except (WaitedTooLong, StoreError) as error:
            if default is not None:
                return self._default(default, ask)
            if isinstance(error, StoreError):
                raise
            raise _too_late(timeout) from error

    def tell(self, operation: Callable[[Writer], Any], timeout: float | None) -> str:
        """Tell with a time limit; keep the outcome if it passes or the store is away."""
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        try:
            running = self._run(operation, durable=True, timeout=limit)
        except StoreBusyError:
            self._keep(operation)
            return "kept"
        try:
            answer: str = running.result(limit)
            return answer
        except WaitedTooLong:
            if len(self._kept) + self._unanswered >= MOST_KEPT:
                raise _too_late(timeout) from None
            with self._lock:
                self._unanswered += 1
            running.add_done_callback(lambda done: self._answered(done, operation))
        except StoreError:
            if len(self._kept) >= MOST_KEPT:
                raise
            self._keep(operation)
        return "kept"

    def catch_up(self, timeout: float | None = None) -> None:
        """Write to the log what happened while the store was away, if it is back."""
        if not self._catching_up.acquire(blocking=False):
            return  # another thread is at it
        commits = self._experiment._commits
        try:
            self._write_defaulted(timeout)
            while self._kept:
                try:
                    commits.perform(self._kept[0], durable=True, timeout=timeout)
                except StoreError:
                    raise
                except Exception as error:  # such as a retired policy's: nobody to tell it to
                    commits.perform(_noted(error), durable=True, timeout=timeout)
                self._kept.popleft()
        finally:
            self._catching_up.release()

    def close(self) -> None:
        """Write what is kept, and let the threads go; say what could not be written."""
        reason: StoreError | None = None
        try:
            if self.waiting:
                self.catch_up()
        except StoreError as error:
            reason = error
        left = len(self._kept) + self._unanswered
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        if left:
            raise StoreAwayError(
                f"{left:,} outcomes were kept while the store was away, and it still is: "
                f"{reason or 'it does not answer.'} They are lost with this object."
            ) from reason

    def _run(
        self, operation: Callable[[Writer], Any], *, durable: bool, timeout: float | None
    ) -> "Future[Any]":
        if self._process != os.getpid():
            self._begin()
        with self._lock:
            if self._waiting >= MOST_WAITING:
                raise StoreBusyError(
                    f"{self._waiting:,} calls wait for the store already. Try again later."
                )
            self._waiting += 1
            if self._pool is None:
                self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="upperhand")
            perform = self._experiment._perform  # no thread waits for longer than its caller
            running = self._pool.submit(perform, operation, durable=durable, timeout=timeout)
        running.add_done_callback(self._count_down)
        return running

    def _count_down(self, running: "Future[Any]") -> None:  # noqa: ARG002
        with self._lock:
            self._waiting -= 1

    def _keep(self, operation: Callable[[Writer], Any]) -> None:
        if len(self._kept) >= MOST_KEPT:
            raise StoreAwayError(f"{MOST_KEPT:,} outcomes are kept already: the store is away.")
        self._kept.append(operation)

    def _answered(self, running: "Future[Any]", operation: Callable[[Writer], Any]) -> None:
        """Keep an outcome after all if the store, when it answered, did not take it."""
        with self._lock:
            self._unanswered -= 1
        if running.cancelled() or isinstance(running.exception(), StoreError | CancelledError):
            self._kept.append(operation)

    def _write_defaulted(self, timeout: float | None) -> None:
        with self._lock:
            defaulted, since = self._defaulted, self._since
            self._defaulted, self._since = {}, 0.0
        if not defaulted:
            return

        def operation(writer: Writer) -> None:
            extra = {"arms": defaulted, "since": since}
            total = float(sum(defaulted.values()))
            writer.emit(Event(Kind.DEFAULTED, 0, 0, -1, total, writer.now, extra))

        try:
            self._experiment._commits.perform(operation, durable=True, timeout=timeout)
        except BaseException:
            with self._lock:
                self._since = since
                for arm, count in defaulted.items():
                    self._defaulted[arm] = self._defaulted.get(arm, 0) + count
            raise

    def _default(self, arm: Any, ask: Ask) -> Trial:
        with self._lock:
            self._since = self._since or time.time()
            self._defaulted[arm] = self._defaulted.get(arm, 0) + 1
        return Trial("", arm, None, 1.0, STOOD_IN, time.time(), ask.by or "")

    def _give_back(self, running: "Future[Any]") -> None:
        if not running.cancelled() and running.exception() is None:
            with suppress(StoreError):  # then its lease ends by itself
                self._experiment.release(running.result())


def _too_late(timeout: float | None) -> StoreBusyError:
    return StoreBusyError(f"The store did not answer within {timeout:g} s. Try again, or wait.")


def _noted(error: Exception) -> Callable[[Writer], None]:
    """Return the operation that notes that a kept outcome was refused."""
    text = f"An outcome that was kept while the store was away was refused: {error!r:.300}"

    def operation(writer: Writer) -> None:
        writer.emit(Event(Kind.NOTE, 0, 0, -1, 0.0, writer.now, {"text": text}))

    return operation
