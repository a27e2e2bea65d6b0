"""Logs in one SQLite file, for many threads and processes at once."""

from collections.abc import Sequence
from types import TracebackType

import apsw

from ..event import Columns, Event, refuse_bad
from ..lease import nested
from ..names import digest
from . import rows
from .desk import Desk
from .words import told


class SqliteTurn:
    """One transaction, while the file's lock is held."""

    __slots__ = ("_desk", "_durable", "_experiment", "_last", "_log", "_timeout")

    def __init__(self, log: "SqliteLog", durable: bool, timeout: float | None) -> None:
        self._log = log
        self._desk = log._writer
        self._durable = durable
        self._timeout = timeout
        self._experiment: int | None = None
        self._last: int | None = None

    def __enter__(self) -> "SqliteTurn":
        self._desk.begin(self, self._log.name, durable=self._durable, timeout=self._timeout)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if not self._desk.is_owner(self):  # what it did is rolled back, or the parent's affair
            if kind is None:
                raise nested(self._log.name)
        elif kind is None:
            self._desk.commit()
            self._log._experiment = self._experiment or self._log._experiment
        else:
            self._desk.end()

    def news(self, after: int) -> Columns:
        """Return all events with n > after."""
        connection = self._connection()
        try:
            experiment = self._find(connection)
            return rows.all_after(connection, experiment, after) if experiment else Columns.none()
        except apsw.Error as error:
            raise told(self._desk.path, error) from error

    def append(self, events: Sequence[Event]) -> None:
        """Write events behind the others; the experiment's row comes with the first ones."""
        refuse_bad(events)
        connection = self._connection()
        try:
            experiment = self._find(connection)
            if experiment is None and events:
                connection.execute("insert into experiments (name) values (?)", (self._log.name,))
                experiment = self._experiment = connection.last_insert_rowid()
            if experiment is not None and events:
                if self._last is None:
                    self._last = rows.last(connection, experiment)
                rows.insert(connection, experiment, self._last, events)
                self._last += len(events)
        except apsw.Error as error:
            raise told(self._desk.path, error) from error

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with."""
        connection = self._connection()
        try:
            experiment = self._find(connection)
            return rows.outcome(connection, experiment, trial) if experiment else None
        except apsw.Error as error:
            raise told(self._desk.path, error) from error

    def _connection(self) -> apsw.Connection:
        if not self._desk.is_owner(self):
            raise nested(self._log.name)
        return self._desk.connection()

    def _find(self, connection: apsw.Connection) -> int | None:
        if self._experiment is None:
            known = self._log._experiment
            self._experiment = known or rows.experiment_id(connection, self._log.name)
        return self._experiment


class SqliteLog:
    """The events of one experiment in a file."""

    def __init__(self, name: str, writer: Desk, reader: Desk) -> None:
        self.name = name
        self._writer = writer
        self._reader = reader
        self._experiment: int | None = None  # its number, once it was seen committed

    def turn(self, *, durable: bool, timeout: float | None = None) -> SqliteTurn:
        """Wait for the turn."""
        return SqliteTurn(self, durable, timeout)

    def free(self) -> None:
        """End the turn that an interrupt may have left to this thread."""
        self._writer.free()
        self._reader.free()

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, in short reads: no checkpoint waits for a long one."""
        parts: list[Columns] = []
        while True:
            room = rows.CHUNK if most is None else min(rows.CHUNK, most)
            with self._reader as connection:
                experiment = self._known(connection)
                try:
                    part = rows.chunk(connection, experiment, after, room)
                except apsw.Error as error:
                    raise told(self._reader.path, error) from error
            if len(part.n):
                parts.append(part)
                after = int(part.n[-1])
            most = None if most is None else most - len(part.n)
            if len(part.n) < room or most == 0:
                return Columns.joined(parts)

    def last(self) -> int:
        """Return the number of the last event."""
        with self._reader as connection:
            try:
                return rows.last(connection, self._known(connection))
            except apsw.Error as error:
                raise told(self._reader.path, error) from error

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        turn = self.turn(durable=False)
        with turn:
            connection = turn._connection()
            experiment = turn._find(connection)
            try:
                if experiment is not None:
                    connection.execute(
                        "insert into snapshots values (?1, ?2, ?3, ?4) on conflict do update set "
                        "n = ?2, data = ?3, sha256 = ?4 where n <= ?2",
                        (experiment, n, data, digest(n, data)),
                    )
            except apsw.Error as error:
                raise told(self._writer.path, error) from error

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, if it is whole."""
        with self._reader as connection:
            try:
                found = connection.execute(
                    "select n, data, sha256 from snapshots where experiment = ?",
                    (self._known(connection),),
                ).fetchone()
            except apsw.CorruptError:
                return None  # a cache: the events say it all
            except apsw.Error as error:
                raise told(self._reader.path, error) from error
        if found is None or digest(found[0], found[1]) != found[2]:
            return None
        return found[0], found[1]

    def close(self) -> None:
        """Do nothing: connections belong to the storage."""

    def _known(self, connection: apsw.Connection) -> int:
        """Return the experiment's number, 0 if it has none yet."""
        if self._experiment is None:
            try:
                self._experiment = rows.experiment_id(connection, self.name)
            except apsw.Error as error:
                raise told(self._reader.path, error) from error
        return self._experiment or 0
