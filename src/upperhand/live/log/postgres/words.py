"""What PostgreSQL's errors mean for a user."""

import psycopg
from psycopg import errors

from ....errors import StoreAwayError, StoreBusyError, StoreError

_BUSY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled)
_REFUSED = (
    errors.InvalidPassword,
    errors.InvalidAuthorizationSpecification,
    errors.InvalidCatalogName,
    errors.InsufficientPrivilege,
)


def told(place: str, error: psycopg.Error) -> StoreError:
    """Return an error of PostgreSQL in plain words."""
    reason = " ".join(str(error).split())
    if isinstance(error, _BUSY):
        return StoreBusyError(f"{place} is in use: {reason}. Try again.")
    if isinstance(error, errors.UniqueViolation):
        return StoreError(
            f"{place} has an outcome of such a trial, or an event of that number, already; "
            "nothing was written. Tell a trial once."
        )
    if isinstance(error, _REFUSED):
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
