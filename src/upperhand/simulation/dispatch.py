"""Tasks given to an executor, a few at a time, and their results kept as they come."""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any, NamedTuple, TypeVar

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
