"""A state made from a log: from the latest snapshot, then event by event, or many at once.

Corrections are read first, so that a corrected trial is learned as what it really was, in its
place: the state after a correction is that of a log in which it was told right at once.
"""

from collections.abc import Sequence
from typing import Any

from ..errors import UpperhandError
from .bulk import learn_all
from .log import Log
from .log.event import Columns, Event, Kind
from .settings import Settings
from .snapshot import from_bytes, to_bytes
from .state import ExperimentState

MANY = 200  # events from which on learning in bulk pays
SNAPSHOT = 20_000  # events after a snapshot that make it worth while to write another


class Replay:
    """How machines of one experiment are made."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def state(self, log: Log) -> ExperimentState:
        """Return the state after all events of a log."""
        found = self._from_snapshot(log)
        if found is not None:
            state, news = found
            if not (news.kind == Kind.CORRECTED).any():
                self.take_in(state, news)
                return state
        return self.from_events(log.read(0))

    def from_events(self, events: Columns) -> ExperimentState:
        """Return the state after these events, the first ones of a log."""
        state = ExperimentState(self.settings, corrections(events))
        self.take_in(state, events)
        return state

    def take_in(self, state: ExperimentState, news: Columns | Sequence[Event]) -> None:
        """Let a state take in the next events; they hold no corrections of earlier ones."""
        if not isinstance(news, Columns):
            for event in news:
                state.apply(event)
        elif len(news.n) >= MANY and self.settings.forgetting is None:
            learn_all(state, news)
        else:
            self.take_in(state, news.events())

    def save(self, state: ExperimentState, log: Log, *, least: int = SNAPSHOT) -> None:
        """Write a snapshot if the last one is old enough; it is a cache, so failing is no harm."""
        stored = log.snapshot()
        if state.n - (stored[0] if stored else 0) >= least:
            log.save_snapshot(state.n, to_bytes(state))

    def _from_snapshot(self, log: Log) -> tuple[ExperimentState, Columns] | None:
        stored = log.snapshot()
        if stored is None:
            return None
        try:
            state = from_bytes(stored[1], self.settings)
        except UpperhandError:  # damaged, or of another version: the events are the truth
            return None
        return state, log.read(state.n)


def corrections(events: Columns) -> dict[int, tuple[int, float]]:
    """Return what trials really were, by their number; the last correction counts."""
    found: dict[int, tuple[int, float]] = {}
    for place in (events.kind == Kind.CORRECTED).nonzero()[0]:
        event = events.event(int(place))
        extra: dict[str, Any] = event.extra or {}
        found[event.trial] = (int(extra["kind"]), event.value)
    return found
