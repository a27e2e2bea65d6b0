"""Batches of equal length for K arms, which grow by calls: what QoMax-SDA plays with.

An arm has `made` batches of `length` rewards each. A call asks for one reward more in each of
them, and perhaps for new ones of the new length; a catch-up asks for new batches alone. Rewards
come one at a time, and what is still owed of a call is counted. Of each batch only the records are
kept that can still be the maximum of its last rewards.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import recent_maxima
from .compile import kernel
from .ranks import rank
from .recent_maxima import RecentMaxima, maximum_of_rank, push


class Batches(NamedTuple):
    """The batches of K arms."""

    maxima: RecentMaxima  # a row is a batch
    length: NDArray[np.int64]  # (K,) n_j, the rewards in each batch
    made: NDArray[np.int64]  # (K,) B_j, without one that is not complete
    owed: NDArray[np.int64]  # (K,) rewards that the arm's call still asks for
    place: NDArray[np.int64]  # (K,) the next one's: the batch, or the place in a new one
    adding: NDArray[np.bool_]  # (K,) whether it goes to a batch that is complete


def no_batches(arms: int, room: int) -> Batches:
    """Return the batches before the first reward, with room for about so many rewards of each arm.

    An arm with n rewards in each of n^(2/3) batches has n^(5/3) in all: N^(2/5) batches.
    """
    length, made, owed, place = np.zeros((4, arms), np.int64)
    maxima = recent_maxima.empty(arms, math.ceil(math.pow(room, 0.4)), room)
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
    """Return how many rewards all arms are owed."""
    owed = 0
    for arm in range(len(batches.owed)):
        owed += int(batches.owed[arm])
    return owed


@kernel
def quantile_of_maxima(batches: Batches, arm: int, level: float) -> float:
    """Return the quantile at that level of the maxima of the arm's complete batches."""
    count = int(batches.made[arm])
    return maximum_of_rank(batches.maxima, arm, count, rank(level, count))
