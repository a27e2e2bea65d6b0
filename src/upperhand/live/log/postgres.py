"""Logs in PostgreSQL, by psycopg: one connection a log, and an advisory lock for each experiment.

A transaction takes two round trips if no other process has written meanwhile: one to begin, lock
and see where the log ends; one to insert and commit. It is Read Committed, so that what is read
after the lock was got is what is there then.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, get_ident
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from ...errors import (
    DamagedError,
    EventsLostError,
    ParameterError,
    StoreAwayError,
    StoreBusyError,
    StoreError,
)
from ..forks import watch
from .event import (
    OUTCOMES,
    TYPES,
    Columns,
    Event,
    as_text,
    check_marks,
    checked_name,
    closed,
    damaged,
    digest,
    first_mark,
    mark_of,
    refuse_bad,
    refused,
)
from .schema import IS_OUTCOME, MARKS, POSTGRES, STEPS, newer

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
FEW = 64  # up to so many events go as text with the commit; more are copied
CHUNK = 50_000  # events that the server packs at a time; numbers have no gaps
MIGRATING = 0x5570487200000000  # the advisory lock while tables are made
DEFAULTS = {
    "connect_timeout": 3,
    "application_name": "upperhand",
    "keepalives_idle": 30,
    "tcp_user_timeout": 10_000,  # milliseconds until a silent network counts as broken
}
_inherited: list[object] = []  # connections of the parent process: never to be closed here

# Each column comes as one array, in the server's binary form: a header, and each number behind
# its length. A row for each event takes several times as long. We sort them: without statistics
# the server would sort the whole log for each chunk.
FIELDS = {"n": "i8", "kind": "i2", "trial": "i8", "segment": "i4", "arm": "i4"} | {
    "value": "f8",
    "at": "f8",
    "mark": "i8",
}
HEADER = 20  # bytes
AFTER = f"""
    select {", ".join(f"array_agg({name})" for name in FIELDS)},
      json_object_agg(n, extra) filter (where extra is not null)::text
    from upperhand.events where experiment = %s and n > %s and n <= %s"""
EVENT = "kind, trial, segment, arm, value, at, extra"
END = (
    "select id, coalesce(n, -1), coalesce(mark, 0) from upperhand.experiments "
    "left join upperhand.ends on id = experiment where"
)


class PostgresTransaction:
    """What is appended is sent with the commit."""

    def __init__(
        self, log: "PostgresLog", connection: Connection, number: int, end: tuple[int, int]
    ) -> None:
        self._log, self._connection, self._number = log, connection, number
        self._last, self._end = end[0], end  # before this transaction, and now
        self._stored = end
        self._events: list[Event] = []
        self._marks: list[int] = []

    def news(self, after: int) -> Columns | Sequence[Event]:
        """Return all events with n > after."""
        parts = []
        if after < self._last:
            parts.append(self._log._rows(self._connection, self._number, after, self._stored))
        skipped = max(after - self._last, 0)
        if self._events[skipped:]:
            parts.append(Columns.of(self._events[skipped:], self._last + skipped))
        return Columns.joined(parts) if parts else ()

    def append(self, events: Sequence[Event]) -> None:
        """Keep events for the commit."""
        refuse_bad(events)
        texts = [as_text(event.extra) for event in events]  # refused here, not at the commit
        n, mark = self._end
        for event, text in zip(events, texts, strict=True):
            n += 1
            mark = mark_of(mark, n, event, text)
            self._marks.append(mark)
        self._end = n, mark
        self._events.extend(events)

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with."""
        for i, event in enumerate(self._events):
            if event.trial == trial and event.kind in OUTCOMES and trial:
                return Columns.of(self._events[i : i + 1], 0).event(0)
        try:
            row = self._connection.execute(
                f"select {EVENT} from upperhand.events "
                f"where experiment = %s and trial = %s and {IS_OUTCOME}",
                (self._number, trial),
            ).fetchone()
        except psycopg.Error as error:
            raise translated(self._log._storage.place, error) from error
        if row is None:
            return None
        return Event._make((*row[:6], None if row[6] is None else json.loads(row[6])))

    def commit(self) -> None:
        """Write what was appended, and commit."""
        connection, events = self._connection, self._events
        if not events:
            connection.execute("commit")
            return
        if not self._number:
            self._log._refuse_renamed(connection)
            made = connection.execute(
                "insert into upperhand.experiments (name) values (%s) returning id",
                (self._log.name,),
            ).fetchone()
            self._number = int(made[0]) if made else 0
        number, (n, mark) = self._number, self._end
        end = (
            f"insert into upperhand.ends values ({number}, {n}, {mark}) "
            f"on conflict (experiment) do update set n = {n}, mark = {mark}; commit"
        )
        if len(events) > FEW:
            self._copy(number)
            connection.execute(end)
        else:
            connection.execute(f"{self._insert(number)}; {end}")

    def _insert(self, number: int) -> str:
        """Return the statement that writes a few events.

        Numbers are quoted, so that the server reads them as what the column is, to the last bit.
        """
        values = []
        for n, (event, mark) in self._numbered():
            kind, trial, segment, arm, value, at, extra = event
            whole = ",".join(str(int(x)) for x in (number, n, kind, trial, segment, arm))
            text = as_text(extra)
            quoted = "null" if text is None else sql.Literal(text).as_string(None)
            values.append(f"({whole},'{float(value)!r}','{float(at)!r}',{quoted},{mark})")
        return f"insert into upperhand.events values {','.join(values)}"

    def _copy(self, number: int) -> None:
        """Write many events."""
        with (
            self._connection.cursor() as cursor,
            cursor.copy("copy upperhand.events from stdin") as writer,
        ):
            for n, (event, mark) in self._numbered():
                kind, trial, segment, arm, value, at, extra = event
                row = (number, n, int(kind), trial, segment, arm, value, at, as_text(extra), mark)
                writer.write_row(row)

    def _numbered(self) -> Iterator[tuple[int, tuple[Event, int]]]:
        return enumerate(zip(self._events, self._marks, strict=True), self._last + 1)


