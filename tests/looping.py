"""Tests that loop over their cases."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def for_each(names: str, cases: Iterable[Any]) -> Callable[[Any], Any]:
    """Return a decorator that runs a test, or every test of a class, for all cases as one test.

    It takes the place of `pytest.mark.parametrize` where there are many quick cases. The loop ends
    at the first case that fails, and a note of the failure names it. All cases share one fixture.
    """
    listed, single = list(cases), "," not in names
    arguments = [name.strip() for name in names.split(",")]

    def decorate(test: Any) -> Any:
        if inspect.isclass(test):
            for name, method in list(vars(test).items()):
                if name.startswith("test_"):
                    setattr(test, name, decorate(method))
            return test

        @functools.wraps(test)
        def loop(*given: Any, **fixtures: Any) -> None:
            for case in listed:
                values = dict(zip(arguments, [case] if single else case, strict=True))
                try:
                    test(*given, **values, **fixtures)
                except BaseException as error:
                    error.add_note(f"in the case {values}")
                    raise

        signature = inspect.signature(test)
        kept = [each for name, each in signature.parameters.items() if name not in arguments]
        loop.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return loop

    return decorate
