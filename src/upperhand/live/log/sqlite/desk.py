"""One connection, and who may use it: one thread at a time, and turns one process at a time."""

import os
from io import FileIO
from time import monotonic, sleep
from weakref import WeakSet

import apsw

from ....errors import StoreBusyError, StoreError
from ..lease import Lease, busy, closed
from . import lock
from .words import told

PATIENCE = 30.0  # seconds that a read, or a turn without a limit, waits for SQLite's own locks
_inherited: list[apsw.Connection | None] = []  # of the parent process: never to be closed here


class Desk:
    """A connection that is opened when it is needed, and anew in a forked process."""

    def __init__(self, path: str, vfs: str | None = None) -> None:
        self.path = path
        self._vfs = vfs
        self._lease = Lease()
        self._connection: apsw.Connection | None = None
        self._file: FileIO | None = None
        self._deadline: float | None = None
        self._owner: object = None  # the turn, or the reader, at work
        self._pid = os.getpid()
        self._durable: bool | None = None
        self._closed = False
        _desks.add(self)

    def begin(self, owner: object, name: str, *, durable: bool, timeout: float | None) -> None:
        """Wait for the turn and begin a transaction."""
        deadline = None if timeout is None else monotonic() + timeout
        self._lease.take(name, timeout)
        try:
            connection = self._cleared()
            self._owner, self._pid = owner, os.getpid()
            self._file = lock.opened(f"{self.path}.lock")
            lock.wait(self._file, name, deadline, timeout)
            self._deadline = monotonic() + PATIENCE if deadline is None else deadline
            if durable is not self._durable:
                self._set_durable(connection, durable)
            connection.execute("begin immediate")
        except apsw.BusyError as error:
            self.end()
            raise busy(name, timeout) from error
        except apsw.Error as error:
            self.end()
            raise told(self.path, error) from error
        except BaseException:
            self.end()
            raise

    def commit(self) -> None:
        """Commit and end the turn; if that fails, end it all the same."""
        try:
            self._in_use().execute("commit")
        except apsw.Error as error:
            raise told(self.path, error) from error
        finally:
            self.end()

    def end(self) -> None:
        """Roll back what was not committed, and let others go on."""
        self._owner = None
        try:
            self._roll_back()
        finally:
            self._unlock()
            self._lease.leave()

    def free(self) -> None:
        """End the turn that an interrupt may have left to this thread."""
        if self._lease.take_if_mine():
            self.end()

    def is_owner(self, owner: object) -> bool:
        """Tell whether the turn is still that one, in the process that began it."""
        return self._owner is owner and self._pid == os.getpid()

    def __enter__(self) -> apsw.Connection:
        """Take the connection for reading, without a turn."""
        self._lease.take(self.path, PATIENCE)
        try:
            self._deadline = monotonic() + PATIENCE
            return self._cleared()
        except BaseException:
            self._lease.leave()
            raise

    def __exit__(self, *_: object) -> None:
        self._lease.leave()

    def close(self) -> None:
        """Close the connection; a turn of another thread ends first."""
        self._lease.take(self.path, PATIENCE)
        try:
            self._closed = True
            self._drop()
        finally:
            self._lease.leave()

    def connection(self) -> apsw.Connection:
        """Return the connection of the turn."""
        return self._in_use()

    def _in_use(self) -> apsw.Connection:
        if self._connection is None:
            raise closed(self.path)
        return self._connection

    def _cleared(self) -> apsw.Connection:
        """Return the connection, free of what an interrupted turn may have left."""
        if self._closed:
            raise closed(self.path)
        self._owner = None
        if self._connection is None:
            self._connection = self._opened()
        elif self._connection.in_transaction:
            self._roll_back()
        self._unlock()
        return self._connection

    def _unlock(self) -> None:
        lock.release(self._file, self._pid)
        self._file = None  # last: who is interrupted before finds it, and does it again

    def _opened(self) -> apsw.Connection:
        try:
            connection = apsw.Connection(
                self.path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs, statementcachesize=32
            )
            connection.set_busy_handler(self._busy)
            if connection.readonly("main"):
                connection.close()
                raise StoreError(f"{self.path!r} cannot be written. Change its permissions.")
            mode = connection.execute("pragma journal_mode = wal").get
            if mode != "wal":
                connection.close()
                raise StoreError(f"{self.path!r} is on a disk that does not allow WAL. Move it.")
        except apsw.Error as error:
            raise told(self.path, error) from error
        self._durable = None
        return connection

    def _set_durable(self, connection: apsw.Connection, durable: bool) -> None:
        # SQLite obeys this one when it is compiled, not when it is run: it must not be cached
        level = "full" if durable else "normal"
        connection.execute(f"pragma synchronous = {level}", can_cache=False)
        self._durable = durable

    def _busy(self, count: int) -> bool:
        """Wait a moment for SQLite's lock; a short one, or the unlucky starve."""
        sleep(min(0.0001 * (count + 1), 0.001))
        return self._deadline is not None and monotonic() < self._deadline

    def _roll_back(self) -> None:
        connection = self._connection
        if connection is None or self._pid != os.getpid() or not connection.in_transaction:
            return
        try:
            connection.execute("rollback")
        except apsw.Error:  # after some errors SQLite has done so by itself
            if connection.in_transaction:
                self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close(True)
        self._connection = None

    def before_fork(self) -> None:
        """Close the connection: SQLite's record of locks must not be copied into a child."""
        try:
            self._lease.take(self.path, PATIENCE)
        except StoreBusyError:
            return
        if self._owner is None:
            self._drop()

    def after_fork_in_parent(self) -> None:
        """Let the others go on."""
        if self._owner is None:
            self._lease.leave()

    def after_fork_in_child(self) -> None:
        """Begin anew, with a lock that nobody holds."""
        self._lease = Lease()
        if self._connection is not None:  # forked inside a turn: neither to be used nor closed
            _inherited.append(self._connection)
            self._connection, self._closed = None, True
        if self._file is not None:
            self._file.close()  # a copy of the parent's: its lock stays
            self._file = None


_desks: WeakSet[Desk] = WeakSet()


def _before() -> None:
    for desk in list(_desks):
        desk.before_fork()


def _in_parent() -> None:
    for desk in list(_desks):
        desk.after_fork_in_parent()


def _in_child() -> None:
    for desk in list(_desks):
        desk.after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
