"""A lock for turns that an interrupt cannot leave locked for its own thread."""

import os
from threading import RLock

from ...errors import StoreBusyError, StoreError


def busy(name: str, timeout: float | None) -> StoreBusyError:
    """Return the error that says that the turn did not come in time."""
    return StoreBusyError(
        f"{name!r} is in use, and was not free within {timeout:g} s. Try again, or wait longer."
        if timeout is not None
        else f"{name!r} is in use by another connection. Try again."
    )


def closed(name: str) -> StoreError:
    """Return the error that says that a storage was closed."""
    return StoreError(f"The storage of {name!r} was closed. Open it again by open_storage.")


def nested(name: str) -> StoreError:
    """Return the error that says that a turn was lost to another one of its own thread."""
    return StoreError(
        f"A turn of {name!r} was ended by another one that its own thread began inside it, and "
        "nothing of it was written. Begin a turn only when the last one has ended."
    )


class Lease:
    """A lock that is taken and left by calls, and that its owner may take again.

    An interrupt can come between a turn and its end. The lock is then still held, by a thread that
    believes that it has left. So the next turn of that thread gets the lock, clears what it finds,
    and gives back every level at its end. Nobody nests turns on purpose.
    """

    def __init__(self) -> None:
        self._lock, self._process = RLock(), os.getpid()

    def take(self, name: str, timeout: float | None) -> None:
        """Wait for the lock."""
        if self._process != os.getpid():  # a fork: the thread that held it is not here
            self._lock, self._process = RLock(), os.getpid()
        if not self._lock.acquire(timeout=-1 if timeout is None else max(timeout, 0.0)):
            raise busy(name, timeout)

    def take_if_mine(self) -> bool:
        """Take the lock if it is free, or held by this thread already; tell whether it was."""
        return self._lock.acquire(blocking=False)

    def leave(self) -> None:
        """Give back the lock as often as this thread has taken it."""
        try:
            while True:
                self._lock.release()
        except RuntimeError:  # not ours any more
            pass
