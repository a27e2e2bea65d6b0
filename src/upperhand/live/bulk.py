"""Many events at once: the same state as event by event, in a fraction of the time.

Asks and outcomes are nearly all of a log. Most asks are told of in time: these pairs leave no trace
but what was told, and are found by sorting. Only the others are followed one by one. What was told
is then learned in one loop, compiled where Numba is installed. All other events set something that
asks and outcomes do not look at, so they come first.
"""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import compile_closure
from .._kernels.loop import make_learning
from .._kernels.sorted_samples import of, values_of
from .learner import Learner
from .log.event import OUTCOMES, Columns, Kind
from .state import ExperimentState
from .trial import ASKS

COMPILE = 100_000  # events from which on loading the compiler pays

Places = NDArray[np.intp]


def learn_all(state: ExperimentState, events: Columns, *, compiled: bool = False) -> None:
    """Take in events of a state that forgets nothing; compiled, if there are many in all."""
    flows = np.isin(events.kind, (Kind.ASKED, Kind.RELEASED, *OUTCOMES))
    for other in np.flatnonzero(~flows).tolist():
        state.take(events.event(other))
    times = np.maximum.accumulate(np.maximum(events.at, state.at))
    _follow(state, events, np.flatnonzero(flows), times)
    told = np.flatnonzero(np.isin(events.kind, OUTCOMES))
    kinds, values = events.kind[told], events.value[told]
    corrected = np.isin(events.trial[told], list(state.corrections))
    for place in np.flatnonzero(corrected).tolist():
        kinds[place], values[place] = state.corrections[int(events.trial[told[place]])]
    values[kinds == Kind.FAILED] = state.settings.failed
    state.counts["outcomes"] += len(told)
    state.counts["failed"] += int((kinds == Kind.FAILED).sum())
    state.counts["at_least"] += int((kinds == Kind.AT_LEAST).sum())
    segments, arms = events.segment[told], events.arm[told]
    for segment in np.unique(segments).tolist():
        own = segments == segment
        learn_many(
            state.learners[segment],
            arms[own].astype(np.int64),
            values[own],
            kinds[own] == Kind.AT_LEAST,
            compiled=compiled,
        )
    state.n += int(flows.sum())
    state.tick(float(times[-1]))


def _follow(
    state: ExperimentState, events: Columns, places: Places, times: NDArray[np.float64]
) -> None:
    """Follow asks from pending to told, given back or expired."""
    asked = places[events.kind[places] == Kind.ASKED]
    state.counts["asked"] += len(asked)
    for segment, count in enumerate(np.bincount(events.segment[asked]).tolist()):
        state.learners[segment].asks += count
    _note_epochs(state, events.trial[asked])
    rest = np.setdiff1d(places, _told_in_time(state, events, times), assume_unique=True)
    columns = (events.n, events.kind, events.trial, events.segment, events.arm)
    rows = zip(*(column[rest].tolist() for column in columns), times[rest].tolist(), strict=True)
    for n, kind, trial, segment, arm, at in rows:
        state.expire(at)
        if kind == Kind.ASKED:
            state.note_pending(trial, segment, arm, at, events.extra.get(n))
        elif kind == Kind.RELEASED:
            state.give_back(trial)
        else:
            state.note_outcome(trial)


def _note_epochs(state: ExperimentState, trials: NDArray[np.int64]) -> None:
    """Note the highest ask of each opening."""
    epochs = trials // ASKS
    for epoch in np.unique(epochs).tolist():
        highest = int(trials[epochs == epoch].max()) % ASKS
        state.epochs[epoch] = max(state.epochs.get(epoch, 0), highest)


def _told_in_time(state: ExperimentState, events: Columns, times: NDArray[np.float64]) -> Places:
    """Return the places of asks without anything special, and of their outcomes in time."""
    is_ask, is_outcome = events.kind == Kind.ASKED, np.isin(events.kind, OUTCOMES)
    special = np.isin(events.n, list(events.extra))
    asks, outcomes = np.flatnonzero(is_ask & ~special), np.flatnonzero(is_outcome)
    _, first, second = np.intersect1d(
        events.trial[asks], events.trial[outcomes], assume_unique=False, return_indices=True
    )
    asks, outcomes = asks[first], outcomes[second]
    lease = state.settings.lease
    in_time = outcomes > asks
    if lease is not None:
        in_time &= times[asks] + lease >= times[outcomes]
    given_back = np.isin(events.trial[asks], events.trial[events.kind == Kind.RELEASED])
    plain = in_time & ~given_back
    return np.concatenate([asks[plain], outcomes[plain]])


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
    if compiled and find_spec("numba") is not None:
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
