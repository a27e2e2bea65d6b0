"""A turn: one transaction that holds the experiment's lock.

Two round trips, if no other process has written meanwhile: one to begin, lock and see where the
log ends; one to insert and commit. Read Committed, so that what is read after the lock was got is
what stands there then.
"""

import os
from collections.abc import Sequence
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING

import psycopg

from ....errors import EventsLostError, StoreError
from ..event import OUTCOMES, Columns, Event, as_text, refuse_bad
from ..lease import nested
from . import rows
from .pool import Connection
from .words import told, unknown

if TYPE_CHECKING:
    from .log import PostgresLog


class PostgresTurn:
    """What is appended is sent with the commit."""

    def __init__(self, log: "PostgresLog", durable: bool, timeout: float | None) -> None:
        self._log = log
        self._pool = log._pool
        self._durable = durable
        self._timeout = timeout
        self._pid = os.getpid()
        self._key = (0, 0)
        self._connection: Connection | None = None
        self._experiment: int | None = None
        self._last = 0  # before this turn
        self._events: list[Event] = []
        self._seen: tuple[int, Event] | None = None

    def __enter__(self) -> "PostgresTurn":
        key = self._key = (get_ident(), os.getpid())
        if (left := self._log._turns.get(key)) is not None and left._connection is not None:
            left._connection.close()  # an interrupt came between that turn and its end
        self._log._turns[key] = self
        try:
            self._connection = self._pool.take(self._timeout)
            try:
                self._begin()
            except psycopg.OperationalError:
                if not self._connection.closed:
                    raise
                self._pool.drop_idle()  # the server was restarted; nothing was done yet
                self._connection = self._pool.take(self._timeout)
                self._begin()
            self._check_seen()
        except psycopg.Error as error:
            self._abandon()
            raise told(self._pool.place, error) from error
        except BaseException:
            self._abandon()
            raise
        return self

    def _begin(self) -> None:
        wait = ""
        if self._timeout is not None:
            wait = f"set local lock_timeout = {max(1, int(self._timeout * 1000))};"
        known = self._log._experiment
        where = f"id = {known}" if known else f"name = {self._log._quoted}"
        cursor = self._open().execute(
            "begin isolation level read committed;"
            f"{wait} set local synchronous_commit = {'on' if self._durable else 'off'};"
            f"select pg_advisory_xact_lock({self._log._key});"
            "select id, (select coalesce(max(n), 0) from upperhand.events where experiment = id)"
            f" from upperhand.experiments where {where}"
        )
        while cursor.nextset():
            pass
        found = cursor.fetchone()
        if found is not None:
            self._experiment, self._last = int(found[0]), int(found[1])

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self._log._turns.get((get_ident(), os.getpid())) is not self:
            if kind is None:
                raise nested(self._log.name)
            return
        if kind is not None:
            self._abandon()
            return
        try:
            self._commit()
        except BaseException:
            self._abandon()
            raise
        self._log._committed(self._experiment, self._seen)
        self._abandon()

    def _commit(self) -> None:
        connection, events = self._open(), self._events
        try:
            if not events:
                connection.execute("commit")
                return
            if self._experiment is None:
                made = connection.execute(
                    "insert into upperhand.experiments (name) values (%s) returning id",
                    (self._log.name,),
                ).fetchone()
                self._experiment = int(made[0]) if made else None
            assert self._experiment is not None  # noqa: S101
            if len(events) > rows.FEW:
                rows.copy(connection, self._experiment, self._last, events)
                connection.execute("commit")
            else:
                written = rows.insert(self._experiment, self._last, events)
                connection.execute(f"{written}; commit")
            self._seen = (self._last + len(events), events[-1])
        except psycopg.Error as error:
            if connection.closed:
                raise unknown(self._pool.place, error) from error
            raise told(self._pool.place, error) from error

    def news(self, after: int) -> Columns:
        """Return all events with n > after."""
        parts = []
        if self._experiment is not None and after < self._last:
            try:
                found = rows.after(self._open(), self._experiment, after)
            except psycopg.Error as error:
                raise told(self._pool.place, error) from error
            parts.append(found)
            self._seen = (int(found.n[-1]), found.event(-1))
        skipped = max(after - self._last, 0)
        if self._events[skipped:]:
            parts.append(Columns.of(self._events[skipped:], self._last + skipped))
        return Columns.joined(parts)

    def append(self, events: Sequence[Event]) -> None:
        """Keep events for the commit."""
        self._open()
        refuse_bad(events)
        for event in events:
            as_text(event.extra)  # refused here, not at the commit
        self._events.extend(events)

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with."""
        for i, event in enumerate(self._events):
            if event.trial == trial and event.kind in OUTCOMES and trial:
                return Columns.of(self._events[i : i + 1], 0).event(0)
        if self._experiment is None:
            return None
        try:
            return rows.outcome(self._open(), self._experiment, trial)
        except psycopg.Error as error:
            raise told(self._pool.place, error) from error

    def _check_seen(self) -> None:
        """After a new connection: is what this process has seen last still there?

        A turn that was not durable is shown to all before it is on the server's disk. A server
        that breaks down then loses it, its clients live on, and its number is given to another.
        """
        seen, made = self._log._to_check(self._pool.made)
        if seen is None:
            return
        n, event = seen
        found = rows.after(self._open(), self._experiment or 0, n - 1) if n <= self._last else None
        if found is None or found.event(0)[:6] != event[:6]:
            self._log._forget()
            raise EventsLostError(
                f"{self._pool.place} broke down and lost events of {self._log.name!r}, from "
                f"number {min(n, self._last + 1)} on or before, that were not durable yet. "
                "Read the log anew from its beginning."
            )
        self._log._checked = made

    def _open(self) -> Connection:
        if self._connection is None or self._pid != os.getpid():
            raise StoreError(f"This turn of {self._log.name!r} has ended. Begin another one.")
        return self._connection

    def _abandon(self) -> None:
        """Roll back what was not committed and give the connection back.

        What names the connection is cleared last: who is interrupted before is found by the next
        turn, which closes it.
        """
        connection = self._connection
        if connection is not None and self._pid == os.getpid():
            try:
                idle = psycopg.pq.TransactionStatus.IDLE
                if not connection.closed and connection.info.transaction_status != idle:
                    connection.execute("rollback")
            except psycopg.Error:
                connection.close()
            self._pool.give(connection)
        self._connection = None
        self._log._turns.pop(self._key, None)
