"""K sketches: samples of which few values are kept, whatever comes, and ranks known within bounds.

Of an arm's rewards some values are kept, in ascending order, each with how many rewards are known
to be at most that, how many more may be, and how many are known to equal it. A reward is counted by
the kept values from it on, which is exact. It is kept itself if more than

    c √(r (n − r))

rewards may lie between its neighbours, n being the number of rewards and r the rank there. So at a
level p, ranks are lost by a share in the order of c √(p (1−p)): the least in the tails, as by
chance. c is 0, and every rank is exact, until the capacity is used up; then it rises until a
quarter of the values can go. The least and the largest reward stay, and so does a value that many
rewards share.

This is the summary of M. Greenwald, S. Khanna, "Space-efficient online computation of quantile
summaries", SIGMOD 2001, with a fixed capacity instead of a fixed error, the scale of T. Dunning's
t-digest (arXiv:1902.04023), and ranks that are kept summed up: they are looked up by bisection and
counted up by a loop without a branch. It draws no random numbers, and its bounds hold for any order
of the rewards; `counts_of` reads them off. Rewards cannot be taken back.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel, rare_kernel
from .sorted_rows import CHUNK, count_below, count_up, shift_right

COARSER = 1.1  # the factor by which c rises
FREED = 4  # a fourth of the capacity is freed at once


class Sketches(NamedTuple):
    """The sketches of K arms. All arrays are modified in place."""

    values: NDArray[np.float64]  # (rows, capacity or more) what is kept, ascending, +∞ behind it
    ranks: NDArray[np.int64]  # (rows, capacity) so many rewards are at most that, …
    slack: NDArray[np.int64]  # (rows, capacity) … or up to so many more …
    equal: NDArray[np.int64]  # (rows, capacity) … and at least so many equal it
    row: NDArray[np.int64]  # (K,) which row is the arm's
    kept: NDArray[np.int64]  # (K,) how many values of it are in use
    size: NDArray[np.int64]  # (K,) n: rewards seen
    coarse: NDArray[np.float64]  # (K,) c

    def __repr__(self) -> str:
        return f"Sketches of {len(self.size)} arms, {self.size.sum()} values"


def empty(arms: int, capacity: int) -> Sketches:
    """Return sketches without values that keep fewer than `capacity` of each arm."""
    return Sketches(
        values=np.full((arms, -(-capacity // CHUNK) * CHUNK), np.inf),
        ranks=np.zeros((arms, capacity), np.int64),
        slack=np.zeros((arms, capacity), np.int64),
        equal=np.zeros((arms, capacity), np.int64),
        row=np.arange(arms, dtype=np.int64),
        kept=np.zeros(arms, np.int64),
        size=np.zeros(arms, np.int64),
        coarse=np.zeros(arms),
    )


@kernel
def insert(sketches: Sketches, arm: int, value: float) -> None:
    """Count `value` in the arm's sketch, and keep it if its neighbours are too far apart."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    at = count_below(sketches.values[row], 0, kept, value)
    if at < kept and sketches.values[row, at] == value:
        sketches.equal[row, at] += 1
    elif apart(sketches, arm, at):
        keep(sketches, arm, at, value)
        kept += 1
    count_up(sketches.ranks[row], at, kept)
    sketches.size[arm] += 1
    if kept == sketches.ranks.shape[1]:
        coarsen(sketches, arm)


@kernel
def full(sketches: Sketches, arm: int) -> bool:
    """Return False: a sketch never needs more capacity."""
    return False


@kernel
def remove(sketches: Sketches, arm: int, value: float) -> bool:
    """Tell that nothing can be taken back."""
    return False


@kernel
def value_at(sketches: Sketches, arm: int, cursor: int, rank: int) -> float:
    """Return the kept value that stands for the rank-th smallest reward of the arm (1-based)."""
    first, last = 0, int(sketches.kept[arm]) - 1
    while first < last:
        middle = (first + last) // 2
        if _stands_up_to(sketches, arm, middle) < rank:
            first = middle + 1
        else:
            last = middle
    return float(sketches.values[int(sketches.row[arm]), first])


@kernel
def count_at_most(sketches: Sketches, arm: int, cursor: int, value: float) -> int:
    """Return how many of the arm's rewards are at most `value`: how many ranks stand for such."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    at = count_below(sketches.values[row], 0, kept, value)
    if at < kept and sketches.values[row, at] == value:
        at += 1
    return _stands_up_to(sketches, arm, at - 1) if at > 0 else 0


@kernel
def _stands_up_to(sketches: Sketches, arm: int, place: int) -> int:
    """Return the last rank that the kept value at `place` stands for.

    It is in the middle of what may be: between the rewards that are at most this value, and those
    that are below the next. So a rank has one value, and a value one share of the ranks.
    """
    row, after = int(sketches.row[arm]), place + 1
    if after == int(sketches.kept[arm]):
        return int(sketches.size[arm])
    here = 2 * int(sketches.ranks[row, place]) + int(sketches.slack[row, place])
    below = int(sketches.ranks[row, after]) - int(sketches.equal[row, after])
    return (here + 2 * below + int(sketches.slack[row, after])) // 4


def values_of(sketches: Sketches, arm: int) -> NDArray[np.float64]:
    """Return a value for each of the arm's rewards, ascending: as many as there are rewards."""
    counts = counts_of(sketches, arm)
    return np.repeat(counts.values, np.diff(counts.taken, prepend=0))


class Counts(NamedTuple):
    """How many of an arm's rewards are at most each kept value."""

    values: NDArray[np.float64]  # what is kept, ascending
    taken: NDArray[np.int64]  # how many count as at most that, …
    least: NDArray[np.int64]  # … how many surely are, …
    below: NDArray[np.int64]  # … and how many are less, at most


