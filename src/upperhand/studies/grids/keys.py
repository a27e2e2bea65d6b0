"""Where in a file something is wrong: errors with the path of their key."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import ParameterError, UnknownNameError, UpperhandError

BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that TOML takes without quotes


@contextmanager
def at(path: str, names: Iterable[str] = ()) -> Iterator[None]:
    """Put the path before what an error says; if it begins with one of the names, that key too.

    >>> with at("study.toml"), at("policies[2]", names=["alpha"]):
    ...     raise ParameterError("alpha must lie in (0, 1); got 2.")
    Traceback (most recent call last):
        ...
    upperhand.errors.ParameterError: study.toml: policies[2].alpha: alpha must lie in (0, 1); got 2.
    """
    try:
        yield
    except UpperhandError as error:
        said = str(error)
        key = next((name for name in names if said.startswith(f"{name} ")), None)
        whole = path if key is None else f"{path}.{key}"
        raise type(error)(f"{whole}: {said}") from error


def key_of(name: str) -> str:
    """Return a key as TOML has it: in quotes, if it has other signs than letters and digits.

    >>> key_of("mine"), key_of("a.b")
    ('mine', '"a.b"')
    """
    return name if BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def refuse_unknown(what: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse keys that mean nothing, with those that are near."""
    names = list(known)
    for key in table:
        if key not in names:
            raise UnknownNameError.among(what, key, names)


def entries(given: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of an array of tables, each with its path."""
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise ParameterError(f"{name} must be tables, [[{name}]]; got {given!r}.")
    for place, entry in enumerate(given):
        yield f"{name}[{place}]", entry


def text_at(table: Mapping[str, Any], key: str, default: Any, under: str = "") -> Any:
    """Return a text, or the default if there is none; `under` is the path of the table."""
    value = table.get(key, default)
    if value is not default and (not isinstance(value, str) or not value.strip()):
        raise ParameterError(
            f"{under}{key}: {key} must be a text that is not empty; got {value!r}."
        )
    return value
