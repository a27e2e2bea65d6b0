"""What SQLite's errors mean for a user."""

import apsw

from ....errors import StoreAwayError, StoreBusyError, StoreError

_AWAY = (apsw.FullError, apsw.IOError, apsw.CantOpenError, apsw.NoMemError)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError)


def told(path: str, error: apsw.Error) -> StoreError:
    """Return an error of SQLite in plain words."""
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusyError(f"{path!r} is in use by another program: {error}. Try again.")
    if isinstance(error, apsw.FullError):
        return StoreAwayError(
            f"The disk of {path!r} is full. Make room and try again: what was committed is safe."
        )
    if isinstance(error, _AWAY):
        return StoreAwayError(
            f"{path!r} could not be read or written: {error}. "
            "Look after the disk and try again: what was committed is safe."
        )
    if isinstance(error, _DAMAGED):
        return StoreError(
            f"{path!r} is damaged: {error}. Keep the file with its -wal, and go on with a copy "
            "that was made before."
        )
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return StoreError(f"{path!r} cannot be written. Change its permissions and its folder's.")
    if isinstance(error, apsw.ConstraintError):
        return StoreError(
            f"{path!r} has an outcome of such a trial, or an event of that number, already; "
            "nothing was written. Tell a trial once."
        )
    return StoreError(f"{path!r} could not be used: {error}.")
