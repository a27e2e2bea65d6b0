"""K samples in which a value's weight decays with its age, and their weighted quantiles.

The i-th of n values of a row weighs ρ^{n+1−i}, and a value to come weighs 1. All weights decay
alike, so sums of old weights are kept and scaled. The values lie in two sorted parts, each with the
running sums of its weights: LATE new ones, and the others. A new value goes among the late ones, in
O(LATE); when they are full, they are merged with the others, in O(m), and all sums are recomputed
from the ages, so that nothing drifts. A quantile is found by bisection, in O(log² m).

Values older than `window` are dropped at a merge, so that m ≤ window + LATE for good. With
ρ^window / (1 − ρ) ≤ 2⁻⁵³ all that was ever dropped weighs less than half a unit in the last place
of the sum of all weights, which is at least 1: a sum of doubles could not tell.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel
from .samples import needed

LATE = 128  # 64 to 256 cost the same at ρ = 0.99


class DecayingSamples(NamedTuple):
    """The samples of K rows. All arrays are modified in place; `grown` makes larger ones."""

    values: NDArray[np.float64]  # (K, width) sorted
    arrival: NDArray[np.int64]  # (K, width) the how-manieth value of the row each was
    weight: NDArray[np.float64]  # (K, width) running sums of their weights at the last merge
    size: NDArray[np.int64]  # (K,) how many these are
    late_values: NDArray[np.float64]  # (K, LATE) sorted, those since the last merge
    late_arrival: NDArray[np.int64]  # (K, LATE)
    late_weight: NDArray[np.float64]  # (K, LATE) running sums of their weights now
    late: NDArray[np.int64]  # (K,) how many these are
    seen: NDArray[np.int64]  # (K,) n, with those that were dropped

    def __repr__(self) -> str:
        return f"DecayingSamples of {len(self.size)} rows, {self.size.sum() + self.late.sum()} kept"


def empty(rows: int) -> DecayingSamples:
    """Return samples without values."""
    return DecayingSamples(
        values=np.zeros((rows, LATE)),
        arrival=np.zeros((rows, LATE), np.int64),
        weight=np.zeros((rows, LATE)),
        size=np.zeros(rows, np.int64),
        late_values=np.zeros((rows, LATE)),
        late_arrival=np.zeros((rows, LATE), np.int64),
        late_weight=np.zeros((rows, LATE)),
        late=np.zeros(rows, np.int64),
        seen=np.zeros(rows, np.int64),
    )


def grown(samples: DecayingSamples) -> DecayingSamples:
    """Return the same samples with capacity for a merge more in each row, and a half besides."""
    more = ((0, 0), (0, samples.values.shape[1] // 2 + LATE))
    return samples._replace(
        values=np.pad(samples.values, more),
        arrival=np.pad(samples.arrival, more),
        weight=np.pad(samples.weight, more),
    )


def packed(samples: DecayingSamples) -> DecayingSamples:
    """Return a copy without unused capacity, with zeros for what is left of earlier merges."""
    width = max(LATE, int(samples.size.max()))
    kept = np.arange(width) < samples.size[:, None]
    late = np.arange(LATE) < samples.late[:, None]
    return samples._replace(
        values=np.where(kept, samples.values[:, :width], 0.0),
        arrival=np.where(kept, samples.arrival[:, :width], 0),
        weight=np.where(kept, samples.weight[:, :width], 0.0),
        late_values=np.where(late, samples.late_values, 0.0),
        late_arrival=np.where(late, samples.late_arrival, 0),
        late_weight=np.where(late, samples.late_weight, 0.0),
    )


@kernel
def full(samples: DecayingSamples, row: int) -> bool:
    """Tell whether the row's next value may exceed the capacity: then it needs `grown`."""
    late, size = int(samples.late[row]), int(samples.size[row])
    return late == LATE and size + LATE > samples.values.shape[1]


