"""Maxima of recent values, and batches of equal length: what QoMax-SDA plays with.

**Recent maxima.** A row is a sequence of numbered values. The maximum of those from a number on is
that of a *record*: a value that is larger than all after it. So of each row only these are kept,
from the oldest, which is the maximum of all, to the newest value. A new value removes the records
that it reaches. Of n independent values about ln n are records; of falling ones, all are.

**Batches** grow by calls. An arm has `made` batches of `length` rewards each. A call asks for one
reward more in each of them, and perhaps for new ones of the new length; a catch-up asks for new
batches alone. Rewards come one at a time, and those still owed to a call are counted. Of each batch
only the records are kept that can still be the maximum of its last rewards.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel
from .samples import rank

ROWS, RECORDS = 6, 6  # the smallest initial capacity


class RecentMaxima(NamedTuple):
    """The rows of K arms. All arrays are modified in place; `grown` makes larger ones."""

    values: NDArray[np.float64]  # (K, rows, width) the records of each row, falling
    numbers: NDArray[np.int64]  # (K, rows, width) and the number of each, rising
    size: NDArray[np.int64]  # (K, rows) how many these are
    begun: NDArray[np.int64]  # (K,) rows with a value: the first ones
    most: NDArray[np.int64]  # (K,) the most records that a row has had

    def __repr__(self) -> str:
        return f"RecentMaxima of {len(self.begun)} arms, {self.begun.sum()} rows"


def empty(arms: int, rows: int = 0, values: int = 0) -> RecentMaxima:
    """Return rows without values, with capacity for so many rows, and so many values in each.

    That is three times the records that so many independent values have, about.
    """
    rows, width = ROWS + rows, RECORDS + math.ceil(3 * math.log(values + 1))
    return RecentMaxima(
        values=np.zeros((arms, rows, width)),
        numbers=np.zeros((arms, rows, width), np.int64),
        size=np.zeros((arms, rows), np.int64),
        begun=np.zeros(arms, np.int64),
        most=np.zeros(arms, np.int64),
    )


def grown(maxima: RecentMaxima) -> RecentMaxima:
    """Return the same with more of what is used up: rows, columns for records, or both."""
    _, rows, width = maxima.values.shape
    more_rows = (0, rows // 2 + ROWS if int(maxima.begun.max()) == rows else 0)
    more_width = (0, width // 2 + RECORDS if int(maxima.most.max()) == width else 0)
    return maxima._replace(
        values=np.pad(maxima.values, ((0, 0), more_rows, more_width)),
        numbers=np.pad(maxima.numbers, ((0, 0), more_rows, more_width)),
        size=np.pad(maxima.size, ((0, 0), more_rows)),
    )


def packed(maxima: RecentMaxima) -> RecentMaxima:
    """Return a copy without unused capacity, with zeros for what is left of removed records."""
    rows, width = max(1, int(maxima.begun.max())), max(1, int(maxima.most.max()))
    kept = np.arange(width) < maxima.size[:, :rows, None]
    return maxima._replace(
        values=np.where(kept, maxima.values[:, :rows, :width], 0.0),
        numbers=np.where(kept, maxima.numbers[:, :rows, :width], 0),
        size=maxima.size[:, :rows].copy(),
    )


@kernel
def full(maxima: RecentMaxima, arm: int) -> bool:
    """Tell whether the arm's next value may exceed the capacity: then it needs `grown`."""
    rows, width = maxima.values.shape[1], maxima.values.shape[2]
    return bool(int(maxima.begun[arm]) == rows or int(maxima.most[arm]) == width)


@kernel
def push(maxima: RecentMaxima, arm: int, row: int, number: int, value: float) -> None:
    """Append a value to a row of the arm, or begin its next row. Needs capacity: not `full`."""
    last = int(maxima.size[arm, row])
    if last == 0:
        maxima.begun[arm] += 1
    while last > 0 and float(maxima.values[arm, row, last - 1]) <= value:
        last -= 1
    maxima.values[arm, row, last], maxima.numbers[arm, row, last] = value, number
    maxima.size[arm, row] = last + 1
    maxima.most[arm] = max(int(maxima.most[arm]), last + 1)


