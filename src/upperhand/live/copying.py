"""Copies of an experiment's log: for backup, for moving it, and to keep what is whole of it.

A copy has the same events under the same numbers and marks, and at its end an event that says so:
its next opening takes an epoch at random. Ids of trials that only the original knows are then of no
trial of the copy, so an outcome of one is never credited to another.
"""

import time

from .. import checks
from ..errors import ConflictError, ParameterError, StoreError
from .log import Log, Storage, Transaction
from .log.event import Event, Kind
from .opening import stored
from .replay import Replay
from .verify import difference

CHUNK = 20_000  # events that are read at a time


def copy_log(source: Log, target: Storage, until: int | None = None) -> int:
    """Copy a log, or its first `until` events, and check the copy; return how many there are."""
    last = source.last() if until is None else checks.integer("until", until, least=1)
    if until is not None and last > source.last():
        raise ParameterError(
            f"until must be one of the {source.last():,} events of {source.name!r}; got {until}."
        )
    if not last:
        raise ParameterError(f"The log of {source.name!r} is empty, so there is nothing to copy.")
    log = target.log(source.name)
    note = Event(Kind.COPIED, value=float(last), at=time.time())

    def work(transaction: Transaction) -> None:
        if transaction.news(0) != ():
            raise ConflictError(
                f"There is an experiment {source.name!r} already where the copy was to go. "
                "Nothing was copied: choose another place."
            )
        at = 0
        while at < last:
            part = source.read(at, min(CHUNK, last - at))  # its marks are checked
            transaction.append(part.events())
            at += len(part.n)
        latest = max(note.at, float(part.at[-1]))  # times in a log never go back
        transaction.append([note._replace(at=latest)])

    log.transact(work, durable=True)
    log.check()
    settings = stored(source)
    if settings is not None:
        replay = Replay(settings)
        original, copied = (replay.from_events(each.read(most=last)) for each in (source, log))
        if (found := difference(original, copied)) is not None:
            raise StoreError(
                f"The copy of {source.name!r} is not equal to the original: {found} differs. "
                "Copy it again to another place."
            )
    return last
