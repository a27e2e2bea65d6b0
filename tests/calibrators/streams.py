"""Streams of forecasts and outcomes, and calibrators run over them, as they are or compiled."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from upperhand._kernels import sorted_samples
from upperhand._kernels.compiler import compile_closure
from upperhand._kernels.states import grow
from upperhand.calibrators import Calibrator
from upperhand.calibrators.base import full, interval, update

from ..tables import draw

Steps = list[tuple[float, float, float]]


def stream(kind: str, n: int, *, points: bool, seed: int = 0) -> Steps:
    """Return n steps (low, high, y): the outcomes of a table, and forecasts that lag behind."""
    ys = draw(kind, 1, n, seed)[0] + 0.0
    before = np.concatenate(([0.0], ys[:-1]))
    centre = np.round(before / 4, 1) if kind not in ("subnormal", "huge") else before
    if points:
        return list(zip(centre.tolist(), centre.tolist(), ys.tolist(), strict=True))
    spread = np.random.default_rng(seed).integers(0, 8, n) * 0.25 * np.abs(ys).max()
    ends = (centre - spread).tolist(), (centre + spread).tolist()
    return list(zip(*ends, ys.tolist(), strict=True))


def against(ends: tuple[float, float], t: int) -> float:
    """Return an adversary's outcome: outside if there is an outside, in turns above and below."""
    lower, upper = ends
    if lower > upper or math.isinf(lower):
        return float(t % 5)
    return upper + 1.0 + t % 3 if t % 2 else lower - 1.0


def make_run(interval: Any, update: Any, full: Any, insert: Any, samples_full: Any) -> Any:
    def run(calibrator, state, past, rows, steps, out, done):  # type: ignore[no-untyped-def]
        """Ask for each interval, twice, and learn the outcome; stop where room is due."""
        for i in range(done, len(rows)):
            row = int(rows[i])
            low, high, y = float(steps[i, 0]), float(steps[i, 1]), float(steps[i, 2])
            out[i, 0], out[i, 1] = interval(calibrator, state, past, row, low, high)
            update(calibrator, state, past, row, low, high, y)
            insert(past, row, y)
            if full(calibrator, state, row) or samples_full(past, row):
                return i + 1
        return len(rows)

    return run


def run(
    calibrator: Calibrator,
    steps: Steps,
    rows: list[int] | None = None,
    *,
    compiled: bool = False,
    room: int = 0,
) -> NDArray[np.float64]:
    """Return the interval of each step, all rows in one state."""
    kernels = (interval, update, full, sorted_samples.insert, sorted_samples.full)
    user = type(calibrator)
    loop = compile_closure(make_run, *kernels, user=user) if compiled else make_run(*kernels)
    which = np.array(rows if rows is not None else [0] * len(steps), np.int64)
    table, out, done = np.array(steps), np.empty((len(steps), 2)), 0
    count = int(which.max()) + 1
    state = calibrator.functions.start(calibrator.parameters, count, room)
    past = sorted_samples.empty(count, room)
    while done < len(steps):
        done = loop(calibrator.parameters, state, past, which, table, out, done)
        state, past = grow(state), sorted_samples.grown(past)
    return out


def one_by_one(calibrator: Calibrator, steps: Steps) -> list[tuple[float, float]]:
    """Return the interval of each step, from the object itself."""
    found = []
    for low, high, y in steps:
        found.append(tuple(calibrator.predict((low, high))))
        calibrator.update(y)
    return found
