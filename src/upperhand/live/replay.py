"""A machine made from a log: from the latest snapshot, then event by event, or many at once.

Corrections are read first, so that a corrected trial is learned as what it really was, in its
place: the machine after a correction is that of a log in which it was told right at once.
"""

from typing import Any

from ..errors import UpperhandError
from .bulk import learn_all
from .log.event import Columns, Kind
from .log.protocol import Log
from .machine import Machine
from .settings import Settings
from .snapshot import from_bytes, to_bytes

MANY = 2_000  # events from which on learning in bulk pays
SNAPSHOT = 20_000  # events after a snapshot that make it worth while to write another


class Replay:
    """How machines of one experiment are made."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def machine(self, log: Log) -> Machine:
        """Return the machine after all events of a log."""
        found = self._from_snapshot(log)
        if found is not None:
            machine, news = found
            if not (news.kind == Kind.CORRECTED).any():
                self.take_in(machine, news)
                return machine
        return self.from_events(log.read(0))

    def from_events(self, events: Columns) -> Machine:
        """Return the machine after these events, the first ones of a log."""
        machine = Machine(self.settings, corrections(events))
        self.take_in(machine, events)
        return machine

    def take_in(self, machine: Machine, news: Columns) -> None:
        """Let a machine take in the next events; they hold no corrections of earlier ones."""
        if len(news.n) >= MANY and self.settings.forgetting is None:
            learn_all(machine, news)
        else:
            for place in range(len(news.n)):
                machine.apply(news.event(place))

    def save(self, machine: Machine, log: Log, *, least: int = SNAPSHOT) -> None:
        """Write a snapshot if the last one is old enough; it is a cache, so failing is no harm."""
        stored = log.snapshot()
        if machine.n - (stored[0] if stored else 0) >= least:
            log.save_snapshot(machine.n, to_bytes(machine))

    def _from_snapshot(self, log: Log) -> tuple[Machine, Columns] | None:
        stored = log.snapshot()
        if stored is None:
            return None
        try:
            machine = from_bytes(stored[1], self.settings)
        except UpperhandError:  # damaged, or of another version: the events are the truth
            return None
        return machine, log.read(machine.n)


def corrections(events: Columns) -> dict[int, tuple[int, float]]:
    """Return what trials really were, by their number; the last correction counts."""
    found: dict[int, tuple[int, float]] = {}
    for place in (events.kind == Kind.CORRECTED).nonzero()[0]:
        event = events.event(int(place))
        extra: dict[str, Any] = event.extra or {}
        found[event.trial] = (int(extra["kind"]), event.value)
    return found
