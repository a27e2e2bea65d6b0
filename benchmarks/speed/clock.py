"""Clocks, and sides of a ratio by turns: a shared machine changes its speed while it measures."""

import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from speed.rows import Measured

TURNS = 5  # at least; ratios are taken turn by turn, and their median is what counts


def cpu(function: Callable[[], object]) -> float:
    """Return the CPU seconds of a call, of all threads of this process."""
    start = time.process_time()
    function()
    return time.process_time() - start


def wall(function: Callable[[], object]) -> float:
    """Return the seconds of a call on the clock on the wall."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def both(function: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall seconds of a call."""
    start = time.perf_counter()
    taken = cpu(function)
    return taken, time.perf_counter() - start


def by_turns(
    sides: Mapping[str, Callable[[], float | tuple[float, float]]],
    turns: int = TURNS,
    *,
    warm: bool = True,
) -> dict[str, NDArray[np.float64]]:
    """Return what each side takes, (turns, …): one side after the other, again and again.

    A side returns its own seconds. A turn before the first counts for nothing: it may compile.
    """
    if warm:
        for side in sides.values():
            side()
    found = np.array([[side() for side in sides.values()] for _ in range(turns)])
    return dict(zip(sides, np.moveaxis(found, 1, 0), strict=True))


def typical(values: NDArray[np.float64], note: str = "") -> Measured:
    """Return median and range."""
    return Measured(float(np.median(values)), float(values.min()), float(values.max()), note)


def ratio(over: NDArray[np.float64], under: NDArray[np.float64], note: str = "") -> Measured:
    """Return median and range of the quotients turn by turn."""
    return typical(over / under, note)


def duration(seconds: float) -> str:
    """Return a time as text, in the unit that suits it."""
    unit, scale = next(
        ((unit, scale) for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
         if seconds >= scale), ("ns", 1e-9),
    )  # fmt: skip
    return f"{seconds / scale:.3g} {unit}"
