"""Events to rows and back."""

import json
from collections.abc import Sequence

import numpy as np
from psycopg import sql

from ..event import TYPES, Columns, Event, as_text
from ..schema import IS_OUTCOME
from .pool import Connection

FEW = 64  # up to so many events go as text with the commit; more are copied

CHUNK = 50_000  # events that the server packs at a time; numbers have no gaps

# Each column comes as one array, in the server's binary form: a header, and each number behind
# its length. A row for each event takes several times as long. We sort them: without statistics
# the server would sort the whole log for each chunk.
_FIELDS = {"n": "i8", "kind": "i2", "trial": "i8", "segment": "i4", "arm": "i4"} | {
    "value": "f8",
    "at": "f8",
}
_HEADER = 20  # bytes
_AFTER = f"""
    select {", ".join(f"array_agg({name})" for name in _FIELDS)},
      json_object_agg(n, extra) filter (where extra is not null)::text
    from upperhand.events where experiment = %s and n > %s and n <= %s"""


def after(connection: Connection, experiment: int, n: int, most: int | None = None) -> Columns:
    """Return all events with number > n, or the first ones."""
    parts: list[Columns] = []
    while True:
        room = CHUNK if most is None else min(CHUNK, most)
        part = _chunk(connection, experiment, n, room)
        if len(part.n):
            parts.append(part)
            n = int(part.n[-1])
        most = None if most is None else most - len(part.n)
        if len(part.n) < room or most == 0:
            return Columns.joined(parts)


def _chunk(connection: Connection, experiment: int, n: int, room: int) -> Columns:
    cursor = connection.cursor(binary=True)
    cursor.execute(_AFTER, (experiment, n, n + room))
    result = cursor.pgresult
    if result is None or result.get_value(0, 0) is None:
        return Columns.none()
    arrays = []
    for i, (kind, dtype) in enumerate(zip(_FIELDS.values(), TYPES, strict=True)):
        item = np.dtype([("length", ">i4"), ("number", f">{kind}")])
        data = result.get_value(0, i) or b""
        arrays.append(np.frombuffer(data, item, offset=_HEADER)["number"].astype(dtype))
    if (arrays[0][1:] < arrays[0][:-1]).any():
        order = np.argsort(arrays[0])
        arrays = [array[order] for array in arrays]
    text = result.get_value(0, len(_FIELDS))
    extra = {int(n): json.loads(each) for n, each in json.loads(text).items()} if text else {}
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
    return Event._make((*row[:6], None if row[6] is None else json.loads(row[6])))


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
