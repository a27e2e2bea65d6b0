"""Logs in PostgreSQL, for many machines at once."""

import hashlib
import os
from threading import get_ident

import psycopg
from psycopg import sql

from ..event import Columns, Event
from ..names import digest
from . import rows
from .pool import Connection, Pool
from .turn import PostgresTurn
from .words import told


class PostgresLog:
    """The events of one experiment on a server."""

    def __init__(self, name: str, pool: Pool) -> None:
        self.name = name
        self._pool = pool
        self._pid = os.getpid()
        self._quoted = sql.Literal(name).as_string(None)
        first = hashlib.sha256(f"upperhand:{name}".encode()).digest()[:8]
        self._key = int.from_bytes(first, "big", signed=True)  # of the advisory lock
        self._experiment: int | None = None  # its number, once it was seen committed
        self._turns: dict[tuple[int, int], PostgresTurn] = {}  # open ones, by thread and process
        self._seen: tuple[int, Event] | None = None  # the last event that this process knows of
        self._checked = 0

    def turn(self, *, durable: bool, timeout: float | None = None) -> PostgresTurn:
        """Wait for the turn."""
        if self._pid != os.getpid():  # forked: the turns are the parent's
            self._pid, self._turns = os.getpid(), {}
        return PostgresTurn(self, durable, timeout)

    def free(self) -> None:
        """End the turn that an interrupt may have left to this thread."""
        if (left := self._turns.pop((get_ident(), os.getpid()), None)) is not None:
            left._abandon()

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones."""
        with _Reading(self._pool) as connection:
            found = rows.after(connection, self._known(connection), after, most)
        if len(found.n):
            self._committed(None, (int(found.n[-1]), found.event(-1)))
        return found

    def last(self) -> int:
        """Return the number of the last event."""
        with _Reading(self._pool) as connection:
            row = connection.execute(
                "select coalesce(max(n), 0) from upperhand.events where experiment = %s",
                (self._known(connection),),
            ).fetchone()
        return int(row[0]) if row else 0

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        with _Reading(self._pool) as connection:
            if experiment := self._known(connection):
                connection.execute(
                    "insert into upperhand.snapshots as s values (%s, %s, %s, %s) "
                    "on conflict (experiment) do update set n = excluded.n, data = excluded.data, "
                    "sha256 = excluded.sha256 where s.n <= excluded.n",
                    (experiment, n, data, digest(n, data)),
                )

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, if it is whole."""
        with _Reading(self._pool) as connection:
            row = connection.execute(
                "select n, data, sha256 from upperhand.snapshots where experiment = %s",
                (self._known(connection),),
                binary=True,
            ).fetchone()
        if row is None:
            return None
        n, data, mark = int(row[0]), row[1], row[2]
        if not isinstance(data, bytes) or digest(n, data) != mark:
            return None
        return n, data

    def close(self) -> None:
        """Do nothing: connections belong to the storage."""

    def _known(self, connection: Connection) -> int:
        """Return the experiment's number, 0 if it has none yet."""
        if self._experiment is None:
            row = connection.execute(
                "select id from upperhand.experiments where name = %s", (self.name,)
            ).fetchone()
            self._experiment = int(row[0]) if row else None
        return self._experiment or 0

    def _committed(self, experiment: int | None, seen: tuple[int, Event] | None) -> None:
        """Remember what is known to stand in the log."""
        self._experiment = experiment or self._experiment
        if seen is not None and (self._seen is None or self._seen[0] < seen[0]):
            self._seen = seen  # of two threads at once, either will do

    def _to_check(self, made: int) -> tuple[tuple[int, Event] | None, int]:
        """Return what must still be there, if connections were made since the last look."""
        return (self._seen if self._checked != made else None), made

    def _forget(self) -> None:
        self._seen = self._experiment = None


class _Reading:
    """A connection for statements of their own, each of which can be said again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._connection: Connection | None = None

    def __enter__(self) -> Connection:
        connection = self._pool.take(None)
        try:
            connection.execute("")  # an idle one may have lost its server
        except psycopg.Error:
            connection.close()
            self._pool.drop_idle()
            connection = self._pool.take(None)
        self._connection = connection
        return connection

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._pool.give(connection)
        if isinstance(error, psycopg.Error):
            raise told(self._pool.place, error) from error
