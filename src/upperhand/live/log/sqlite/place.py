"""The file of a log: whose it is, how it is made, and how its tables are brought up to date."""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

import apsw

from ....errors import FileError, StoreError
from ....files import replacing
from ..schema import SQLITE, STEPS, newer

APPLICATION = 0x55704872  # "UpHr"
_HEADER = b"SQLite format 3\x00"


# Files that this process has open. To close any handle of a file ends all POSIX locks that the
# process has on it, and SQLite's are such: a file that is open is not opened beside it.
_open: Counter[tuple[int, int]] = Counter()


def opened(path: str) -> tuple[int, int]:
    """Note that a file is open; return what to tell `closed`."""
    found = os.stat(path)
    _open[found.st_dev, found.st_ino] += 1
    return found.st_dev, found.st_ino


def closed(key: tuple[int, int]) -> None:
    """Note that it is open once less."""
    _open[key] -= 1
    if _open[key] <= 0:
        del _open[key]


def look(path: str) -> bool:
    """Tell whether the file is there; refuse one that is not ours, without touching it."""
    with suppress(OSError):
        file_is = os.stat(path)
        if _open[file_is.st_dev, file_is.st_ino] > 0:
            return True
    try:
        with open(path, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(
            f"Cannot read {path!r}: {error.strerror}. Give the path of a file, e.g. results.db."
        ) from error
    if head[:16] != _HEADER or int.from_bytes(head[68:72], "big") != APPLICATION:
        kind = "an empty file" if not head else "no log of upperhand"
        raise StoreError(f"{path!r} is {kind}. It was left as it is: choose another path.")
    if (found := int.from_bytes(head[60:64], "big")) > len(STEPS):
        raise StoreError(newer(repr(path), found))
    if not (os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)):
        raise StoreError(
            f"{path!r} cannot be written, or its folder cannot: both must be, also to read it. "
            "Change their permissions, or work on a copy."
        )
    return True


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
            _tidy(temporary)
    except FileError as error:
        raise StoreError(str(error)) from error


def _tidy(temporary: Path) -> None:
    for ending in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(f"{temporary}{ending}")


def migrate(connection: apsw.Connection, path: str, steps: tuple[str, ...] = STEPS) -> None:
    """Run the steps that a file has not seen, each whole or not at all.

    The caller holds the lock of the file: no two processes migrate at once.
    """
    while (found := version(connection)) < len(steps):
        with connection:
            connection.execute(steps[found].format(**SQLITE)).fetchall()
            connection.execute(f"pragma user_version = {found + 1}").fetchall()
    if found > len(STEPS):
        raise StoreError(newer(repr(path), found))


def version(connection: apsw.Connection) -> int:
    """Return how many steps a file has seen."""
    return int(connection.execute("pragma user_version").get)