def counts_of(sketches: Sketches, arm: int) -> Counts:
    """Return what is known of the arm's rewards."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    taken = [_stands_up_to(sketches, arm, place) for place in range(kept)]
    most = sketches.ranks[row, :kept] + sketches.slack[row, :kept]
    return Counts(
        values=sketches.values[row, :kept].copy(),
        taken=np.array(taken, np.int64),
        least=sketches.ranks[row, :kept].copy(),
        below=most - sketches.equal[row, :kept],
    )


def within(sketches: Sketches, arm: int, rank: int) -> tuple[float, float]:
    """Return two kept values between which the rank-th smallest reward of the arm surely lies."""
    counts = counts_of(sketches, arm)
    low = int(np.searchsorted(counts.below, rank)) - 1  # the last with fewer than `rank` below it
    high = int(np.searchsorted(counts.least, rank))
    return float(counts.values[low]), float(counts.values[high])


def sound(sketches: Sketches, arm: int) -> bool:
    """Tell whether an arm's sketch can be what came of rewards, as far as kernels rely on it."""
    kept, size, most = int(sketches.kept[arm]), int(sketches.size[arm]), sketches.ranks.shape[1]
    if sketches.row[arm] != arm or not 0 <= kept < most or not 0 <= sketches.coarse[arm] < np.inf:
        return False
    if kept == 0 or size <= 0:
        return kept == size == 0
    counts, slack = counts_of(sketches, arm), sketches.slack[arm, :kept]
    equal, rest = sketches.equal[arm, :kept], sketches.values[arm, kept:]
    # What is at most a value is below the next: what is sure, and what may be.
    before = np.append(0, counts.least[:-1]), np.append(0, (counts.least + slack)[:-1])
    facts = (
        np.diff(counts.values) > 0,
        rest == np.inf,
        equal > 0,
        slack >= 0,
        before[0] <= counts.least - equal,
        before[1] <= counts.below,
        counts.below[:1] == 0,
        counts.least[-1:] == size,
        slack[-1:] == 0,
    )
    return all(bool(fact.all()) for fact in facts)


@kernel
def apart(sketches: Sketches, arm: int, at: int) -> bool:
    """Tell whether a value that belongs before the one at `at` is to be kept."""
    if at == 0 or at == int(sketches.kept[arm]):
        return True
    return _far(sketches, arm, at - 1, at, 1, float(sketches.coarse[arm]))


@kernel
def keep(sketches: Sketches, arm: int, at: int, value: float) -> None:
    """Keep `value` at `at`, before it is counted: there are as many below it as may be between."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    least = int(sketches.ranks[row, at - 1]) if at > 0 else 0
    more = _between(sketches, row, at - 1, at) if at < kept else int(sketches.size[arm]) - least
    for part in (sketches.ranks[row], sketches.slack[row], sketches.equal[row]):
        shift_right(part, at, kept)
    shift_right(sketches.values[row], at, kept)
    sketches.values[row, at], sketches.equal[row, at] = value, 1
    sketches.ranks[row, at], sketches.slack[row, at] = least, more
    sketches.kept[arm] = kept + 1


@rare_kernel
def coarsen(sketches: Sketches, arm: int) -> None:
    """Let a fourth of the kept values go, and raise c as far as that takes."""
    row, capacity = int(sketches.row[arm]), sketches.ranks.shape[1]
    coarse = max(float(sketches.coarse[arm]), math.pi / capacity)
    stay = _thin(sketches, arm, coarse)
    while stay > capacity - capacity // FREED:
        coarse *= COARSER
        stay = _thin(sketches, arm, coarse)
    sketches.coarse[arm] = coarse
    for place in range(stay, capacity):
        sketches.values[row, place] = math.inf


@kernel
def _thin(sketches: Sketches, arm: int, coarse: float) -> int:
    """Let go what c does not ask to keep, but not the first and the last; return how many stay."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    stay = 1
    for place in range(1, kept):
        if place == kept - 1 or _far(sketches, arm, stay - 1, place + 1, 0, coarse):
            _move(sketches, row, place, stay)
            stay += 1
    sketches.kept[arm] = stay
    return stay


@kernel
def _far(sketches: Sketches, arm: int, one: int, other: int, more: int, coarse: float) -> bool:
    """Tell whether more than c √(r (n − r)) rewards may lie between the kept values at two places.

    `more` come to them. r is in the middle of what may be. With the rank of one of the values, of
    which much may be unknown, values that drift would never be let go of, and c would rise.
    """
    row, size = int(sketches.row[arm]), int(sketches.size[arm])
    between = _between(sketches, row, one, other)
    rank = int(sketches.ranks[row, one]) + 0.5 * between
    return between + more > coarse * math.sqrt(rank * (size - rank))


@kernel
def _between(sketches: Sketches, row: int, one: int, other: int) -> int:
    """Return how many rewards may lie between the kept values at two places; before all is −1."""
    most = int(sketches.ranks[row, other]) + int(sketches.slack[row, other])
    before = int(sketches.ranks[row, one]) if one >= 0 else 0
    return most - int(sketches.equal[row, other]) - before


@kernel
def _move(sketches: Sketches, row: int, place: int, to: int) -> None:
    sketches.values[row, to] = sketches.values[row, place]
    sketches.ranks[row, to] = sketches.ranks[row, place]
    sketches.slack[row, to] = sketches.slack[row, place]
    sketches.equal[row, to] = sketches.equal[row, place]