class PostgresLog:
    """The events of one experiment on a server, over one connection."""

    flushes = True

    def __init__(self, name: str, storage: "PostgresStorage") -> None:
        self.name, self._storage = name, storage
        self.commits = 0
        self._quoted = sql.Literal(name).as_string(None)
        first = hashlib.sha256(f"upperhand:{name}".encode()).digest()[:8]
        self._key = int.from_bytes(first, "big", signed=True)  # of the advisory lock
        self._number = 0  # of the experiment, once it was seen committed
        self._seen: tuple[int, int] | None = None  # the last event that was read, and its mark
        self._lock = Lock()  # around every use of the connection; taken by `with` alone
        self._connection: Connection | None = None
        self._owner = 0  # the thread that is in a transaction
        self._resting = False  # for a fork
        watch(self)

    def transact(
        self,
        work: Callable[[PostgresTransaction], T],
        *,
        durable: bool,
        wait: bool = True,  # noqa: ARG002
    ) -> T:
        """Run `work` while nobody else writes; what it appends is there whole or not at all."""
        with self._lock:
            self._owner = get_ident()
            try:
                transaction = self._begun(durable)
                answer = work(transaction)
                if transaction._connection is not self._connection:
                    raise StoreError(f"This process was forked in a transaction of {self.name!r}.")
                self._commit(transaction)
            except psycopg.Error as error:
                raise translated(self._storage.place, error) from error
            finally:
                try:
                    self._clear()
                finally:
                    self._clear()  # an interrupt may have cut the first one short
                    self._owner = 0
        return answer

    def sync(self, commit: int) -> None:
        """Do nothing: the server waits for its disk before it answers."""

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones."""
        with self._reading() as connection:
            number, end = self._end(connection)
            if not number:
                self._refuse_renamed(connection)
            if most is not None:
                end = (min(end[0], max(after, 0) + most), 0)
            return self._rows(connection, number, max(after, 0), end)

    def last(self) -> int:
        """Return the number of the last event."""
        with self._reading() as connection:
            return self._end(connection)[1][0]

    def check(self) -> int:
        """Check all marks; return how many events there are."""
        last, place = len(self.read().n), self._storage.place
        with self._reading() as connection:
            self._refuse_renamed(connection)
            number = self._end(connection)[0]
            row = connection.execute(
                "select count(*) from upperhand.events where experiment = %s and (n > %s or n < 1)",
                (number, last),
            ).fetchone()
            if row and row[0] and self._end(connection)[1][0] == last:
                raise damaged(place, self.name, last + 1, "or one below 1 lies outside of the log")
            row = connection.execute(
                "select count(*) from upperhand.events "
                "where experiment not in (select id from upperhand.experiments)"
            ).fetchone()
        if row and row[0]:
            raise DamagedError(f"{place} is damaged: {row[0]:,} events are of no experiment.")
        return last

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        with self._reading() as connection:
            if number := self._end(connection)[0]:
                connection.execute(
                    "insert into upperhand.snapshots as s values (%s, %s, %s, %s) "
                    "on conflict (experiment) do update set n = excluded.n, data = excluded.data, "
                    "sha256 = excluded.sha256 where s.n <= excluded.n",
                    (number, n, data, digest(self.name, n, data)),
                )

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, if it is whole."""
        with self._reading() as connection:
            number, (last, _) = self._end(connection)
            row = connection.execute(
                "select n, data, sha256 from upperhand.snapshots where experiment = %s",
                (number,),
                binary=True,
            ).fetchone()
        if row is None or not isinstance(row[1], bytes):
            return None
        if digest(self.name, int(row[0]), row[1]) != row[2]:
            return None
        if row[0] > last:
            raise damaged(self._storage.place, self.name, last + 1, "is missing")
        return int(row[0]), row[1]

    def close(self) -> None:
        """Close the connection; a transaction of another thread ends first."""
        with self._lock:
            self._drop()

    def _begun(self, durable: bool) -> PostgresTransaction:
        """Begin a transaction and take the experiment's lock; connect again if need be."""
        connection = self._open()
        try:
            row = self._begin(connection, durable)
        except psycopg.OperationalError:
            if not connection.closed:
                raise
            connection = self._open()  # the server was restarted; nothing was done yet
            row = self._begin(connection, durable)
        return PostgresTransaction(self, connection, *self._ends(row))

    def _begin(self, connection: Connection, durable: bool) -> tuple[Any, ...] | None:
        where = f"id = {self._number}" if self._number else f"name = {self._quoted}"
        cursor = connection.execute(
            "begin isolation level read committed;"
            f"set local synchronous_commit = {'on' if durable else 'off'};"
            f"select pg_advisory_xact_lock({self._key});"
            f"{END} {where}"
        )
        while cursor.nextset():
            pass
        return cursor.fetchone()

    def _commit(self, transaction: PostgresTransaction) -> None:
        try:
            transaction.commit()
        except psycopg.Error as error:
            if transaction._connection.closed:
                raise unknown(self._storage.place, error) from error
            raise
        self.commits += 1
        self._number, self._seen = transaction._number, transaction._end

    def _end(self, connection: Connection) -> tuple[int, tuple[int, int]]:
        """Return the experiment's number, and number and mark of its last event."""
        return self._ends(connection.execute(f"{END} name = %s", (self.name,)).fetchone())

    def _ends(self, row: tuple[Any, ...] | None) -> tuple[int, tuple[int, int]]:
        if row is None:
            return 0, (0, first_mark(self.name))
        if row[1] < 1 and row[1:] != (0, first_mark(self.name)):
            raise damaged(self._storage.place, self.name, 1, "or the log's end is missing")
        return int(row[0]), (int(row[1]), int(row[2]))

    def _check_seen(self, connection: Connection) -> None:
        """After a new connection: is what this process has seen last still there?

        A commit that was not durable is shown to all before it is on the server's disk. A server
        that breaks down then loses it, its clients live on, and its number is given to another.
        """
        if self._seen is None:
            return
        (number, end), (n, mark) = self._end(connection), self._seen
        if n <= end[0] and self._mark_at(connection, number, n) == mark:
            return
        self._seen, self._number = None, 0
        raise EventsLostError(
            f"{self._storage.place} broke down and lost events of {self.name!r}, from number "
            f"{min(n, end[0] + 1)} on or before, that were not durable yet. Read the log again "
            "from its beginning."
        )

    def _mark_at(self, connection: Connection, number: int, n: int) -> int:
        if n == 0:
            return first_mark(self.name)
        row = connection.execute(
            "select mark from upperhand.events where experiment = %s and n = %s", (number, n)
        ).fetchone()
        if row is None:
            raise damaged(self._storage.place, self.name, n, "is missing")
        return int(row[0])

    def _rows(
        self, connection: Connection, number: int, after: int, end: tuple[int, int]
    ) -> Columns:
        """Return the events behind number `after` up to an end, checked."""
        parts, place = [], self._storage.place
        if after < end[0]:
            before = self._mark_at(connection, number, after)
        while after < end[0]:
            most = min(CHUNK, end[0] - after)
            columns, texts, marks = _chunk(connection, number, after, most, place, self.name)
            check_marks(columns, texts, marks, after, before, self.name, place)
            if len(columns.n) < most:
                raise damaged(place, self.name, after + len(columns.n) + 1, "is missing")
            parts.append(columns)
            after, before = after + most, marks[-1]
            if after == end[0]:
                if end[1] not in (0, before):
                    raise damaged(place, self.name, after, "is not the last that was written")
                if self._seen is None or self._seen[0] < after:
                    self._seen = after, before
        return Columns.joined(parts)

    def _refuse_renamed(self, connection: Connection) -> None:
        """Refuse to go on if a name is not the one that its first event was written under."""
        found = connection.execute(
            f"select name, {EVENT}, mark from upperhand.events join upperhand.experiments "
            "on id = experiment where n = 1"
        )
        for name, *row, mark in found:
            event = Event._make((*row[:6], None))
            if mark_of(first_mark(name), 1, event, row[6]) != mark:
                raise damaged(self._storage.place, name, 1)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Give the connection for statements of their own, each of which can be said again."""
        with self._lock:
            try:
                connection = self._open()
                try:
                    connection.execute("")  # an idle one may have lost its server
                except psycopg.Error:
                    self._drop()
                    connection = self._open()
                yield connection
            except psycopg.Error as error:
                raise translated(self._storage.place, error) from error
            finally:
                self._clear()

    def _open(self) -> Connection:
        if self._storage.closed:
            raise closed(self._storage.place)
        connection = self._connection
        if connection is None or connection.closed:
            connection = self._connection = self._storage.connected()
            self._check_seen(connection)
        return connection

    def _clear(self) -> None:
        """Roll back what was not committed."""
        connection = self._connection
        if connection is None or connection.closed:
            return
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            try:
                connection.execute("rollback")
            except psycopg.Error:
                self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def before_fork(self) -> None:
        """Come to rest, unless the fork is inside a transaction."""
        if self._owner != get_ident():
            self._resting = self._lock.acquire(timeout=30.0)

    def after_fork(self, *, child: bool) -> None:
        """Go on; a child needs a connection of its own."""
        if child:
            _inherited.append(self._connection)
            self._connection, self._owner, self._resting, self._lock = None, 0, False, Lock()
        elif self._resting:
            self._resting = False
            self._lock.release()

    def __del__(self) -> None:
        """Close what a storage that was never closed has left."""
        if getattr(self, "_connection", None) is not None:
            with suppress(Exception):
                self._drop()


class PostgresStorage:
    """Logs in the schema `upperhand` of one database."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise ParameterError(
                f"Not an address of PostgreSQL: {' '.join(str(error).split())}. "
                "Write postgresql://user:password@host:port/database."
            ) from None
        self._how = {**DEFAULTS, **given}
        host, port = given.get("host", ""), given.get("port", "")
        end = f":{port}" if port else ""
        self.place = f"postgresql://{host}{end}/{given.get('dbname', '')}"  # without password
        self.closed = False
        self._logs: WeakSet[PostgresLog] = WeakSet()
        with self._using() as connection:
            migrate(connection, self.place, create=create)

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""
        with self._using() as connection:
            found = connection.execute("select name from upperhand.experiments order by id")
            return [str(name) for (name,) in found.fetchall()]

    def log(self, name: str) -> PostgresLog:
        """Return the log of that name."""
        log = PostgresLog(checked_name(name), self)
        self._logs.add(log)
        return log

    def close(self) -> None:
        """Close the connections."""
        self.closed = True
        for log in list(self._logs):
            log.close()

    def connected(self) -> Connection:
        """Return a new connection."""
        try:
            return psycopg.connect(**self._how, autocommit=True)  # type: ignore[arg-type]
        except psycopg.Error as error:
            raise translated(self.place, error) from error

    @contextmanager
    def _using(self) -> Iterator[Connection]:
        """Give a connection that is closed afterwards."""
        if self.closed:
            raise closed(self.place)
        connection = self.connected()
        try:
            yield connection
        except psycopg.Error as error:
            raise translated(self.place, error) from error
        finally:
            connection.close()


