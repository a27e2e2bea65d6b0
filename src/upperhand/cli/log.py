"""``upperhand log``: what happened, event by event."""

import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .. import checks
from ..text import printable
from .arms import WHOLE
from .stores import log_of, name_argument, opened_store, storage_option

if TYPE_CHECKING:
    from ..live.log import Columns, Log
    from ..live.records import Record

EVERY = 0.5  # seconds between looks for news
SHOWN = ("n", "time", "event")  # first, in columns
LONG = ("seconds", "policy", "version", "stream", "settings", "program", "key")  # only in JSON


@click.command()
@name_argument
@click.option("--since", type=WHOLE, default=0, help="Only events after this number.")
@click.option("--follow", is_flag=True, help="Go on with what happens, until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True,
              help="Print each event as one line of JSON, with all that an analysis needs."
              )  # fmt: skip
@storage_option
def log(name: str, since: int, follow: bool, as_json: bool, storage: str | None) -> None:
    """Print what happened, one line an event.

    In JSON, an ask has its candidates, the arm, its probability and how that is known, the policy,
    the version that chose, and the key of its random numbers.
    """
    from ..live.opening import stored
    from ..live.records import records
    from ..live.replay import corrections

    checks.integer("since", since, least=0)
    out = sys.stdout
    with opened_store(storage) as store:
        found = log_of(store, name)
        settings = stored(found)
        if settings is None:
            return
        first = found.read()
        for record in records(
            settings, _chunks(found, first, follow), corrections(first), since=since
        ):
            written = json.dumps(record, allow_nan=False) if as_json else line(record)
            out.write(f"{written}\n")
            if follow:
                out.flush()
    out.flush()


def _chunks(log: "Log", first: "Columns", follow: bool) -> "Iterator[Columns]":
    """Yield the events there are, and with `follow` those that come."""
    yield first
    after = int(first.n[-1]) if len(first.n) else 0
    while follow:
        news = log.read(after)
        if len(news.n):
            after = int(news.n[-1])
            yield news
        else:
            time.sleep(EVERY)


def line(record: "Record") -> str:
    """Return a record as one line for people: time, event, and what there is to say."""
    rest = {key: value for key, value in record.items() if key not in (*SHOWN, *LONG)}
    words = "  ".join(f"{key}={_word(value)}" for key, value in rest.items())
    when = f"{record['time'][:23].replace('T', ' ')}Z"
    return printable(f"{record['n']:>6}  {when}  {record['event']:10}  {words}").rstrip()


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_word(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return ",".join(map(_word, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)
