"""What commands on live experiments share: where they are kept, opening one, outcomes as words."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .. import checks
from ..errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from ..live import Experiment
    from ..live.log import Log, Storage

VARIABLE = "UPPERHAND_STORAGE"

name_argument = click.argument("name")
storage_option = click.option(
    "--storage", metavar="URL", envvar=VARIABLE, show_envvar=True,
    help="Where experiments are kept: a file such as bandits.db, or postgresql://….",
)  # fmt: skip
by_option = click.option("--by", metavar="SEGMENT", help="A segment, such as region=eu.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
confidence_option = click.option(
    "--confidence", default=0.95, show_default=True, help="Of the intervals, and to call a leader."
)


def told_storage(url: str | None) -> str:
    """Return where experiments are kept; refuse to guess."""
    if not url:
        raise ParameterError(
            "Say where experiments are kept: --storage bandits.db, or once for all commands "
            f"export {VARIABLE}=bandits.db. A server is postgresql://user@host/database."
        )
    if url == "memory://":
        raise ParameterError(
            "memory:// ends with the command. Give a file, such as bandits.db, or postgresql://…."
        )
    return url


@contextmanager
def opened_store(url: str | None) -> Iterator["Storage"]:
    """Open a store that is there: a mistyped path makes no new file."""
    from ..live.log import open_storage

    store = open_storage(told_storage(url), create=False)
    try:
        yield store
    finally:
        store.close()


def log_of(store: "Storage", name: str) -> "Log":
    """Return the log of an experiment that is there."""
    names = store.names()
    if name not in names:
        if not names:
            raise UnknownNameError(
                f"There is no experiment {name!r}: this store is empty. Make it: upperhand new "
                f"{name} --arm … --arm … --quantile 0.95 --minimize."
            )
        raise UnknownNameError.among("experiment", name, names)
    return store.log(name)


@contextmanager
def experiment(url: str | None, name: str) -> Iterator["Experiment"]:
    """Open an experiment that is there."""
    from ..live import Experiment

    with opened_store(url) as store:
        log_of(store, name)
        with Experiment(name, storage=store) as found:
            yield found


def spoken(word: str) -> dict[str, Any]:
    """Return the outcome that a word is, as `tell` takes it: 120.5, failed, or >=30.

    >>> spoken("120.5"), spoken("failed"), spoken(">=30")
    ({'value': 120.5}, {'failed': True}, {'at_least': 30})
    """
    if word == "failed":
        return {"failed": True}
    bound = word.removeprefix(">=").removeprefix("≥")
    number = checks.number_in(bound)
    if number is None:
        raise ParameterError(
            f"An outcome must be a number such as 120.5, the word failed, or a bound such as "
            f"'>=30'; got {word!r:.80}."
        )
    return {"value" if bound == word else "at_least": number}


def as_json(value: Any) -> str:
    """Return JSON; infinities as "inf" and "-inf", as JSON has none, and NaN as null."""
    return json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; a named tuple becomes an object.

    >>> plain({"ends": (float("inf"), 1.0)})
    {'ends': ['inf', 1.0]}
    """
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
