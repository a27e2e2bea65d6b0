"""Trials that measure themselves: a context, a decorator, and both for asynchronous code.

asyncio is loaded by who uses it: it takes longer than all the rest of an ask from the shell.
"""

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from .. import checks
from ..errors import ConflictError, ParameterError, UpperhandError
from .settings import UNITS, Settings
from .trial import Trial

MISTAKES = (NameError, SyntaxError, ImportError)  # in the program: they say nothing about an arm
Exceptions = type[BaseException] | tuple[type[BaseException], ...]


class Block:
    """A trial around a block of code, for `with` and `async with`."""

    def __init__(
        self, experiment: "Measured", failures: Exceptions | None, asked: Mapping[str, Any]
    ) -> None:
        self._experiment, self._asked = experiment, asked
        self._failures = exceptions("failures", Exception if failures is None else failures)
        self._mistakes = MISTAKES if failures is None else ()

    def __enter__(self) -> Trial:
        self._trial = self._experiment.ask(**self._asked)
        self._begin = time.perf_counter()
        return self._trial

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._end(error, time.perf_counter() - self._begin)

    async def __aenter__(self) -> Trial:
        self._trial = await self._experiment.aask(**self._asked)
        self._begin = time.perf_counter()
        return self._trial

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        import asyncio

        took = time.perf_counter() - self._begin
        await asyncio.shield(asyncio.to_thread(self._end, error, took))

    def _end(self, error: BaseException | None, took: float) -> None:
        """Record a time or a failure, or give the trial back, unless the block did any of these."""
        trial, timeout = self._trial, self._asked.get("timeout")
        if trial.settled:
            return
        if error is None:
            self._experiment._end(trial, took, timeout)
        elif isinstance(error, self._failures) and not isinstance(error, self._mistakes):
            self._experiment._fail(trial, error, timeout)
        else:
            self._experiment.release(trial)


def exceptions(name: str, given: Any) -> tuple[type[BaseException], ...]:
    """Return one or several classes of exceptions as a tuple."""
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(each, type) and issubclass(each, BaseException) for each in found):
        raise ParameterError(f"{name} must be exceptions, such as TimeoutError; got {given!r}.")
    return found


class Measured:
    """What records by itself how long a trial took, or that it failed."""

    settings: Settings
    ask: Callable[..., Trial]
    tell: Callable[..., str]
    release: Callable[..., None]

    def trial(self, *, failures: Exceptions | None = None, **asked: Any) -> Block:
        """Ask, and record how long the block took, for `with` and `async with`.

        The time is in seconds, or in the unit of `duration`. If the block tells the trial, by
        ``trial.tell(value)``, that counts instead. An exception of `failures` is recorded as a
        failure: by default each `Exception` except NameError, SyntaxError and ImportError, which
        are mistakes in a program. All others, such as an interrupt or a cancelled task, give the
        trial back. All are raised again. Other arguments are those of `ask`.
        """
        return Block(self, failures, asked)

    def run(
        self, function: Callable[[Trial], Any], n: int, catch: Exceptions = (), **asked: Any
    ) -> None:
        """Call ``function(trial)`` n times, each with a new trial, and record what it returns.

        An exception does what it does in ``with exp.trial()``, and ends the run unless it is one of
        `catch`. With `duration`, a function may return None: its time counts then. Other arguments
        are those of `trial`.
        """
        caught = exceptions("catch", catch)
        for _ in range(checks.count("n", n, least=1)):
            with suppress(*caught), self.trial(**asked) as trial:
                value = function(trial)
                if not trial.settled and (value is not None or self.settings.duration is None):
                    self._record(trial, value, asked.get("timeout"))

    def _record(self, trial: Trial, value: Any, timeout: float | None) -> None:
        """Record what a function returned; what is no outcome gives the trial back."""
        try:
            self.tell(trial, value, timeout=timeout)
        except UpperhandError:
            with suppress(UpperhandError):
                self.release(trial)
            raise

    async def aask(self, **asked: Any) -> Trial:
        """Do what `ask` does, without blocking the loop; cancelled, it gives the trial back."""
        import asyncio

        handed_over = Lock()  # taken by the first: who answers, or who no longer wants to know
        answers: list[Trial] = []

        def asking() -> None:
            answers.append(self.ask(**asked))
            if not handed_over.acquire(blocking=False):
                self.release(answers[0])

        try:
            await asyncio.to_thread(asking)
        except asyncio.CancelledError:
            if not handed_over.acquire(blocking=False):  # it was answered, and nobody got it
                asyncio.get_running_loop().run_in_executor(None, self.release, answers[0])
            raise
        return answers[0]

    async def atell(self, *told: Any, **how: Any) -> str:
        """Do what `tell` does, without blocking the event loop."""
        import asyncio

        return await asyncio.to_thread(self.tell, *told, **how)

    def measured(self, function: Callable[..., Any] | None = None, **asked: Any) -> Any:
        """Make each call of a function a trial: it gets the arm as its first argument.

        What it returns is returned; how long it took is recorded, or that it failed. Works for
        plain and for asynchronous functions: ``@exp.measured``, or with what `trial` takes,
        ``@exp.measured(default="small", timeout=0.05)``.
        """
        if function is None:
            return functools.partial(self.measured, **asked)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                async with self.trial(**asked) as trial:
                    return await function(trial.arm, *args, **kwargs)

            return awaited

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with self.trial(**asked) as trial:
                return function(trial.arm, *args, **kwargs)

        return called

    def _fail(self, trial: Trial, error: BaseException, timeout: float | None) -> None:
        """Record that a trial failed; the error of its block is what counts."""
        try:
            with suppress(ConflictError):
                self.tell(trial, failed=True, timeout=timeout)
        except UpperhandError as problem:
            error.add_note(f"upperhand could not note that the trial failed: {problem}")
            with suppress(UpperhandError):
                self.release(trial)

    def _end(self, trial: Trial, seconds: float, timeout: float | None) -> None:
        """Record how long a trial took."""
        if self.settings.duration is None and not self.settings.minimize:
            self.release(trial)
            raise ParameterError(
                "This experiment maximizes something else than the time that a trial takes, and "
                "the block told nothing. Tell it: trial.tell(value). The trial was given back."
            )
        unit = UNITS[self.settings.duration or "s"]
        with suppress(ConflictError):  # the block told it by its id
            self.tell(trial, seconds * unit, timeout=timeout)
