"""The closures that are compiled: loops over rounds and streams, and bulk learning.

The loop over rounds finds what it needs by one address (`Record`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import sorted_samples
from .compiler import kernel, record_at
from .sorted_samples import SortedSamples

Loop = Callable[..., Any]
Function = Callable[..., Any]  # of a policy or a calibrator
Values = NDArray[np.float64]
Counts = NDArray[np.int64]


class Stock(NamedTuple):
    """What K arms pay, as far as it was drawn: Y_{j,s} is values[first[j] + s − 1]."""

    values: NDArray[np.float64]
    first: NDArray[np.int64]  # (K,) where each arm's rewards begin, or would if all were there
    drawn: NDArray[np.int64]  # (K,) how many there are


class Tally(NamedTuple):
    arms: NDArray[np.int64]  # (n,) the arm of each round; empty: not kept
    rounds: NDArray[np.int64]  # (G,) when pulls are counted, ascending
    pulls: NDArray[np.int64]  # (G, K) of each arm up to these rounds
    counted: NDArray[np.int64]  # (1,) how many of these rounds are over


def make_loop(
    index: Function,
    select: Function,
    update: Function,
    full: Function,
    stop: Function | None,
    layout: str,
    listed: bool,
    by_round: bool,
) -> Loop:
    """Return the loop for one policy's functions, ready to be compiled or to run as it is.

    `layout` is that of the record that the loop gets the address of: the policy's parameters, its
    state, a `Stock`, a `Tally`, a generator, and a `Shortlist` if `listed`. If `by_round`, an arm
    pays in round t what it has at place t; else its s-th pull pays what it has at place s.
    """
    stops, ended = stop is not None, stop or _never

    def loop(address: int, negated: bool, played: int, last: int) -> tuple[int, int, bool]:
        """Play on to round `last`; return the round, its arm, and if the policy stopped.

        With `negated` the policy sees the negatives of what arms pay. The loop is left early where
        the policy stops, where its state is full, or where an arm has no more rewards.
        """
        record = record_at(address, layout)
        policy, state, stock, tally, rng = record[:5]
        arm = 0
        for t in range(played + 1, last + 1):
            if listed:
                arm = select(index, policy, state, t, rng, record[5])
            else:
                arm = select(index, policy, state, t, rng)
            pulls = int(state.pulls[arm])
            place = t - 1 if by_round else pulls
            paid = float(stock.values[int(stock.first[arm]) + place])
            update(policy, state, arm, 0.0 - paid if negated else paid)  # and no −0.0
            _note(tally, state, arm, t)
            if stops and ended(policy, state, t):
                return t, arm, True
            if full(policy, state, arm) or pulls + 1 == int(stock.drawn[arm]):
                return t, arm, False
        return last, arm, False

    return loop


@kernel
def _note(tally: Tally, state: Any, arm: int, t: int) -> None:
    """Keep what is wanted of round t."""
    if t <= len(tally.arms):
        tally.arms[t - 1] = arm
    place = int(tally.counted[0])
    if place < len(tally.rounds) and t == int(tally.rounds[place]):
        tally.counted[0] = place + 1
        for each in range(len(state.pulls)):
            tally.pulls[place, each] = state.pulls[each]


def make_learning(
    update: Function, full: Function, forget: Function | None, interval: Function | None
) -> Loop:
    """Return the loop that learns and forgets rewards in order, ready to be compiled or to run.

    Without an interval nothing is judged. Without `forget` the loop stops where it should forget.
    """
    forgets = forget is not None
    take_back, expect = forget or _keep, interval or anything

    def learn(
        policy: Any,
        state: Any,  # modified
        arms: NDArray[np.int64],  # (n,) whose reward
        values: NDArray[np.float64],  # (n,) the reward
        signs: NDArray[np.int8],  # (n,) 1: learn it, −1: forget it
        first: int,
        judged: NDArray[np.int64],  # (K,) modified: rewards that met an interval
        covered: NDArray[np.int64],  # (K,) modified: those that it covered
    ) -> int:
        """Go on from `first` to the end, or to a full state; return how many are done in all.

        A reward is judged by the interval as it was before it, unless that was the whole line. If
        the i-th should be forgotten and cannot be, −1 − i is returned.
        """
        for i in range(first, len(values)):
            arm, value = int(arms[i]), float(values[i])
            if signs[i] < 0:
                if not forgets:
                    return -1 - i
                take_back(policy, state, arm, value)
                continue
            judge(expect, policy, state, arm, value, judged, covered)
            update(policy, state, arm, value)
            if full(policy, state, arm):
                return i + 1
        return len(values)

    return learn


def make_calibration(interval: Function, update: Function, full: Function, rescores: bool) -> Loop:
    """Return the loop over a stream for one calibrator, ready to be compiled or to run as it is."""

    def calibration(
        calibrator: Any,
        state: Any,  # modified
        past: SortedSamples,  # modified
        series: tuple[Values, Values, Values],  # both ends of the forecasts, and the values: (n,)
        intervals: Values,  # (2, n) modified: the ends, from before the values
        first: int,
        last: int,
    ) -> int:
        """Go on from `first` to `last`, or to a full state; return how many are done in all."""
        for i in range(first, last):
            low, high, y = float(series[0][i]), float(series[1][i]), float(series[2][i])
            intervals[0, i], intervals[1, i] = interval(calibrator, state, past, 0, low, high)
            update(calibrator, state, past, 0, low, high, y)
            if rescores:
                sorted_samples.insert(past, 0, y)
            if full(calibrator, state, 0) or (rescores and sorted_samples.full(past, 0)):
                return i + 1
        return last

    return calibration


@kernel
def _never(policy: Any, state: Any, t: int) -> bool:
    return False


@kernel
def _keep(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Stand where a policy has no `forget`."""


@kernel
def judge(
    expect: Callable[..., tuple[float, float]],
    policy: Any,
    state: Any,
    arm: int,
    value: float,
    judged: Counts,
    covered: Counts,
) -> None:
    """Count whether an interval covers a reward that is not learned yet, if it is not the line."""
    lower, upper = expect(policy, state, arm)
    if lower > -np.inf or upper < np.inf:
        judged[arm] += 1
        covered[arm] += 1 if lower <= value <= upper else 0


@kernel
def anything(policy: Any, state: Any, arm: int) -> tuple[float, float]:
    """Stand where a policy has no interval."""
    return -np.inf, np.inf
