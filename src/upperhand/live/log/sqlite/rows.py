"""Events to rows and back."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import numpy as np

from ..event import TYPES, Columns, Event, as_text
from ..schema import IS_OUTCOME

CHUNK = 2000  # rows at a time: a table of them fits the cache of the processor

_FIELDS = ("n", "kind", "trial", "segment", "arm", "value", "at", "extra")
_RECORD = np.dtype(list(zip(_FIELDS, (*TYPES, object), strict=True)))
_COLUMNS = ", ".join(_FIELDS)
_READ = f"select {_COLUMNS} from events where experiment = ? and n > ? order by n limit ?"
_OUTCOME = (
    "select kind, trial, segment, arm, value, at, extra "
    f"from events where experiment = ? and trial = ? and {IS_OUTCOME}"
)
_INSERT = "insert into events values (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def columns(rows: list[tuple[Any, ...]]) -> Columns:
    """Return rows as arrays."""
    if not rows:
        return Columns.none()
    table = np.array(rows, dtype=_RECORD)
    extra = {row[0]: json.loads(row[-1]) for row in rows if row[-1] is not None}
    arrays = (np.ascontiguousarray(table[name]) for name in _FIELDS[:-1])
    return Columns._make((*arrays, extra))


def chunk(connection: apsw.Connection, experiment: int, after: int, most: int = CHUNK) -> Columns:
    """Return the first events with n > after."""
    return columns(connection.execute(_READ, (experiment, after, most)).fetchall())


def all_after(connection: apsw.Connection, experiment: int, after: int) -> Columns:
    """Return all events with n > after."""
    return Columns.joined(list(chunks(connection, experiment, after)))


def chunks(connection: apsw.Connection, experiment: int, after: int) -> Iterator[Columns]:
    """Give events as long as there are some."""
    while len((part := chunk(connection, experiment, after)).n):
        yield part
        if len(part.n) < CHUNK:
            return
        after = int(part.n[-1])


def last(connection: apsw.Connection, experiment: int) -> int:
    """Return the number of the last event."""
    row = connection.execute("select max(n) from events where experiment = ?", (experiment,))
    return row.get or 0


def outcome(connection: apsw.Connection, experiment: int, trial: int) -> Event | None:
    """Return what a trial ended with."""
    row = connection.execute(_OUTCOME, (experiment, trial)).fetchone()
    if row is None:
        return None
    return Event._make((*row[:6], None if row[6] is None else json.loads(row[6])))


def insert(
    connection: apsw.Connection, experiment: int, after: int, events: Sequence[Event]
) -> None:
    """Write events behind number `after`."""
    rows = [
        (experiment, n, int(kind), trial, segment, arm, value, at, as_text(extra))
        for n, (kind, trial, segment, arm, value, at, extra) in enumerate(events, after + 1)
    ]
    if len(rows) == 1:
        connection.execute(_INSERT, rows[0])
    else:
        connection.executemany(_INSERT, rows)


def experiment_id(connection: apsw.Connection, name: str) -> int | None:
    """Return under which number an experiment is kept."""
    found: int | None = connection.execute("select id from experiments where name = ?", (name,)).get
    return found
