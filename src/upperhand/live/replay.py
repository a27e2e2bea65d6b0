"""A state made from a log: from the latest snapshot, then event by event, or many at once.

Corrections are read first, so that a corrected trial is learned as what it really was, in its
place: the state after a correction is that of a log in which it was told right at once.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import UpperhandError
from .bulk import COMPILE, learn_all
from .log import Log
from .log.event import OUTCOMES, Columns, Event, Kind
from .settings import Settings
from .snapshot import from_bytes, to_bytes
from .state import LOOKS, ExperimentState

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
        if isinstance(news, Columns) and len(news.n) >= MANY and self.settings.forgetting is None:
            begin = 0
            for end in _ends(state, news):
                part, begin = news.part(begin, end), end
                if len(part.n) >= MANY:
                    learn_all(state, part, compiled=len(news.n) >= COMPILE)
                    state.look_where_due()
                else:
                    self.take_in(state, part)
            return
        for event in news.events() if isinstance(news, Columns) else news:
            state.apply(event)

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


def _ends(state: ExperimentState, news: Columns) -> list[int]:
    """Return where parts of events end that can be taken in at once: each look ends one."""
    alone = np.flatnonzero(np.isin(news.kind, (Kind.RETIRED, Kind.CORRECTED, Kind.CLOCK)))
    ends = {len(news.n), *alone.tolist(), *(alone + 1).tolist()} - {0}
    told = np.isin(news.kind, OUTCOMES)
    for segment in np.unique(news.segment[told]).tolist() if state.follows else []:
        own = np.flatnonzero(told & (news.segment == segment))
        before = state.learners[segment].outcomes if segment < len(state.learners) else 0
        for count in LOOKS[bisect_right(LOOKS, before) : bisect_right(LOOKS, before + len(own))]:
            ends.add(int(own[count - before - 1]) + 1)
    return sorted(ends)


def corrections(events: Columns) -> dict[int, tuple[int, float]]:
    """Return what trials really were, by their number; the last correction counts."""
    found: dict[int, tuple[int, float]] = {}
    for place in (events.kind == Kind.CORRECTED).nonzero()[0]:
        event = events.event(int(place))
        extra: dict[str, Any] = event.extra or {}
        found[event.trial] = (int(extra["kind"]), event.value)
    return found
