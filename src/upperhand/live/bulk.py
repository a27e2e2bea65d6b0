"""Many events at once: the same machine as event by event, in a fraction of the time.

Asks and outcomes are nearly all of a log. Who is pending, late or lost is found by one pass over
them; what was told is then learned arm by arm in one loop, compiled where Numba is installed.
Whatever else happens splits the events into stretches.
"""

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .._kernels.compile import compile_closure
from .._kernels.loop import make_learning
from .._kernels.sorted_samples import of, values_of
from .log.event import OUTCOMES, Columns, Kind
from .machine import Machine
from .player import Player

COMPILE = 50_000  # outcomes from which on loading the compiler pays

Places = NDArray[np.intp]


def learn_all(machine: Machine, events: Columns) -> None:
    """Take in events of a machine that forgets nothing."""
    plain = np.isin(events.kind, (Kind.ASKED, *OUTCOMES))
    cuts = [-1, *np.flatnonzero(~plain).tolist(), len(plain)]
    for before, after in pairwise(cuts):
        if after - before > 1:
            _take_in(machine, events, np.arange(before + 1, after))
        if after < len(plain):
            machine.apply(events.event(after))


def _take_in(machine: Machine, events: Columns, places: Places) -> None:
    """Take in a stretch of asks and outcomes."""
    times = np.maximum.accumulate(np.maximum(events.at[places], machine.at))
    _follow(machine, events, places, times)
    told = places[events.kind[places] != Kind.ASKED]
    kinds, values = events.kind[told].copy(), events.value[told].copy()
    for place in np.flatnonzero(np.isin(events.trial[told], list(machine.corrections))):
        kinds[place], values[place] = machine.corrections[int(events.trial[told[place]])]
    values[kinds == Kind.FAILED] = machine.settings.failed
    machine.counts["outcomes"] += len(told)
    machine.counts["failed"] += int((kinds == Kind.FAILED).sum())
    machine.counts["at_least"] += int((kinds == Kind.AT_LEAST).sum())
    segments, arms = events.segment[told], events.arm[told]
    for segment in np.unique(segments).tolist():
        own = segments == segment
        player, known = machine.players[segment], own & (kinds != Kind.AT_LEAST)
        learn_many(player, arms[known].astype(np.int64), values[known])
        for arm, bound in zip(
            arms[own & ~known].tolist(), values[own & ~known].tolist(), strict=True
        ):
            player.learn_at_least(arm, bound, 0.0)
    machine.n += len(places)
    machine.at = float(times[-1])


def _follow(machine: Machine, events: Columns, places: Places, times: NDArray[np.float64]) -> None:
    """Follow asks from pending to told or expired."""
    pending, released, counts = machine.pending, machine.released, machine.counts
    lease, asked_kind = machine.settings.lease, int(Kind.ASKED)
    columns = (events.kind, events.trial, events.segment, events.arm)
    rows = zip(*(column[places].tolist() for column in columns), times.tolist(), strict=True)
    first, extras = int(places[0]), events.extra
    offset = int(events.n[first]) - first
    oldest = _oldest(machine)
    for place, (kind, trial, segment, arm, at) in enumerate(rows, first):
        if lease is not None and oldest + lease < at:
            machine.at = at
            machine.expire(at)
            oldest = _oldest(machine)
        if kind == asked_kind:
            extra = extras.get(place + offset) if extras else None
            machine.note_ask(trial, segment, arm, at, extra)
            oldest = min(oldest, at)
        elif trial in pending:
            machine.end(trial)
        elif trial in released:
            del released[trial]
            counts["late"] += 1
        elif trial:
            counts["lost"] += 1


def _oldest(machine: Machine) -> float:
    """Return when the oldest pending ask was made; +∞ if there is none."""
    return next(iter(machine.pending.values())).at if machine.pending else np.inf


def learn_many(player: Player, arms: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """Learn outcomes in order, as `Player.learn` would one by one."""
    functions, policy = player.functions, player.settings.policy
    make = (functions.update, functions.full, functions.forget, functions.interval)
    learn = make_learning(*make)
    if len(arms) >= COMPILE and find_spec("numba") is not None:
        learn = compile_closure(make_learning, *make, user=type(policy), parts=policy.parts)
    seen = (-values if player.negates else values) + 0.0
    signs, first = np.ones(len(arms), np.int8), 0
    while first < len(arms):
        first = learn(
            player.parameters, player.state, arms, seen, signs, first, player.judged, player.covered
        )
        if first < len(arms) or functions.full(player.parameters, player.state, int(arms[-1])):
            player.state = functions.grow(player.state)
    if player.own is not None:
        old = (values_of(player.own, arm) for arm in range(len(player.learned)))
        player.own = of(
            [np.sort(np.append(past, seen[arms == arm])) for arm, past in enumerate(old)]
        )
    counts = np.bincount(arms, minlength=len(player.learned))
    failed = np.bincount(arms[values == player.settings.failed], minlength=len(player.learned))
    player.count_many(counts, failed)
