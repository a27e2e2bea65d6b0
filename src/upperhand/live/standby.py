"""While the store is slow or away: asks get the default, outcomes are kept, and none waits long.

A call with a time limit runs on a thread of its own. If the store does not answer in time, the
caller gets its default and goes on; an ask that the store answers later is given back. What
happened meanwhile is written to the log with the next call that reaches the store.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedTooLong
from threading import Lock
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import ParameterError, StoreError, UpperhandError
from .decisions import Ask, arm_number, decide_ask
from .log.event import Event, Kind
from .trial import Trial
from .writer import Writer

if TYPE_CHECKING:
    from .experiment import Experiment

WORKERS = 16
MOST_KEPT = 100_000  # outcomes; more than that, and the caller is told of the store's error
STOOD_IN = "default"


class WithdrawnError(UpperhandError):
    """Nobody waits for this ask any more."""


class Standby:
    """What an experiment does while its store does not answer."""

    def __init__(self, experiment: "Experiment") -> None:
        self._experiment = experiment
        self._pool: ThreadPoolExecutor | None = None
        self._lock = Lock()
        self._defaulted: dict[str, int] = {}
        self._since = 0.0
        self._kept: deque[Callable[[Writer], Any]] = deque()

    @property
    def waiting(self) -> bool:
        """Whether there is something to write to the log."""
        return bool(self._defaulted or self._kept)

    def stood_in(self, trial: object) -> bool:
        """Tell whether a trial is a default, which the log does not know."""
        return isinstance(trial, Trial) and trial.how == STOOD_IN

    def ask(self, ask: Ask, default: str | None, timeout: float | None) -> Trial:
        """Ask with a time limit; answer the default if it passes or the store is away."""
        if default is not None and not isinstance(default, str):
            raise ParameterError(f"default must be the name of an arm; got {default!r}.")
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        withdrawn: list[bool] = []

        def operation(writer: Writer) -> Trial:
            if withdrawn:
                raise WithdrawnError
            if default is not None:
                arm_number(writer.machine, default)
            return decide_ask(writer, ask)

        running = self._run(operation, durable=False)
        try:
            found: Trial = running.result(limit)
            return found
        except (WaitedTooLong, StoreError):
            withdrawn.append(True)
            running.add_done_callback(self._give_back)
            if default is None:
                raise
        return self._default(default, ask)

    def tell(self, operation: Callable[[Writer], Any], timeout: float | None) -> str:
        """Tell with a time limit; keep the outcome if it passes or the store is away."""
        taken: list[bool] = []

        def once(writer: Writer) -> Any:
            if taken:
                raise WithdrawnError
            return operation(writer)

        running = self._run(once, durable=True)
        try:
            answer: str = running.result(timeout)
            return answer
        except (WaitedTooLong, StoreError):
            if len(self._kept) >= MOST_KEPT:
                raise
            taken.append(True)
            self._kept.append(operation)  # told twice at worst, which changes nothing
            return "kept"

    def catch_up(self) -> None:
        """Write to the log what happened while the store was away, if it is back."""
        with self._lock:
            defaulted, since = self._defaulted, self._since
            kept = list(self._kept)

            def operation(writer: Writer) -> None:
                if defaulted:
                    extra = {"arms": defaulted, "since": since}
                    total = float(sum(defaulted.values()))
                    writer.emit(Event(Kind.DEFAULTED, 0, 0, -1, total, writer.now, extra))

            commits = self._experiment._commits
            commits.perform(operation, durable=True)
            self._defaulted = {}
            for tell in kept:
                try:
                    commits.perform(tell, durable=True)
                except StoreError:
                    raise
                except UpperhandError:  # such as an arm that is not there: nobody to tell it to
                    pass
                self._kept.popleft()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, operation: Callable[[Writer], Any], *, durable: bool) -> "Future[Any]":
        if self._pool is None:
            self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="upperhand")
        return self._pool.submit(self._experiment._perform, operation, durable=durable)

    def _default(self, arm: str, ask: Ask) -> Trial:
        with self._lock:
            self._since = self._since or time.time()
            self._defaulted = {**self._defaulted, arm: self._defaulted.get(arm, 0) + 1}
        return Trial("", arm, None, 1.0, STOOD_IN, time.time(), ask.by or "")

    def _give_back(self, running: "Future[Any]") -> None:
        if not running.cancelled() and running.exception() is None:
            self._experiment.release(running.result())
