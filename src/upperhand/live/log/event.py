"""What a log keeps: events, one at a time or many as columns, and the checksums of both.

The mark of an event is a CRC-32 of all that the log has up to it: it goes on from the mark before,
and the first one from the experiment's name. So a changed, missing, doubled or exchanged event is
noticed. It is no seal: whoever can write the file can compute marks, too.
"""

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DamagedError, ParameterError, StoreAwayError, StoreError


class Kind(IntEnum):
    """What happened. Stored logs have the numbers: none is changed or used again."""

    CREATED = 1
    OPENED = 2
    ASKED = 3
    TOLD = 4
    FAILED = 5
    AT_LEAST = 6
    ADDED = 7
    RETIRED = 8
    PINNED = 9
    SHARES = 10
    CORRECTED = 11
    NOTE = 12
    LEADER = 13  # of logs up to schema 2: who leads is now derived
    DEFAULTED = 14
    RELEASED = 15
    SEGMENT = 16
    CLOCK = 17
    COPIED = 18


OUTCOMES = (Kind.TOLD, Kind.FAILED, Kind.AT_LEAST)


class Event(NamedTuple):
    """One line of a log."""

    kind: int
    trial: int = 0  # 0: of no trial
    segment: int = 0
    arm: int = -1
    value: float = 0.0
    at: float = 0.0  # seconds since 1970, as logged
    extra: dict[str, Any] | None = None  # JSON, rare


class Columns(NamedTuple):
    """Events that follow each other, as arrays; their number is ``len(columns.n)``."""

    n: NDArray[np.int64]
    kind: NDArray[np.uint8]
    trial: NDArray[np.int64]
    segment: NDArray[np.int32]
    arm: NDArray[np.int32]
    value: NDArray[np.float64]
    at: NDArray[np.float64]
    extra: dict[int, dict[str, Any]]  # by n, only of those that have one

    def event(self, i: int) -> Event:
        """Return the i-th of these events."""
        return Event(
            int(self.kind[i]),
            int(self.trial[i]),
            int(self.segment[i]),
            int(self.arm[i]),
            float(self.value[i]),
            float(self.at[i]),
            self.extra.get(int(self.n[i])),
        )

    def events(self) -> list[Event]:
        """Return these events one by one."""
        columns = (getattr(self, name).tolist() for name in self._fields[:-1])
        rows = zip(*columns, strict=True)
        return [Event._make((*fields, self.extra.get(n))) for n, *fields in rows]

    def part(self, begin: int, end: int) -> "Columns":
        """Return the events from the begin-th on, before the end-th."""
        arrays = [getattr(self, name)[begin:end] for name in self._fields[:-1]]
        extra = self.extra and {n: self.extra[n] for n in arrays[0].tolist() if n in self.extra}
        return Columns._make((*arrays, extra))

    @classmethod
    def none(cls) -> "Columns":
        """Return no events."""
        return cls._make((*_NOTHING, {}))

    @classmethod
    def joined(cls, parts: Sequence["Columns"]) -> "Columns":
        """Return the events of all parts, one part after the other."""
        if not parts:
            return cls.none()
        if len(parts) == 1:
            return parts[0]
        arrays = [np.concatenate(column) for column in list(zip(*parts, strict=True))[:-1]]
        extra = {n: each for part in parts for n, each in part.extra.items()}
        return cls._make((*arrays, extra))

    @classmethod
    def of(cls, events: Sequence[Event], after: int) -> "Columns":
        """Return events as arrays, numbered from after + 1 on, as a store would give them back."""
        numbers = range(after + 1, after + 1 + len(events))
        *columns, extras = zip(*events, strict=True) if events else ([],) * 7
        arrays = [np.array(c, dtype=t) for c, t in zip((numbers, *columns), TYPES, strict=True)]
        texts = [(n, as_text(extra)) for n, extra in zip(numbers, extras, strict=True)]
        return cls._make((*arrays, {n: json.loads(text) for n, text in texts if text is not None}))


TYPES = (np.int64, np.uint8, np.int64, np.int32, np.int32, np.float64, np.float64)
_NOTHING = tuple(np.empty(0, each) for each in TYPES)
for _column in _NOTHING:
    _column.flags.writeable = False  # all empty answers share them


def as_text(extra: dict[str, Any] | None) -> str | None:
    """Return `extra` as JSON; ASCII, so that every store takes every string."""
    if extra is None:
        return None
    try:
        return json.dumps(extra, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"An event's extra must be a dictionary of JSON values without NaN; {error}. "
            "Nothing was written."
        ) from error


