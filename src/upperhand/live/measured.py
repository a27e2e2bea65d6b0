"""Trials that measure themselves: a context, a decorator, and both for asynchronous code.

asyncio is loaded by who uses it: it takes longer than all the rest of an ask from the shell.
"""

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import ConflictError, ParameterError, StoreError, UpperhandError
from .decide import Ask, Command, Release
from .engine import Engine, Job
from .fallback import Fallback, is_default
from .settings import UNITS, Settings
from .trial import Trial, parse_id

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

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
        took, trial = time.perf_counter() - self._begin, self._trial
        if trial.settled:
            return
        experiment, timeout = self._experiment, self._asked.get("timeout")
        if error is None:  # what is given to the engine is written, also if this task is cancelled
            try:
                value = experiment._measured(took)
            except ParameterError:
                await experiment._arelease(trial)
                raise
            with suppress(ConflictError):
                await experiment.atell(trial, value, timeout=timeout)
        elif self._is_failure(error):
            try:
                with suppress(ConflictError):
                    await experiment.atell(trial, failed=True, timeout=timeout)
            except UpperhandError as problem:
                experiment._unnoted(trial, error, problem)
        else:
            await experiment._arelease(trial)

    def _is_failure(self, error: BaseException) -> bool:
        return isinstance(error, self._failures) and not isinstance(error, self._mistakes)

    def _end(self, error: BaseException | None, took: float) -> None:
        """Record a time or a failure, or give the trial back, unless the block did any of these."""
        trial, timeout = self._trial, self._asked.get("timeout")
        if trial.settled:
            return
        if error is None:
            self._experiment._end(trial, took, timeout)
        elif self._is_failure(error):
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
    _engine: Engine
    _fallback: Fallback
    _asking: Callable[..., tuple[Ask, float | None]]
    _telling: Callable[..., tuple[Command, bool]]

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

        ask, timeout = self._asking(**asked)
        loop, fallback = asyncio.get_running_loop(), self._fallback
        try:
            then, future = Deliver(loop, fallback.asked), loop.create_future()
            job = fallback.begin(ask, then=then, future=future)
            try:
                await asyncio.wait([future], timeout=timeout)
            except asyncio.CancelledError:
                fallback.leave(job)
                if not job.withdrawn and job.error is None:  # answered, and nobody got it
                    fallback.give_back(job.answers[0])
                raise
            fallback.leave(job)
            return fallback.answer(job, timeout).of(self)
        except StoreError:
            if ask.default is None:
                raise
        return fallback.default(ask).of(self)

    async def atell(self, *told: Any, timeout: float | None = None, **how: Any) -> str:
        """Do what `tell` does, without blocking the event loop; cancelled or not, it is told."""
        import asyncio

        (command, default), fallback = self._telling(*told, **how), self._fallback
        loop = asyncio.get_running_loop()
        if timeout is None and not default:
            answer: str = await self._awaited(command, durable=True)
            return answer
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        job = fallback.keep([command], Deliver(loop, fallback.written), loop.create_future())
        await asyncio.wait([job.future], timeout=limit)
        return fallback.told(job)

    async def _arelease(self, trial: Trial) -> None:
        """Do what `release` does, without blocking the event loop; cancelled or not, it is done."""
        trial.settle()
        if not is_default(trial):
            await self._awaited(Release(parse_id(trial.id)), durable=False)

    async def _awaited(self, command: Command, *, durable: bool) -> Any:
        """Let the engine run a command, and return the answer when it is there."""
        import asyncio

        loop = asyncio.get_running_loop()
        self._fallback.catch_up(wait=False)
        future = loop.create_future()
        job = self._engine.submit([command], durable=durable, then=Deliver(loop), future=future)
        await future
        return job.result()[0]

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
            self._unnoted(trial, error, problem)

    def _unnoted(self, trial: Trial, error: BaseException, problem: UpperhandError) -> None:
        error.add_note(f"upperhand could not note that the trial failed: {problem}")
        with suppress(UpperhandError):
            self._fallback.give_back(trial)

    def _end(self, trial: Trial, seconds: float, timeout: float | None) -> None:
        """Record how long a trial took."""
        try:
            value = self._measured(seconds)
        except ParameterError:
            self.release(trial)
            raise
        with suppress(ConflictError):  # the block told it by its id
            self.tell(trial, value, timeout=timeout)

    def _measured(self, seconds: float) -> float:
        """Return a time as an outcome."""
        if self.settings.duration is None and not self.settings.minimize:
            raise ParameterError(
                "This experiment maximizes something else than the time that a trial takes, and "
                "the block told nothing. Tell it: trial.tell(value). The trial was given back."
            )
        return seconds * UNITS[self.settings.duration or "s"]


@dataclass(frozen=True)
class Deliver:
    """What lets an event loop know of all jobs of a commit at once."""

    loop: "AbstractEventLoop"
    first: Callable[[list[Job]], None] | None = None  # to be called by the engine's thread

    def __call__(self, jobs: list[Job]) -> None:
        """Let the loop go on with them."""
        if self.first is not None:
            self.first(jobs)
        with suppress(RuntimeError):  # the loop is closed, and nobody waits
            self.loop.call_soon_threadsafe(_wake, jobs)


def _wake(jobs: list[Job]) -> None:
    for job in jobs:
        if not job.future.done():
            job.future.set_result(None)
