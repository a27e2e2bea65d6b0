"""How an experiment went: each arm's share of the outcomes and its quantile, over time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..calibrators import Interval
from .log.event import OUTCOMES, Columns
from .replay import Replay, corrections
from .report import confidence_interval, estimate
from .settings import Settings
from .state import ExperimentState

POINTS = 200  # at most: more cannot be told apart on a page
SMOOTH, FEWEST = 20, 10  # a share is that of the last 1/20 of the outcomes, and of 10 at least


class History(NamedTuple):
    """What the arms of a segment did, at up to 200 points."""

    arms: tuple[Any, ...]
    quantile: float | None  # which one it is
    told: NDArray[np.int64]  # (P,) how many outcomes there were at each point
    at: NDArray[np.float64]  # (P,) when that was, in seconds since 1970
    counts: NDArray[np.int64]  # (arms, P) outcomes of each arm then
    shares: NDArray[np.float64]  # (arms, P) of the latest outcomes then
    quantiles: NDArray[np.float64]  # (arms, P) NaN: nothing is known; ±∞: among failures
    confidence: list[Interval]  # for each arm's quantile, at the end
    minimize: bool = False


def history(
    settings: Settings, events: Columns, *, segment: int = 0, confidence: float = 0.95
) -> History:
    """Return how a segment went, from all events of a log; a replay with stops."""
    own = np.flatnonzero(np.isin(events.kind, OUTCOMES) & (events.segment == segment))
    stops = np.unique(np.linspace(1, len(own), min(POINTS, len(own))).round().astype(np.int64))
    if not len(own):
        stops = np.zeros(0, np.int64)
    state = ExperimentState(settings, corrections(events), follows=False)
    estimates = [
        [estimate(state.learners[segment], arm) for arm in range(len(state.arms))]
        for state in _stopping(Replay(settings), state, events, own[stops - 1] + 1)
    ]
    arms = len(state.arms)
    quantiles = np.full((arms, len(stops)), np.nan)
    for point, found in enumerate(estimates):  # arms that came later have none before
        quantiles[: len(found), point] = [np.nan if q is None else q for q in found]
    ends = [Interval(-np.inf, np.inf)] * arms
    if segment < len(state.learners):
        learner = state.learners[segment]
        ends = [confidence_interval(learner, arm, 1.0 - confidence) for arm in range(arms)]
    if settings.duration:
        ends = [Interval(max(low, 0.0), high) for low, high in ends]
    told, begins = events.arm[own], np.maximum(stops - max(FEWEST, len(own) // SMOOTH), 0)
    counts = _counts(told, arms, stops)
    shares = (counts - _counts(told, arms, begins)) / (stops - begins)
    return History(
        tuple(state.arms), settings.quantile, stops, events.at[own[stops - 1]], counts, shares,
        quantiles, ends, settings.minimize,
    )  # fmt: skip


def _stopping(
    replay: Replay, state: ExperimentState, events: Columns, stops: NDArray[np.int64]
) -> Iterator[ExperimentState]:
    """Yield the state after so many events, and take in the others at the end."""
    begin = 0
    for stop in stops.tolist():
        replay.take_in(state, events.part(begin, stop))
        begin = stop
        yield state
    replay.take_in(state, events.part(begin, len(events.n)))


def _counts(told: NDArray[Any], arms: int, stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of the outcomes up to each stop are each arm's."""
    places = (np.flatnonzero(told == arm) + 1 for arm in range(arms))
    return np.array([np.searchsorted(each, stops, side="right") for each in places])