def _chunk(
    connection: Connection, number: int, after: int, most: int, place: str, name: str
) -> tuple[Columns, dict[int, str], list[int]]:
    """Return the first events behind number `after`, their `extra` as text, and their marks."""
    cursor = connection.cursor(binary=True)
    cursor.execute(AFTER, (number, after, after + most))
    result = cursor.pgresult
    if result is None or result.get_value(0, 0) is None:
        return Columns.none(), {}, []
    arrays = []
    for i, (kind, dtype) in enumerate(zip(FIELDS.values(), (*TYPES, np.int64), strict=True)):
        item = np.dtype([("length", ">i4"), ("number", f">{kind}")])
        data = result.get_value(0, i) or b""
        arrays.append(np.frombuffer(data, item, offset=HEADER)["number"].astype(dtype))
    if (arrays[0][1:] < arrays[0][:-1]).any():
        order = np.argsort(arrays[0])
        arrays = [array[order] for array in arrays]
    text = result.get_value(0, len(FIELDS))
    texts = {int(n): each for n, each in json.loads(text).items()} if text else {}
    extra = {}
    for n, each in texts.items():
        try:
            extra[n] = json.loads(each)
        except ValueError as error:
            raise damaged(place, name, n) from error
    return Columns._make((*arrays[:-1], extra)), texts, arrays[-1].tolist()


