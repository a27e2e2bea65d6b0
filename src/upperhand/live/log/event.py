"""What a log keeps: events, one at a time or many as columns."""

import json
import math
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import StoreError


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
    LEADER = 13
    DEFAULTED = 14
    RELEASED = 15
    SEGMENT = 16


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
