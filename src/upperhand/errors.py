"""The exceptions of upperhand.

::

    UpperhandError
    ├── ParameterError   (ValueError)   a setting out of its range, or of the wrong kind
    │   └── AssumptionError (ValueError) arms for which a theorem's assumption fails
    ├── ConflictError    (ValueError)   a contradiction to the log of an experiment
    ├── TableError       (ValueError)   a reward table that cannot be played
    ├── RewardError      (ValueError)   a reward that is not finite, or too large
    ├── UnknownNameError (KeyError)     no arm, policy or distribution has that name
    ├── MissingExtraError (ImportError) an optional dependency is not installed
    ├── FileError        (OSError)      a file or folder that cannot be read or written
    ├── ClusterError     (OSError)      an unreachable scheduler or workers: try again later
    └── StoreError       (OSError)      a store of events that cannot be used
        ├── StoreBusyError (TimeoutError) it was in use for longer than the timeout
        ├── StoreAwayError (OSError)    server unreachable, disk full or failing: try again later
        ├── EventsLostError (OSError)   a server lost events that were read: read the log again
        └── DamagedError (OSError)      a log is not as it was written

Messages say what was given, what is allowed, and what to do. `FitWarning` is the one warning.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class UpperhandError(Exception):
    """The base class: catch this to catch everything."""


class ParameterError(UpperhandError, ValueError):
    """A setting is out of its range or of the wrong kind."""


class AssumptionError(ParameterError, ValueError):
    """The assumption of a statement of the theory does not hold for these arms."""


class ConflictError(UpperhandError, ValueError):
    """A result or a setting contradicts the log of an experiment."""


class TableError(UpperhandError, ValueError):
    """A reward table has the wrong shape, or an entry that cannot be a reward."""


class RewardError(UpperhandError, ValueError):
    """A reward, or a value of a stream, is not finite or too large."""


class UnknownNameError(UpperhandError, KeyError):
    """No arm, policy or distribution has that name."""

    def __str__(self) -> str:  # that of a KeyError is quoted
        return str(self.args[0]) if self.args else ""

    @classmethod
    def among(cls, kind: str, given: object, known: Iterable[str]) -> "UnknownNameError":
        """Return the error with what was given, close names, and all known names."""
        names = [str(name) for name in known]
        text = str(given)
        near = get_close_matches(text, names, n=3)
        near = near or [name for name in names if text and name.startswith(text)][:3]
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        return cls(f"Unknown {kind} {given!r}.{hint} Known: {listed}.")


class MissingExtraError(UpperhandError, ImportError):
    """An optional dependency is not installed."""

    @classmethod
    def needed(cls, what: str, extra: str) -> "MissingExtraError":
        """Return the error with the extra to install."""
        return cls(f"{what} needs the '{extra}' extra: pip install 'upperhand[{extra}]'.")


class FitWarning(UserWarning):
    """A live bandit's policy does not fit the rewards that it gets."""


class FileError(UpperhandError, OSError):
    """A file or folder cannot be read or written."""


class ClusterError(UpperhandError, OSError):
    """A scheduler or its workers cannot be reached, or the processes of an executor ended."""


class StoreError(UpperhandError, OSError):
    """A store of events cannot be used, or refuses an event."""


class StoreBusyError(StoreError, TimeoutError):
    """A store was in use for longer than the timeout."""


class StoreAwayError(StoreError, OSError):
    """The server is unreachable, or the disk is full or fails: try again later."""


class EventsLostError(StoreError, OSError):
    """A server lost events that were not durable yet, and that this process has read."""


class DamagedError(StoreError, OSError):
    """A log is not as it was written, from event `n` on; nothing before that is affected."""

    def __init__(self, message: str, n: int = 1) -> None:
        super().__init__(message)
        self.n = n
