"""Logs in memory: columns that grow, about 33 bytes an event."""

import json
from array import array
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

from ...errors import StoreError
from .event import OUTCOMES, TYPES, Columns, Event, as_text, refuse_bad
from .lease import Lease, closed, nested
from .names import checked_name


class MemoryTurn:
    """One turn: what it appends counts when the length of the log is set, in one step."""

    __slots__ = ("_log", "_timeout")

    def __init__(self, log: "MemoryLog", timeout: float | None) -> None:
        self._log = log
        self._timeout = timeout

    def __enter__(self) -> "MemoryTurn":
        log = self._log
        log._lease.take(log.name, self._timeout)
        try:
            log._check_open()
            log._cut()
            log._turn = self
        except BaseException:
            log._lease.leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        log = self._log
        if log._turn is not self:  # its lock is the inner turn's affair
            if kind is None:
                raise nested(log.name)
            return
        if kind is None:
            log._length = len(log._at)  # the one step
        log._turn = None
        log._lease.leave()

    def news(self, after: int) -> Columns:
        """Return all events with n > after."""
        return self._log._between(after, len(self._log._at))

    def append(self, events: Sequence[Event]) -> None:
        """Put events behind the others."""
        log = self._log
        if log._turn is not self:
            raise nested(log.name)
        refuse_bad(events)
        texts = [as_text(event.extra) for event in events]
        for event, text in zip(events, texts, strict=True):
            if event.trial and event.kind in OUTCOMES:
                if self.outcome(event.trial) is not None:
                    raise StoreError(f"Trial {event.trial} has an outcome already.")
                log._outcomes[event.trial] = len(log._at)
            if text is not None:
                log._extra[len(log._at) + 1] = text
            log._kind.append(event.kind)
            log._trial.append(event.trial)
            log._segment.append(event.segment)
            log._arm.append(event.arm)
            log._value.append(event.value)
            log._at.append(event.at)  # the last one: its length is the number of events

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with."""
        i = self._log._outcomes.get(trial)
        return None if i is None else self._log._event(i)


class MemoryLog:
    """The events of one experiment, gone with the process; can be copied and pickled."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._kind, self._trial = array("B"), array("q")
        self._segment, self._arm = array("i"), array("i")
        self._value, self._at = array("d"), array("d")
        self._extra: dict[int, str] = {}
        self._outcomes: dict[int, int] = {}  # trial → place
        self._length = 0  # what lies behind it is left from a turn that failed
        self._snapshot: tuple[int, bytes] | None = None
        self._closed = False
        self._lease = Lease()
        self._turn: MemoryTurn | None = None

    def turn(self, *, durable: bool, timeout: float | None = None) -> MemoryTurn:  # noqa: ARG002
        """Wait for the turn."""
        return MemoryTurn(self, timeout)

    def free(self) -> None:
        """End the turn that an interrupt may have left to this thread."""
        if self._lease.take_if_mine():
            self._turn = None
            self._lease.leave()

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones."""
        self._check_open()
        last = self._length if most is None else min(self._length, max(after, 0) + most)
        return self._between(after, last)

    def last(self) -> int:
        """Return the number of events."""
        self._check_open()
        return self._length

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        self._check_open()
        if self._length and (self._snapshot is None or self._snapshot[0] <= n):
            self._snapshot = (n, bytes(data))

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot."""
        self._check_open()
        return self._snapshot

    def close(self) -> None:
        """Do nothing: a log in memory holds nothing but its events."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock, and what an open turn holds."""
        return {**self.__dict__, "_lease": None, "_turn": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in ("_kind", "_trial", "_segment", "_arm", "_value", "_at"):
            setattr(self, name, state[name][:])  # a copy has its own columns
        self._extra, self._outcomes = dict(self._extra), dict(self._outcomes)
        self._lease = Lease()
        self._cut()

    def _check_open(self) -> None:
        if self._closed:
            raise closed(self.name)

    def _columns(self) -> tuple[Any, ...]:
        return self._kind, self._trial, self._segment, self._arm, self._value, self._at

    def _cut(self) -> None:
        """Remove what a failed turn left behind."""
        length = self._length
        if len(self._kind) == length and len(self._extra) == 0 and len(self._outcomes) == 0:
            return
        if len(self._kind) > length or len(self._at) > length:
            for column in self._columns():
                del column[length:]
        while self._outcomes and (last := next(reversed(self._outcomes.items())))[1] >= length:
            self._outcomes.pop(last[0])
        while self._extra and (n := next(reversed(self._extra))) > length:
            self._extra.pop(n)

    def _event(self, i: int) -> Event:
        text = self._extra.get(i + 1)
        extra = None if text is None else json.loads(text)
        return Event._make((*(column[i] for column in self._columns()), extra))

    def _between(self, after: int, last: int) -> Columns:
        after = max(after, 0)
        if after >= last:
            return Columns.none()
        n = np.arange(after + 1, last + 1, dtype=np.int64)
        arrays = [
            np.array(column[after:last], dtype=dtype)
            for column, dtype in zip(self._columns(), TYPES[1:], strict=True)
        ]
        own = {k: json.loads(self._extra[k]) for k in sorted(self._extra) if after < k <= last}
        return Columns._make((n, *arrays, own))


class MemoryStorage:
    """Logs in memory."""

    def __init__(self) -> None:
        self._logs: dict[str, MemoryLog] = {}
        self._closed = False

    def names(self) -> list[str]:
        """Return the experiments that have events."""
        if self._closed:
            raise closed("memory")
        return [name for name, log in self._logs.items() if log.last()]

    def log(self, name: str) -> MemoryLog:
        """Return the log of that name."""
        if self._closed:
            raise closed("memory")
        name = checked_name(name)
        return self._logs.setdefault(name, MemoryLog(name))

    def close(self) -> None:
        """Refuse any later use."""
        self._closed = True
        for log in self._logs.values():
            log._closed = True