@kernel
def maximum_after(maxima: RecentMaxima, arm: int, row: int, number: int) -> float:
    """Return the maximum of the row's values after that number, of which there is one or more."""
    i = int(maxima.size[arm, row]) - 1
    while i > 0 and int(maxima.numbers[arm, row, i - 1]) > number:
        i -= 1
    return float(maxima.values[arm, row, i])


@kernel
def maximum_of_rank(maxima: RecentMaxima, arm: int, rows: int, rank: int) -> float:
    """Return the rank-th smallest (1-based) of the maxima of the arm's first rows."""
    for row in range(rows):
        value, below, equal = float(maxima.values[arm, row, 0]), 0, 0
        for other in range(rows):
            below += 1 if float(maxima.values[arm, other, 0]) < value else 0
            equal += 1 if float(maxima.values[arm, other, 0]) == value else 0
        if below < rank <= below + equal:
            return value
    return -np.inf


class Batches(NamedTuple):
    maxima: RecentMaxima  # a row is a batch
    length: NDArray[np.int64]  # (K,) n_j, the rewards in each batch
    made: NDArray[np.int64]  # (K,) B_j, without one that is not complete
    owed: NDArray[np.int64]  # (K,) rewards that the arm's call still asks for
    place: NDArray[np.int64]  # (K,) the next one's: the batch, or the place in a new one
    adding: NDArray[np.bool_]  # (K,) whether it goes to a batch that is complete


def no_batches(arms: int, capacity: int) -> Batches:
    """Return the batches before the first reward, with capacity for that many rewards of each arm.

    An arm with n rewards in each of n^(2/3) batches has n^(5/3) in all: N^(2/5) batches.
    """
    length, made, owed, place = np.zeros((4, arms), np.int64)
    maxima = empty(arms, math.ceil(math.pow(capacity, 0.4)), capacity)
    return Batches(maxima, length, made, owed, place, np.zeros(arms, np.bool_))


@kernel
def begin(batches: Batches, arm: int, reward: float) -> None:
    """Make the arm's first batch, of its first reward."""
    push(batches.maxima, arm, 0, 1, reward)
    batches.length[arm] = batches.made[arm] = 1


@kernel
def call(batches: Batches, arm: int, alone: bool) -> None:
    """Owe the arm a reward for each batch and, unless it is alone, for ⌈n^(2/3)⌉ batches in all."""
    n, count = int(batches.length[arm]) + 1, int(batches.made[arm])
    wanted = count
    while not alone and wanted**3 < n**2:
        wanted += 1
    batches.owed[arm], batches.place[arm] = count + (wanted - count) * n, 0
    batches.adding[arm] = True


@kernel
def catch_up(batches: Batches, arm: int, wanted: int) -> None:
    """Owe the arm what new batches need, up to so many."""
    missing = wanted - int(batches.made[arm])
    batches.owed[arm], batches.place[arm] = missing * int(batches.length[arm]), 0


@kernel
def learn(batches: Batches, arm: int, reward: float) -> None:
    """Put a reward that was owed into the batch that is next."""
    place, n, count = int(batches.place[arm]), int(batches.length[arm]), int(batches.made[arm])
    batches.owed[arm] -= 1
    batches.place[arm] = place + 1
    if batches.adding[arm]:
        push(batches.maxima, arm, place, n + 1, reward)
        if place + 1 == count:
            batches.length[arm], batches.place[arm], batches.adding[arm] = n + 1, 0, False
    else:
        push(batches.maxima, arm, count, place + 1, reward)
        if place + 1 == n:
            batches.made[arm], batches.place[arm] = count + 1, 0


@kernel
def owed_in_all(batches: Batches) -> int:
    owed = 0
    for arm in range(len(batches.owed)):
        owed += int(batches.owed[arm])
    return owed


@kernel
def quantile_of_maxima(batches: Batches, arm: int, level: float) -> float:
    """Return the quantile at that level of the maxima of the arm's complete batches."""
    count = int(batches.made[arm])
    return maximum_of_rank(batches.maxima, arm, count, rank(level, count))
