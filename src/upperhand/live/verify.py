"""Is an experiment the replay of its log? Every choice and every number, to the bit."""

import time
from typing import Any, NamedTuple

import numpy as np

from .._kernels.states import to_arrays
from .decide import choice_of
from .learner import Learner
from .log import Log
from .log.event import Columns, Event, Kind
from .replay import Replay
from .settings import Settings
from .snapshot import COUNTS, PLAIN, SUMS, kept
from .state import ExperimentState


class Verification(NamedTuple):
    """What a replay found."""

    events: int
    asks: int
    outcomes: int
    choices_equal: bool  # each ask is answered again as it was, with the same probability
    state_equal: bool  # what is known afterwards is what the experiment knows
    first_difference: str | None
    seconds: float


def verify(log: Log, settings: Settings, state: ExperimentState) -> Verification:
    """Replay a log event by event, choose each arm again, and compare with a state of that log."""
    begin = time.perf_counter()
    events = log.read()
    replayed, differing = _replayed(events, settings)
    differs = difference(replayed, state)
    first = differing
    if first is None and differs is not None:
        first = f"what is known afterwards differs: {differs}"
    return Verification(
        len(events.n),
        int((events.kind == Kind.ASKED).sum()),
        replayed.counts["outcomes"],
        differing is None,
        differs is None,
        first,
        time.perf_counter() - begin,
    )


def _replayed(events: Columns, settings: Settings) -> tuple[ExperimentState, str | None]:
    """Return the state after all events, and the first choice that came out differently."""
    state, differing = ExperimentState(settings), None
    for place in range(len(events.n)):
        event = events.event(place)
        if event.kind == Kind.ASKED and differing is None:
            differing = _differs(state, event, int(events.n[place]))
        if event.kind == Kind.CORRECTED:  # it changes what was learned before it
            state = Replay(settings).from_events(events.part(0, place + 1))
        else:
            state.apply(event)
    return state, differing


def _differs(state: ExperimentState, event: Event, n: int) -> str | None:
    """Return how the answer to an ask differs from what was logged."""
    extra: dict[str, Any] = event.extra or {}
    candidates = extra.get("among", state.active)
    key = extra.get("key")
    found = choice_of(state, event.segment, candidates, key, event.trial, event.at)
    if (found.arm, found.chance) == (event.arm, event.value):
        return None
    arms = state.arms
    return (
        f"event {n} asked for {arms[event.arm]!r} with probability {event.value:g}, and the replay "
        f"for {arms[found.arm]!r} with {found.chance:g}"
    )


def difference(one: ExperimentState, other: ExperimentState) -> str | None:
    """Return the first thing in which two states differ, None if they are equal to the bit."""
    ours, theirs = contents(one), contents(other)
    for name in ours.keys() | theirs.keys():
        if name not in ours or name not in theirs:
            return name
        a, b = ours[name], theirs[name]
        same = np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        if not same:
            return name
    return None


def contents(state: ExperimentState) -> dict[str, Any]:
    """Return all that a state knows, without what choosing left behind for the next choice."""
    plain = ("retired", "epochs", "pending", "released", "sticky", "shares", "looks")
    found: dict[str, Any] = {name: getattr(state, name) for name in (*PLAIN, *plain)}
    for segment, learner in enumerate(state.learners):
        found |= {f"segment {segment}: {name}": value for name, value in _known(learner).items()}
    return found


def _known(learner: Learner) -> dict[str, Any]:
    memory = learner.functions.memory
    found: dict[str, Any] = dict(to_arrays(learner.state))
    found = {name: v for name, v in found.items() if name.partition(".")[0] not in memory}
    if learner.own is not None:
        found |= to_arrays(kept(learner.own))
    found |= {name: getattr(learner, name) for name in (*COUNTS, *SUMS)}
    found["cuts"] = [sorted(cuts) for cuts in learner.cuts]
    found["due"] = [sorted(heap) for heap in learner.due]
    return found
