"""The lock between processes: `flock` on a file next to the log.

SQLite's own lock is polled with ever longer sleeps, and the unlucky starve. The kernel's queue is
fair, and a process that dies leaves it.
"""

import os
from io import FileIO
from time import monotonic, sleep

from ....errors import StoreError
from ..lease import busy

try:
    import fcntl
except ImportError:  # not a Unix: SQLite's lock has to do, see `Desk`
    fcntl = None  # type: ignore[assignment]

NAP = 0.0002  # seconds between two looks, where one must not wait for ever


def opened(path: str) -> FileIO | None:
    """Open the side file; a lock on it ends at the latest when it is closed."""
    if fcntl is None:
        return None
    try:
        return FileIO(path, "ab")
    except OSError as error:
        raise StoreError(
            f"Cannot write {path!r}: {error.strerror}. The folder must be there and writable."
        ) from error


def wait(file: FileIO | None, name: str, deadline: float | None, timeout: float | None) -> None:
    """Wait until the lock is ours."""
    if file is None:
        return
    if deadline is None:
        fcntl.flock(file, fcntl.LOCK_EX)
        return
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if monotonic() >= deadline:
                raise busy(name, timeout) from None
        sleep(NAP)


def release(file: FileIO | None, pid: int) -> None:
    """Give the lock back, also if a child process has a copy of the file; then close it."""
    if file is not None and not file.closed:
        if pid == os.getpid():  # in a child it is not ours to give back
            fcntl.flock(file, fcntl.LOCK_UN)
        file.close()