# The tables


def migrate(
    connection: Connection, place: str, *, create: bool, steps: tuple[str, ...] = STEPS
) -> None:
    """Run the steps that a database has not seen, each whole or not at all, by one client."""
    while (found := version(connection)) < len(steps):
        if found == 0 and not create:
            raise StoreError(f"{place} has no tables of upperhand. Check it, or let them be made.")
        with connection.transaction():
            connection.execute(f"select pg_advisory_xact_lock({MIGRATING})")
            if version(connection) != found:
                continue  # another client was faster
            connection.execute("create schema if not exists upperhand")
            connection.execute("create table if not exists upperhand.version (version integer)")
            connection.execute(steps[found].format(**POSTGRES))
            if found + 1 == MARKS:
                _fill_marks(connection, place)
            connection.execute("delete from upperhand.version")
            connection.execute("insert into upperhand.version values (%s)", (found + 1,))
    if found > len(STEPS):
        raise StoreError(newer(place, found))


def _fill_marks(connection: Connection, place: str) -> None:
    """Mark the events that were written before there were marks."""
    connection.execute(
        "create temporary table marked (experiment bigint, n bigint, mark bigint) on commit drop"
    )
    for number, name in connection.execute("select id, name from upperhand.experiments").fetchall():
        n, mark = 0, first_mark(name)
        with connection.cursor() as cursor:
            while True:
                columns, texts, _ = _chunk(connection, number, n, CHUNK, place, name)
                count = len(columns.n)
                if columns.n.tolist() != list(range(n + 1, n + 1 + count)):
                    raise damaged(place, name, n + 1, "or one behind it is missing")
                with cursor.copy("copy marked from stdin") as writer:
                    for i in range(count):
                        n += 1
                        mark = mark_of(mark, n, columns.event(i), texts.get(n))
                        writer.write_row((number, n, mark))
                if count < CHUNK:
                    break
        connection.execute("insert into upperhand.ends values (%s, %s, %s)", (number, n, mark))
    connection.execute(
        "update upperhand.events e set mark = m.mark from marked m "
        "where m.experiment = e.experiment and m.n = e.n"
    )
    connection.execute("alter table upperhand.events alter column mark drop default")