def refuse_bad(events: Sequence[Event]) -> None:
    """Refuse events that not every store could give back as they were."""
    for event in events:
        kind, trial, segment, arm, value, at, extra = event
        if not (
            0 < kind < 256
            and -(2**63) <= trial < 2**63
            and -(2**31) <= segment < 2**31
            and -(2**31) <= arm < 2**31
            and math.isfinite(value)
            and math.isfinite(at)
            and (extra is None or isinstance(extra, dict))
        ):
            raise StoreError(
                f"Cannot log {event}: value and at must be finite, kind 1 … 255, trial of 64 bits, "
                "segment and arm of 32, extra a dictionary. Nothing was written."
            )


# Marks

PACKED = struct.Struct("<qBqiidd")  # an event as bytes, without `extra`
_BYTES = np.dtype(
    [
        (name, np.dtype(each).newbyteorder("<"))
        for name, each in zip(Columns._fields, TYPES, strict=False)
    ]
)


def first_mark(name: str) -> int:
    """Return what the mark of an experiment's first event goes on from."""
    return zlib.crc32(name.encode())


def mark_of(before: int, n: int, event: Event, text: str | None) -> int:
    """Return the mark of event n, whose `extra` is `text`, from the mark before it."""
    kind, trial, segment, arm, value, at, _ = event
    mark = zlib.crc32(PACKED.pack(n, kind, trial, segment, arm, value, at), before)
    return mark if text is None else zlib.crc32(text.encode(), mark)


def marks_of(columns: Columns, texts: Mapping[int, str], before: Sequence[int]) -> list[int]:
    """Return the marks of events, each from the mark before it; `texts` are their `extra` by n."""
    packed = np.empty(len(columns.n), _BYTES)
    for name in Columns._fields[:-1]:
        packed[name] = getattr(columns, name)
    rows = packed.view(f"V{_BYTES.itemsize}").tolist()
    marks = list(map(zlib.crc32, rows, before))
    if texts:
        for i, n in enumerate(columns.n.tolist()):
            if n in texts:
                marks[i] = zlib.crc32(texts[n].encode(), marks[i])
    return marks


def check_marks(
    columns: Columns, texts: Mapping[int, str], marks: Sequence[int], after: int, before: int,
    name: str, place: str,
) -> None:  # fmt: skip
    """Refuse events behind number `after`, whose mark is `before`, that are not as written."""
    if not len(columns.n):
        return
    expected = marks_of(columns, texts, [before, *marks[:-1]])
    numbers = range(after + 1, after + 1 + len(marks))
    if expected != list(marks) or columns.n.tolist() != list(numbers):
        found = zip(numbers, columns.n.tolist(), expected, marks, strict=True)
        raise damaged(place, name, next(n for n, m, a, b in found if n != m or a != b))


def damaged(place: str, name: str, n: int, what: str = "is not as it was written") -> DamagedError:
    """Return the error that says from which event on a log is damaged."""
    whole = "event before it is" if n == 2 else f"{n - 1:,} events before it are"
    before = f"The {whole} whole. " if n > 1 else ""
    rescue = f", or keep them: upperhand copy {name} --from … --to new.db --until {n - 1}"
    return DamagedError(
        f"{place} is damaged: event {n:,} of {name!r} {what}. {before}Nothing was changed. Go on "
        f"with a copy that was made before{rescue if n > 1 else ''}.",
        n,
    )


def refused(place: str, numbered: bool) -> StoreError:
    """Return the error that says that an event is there already, by its number or its trial."""
    if numbered:
        return DamagedError(
            f"{place} is damaged: an event lies behind the end of a log. Nothing was written. Find "
            "it by upperhand check NAME, and go on with a copy of the events before it."
        )
    return StoreError(
        f"{place} has an outcome of such a trial already; nothing was written. Tell a trial once."
    )


# Names, and marks of snapshots

LONGEST_NAME = 200


def checked_name(name: object) -> str:
    """Return the name of an experiment; refuse what not every store could keep."""
    if isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable():
        return name
    raise ParameterError(
        f"The name of an experiment must be 1 to {LONGEST_NAME} printable characters; got {name!r}."
    )


def digest(name: str, n: int, data: bytes) -> bytes:
    """Return what tells a whole snapshot of an experiment from a damaged one, or another's."""
    return hashlib.sha256(name.encode() + n.to_bytes(8, "big", signed=True) + data).digest()


class UnsyncedError(StoreAwayError):
    """What was committed is there, and perhaps not on the disk."""


def closed(name: str) -> StoreError:
    """Return the error that says that a storage was closed."""
    return StoreError(f"The storage of {name!r} was closed. Open it again by open_storage.")
