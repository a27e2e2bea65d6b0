"""Is an experiment the replay of its log? Every choice and every number, to the bit."""

import time
from typing import Any, NamedTuple

import numpy as np

from .._kernels.states import to_arrays
from .decisions import choice_of
from .log.event import Columns, Event, Kind
from .log.protocol import Log
from .machine import Machine
from .player import Player
from .replay import Replay
from .settings import Settings
from .snapshot import COUNTS, PLAIN, SUMS, kept


class Verification(NamedTuple):
    """What a replay found."""

    events: int
    asks: int
    outcomes: int
    choices_equal: bool  # each ask is answered again as it was, with the same probability
    state_equal: bool  # what is known afterwards is what the experiment knows
    first_difference: str | None
    seconds: float


def verify(log: Log, settings: Settings, machine: Machine) -> Verification:
    """Replay a log event by event, choose each arm anew, and compare with a machine of that log."""
    begin = time.perf_counter()
    events = log.read()
    replayed, differing = _replayed(events, settings)
    state = difference(replayed, machine)
    first = differing
    if first is None and state is not None:
        first = f"what is known afterwards differs: {state}"
    return Verification(
        len(events.n),
        int((events.kind == Kind.ASKED).sum()),
        replayed.counts["outcomes"],
        differing is None,
        state is None,
        first,
        time.perf_counter() - begin,
    )


def _replayed(events: Columns, settings: Settings) -> tuple[Machine, str | None]:
    """Return the machine after all events, and the first choice that came out differently."""
    machine, differing = Machine(settings), None
    for place in range(len(events.n)):
        event = events.event(place)
        if event.kind == Kind.ASKED and differing is None:
            differing = _differs(machine, event, int(events.n[place]))
        if event.kind == Kind.CORRECTED:  # it changes what was learned before it
            machine = Replay(settings).from_events(_first(events, place + 1))
        else:
            machine.apply(event)
    return machine, differing


def _first(events: Columns, count: int) -> Columns:
    return events._replace(
        **{name: getattr(events, name)[:count] for name in events._fields if name != "extra"}
    )


def _differs(machine: Machine, event: Event, n: int) -> str | None:
    """Return how the answer to an ask differs from what was logged."""
    extra: dict[str, Any] = event.extra or {}
    candidates = extra.get("among", machine.active)
    key = extra.get("key")
    found = choice_of(machine, event.segment, candidates, key, event.trial, event.at)
    if (found.arm, found.chance) == (event.arm, event.value):
        return None
    arms = machine.arms
    return (
        f"event {n} asked for {arms[event.arm]!r} with probability {event.value:g}, and the replay "
        f"for {arms[found.arm]!r} with {found.chance:g}"
    )


def difference(one: Machine, other: Machine) -> str | None:
    """Return the first thing in which two machines differ, None if they are equal to the bit."""
    ours, theirs = contents(one), contents(other)
    for name in ours.keys() | theirs.keys():
        if name not in ours or name not in theirs:
            return name
        a, b = ours[name], theirs[name]
        same = np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        if not same:
            return name
    return None


def contents(machine: Machine) -> dict[str, Any]:
    """Return all that a machine knows, without what choosing left behind for the next choice."""
    plain = ("retired", "epochs", "pending", "released", "sticky", "shares", "leaders")
    found: dict[str, Any] = {name: getattr(machine, name) for name in (*PLAIN, *plain)}
    for segment, player in enumerate(machine.players):
        found |= {f"segment {segment}: {name}": value for name, value in _known(player).items()}
    return found


def _known(player: Player) -> dict[str, Any]:
    memory = player.functions.memory
    found: dict[str, Any] = dict(to_arrays(player.state))
    found = {name: v for name, v in found.items() if name.partition(".")[0] not in memory}
    if player.own is not None:
        found |= to_arrays(kept(player.own))
    found |= {name: getattr(player, name) for name in (*COUNTS, *SUMS)}
    found["cuts"] = [sorted(cuts) for cuts in player.cuts]
    found["due"] = [sorted(heap) for heap in player.due]
    return found
