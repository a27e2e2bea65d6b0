"""One file of logs."""

import os

import apsw

from ....errors import StoreError
from ..names import checked_name
from ..schema import STEPS
from . import lock, place
from .desk import Desk
from .log import SqliteLog
from .version import refuse_old
from .words import told


class SqliteStorage:
    """Logs in one SQLite file; its connections are shared by all threads of the process."""

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = True, vfs: str | None = None
    ) -> None:
        refuse_old(apsw.sqlite_lib_version())
        self.path = os.path.abspath(os.fspath(path))
        if not place.look(self.path) and not create:
            raise StoreError(f"There is no file {self.path!r}. Check the path, or let it be made.")
        self._writer = Desk(self.path, vfs)
        self._reader = Desk(self.path, vfs)
        self._prepare()
        self._key: tuple[int, int] | None = place.opened(self.path)

    def _prepare(self) -> None:
        """Make the file or bring it up to date, one process at a time."""
        try:
            if place.look(self.path):
                with self._reader as connection:
                    if place.version(connection) == len(STEPS):
                        return  # nothing to do: who opens a file does not wait for turns
            self._renew()
        except apsw.Error as error:
            raise told(self.path, error) from error

    def _renew(self) -> None:
        file = lock.opened(f"{self.path}.lock")
        try:
            lock.wait(file, self.path, None, None)
            if not place.look(self.path):  # again: another process may have made it
                place.make(self.path)
            with self._writer as connection:
                connection.transaction_mode = "IMMEDIATE"
                place.migrate(connection, self.path)
        finally:
            lock.release(file, os.getpid())

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""
        with self._reader as connection:
            try:
                found = connection.execute("select name from experiments order by id").fetchall()
            except apsw.Error as error:
                raise told(self.path, error) from error
        return [str(name) for (name,) in found]

    def log(self, name: str) -> SqliteLog:
        """Return the log of that name."""
        return SqliteLog(checked_name(name), self._writer, self._reader)

    def close(self) -> None:
        """Close the connections."""
        self._writer.close()
        self._reader.close()
        if self._key is not None:
            place.closed(self._key)
            self._key = None
