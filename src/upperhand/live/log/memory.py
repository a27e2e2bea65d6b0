"""Logs in memory: columns that grow, about 33 bytes an event."""

import json
from array import array
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ...errors import StoreError
from ..forks import watch
from .event import OUTCOMES, TYPES, Columns, Event, as_text, checked_name, closed, refuse_bad

T = TypeVar("T")


class MemoryLog:
    """The events of one experiment, gone with the process; it is its own transaction."""

    commits = 0
    flushes = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._columns: tuple[Any, ...] = tuple(array(code) for code in "Bqiidd")
        self._extra: dict[int, str] = {}
        self._outcomes: dict[int, int] = {}  # trial → position
        self._length = 0  # what lies behind it is left from a transaction that failed
        self._snapshot: tuple[int, bytes] | None = None
        self._closed = False
        self._lock = Lock()
        watch(self)

    def transact(
        self,
        work: Callable[["MemoryLog"], T],
        *,
        durable: bool,  # noqa: ARG002
        wait: bool = True,  # noqa: ARG002
    ) -> T:
        """Run `work` while nobody else writes; what it appends counts at the end, in one step."""
        with self._lock:
            self._check_open()
            if len(self._columns[0]) > self._length:
                self._cut()
            answer = work(self)
            self._length = len(self._columns[-1])  # the one step
        return answer

    def sync(self, commit: int) -> None:
        """Do nothing: there is no disk."""

    def news(self, after: int) -> Columns | Sequence[Event]:
        """Return all events with n > after, also those appended in this transaction."""
        last = len(self._columns[-1])
        return self._between(after, last) if after < last else ()

    def append(self, events: Sequence[Event]) -> None:
        """Put events behind the others."""
        refuse_bad(events)
        texts = [as_text(event.extra) for event in events]
        for event, text in zip(events, texts, strict=True):
            position = len(self._columns[-1])
            ends = event.trial and event.kind in OUTCOMES
            if ends and event.trial in self._outcomes:
                raise StoreError(f"Trial {event.trial} has an outcome already.")
            for column, value in zip(self._columns, event, strict=False):
                column.append(value)
            if text is not None:
                self._extra[position + 1] = text
            if ends:
                self._outcomes[event.trial] = position

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with."""
        i = self._outcomes.get(trial)
        if i is None:
            return None
        text = self._extra.get(i + 1)
        return Event._make((*(c[i] for c in self._columns), text and json.loads(text)))

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones."""
        self._check_open()
        last = self._length if most is None else min(self._length, max(after, 0) + most)
        return self._between(after, last)

    def last(self) -> int:
        """Return the number of events."""
        self._check_open()
        return self._length

    check = last

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        self._check_open()
        if self._length and (self._snapshot is None or self._snapshot[0] <= n):
            self._snapshot = (n, bytes(data))

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot."""
        self._check_open()
        return self._snapshot

    def before_fork(self) -> None:
        """Do nothing: a child's copy is its own."""

    def after_fork(self, *, child: bool) -> None:
        """Renew the lock in a child: the thread that held it is not there."""
        if child:
            self._lock = Lock()

    def _check_open(self) -> None:
        if self._closed:
            raise closed(self.name)

    def _cut(self) -> None:
        """Remove what a transaction left behind that failed or was interrupted."""
        for column in self._columns:
            del column[self._length :]
        self._outcomes = {t: i for t, i in self._outcomes.items() if i < self._length}
        self._extra = {n: text for n, text in self._extra.items() if n <= self._length}

    def _between(self, after: int, last: int) -> Columns:
        after = max(after, 0)
        if after >= last:
            return Columns.none()
        arrays = [
            np.array(column[after:last], dtype=dtype)
            for column, dtype in zip(self._columns, TYPES[1:], strict=True)
        ]
        own = {n: json.loads(self._extra[n]) for n in sorted(self._extra) if after < n <= last}
        return Columns._make((np.arange(after + 1, last + 1, dtype=np.int64), *arrays, own))


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
