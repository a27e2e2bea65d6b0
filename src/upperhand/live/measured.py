"""Trials that measure themselves: a context, a decorator, and both for asynchronous code.

asyncio is loaded by who uses it: it takes longer than all the rest of an ask from the shell.
"""

import functools
import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Lock
from typing import Any

from ..errors import ConflictError, ParameterError, UpperhandError
from .settings import UNITS, Settings
from .trial import Trial


class Measured:
    """What tells by itself how long a trial took, or that it failed."""

    settings: Settings
    ask: Callable[..., Trial]
    tell: Callable[..., str]
    release: Callable[..., None]

    @contextmanager
    def trial(self, **asked: Any) -> Iterator[Trial]:
        """Ask, and tell how long the block took; an exception in it tells that it failed.

        In seconds, or in the unit of `duration`. If the block tells the trial itself, that counts.
        An interrupt gives the trial back. Arguments are those of `ask`.
        """
        trial = self.ask(**asked)
        begin = time.perf_counter()
        try:
            yield trial
        except Exception as error:
            self._fail(trial, error, asked.get("timeout"))
            raise
        except BaseException:  # an interrupt says nothing of the arm
            self._give_back(trial)
            raise
        self._end(trial, time.perf_counter() - begin, asked.get("timeout"))

    @asynccontextmanager
    async def atrial(self, **asked: Any) -> AsyncIterator[Trial]:
        """Do what `trial` does, in asynchronous code; a cancelled task gives the trial back."""
        import asyncio

        trial = await self.aask(**asked)
        begin = time.perf_counter()
        try:
            yield trial
        except Exception as error:
            await asyncio.to_thread(self._fail, trial, error, asked.get("timeout"))
            raise
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._give_back, trial))
            raise
        took = time.perf_counter() - begin
        await asyncio.to_thread(self._end, trial, took, asked.get("timeout"))

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

        What it returns is returned; how long it took is told, or that it raised an exception. Works
        for plain and for asynchronous functions: ``@exp.measured``, or with what `ask` takes,
        ``@exp.measured(default="small", timeout=0.05)``.
        """
        if function is None:
            return functools.partial(self.measured, **asked)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                async with self.atrial(**asked) as trial:
                    return await function(trial.arm, *args, **kwargs)

            return awaited

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with self.trial(**asked) as trial:
                return function(trial.arm, *args, **kwargs)

        return called

    def _fail(self, trial: Trial, error: Exception, timeout: float | None) -> None:
        """Tell that a trial failed, unless its block told it; the block's error is what counts."""
        if trial.settled:
            return
        try:
            with suppress(ConflictError):
                self.tell(trial, failed=True, timeout=timeout)
        except UpperhandError as problem:
            error.add_note(f"upperhand could not note that the trial failed: {problem}")
            with suppress(UpperhandError):
                self.release(trial)

    def _end(self, trial: Trial, seconds: float, timeout: float | None) -> None:
        """Tell how long a trial took, unless its block told it."""
        if trial.settled:
            return
        if self.settings.duration is None and not self.settings.minimize:
            self.release(trial)
            raise ParameterError(
                "This experiment maximizes something else than the time that a trial takes, and "
                "the block told nothing. Tell it: exp.tell(trial, value). The trial was given back."
            )
        unit = UNITS[self.settings.duration or "s"]
        with suppress(ConflictError):  # the block told it by its id
            self.tell(trial, seconds * unit, timeout=timeout)

    def _give_back(self, trial: Trial) -> None:
        if not trial.settled:
            self.release(trial)
