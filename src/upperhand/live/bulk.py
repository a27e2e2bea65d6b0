"""Many events at once: the same state as event by event, in a fraction of the time.

All events are followed in their order. Outcomes are learned many at a time, in one loop, compiled
where Numba is installed: only a look which arm leads needs all that were told before it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import compile_closure, is_installed
from .._kernels.loop import make_learning
from .._kernels.sorted_samples import of, values_of
from .learner import Learner
from .log.event import OUTCOMES, Columns, Event, Kind
from .state import ASKED, ExperimentState

COMPILE = 100_000  # events from which on loading the compiler pays
CHUNK = 10_000  # events that are read from the arrays at a time


def learn_all(state: ExperimentState, events: Columns) -> None:
    """Take in events of a state that forgets nothing."""
    begin, compiled = 0, len(events.n) >= COMPILE
    waiting: Counter[int] = Counter()  # outcomes of each segment that are not learned yet

    def learn(end: int) -> None:
        nonlocal begin
        _learn(state, events.part(begin, end), compiled=compiled)
        begin = end
        waiting.clear()

    for place, (n, kind, trial, segment, arm, value, at) in enumerate(_rows(events)):
        state.tick(at)
        if kind == ASKED:
            state.take_ask(trial, segment, arm, events.extra.get(n))
        elif kind in OUTCOMES:
            state.n += 1
            state.note_outcome(trial)
            waiting[segment] += 1
            learner = state.learners[segment]
            if state.follows and learner.outcomes + waiting[segment] == learner.look_at:
                learn(place + 1)
                state.look(segment)
        else:
            if kind in (Kind.RETIRED, Kind.CORRECTED):  # these look
                learn(place)
            state.take(Event(kind, trial, segment, arm, value, at, events.extra.get(n)))
    learn(len(events.n))


def _rows(events: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield events as tuples, without `extra`, few at a time in memory."""
    for begin in range(0, len(events.n), CHUNK):
        columns = (each[begin : begin + CHUNK].tolist() for each in events[:-1])
        yield from zip(*columns, strict=True)


def _learn(state: ExperimentState, events: Columns, *, compiled: bool) -> None:
    """Learn the outcomes among events that were followed."""
    told = np.isin(events.kind, OUTCOMES)
    trials, kinds, values = events.trial[told], events.kind[told], events.value[told]
    for place in np.flatnonzero(np.isin(trials, list(state.corrections))).tolist():
        kinds[place], values[place] = state.corrections[int(trials[place])]
    values[kinds == Kind.FAILED] = state.settings.failed
    state.counts["outcomes"] += len(kinds)
    state.counts["failed"] += int((kinds == Kind.FAILED).sum())
    state.counts["at_least"] += int((kinds == Kind.AT_LEAST).sum())
    segments, arms = events.segment[told], events.arm[told].astype(np.int64)
    for segment in np.unique(segments).tolist():
        own = segments == segment
        cut = kinds[own] == Kind.AT_LEAST
        learn_many(state.learners[segment], arms[own], values[own], cut, compiled=compiled)


def learn_many(
    learner: Learner,
    arms: NDArray[np.int64],
    told: NDArray[np.float64],
    cut: NDArray[np.bool_],
    *,
    compiled: bool,
) -> None:
    """Learn outcomes in order, as the learner would one by one; of those cut, bounds were told."""
    values = told.copy()
    for place in np.flatnonzero(cut).tolist():
        values[place] = learner.stand_in(float(told[place]))
        learner.note_cut(int(arms[place]), float(told[place]))
    functions, policy = learner.functions, learner.settings.policy
    make = (functions.update, functions.full, functions.forget, functions.interval)
    learn = make_learning(*make)
    if compiled and is_installed():
        learn = compile_closure(make_learning, *make, user=type(policy), parts=policy.parts)
    seen = (-values if learner.negates else values) + 0.0
    signs, first = np.ones(len(arms), np.int8), 0
    while first < len(arms):
        first = learn(
            learner.parameters,
            learner.state,
            arms,
            seen,
            signs,
            first,
            learner.judged,
            learner.covered,
        )
        if first < len(arms) or functions.full(learner.parameters, learner.state, int(arms[-1])):
            learner.state = functions.grow(learner.state)
    if learner.own is not None:
        old = (values_of(learner.own, arm) for arm in range(len(learner.learned)))
        learner.own = of(
            [np.sort(np.append(past, seen[arms == arm])) for arm, past in enumerate(old)]
        )
    counts = np.bincount(arms, minlength=len(learner.learned))
    failures = ~cut & (values == learner.settings.failed)
    failed = np.bincount(arms[failures], minlength=len(learner.learned))
    learner.count_many(counts, failed)
