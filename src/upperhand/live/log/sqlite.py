"""Logs in one SQLite file, by apsw: WAL, and one wait for the disk for each durable transaction.

A transaction runs under `flock` on a file beside the log: SQLite's own lock is polled, and some
processes would starve. SQLite runs with ``synchronous = normal``, so a commit is written and not
waited for. Whoever needs it on the disk calls `fdatasync` on the WAL after the lock is free: others
write meanwhile, and one call covers all that threads have committed before it.

After an `fdatasync` that failed, a second one proves nothing: the kernel may have dropped what it
could not write. So the next one first writes the whole WAL over itself. The database, which a power
cut could then leave half-written, is not touched.
"""

import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, get_ident
from time import monotonic, sleep
from typing import Any, TypeVar
from zlib import crc32

import apsw
import numpy as np

from ...errors import DamagedError, FileError, StoreAwayError, StoreBusyError, StoreError
from ...files import replacing
from ..forks import watch
from .event import (
    PACKED,
    TYPES,
    Columns,
    Event,
    UnsyncedError,
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
from .schema import IS_OUTCOME, MARKS, SQLITE, STEPS, newer

try:
    import fcntl
except ImportError:  # not a Unix: SQLite's lock has to do
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
fdatasync = getattr(os, "fdatasync", os.fsync)
FIXED, BACKPORTED = (3, 51, 3), ((3, 44, 6), (3, 50, 7))  # of the bug that loses commits
APPLICATION = 0x55704872  # "UpHr"
PATIENCE = 30.0  # seconds to wait for SQLite's own lock, which other programs may hold
CHUNK = 2000  # rows at a time: a table of them fits the cache of the processor
FEW = 100  # rows up to which they are checked and returned one by one
FIELDS = ("n", "kind", "trial", "segment", "arm", "value", "at", "extra", "mark")
TABLE = np.dtype(list(zip(FIELDS, (*TYPES, object, np.int64), strict=True)))
EVENT = "kind, trial, segment, arm, value, at, extra"
READ = f"select n, {EVENT}, mark from events where experiment = ? and n > ? order by n limit ?"
MARK = "select mark from events where experiment = ? and n = ?"
OUTCOME = f"select {EVENT} from events where experiment = ? and trial = ? and {IS_OUTCOME}"
INSERT = "insert into events values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
END = "select n, mark from ends where experiment = ?"
MOVE_END = "insert into ends values (?1, ?2, ?3) on conflict do update set n = ?2, mark = ?3"
NOT_AS_WRITTEN = (
    AttributeError, TypeError, ValueError, RecursionError, struct.error, apsw.CorruptError,
)  # fmt: skip
_inherited: list[object] = []  # connections of the parent process: never to be closed here


class SqliteTransaction:
    """What may be done while nobody else writes."""

    def __init__(self, log: "SqliteLog", connection: apsw.Connection) -> None:
        self._log, self._connection = log, connection
        self._experiment = log._number or log._find(connection)
        seen = log._seen
        if seen is not None and seen[2:] == (connection.data_version(), log._storage.opened):
            self._end = seen[:2]  # nobody wrote since
        else:
            self._end = log._end_of(connection, self._experiment)
        self._before = self._end[0]

    def news(self, after: int) -> Columns | Sequence[Event]:
        """Return all events with n > after, in order, also those appended here."""
        if self._end[0] == after:
            return ()
        if self._end[0] < after:
            raise damaged(repr(self._log._storage.path), self._log.name, after, "is missing")
        return self._log._rows(self._connection, self._experiment, after, self._end)

    def append(self, events: Sequence[Event]) -> None:
        """Write events behind the others; the experiment's row comes with the first ones."""
        if not events:
            return
        refuse_bad(events)
        texts = [None if event[6] is None else as_text(event[6]) for event in events]
        if not self._experiment:
            self._log._storage.refuse_renamed(self._connection)
            self._connection.execute("insert into experiments (name) values (?)", (self._log.name,))
            self._experiment = self._connection.last_insert_rowid()
        (n, mark), rows = self._end, []
        for event, text in zip(events, texts, strict=True):
            n += 1
            mark = mark_of(mark, n, event, text)
            rows.append((self._experiment, n, int(event[0]), *event[1:6], text, mark))
        if len(rows) == 1:
            self._connection.execute(INSERT, rows[0])
        else:
            self._connection.executemany(INSERT, rows)
        self._end = n, mark

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with, also if that was appended here."""
        try:
            row = self._connection.execute(OUTCOME, (self._experiment, trial)).fetchone()
        except apsw.Error as error:
            raise translated(self._log._storage.path, error) from error
        return row and _event(row)

    def finish(self) -> None:
        """Write where the log ends now."""
        if self._end[0] != self._before:
            self._connection.execute(MOVE_END, (self._experiment, *self._end))

    def committed(self) -> None:
        """Remember what is known to be in the log."""
        log = self._log
        log._number = self._experiment
        log._seen = (*self._end, self._connection.data_version(), log._storage.opened)


class SqliteLog:
    """The events of one experiment in a file."""

    flushes = False

    def __init__(self, name: str, storage: "SqliteStorage") -> None:
        self.name, self._storage = name, storage
        self._number = 0  # of the experiment, once it was seen committed
        # Number and mark of the last event, and which version of the file had it as the last, as
        # which connection counts versions
        self._seen: tuple[int, int, int, int] | None = None

    @property
    def commits(self) -> int:
        """How many transactions of this process ended well."""
        return self._storage.commits

    def transact(
        self, work: Callable[[SqliteTransaction], T], *, durable: bool, wait: bool = True
    ) -> T:
        """Run `work` while nobody else writes; what it appends is there whole or not at all."""
        storage = self._storage
        with storage.lock:
            storage.owner = get_ident()
            try:
                connection = storage.begin()
                transaction = SqliteTransaction(self, connection)
                answer = work(transaction)
                transaction.finish()
                storage.commit(connection)
                transaction.committed()
            except (apsw.Error, UnicodeDecodeError) as error:
                self._seen = None
                raise translated(storage.path, error) from error
            finally:
                try:
                    storage.clear()
                finally:
                    if storage.owner:  # an interrupt has cut that short
                        storage.clear()
            commit = storage.commits
        if durable and wait:
            storage.sync(commit)
        return answer

    def sync(self, commit: int) -> None:
        """Wait until the first so many commits are on the disk."""
        self._storage.sync(commit)

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, in short reads: no checkpoint waits for a long one."""
        with self._storage.reading() as connection:
            number = self._find(connection)
            if not number:
                self._storage.refuse_renamed(connection)
            end = self._end_of(connection, number)
        if most is not None:
            end = (min(end[0], max(after, 0) + most), 0)
        after, before, parts = max(after, 0), None, []
        while after < end[0]:
            with self._storage.reading() as connection:
                part, before = self._chunk(connection, number, after, end, before)
            parts.append(part)
            after += len(part.n)
        return Columns.joined(parts)

    def last(self) -> int:
        """Return the number of the last event."""
        with self._storage.reading() as connection:
            return int(self._end_of(connection, self._find(connection))[0])

    def check(self) -> int:
        """Check the file and all marks; return how many events there are."""
        last = self.last()
        self.read()
        self._storage.check()
        return last

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data` unless there is a newer one."""
        row = (n, data, digest(self.name, n, data))
        save = (
            "insert into snapshots values (?1, ?2, ?3, ?4) on conflict do update set "
            "n = ?2, data = ?3, sha256 = ?4 where n <= ?2"
        )

        def work(transaction: SqliteTransaction) -> None:
            if transaction._experiment:
                transaction._connection.execute(save, (transaction._experiment, *row))

        self.transact(work, durable=False)

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, if it is whole."""
        stored = "select n, data, sha256 from snapshots where experiment = ?"
        try:
            with self._storage.reading() as connection:
                row = connection.execute(stored, (self._find(connection),)).fetchone()
        except DamagedError:
            return None  # a cache: the events say it all
        if row is None or digest(self.name, row[0], row[1]) != row[2]:
            return None
        if row[0] > (last := self.last()):
            raise damaged(repr(self._storage.path), self.name, last + 1, "is missing")
        return int(row[0]), bytes(row[1])

    def _find(self, connection: apsw.Connection) -> int:
        """Return the experiment's number, 0 if it has none yet."""
        if not self._number:
            found = connection.execute("select id from experiments where name = ?", (self.name,))
            self._number = found.get or 0
        return self._number

    def _end_of(self, connection: apsw.Connection, number: int) -> tuple[int, int]:
        """Return number and mark of the last event."""
        row = connection.execute(END, (number,)).fetchone()
        if number and (row is None or (row[0] < 1 and row != (0, first_mark(self.name)))):
            raise damaged(repr(self._storage.path), self.name, 1, "or the log's end is missing")
        return row or (0, first_mark(self.name))

    def _rows(
        self, connection: apsw.Connection, number: int, after: int, end: tuple[int, int]
    ) -> Columns | Sequence[Event]:
        """Return the events behind number `after`, a few of them as they are."""
        after, before, parts = max(after, 0), None, []
        if 0 < end[0] - after <= FEW:
            return self._few(connection, number, after, end)
        while after < end[0]:
            part, before = self._chunk(connection, number, after, end, before)
            parts.append(part)
            after += len(part.n)
        return Columns.joined(parts)

    def _few(
        self, connection: apsw.Connection, number: int, after: int, end: tuple[int, int]
    ) -> Sequence[Event]:
        n, events = after, list[Event]()
        row: Any
        if self._seen is not None and self._seen[0] == after:
            mark = self._seen[1]
        else:
            mark = self._mark_at(connection, number, after)
        try:
            for row in connection.execute(READ, (number, after, end[0] - after)):
                n += 1
                text = row[7]
                mark = crc32(PACKED.pack(n, *row[1:7]), mark)
                if text is None:
                    events.append(Event._make(row[1:8]))
                else:
                    mark = crc32(text.encode(), mark)
                    events.append(Event._make((*row[1:7], json.loads(text))))
                if row[8] != mark or row[0] != n:
                    raise damaged(repr(self._storage.path), self.name, n)
        except NOT_AS_WRITTEN as error:
            raise damaged(repr(self._storage.path), self.name, max(n, after + 1)) from error
        if (n, mark) != end:
            raise damaged(repr(self._storage.path), self.name, n + 1, "is missing")
        return events

    def _chunk(
        self,
        connection: apsw.Connection,
        number: int,
        after: int,
        end: tuple[int, int],
        before: int | None,
    ) -> tuple[Columns, int]:
        """Return the next events, up to an end, and the mark of the last of them."""
        place, most = repr(self._storage.path), min(CHUNK, end[0] - after)
        if before is None:
            before = self._mark_at(connection, number, after)
        try:
            rows = connection.execute(READ, (number, after, most)).fetchall()
        except (apsw.CorruptError, UnicodeDecodeError) as error:
            if most > 1:  # find out which one it is
                return self._chunk(connection, number, after, (after + most // 2, 0), before)
            raise damaged(place, self.name, after + 1, f"cannot be read ({error})") from error
        columns, texts, marks = _columns(rows, place, self.name, after)
        check_marks(columns, texts, marks, after, before, self.name, place)
        if len(rows) < most:
            raise damaged(place, self.name, after + len(rows) + 1, "is missing")
        if after + len(rows) == end[0] and end[1] not in (0, marks[-1]):
            raise damaged(place, self.name, end[0], "is not the last one that was written")
        return columns, marks[-1]

    def _mark_at(self, connection: apsw.Connection, number: int, n: int) -> int:
        if n == 0:
            return first_mark(self.name)
        found = connection.execute(MARK, (number, n)).fetchone()
        if found is None:
            raise damaged(repr(self._storage.path), self.name, n, "is missing")
        return int(found[0])


class SqliteStorage:
    """Logs in one file, over one connection, which one thread at a time uses."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        refuse_old(apsw.sqlite_lib_version())
        self.path = os.path.abspath(os.fspath(path))
        self.lock = Lock()  # around every use of what follows; taken by `with` alone
        self.commits = 0
        self._connection: apsw.Connection | None = None
        self.opened = 0  # how many connections were opened
        self.owner = 0  # the thread that is in a transaction
        self._file: int | None = None  # for flock
        self._deadline = 0.0
        self._closed = False
        self._disk = Lock()  # around what follows; taken before `lock`
        self._wal: tuple[int, int] | None = None  # of which connection, and the file to sync
        self._synced = 0  # so many commits are on the disk
        self._suspect = False  # whether a sync failed
        self._resting = False  # for a fork
        self._forked = False  # whether SQLite still has the locks of the parent's transaction
        watch(self)
        with self.lock:
            self._prepare(create=create)

    def begin(self) -> apsw.Connection:
        """Begin a transaction, while no other process writes."""
        self._deadline = monotonic() + PATIENCE
        connection = self._open()
        self._take_file()
        connection.execute("begin immediate")
        return connection

    def commit(self, connection: apsw.Connection) -> None:
        """Commit; a child that was forked inside the transaction may not."""
        self._refuse_forked()
        connection.execute("commit")
        self.commits += 1

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Give the connection for reading, without a transaction."""
        with self.lock:
            self._deadline = monotonic() + PATIENCE
            try:
                yield self._open()
            except (apsw.Error, UnicodeDecodeError) as error:
                raise translated(self.path, error) from error

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""
        with self.reading() as connection:
            found = connection.execute("select name from experiments order by id").fetchall()
        return [str(name) for (name,) in found]

    def log(self, name: str) -> SqliteLog:
        """Return the log of that name."""
        return SqliteLog(checked_name(name), self)

    def sync(self, commit: int) -> None:
        """Wait until the first so many commits are on the disk; one wait serves many threads."""
        with self._disk:
            if self._synced >= commit:
                return
            upto = self.commits
            try:
                if self._suspect:
                    self._rewrite()
                else:
                    fdatasync(self._wal_file())
            except FileNotFoundError:
                pass  # the connection was closed meanwhile, which put all of it into the database
            except OSError as error:
                self._suspect = True
                if isinstance(error, StoreError):
                    raise UnsyncedError(str(error)) from error
                raise UnsyncedError(str(away(self.path, error))) from error
            self._synced, self._suspect = upto, False

    def check(self) -> None:
        """Check the file itself, its indexes, and that each event has an experiment."""
        orphans = "select count(*) from events where experiment not in (select id from experiments)"
        beyond = (
            "select name, ends.n + 1 from ends join experiments on id = experiment "
            "where exists (select 1 from events e where e.experiment = id and e.n > ends.n) "
            "or exists (select 1 from events e where e.experiment = id and e.n < 1)"
        )
        with self.reading() as connection:
            found = connection.execute("pragma integrity_check").fetchall()
            if found != [("ok",)]:
                raise DamagedError(
                    f"{self.path!r} is damaged: {found[0][0]}. The marks of the events are as "
                    "written: copy each experiment to a new file, by upperhand copy."
                )
            for name, n in connection.execute(beyond):
                raise damaged(repr(self.path), name, n, "or one below 1 lies outside of the log")
            if count := connection.execute(orphans).get:
                raise DamagedError(
                    f"{self.path!r} is damaged: {count:,} events are of no experiment. Go on with "
                    "a copy that was made before."
                )
            self.refuse_renamed(connection)

    def refuse_renamed(self, connection: apsw.Connection) -> None:
        """Refuse to go on if a name is not the one that its first event was written under."""
        first = (
            f"select name, n, {EVENT}, mark from events join experiments on id = experiment "
            "where n = 1"
        )
        for name, *row in connection.execute(first):
            _checked(row, first_mark(name), repr(self.path), name, 1)

    def close(self) -> None:
        """Close the connection; a transaction of another thread ends first."""
        with self._disk, self.lock:
            self._closed = True
            self._rest()

    def _wal_file(self) -> int:
        """Return the WAL's file, kept open: each open file is told of a failed write once."""
        opened = self.opened
        if self._wal is not None and self._wal[0] != opened:
            os.close(self._wal[1])
            self._wal = None
        if self._wal is None:
            self._wal = opened, os.open(f"{self.path}-wal", os.O_RDWR)
        return self._wal[1]

    def _rewrite(self) -> None:
        """Write the WAL over itself and sync it, while nobody else writes."""
        with self.lock:
            self.owner = get_ident()
            try:
                self._open()
                self._take_file()
                with open(f"{self.path}-wal", "r+b", buffering=0) as file:
                    at = 0
                    while data := file.read(1 << 20):
                        file.seek(at)
                        at += file.write(data)
                        file.seek(at)
                    fdatasync(file.fileno())
            finally:
                self.clear()

    def _open(self) -> apsw.Connection:
        """Return the connection, free of what an interrupt may have left."""
        self._refuse_forked()
        if self._closed:
            raise closed(self.path)
        if self._connection is not None:
            if self._connection.in_transaction:
                self.clear()
            else:
                return self._connection
        if self._connection is None:
            connection = apsw.Connection(
                self.path, flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=32
            )
            connection.set_busy_handler(self._busy)
            refuse_foreign(connection, self.path)
            if connection.execute("pragma journal_mode = wal").get != "wal":
                raise StoreError(f"{self.path!r} is on a disk that does not allow WAL. Move it.")
            connection.execute("pragma synchronous = normal")
            self.opened += 1
            self._connection = connection
        return self._connection

    def _refuse_forked(self) -> None:
        if self._forked:
            raise StoreError(
                f"This process was forked inside a transaction of {self.path!r}, so it cannot use "
                "the file. Fork between two calls."
            )

    def _busy(self, count: int) -> bool:
        """Wait a moment for SQLite's lock; a short one, or some processes would starve."""
        sleep(min(0.0001 * (count + 1), 0.001))
        return monotonic() < self._deadline

    def _take_file(self) -> None:
        if fcntl is None:
            return
        try:
            if self._file is None:
                self._file = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o666)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            raise StoreError(
                f"Cannot write {self.path + '.lock'!r}: {error.strerror}. The folder must be there "
                "and writable."
            ) from error

    def clear(self) -> None:
        """Roll back what was not committed, and let other processes go on."""
        connection = self._connection
        if connection is not None and connection.in_transaction:
            try:
                connection.execute("rollback")
            except apsw.Error:  # after some errors SQLite has done so by itself
                if connection.in_transaction:
                    self._drop()
        if self.owner:
            if self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)
            self.owner = 0

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close(True)

    def _rest(self) -> None:
        """Close all files; for who has both locks."""
        self._drop()
        if self._file is not None:
            os.close(self._file)
        if self._wal is not None:
            os.close(self._wal[1])
        self._file = self._wal = None

    def __del__(self) -> None:
        """Close the files of a storage that was never closed."""
        for file in (getattr(self, "_file", None), (getattr(self, "_wal", None) or (0, None))[1]):
            if file is not None:
                os.close(file)

    def before_fork(self) -> None:
        """Close the connection: SQLite's record of locks must not be copied into a child."""
        if self.owner == get_ident() or not self._disk.acquire(timeout=PATIENCE):
            return
        self._resting = self.lock.acquire(timeout=PATIENCE)
        if self._resting:
            self._rest()
        else:
            self._disk.release()

    def after_fork(self, *, child: bool) -> None:
        """Go on; what a child inherits of a transaction is not its own."""
        if not child:
            if self._resting:
                self._resting = False
                self.lock.release()
                self._disk.release()
            return
        if self._connection is not None:
            _inherited.append((self._connection, self._file))
            self._forked = True
        self._connection = self._file = self._wal = None
        self.owner, self._resting, self.lock, self._disk = 0, False, Lock(), Lock()

    def _prepare(self, *, create: bool) -> None:
        """Make the file or bring it up to date, one process at a time."""
        self._deadline = monotonic() + PATIENCE
        try:
            if not os.path.exists(self.path):
                if not create:
                    raise StoreError(
                        f"There is no file {self.path!r}. Check the path, or let it be made."
                    )
                self.owner = get_ident()
                self._take_file()
                if not os.path.exists(self.path):  # again: another process may have made it
                    make(self.path)
            elif os.path.isdir(self.path):
                raise StoreError(
                    f"Cannot read {self.path!r}: Is a directory. Give the path of a file."
                )
            connection = self._open()
            if version(connection) < len(STEPS):
                self.owner = get_ident()
                self._take_file()
                migrate(connection, self.path)
        except apsw.Error as error:
            raise translated(self.path, error) from error
        finally:
            self.clear()


def _event(row: Sequence[Any]) -> Event:
    return Event._make((*row[:6], None if row[6] is None else json.loads(row[6])))


def _checked(row: Sequence[Any], before: int, place: str, name: str, n: int) -> Event:
    """Return event n, from a row that begins with a number and ends with a mark."""
    try:
        event = _event(row[1:8])
        if (n, mark_of(before, n, event, row[7])) == (row[0], row[8]):
            return event
    except NOT_AS_WRITTEN as error:
        raise damaged(place, name, n) from error
    raise damaged(place, name, n)


def _columns(
    rows: list[tuple[Any, ...]], place: str, name: str, after: int
) -> tuple[Columns, dict[int, str], list[int]]:
    """Return rows as arrays, their `extra` as text, and their marks."""
    if not rows:
        return Columns.none(), {}, []
    try:
        table = np.array(rows, dtype=TABLE)
        texts = {row[0]: row[7] for row in rows if row[7] is not None}
        extra = {n: json.loads(text.encode()) for n, text in texts.items()}
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as error:
        if len(rows) > 1:  # find out which one it is
            for i, row in enumerate(rows):
                _columns([row], place, name, after + i)
        raise damaged(place, name, after + 1) from error
    arrays = (np.ascontiguousarray(table[field]) for field in FIELDS[:7])
    return Columns._make((*arrays, extra)), texts, table["mark"].tolist()


# The file: whose it is, how it is made, and how its tables are brought up to date


def refuse_foreign(connection: apsw.Connection, path: str) -> None:
    """Refuse a file that is not ours, or of a later version; it is left as it is."""
    try:
        ours = connection.execute("pragma application_id").get == APPLICATION
    except apsw.NotADBError:
        ours = False
    if not ours:
        raise StoreError(f"{path!r} is no log of upperhand. It was left as it is.")
    if (found := version(connection)) > len(STEPS):
        raise StoreError(newer(repr(path), found))
    if connection.readonly("main") or not os.access(os.path.dirname(path), os.W_OK):
        raise StoreError(
            f"{path!r} cannot be written, or its folder cannot: both must be, also to read it. "
            "Change their permissions, or work on a copy."
        )


def make(path: str, steps: tuple[str, ...] = STEPS) -> None:
    """Make a new file: under another name first, so that it is there whole or not at all."""
    try:
        with replacing(path) as temporary:
            connection = apsw.Connection(str(temporary))
            try:
                connection.execute(f"pragma application_id = {APPLICATION}").fetchall()
                migrate(connection, path, steps)
                connection.execute("pragma journal_mode = wal").fetchall()
            finally:
                connection.close()
            for ending in ("-wal", "-shm", "-journal"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{temporary}{ending}")
    except FileError as error:
        raise StoreError(str(error)) from error


def migrate(connection: apsw.Connection, path: str, steps: tuple[str, ...] = STEPS) -> None:
    """Run the steps that a file has not seen, each whole or not at all."""
    connection.transaction_mode = "IMMEDIATE"
    while (found := version(connection)) < len(steps):
        with connection:
            connection.execute(steps[found].format(**SQLITE)).fetchall()
            if found + 1 == MARKS:
                _fill_marks(connection, path)
            connection.execute(f"pragma user_version = {found + 1}").fetchall()
    if found > len(STEPS):
        raise StoreError(newer(repr(path), found))


def _fill_marks(connection: apsw.Connection, path: str) -> None:
    """Mark the events that were written before there were marks."""
    setting = "update events set mark = ? where experiment = ? and n = ?"
    number: Any
    name: Any
    for number, name in connection.execute("select id, name from experiments").fetchall():
        n, mark = 0, first_mark(name)
        while rows := connection.execute(READ, (number, n, CHUNK)).fetchall():
            columns, texts, _ = _columns(rows, repr(path), name, n)
            if columns.n.tolist() != list(range(n + 1, n + 1 + len(rows))):
                raise damaged(repr(path), name, n + 1, "or one soon after it is missing")
            marks = []
            for i in range(len(rows)):  # each goes on from the one before
                event = columns.event(i)
                mark = mark_of(mark, n + 1 + i, event, texts.get(n + 1 + i))
                marks.append((mark, number, n + 1 + i))
            connection.executemany(setting, marks)
            n += len(rows)
        connection.execute(MOVE_END, (number, n, mark))


def version(connection: apsw.Connection) -> int:
    """Return how many steps a file has seen."""
    return int(connection.execute("pragma user_version").get)


def refuse_old(found: str) -> None:
    """Refuse a library with the WAL-reset bug, by which commits of others can vanish."""
    number = tuple(int(part) for part in found.split(".")[:3])
    fixed = any(number[:2] == fix[:2] and number >= fix for fix in BACKPORTED)
    if not (number >= FIXED or fixed):
        raise StoreError(
            f"apsw brings SQLite {found}, which can lose committed writes (its WAL-reset bug; "
            "3.7.0 to 3.51.2, but not 3.44.6 and 3.50.7). "
            "Upgrade it: pip install --upgrade 'upperhand[live]'."
        )


# What errors mean for a user


def away(path: str, error: object) -> StoreAwayError:
    """Return the error that says that the disk does not answer."""
    return StoreAwayError(
        f"{path!r} could not be read or written: {error}. "
        "Look after the disk and try again: what was committed is safe."
    )


def translated(path: str, error: apsw.Error | UnicodeDecodeError) -> StoreError:
    """Return an error of SQLite in plain words."""
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusyError(f"{path!r} is in use by another program: {error}. Try again.")
    if isinstance(error, apsw.FullError):
        return away(path, "the disk is full")
    if isinstance(error, (apsw.IOError, apsw.CantOpenError, apsw.NoMemError)):
        return away(path, error)
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)):
        return DamagedError(
            f"{path!r} is damaged: {error}. Keep the file with its -wal, and go on with a copy "
            "that was made before."
        )
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return StoreError(f"{path!r} cannot be written. Change its permissions and its folder's.")
    if isinstance(error, apsw.ConstraintError):
        return refused(repr(path), "events.n" in str(error))
    return StoreError(f"{path!r} could not be used: {error}.")