def version(connection: Connection) -> int:
    """Return how many steps a database has seen."""
    row = connection.execute("select to_regclass('upperhand.version') is not null").fetchone()
    if row is None or not row[0]:
        return 0
    found = connection.execute("select version from upperhand.version").fetchone()
    return int(found[0]) if found else 0


# What errors mean for a user

BUSY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled)
REFUSED = (
    errors.InvalidPassword,
    errors.InvalidAuthorizationSpecification,
    errors.InvalidCatalogName,
    errors.InsufficientPrivilege,
)


def translated(place: str, error: psycopg.Error) -> StoreError:
    """Return an error of PostgreSQL in plain words."""
    reason = " ".join(str(error).split())
    if isinstance(error, BUSY):
        return StoreBusyError(f"{place} is in use: {reason}. Try again.")
    if isinstance(error, errors.UniqueViolation):
        return refused(place, error.diag.constraint_name == "events_pkey")
    if isinstance(error, REFUSED):
        return StoreError(f"{place} refuses this user: {reason}. Check the address and the rights.")
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return StoreAwayError(
            f"{place} is away: {reason}. Try again later: what was committed is safe."
        )
    return StoreError(f"{place} could not be used: {reason}.")


def unknown(place: str, error: psycopg.Error) -> StoreAwayError:
    """Return the error of a commit whose answer never came."""
    reason = " ".join(str(error).split())
    return StoreAwayError(
        f"{place} went away during a commit: {reason}. Whether it was written is not known: "
        "read the log, then go on."
    )