@kernel
def insert(samples: DecayingSamples, row: int, value: float, decay: float, window: int) -> None:
    """Put `value` into the row's sample, if it is not full; all others age."""
    if int(samples.late[row]) == LATE:
        _drop(samples, row, window)
        _merge(samples, row)
        _weigh(samples, row, decay)
    n, j = int(samples.seen[row]) + 1, int(samples.late[row])
    samples.seen[row], samples.late[row] = n, j + 1
    while j > 0 and float(samples.late_values[row, j - 1]) > value:
        samples.late_values[row, j] = samples.late_values[row, j - 1]
        samples.late_arrival[row, j] = samples.late_arrival[row, j - 1]
        samples.late_weight[row, j] = decay * float(samples.late_weight[row, j - 1]) + decay
        j -= 1
    samples.late_values[row, j], samples.late_arrival[row, j] = value, n
    for i in range(j):
        samples.late_weight[row, i] = decay * float(samples.late_weight[row, i])
    samples.late_weight[row, j] = _sum(samples.late_weight, row, j) + decay


@kernel
def quantile(samples: DecayingSamples, row: int, level: float, decay: float) -> float:
    """Return the smallest value at or below which the weights reach `level` of all, or +∞.

    The weight 1 of the value to come counts in all, and is at +∞.
    """
    size, late = int(samples.size[row]), int(samples.late[row])
    aged = math.pow(decay, late)
    old, new = aged * _sum(samples.weight, row, size), _sum(samples.late_weight, row, late)
    target = needed(level, 1.0 + (old + new))
    first, last = 0, late  # the first late value that the weights reach by, from `first` to `last`
    while first < last:
        j = (first + last) // 2
        before = _count_at_most(samples.values, row, size, float(samples.late_values[row, j]))
        reached = aged * _sum(samples.weight, row, before) + float(samples.late_weight[row, j])
        first, last = (first, j) if reached >= target else (j + 1, last)
    found = float(samples.late_values[row, last]) if last < late else math.inf
    below = _sum(samples.late_weight, row, last)  # of the late values before that
    first, last = 0, size
    while first < last:
        i = (first + last) // 2
        reached = aged * float(samples.weight[row, i]) + below
        first, last = (first, i) if reached >= target else (i + 1, last)
    return min(found, float(samples.values[row, last])) if last < size else found


@kernel
def _sum(weight: NDArray[np.float64], row: int, count: int) -> float:
    """Return the sum of the first `count` weights, from the running sums."""
    return float(weight[row, count - 1]) if count > 0 else 0.0


@kernel
def _count_at_most(values: NDArray[np.float64], row: int, size: int, value: float) -> int:
    """Return how many of the row's sorted values are at most `value`."""
    first, last = 0, size
    while first < last:
        middle = (first + last) // 2
        over = float(values[row, middle]) > value
        first, last = (first, middle) if over else (middle + 1, last)
    return first


@kernel
def _drop(samples: DecayingSamples, row: int, window: int) -> None:
    """Drop what is older than the window, but for the late values."""
    oldest, kept = int(samples.seen[row]) - window, 0
    for i in range(int(samples.size[row])):
        if int(samples.arrival[row, i]) > oldest:
            samples.values[row, kept] = samples.values[row, i]
            samples.arrival[row, kept] = samples.arrival[row, i]
            kept += 1
    samples.size[row] = kept


@kernel
def _merge(samples: DecayingSamples, row: int) -> None:
    """Merge the late values with the others, in place, from the largest down."""
    i, j = int(samples.size[row]) - 1, int(samples.late[row]) - 1
    samples.size[row], samples.late[row] = i + j + 2, 0
    while j >= 0:
        at = i + j + 1
        if i >= 0 and float(samples.values[row, i]) > float(samples.late_values[row, j]):
            samples.values[row, at] = samples.values[row, i]
            samples.arrival[row, at] = samples.arrival[row, i]
            i -= 1
        else:
            samples.values[row, at] = samples.late_values[row, j]
            samples.arrival[row, at] = samples.late_arrival[row, j]
            j -= 1


@kernel
def _weigh(samples: DecayingSamples, row: int, decay: float) -> None:
    """Sum the weights again, from the ages."""
    n, total = int(samples.seen[row]), 0.0
    for i in range(int(samples.size[row])):
        total += math.pow(decay, n + 1 - int(samples.arrival[row, i]))
        samples.weight[row, i] = total
