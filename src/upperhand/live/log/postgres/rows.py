"""Events to rows and back."""

import json
from collections.abc import Sequence

import numpy as np
from psycopg import sql

from ..event import TYPES, Columns, Event, as_text
from ..schema import IS_OUTCOME
from .pool import Connection

FEW = 64  # up to so many events go as text with the commit; more are copied

# A row of a binary COPY: the number of fields, and each field behind its length.
_FIELDS = {"n": "i8", "kind": "i2", "trial": "i8", "segment": "i4", "arm": "i4"} | {
    "value": "f8",
    "at": "f8",
}
_RECORD = np.dtype(
    [("fields", ">i2")]
    + [pair for name, t in _FIELDS.items() for pair in ((f"_{name}", ">i4"), (name, f">{t}"))]
    + [("_has", ">i4"), ("has", "u1")]
)
_HEADER, _TRAILER = 19, 2  # bytes around the rows


def after(connection: Connection, experiment: int, n: int) -> Columns:
    """Return all events with number > n."""
    where = f"from upperhand.events where experiment = {int(experiment)} and n > {int(n)}"
    query = f"select {', '.join(_FIELDS)}, extra is not null {where} order by n"
    with connection.cursor() as cursor:
        with cursor.copy(f"copy ({query}) to stdout (format binary)") as copy:
            data = b"".join(copy)
        table = np.frombuffer(data[_HEADER:-_TRAILER], dtype=_RECORD)
        if not len(table):
            return Columns.none()
        arrays = [table[name].astype(t) for name, t in zip(_FIELDS, TYPES, strict=True)]
        extra = {}
        if table["has"].any():
            most = f"and n <= {int(table['n'][-1])} and extra is not null order by n"
            cursor.execute(f"select n, extra {where} {most}")
            extra = {int(n): json.loads(text) for n, text in cursor.fetchall()}
    return Columns._make((*arrays, extra))


def outcome(connection: Connection, experiment: int, trial: int) -> Event | None:
    """Return what a trial ended with."""
    row = connection.execute(
        "select kind, trial, segment, arm, value, at, extra "
        f"from upperhand.events where experiment = %s and trial = %s and {IS_OUTCOME}",
        (experiment, trial),
    ).fetchone()
    if row is None:
        return None
    return Event._make((*row[:6], None if row[6] is None else json.loads(str(row[6]))))


def insert(experiment: int, n: int, events: Sequence[Event]) -> str:
    """Return the statement that writes a few events behind number n.

    Numbers are quoted, so that the server reads them as what the column is, to the last bit.
    """
    values = []
    for m, (kind, trial, segment, arm, value, at, extra) in enumerate(events, n + 1):
        whole = ",".join(str(int(x)) for x in (experiment, m, kind, trial, segment, arm))
        text = as_text(extra)
        quoted = "null" if text is None else sql.Literal(text).as_string(None)
        values.append(f"({whole},'{float(value)!r}','{float(at)!r}',{quoted})")
    return f"insert into upperhand.events values {','.join(values)}"


def copy(connection: Connection, experiment: int, n: int, events: Sequence[Event]) -> None:
    """Write many events behind number n."""
    with (
        connection.cursor() as cursor,
        cursor.copy("copy upperhand.events from stdin") as writer,
    ):
        for m, event in enumerate(events, n + 1):
            kind, trial, segment, arm, value, at, extra = event
            row = (experiment, m, int(kind), trial, segment, arm, value, at, as_text(extra))
            writer.write_row(row)
