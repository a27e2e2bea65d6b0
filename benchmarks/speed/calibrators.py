"""What a value of a stream costs by each calibrator: interval, then update."""

import time
from functools import cache, partial

import numpy as np

from speed.clock import TURNS, duration, typical
from speed.rows import Row, Section
from upperhand._kernels import sorted_samples
from upperhand._kernels.compiler import compile_closure
from upperhand._kernels.states import grow
from upperhand.calibrators import CALIBRATORS, as_calibrator, base

SHORT, LONG = 1_000, 100_000


def make_calibration(interval, update, full, insert, no_room):
    """Return the loop over a stream for one calibrator, ready to be compiled."""

    def calibration(calibrator, state, past, low, high, values, done):
        """Go on after so many values to the last, or until there is no room; return how many."""
        for i in range(done, len(values)):
            if full(calibrator, state, 0) or no_room(past, 0):
                return i
            lower, upper = interval(calibrator, state, past, 0, low, high)
            update(calibrator, state, past, 0, low, high, values[i] + 0.0 * (lower > upper))
            insert(past, 0, values[i])
        return len(values)

    return calibration


def calibrated(loop, calibrator, values):
    """Let a calibrator see all values; return its CPU seconds, without those for growing."""
    state = calibrator.owner.functions.start(calibrator, 1, 0)
    past, done, taken = sorted_samples.empty(1, 0), 0, 0.0
    while done < len(values):
        begin = time.process_time()
        done = loop(calibrator, state, past, -1.0, 1.0, values, done)
        taken += time.process_time() - begin
        state, past = grow(state), grow(past)
    return taken


@cache
def step(name):
    """Return the seconds a value from 5·10⁴ to 10⁵, and of the first 10³.

    On a stream of normal values with the same forecast; the insertion of the values themselves,
    which only `Rescored` needs, is in all of them.
    """
    values = np.random.default_rng(0).normal(0.0, 1.0, LONG)
    calibrator = as_calibrator(name, horizon=LONG).parameters
    functions = base.interval, base.update, base.full
    kernels = *functions, sorted_samples.insert, sorted_samples.full
    user = CALIBRATORS[name]
    timed = partial(calibrated, compile_closure(make_calibration, *kernels, user=user))
    timed(calibrator, values[:SHORT])
    few = np.median([timed(calibrator, values[:SHORT]) for _ in range(TURNS)]) / SHORT
    halves = np.array([
        [timed(calibrator, values[:n]) for n in (LONG // 2, LONG)] for _ in range(TURNS)
    ])  # fmt: skip
    late = (halves[:, 1] - halves[:, 0]) / (LONG - LONG // 2)
    return typical(late, f"{duration(float(few))} in the first 10³")


def section():
    """Return a row for each calibrator."""
    rows = tuple(
        Row(f"A value of a stream by {name}, from 5·10⁴ to 10⁵", partial(step, name), "ns")
        for name in CALIBRATORS
    )
    return Section("A value by each calibrator", rows)
