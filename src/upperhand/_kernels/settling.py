"""Loose values are sorted out from the nearer end, as far as a rank asks and somewhat beyond."""

import math

from .compile import kernel, rare_kernel
from .loose_rows import sort_end
from .loose_values import loose_blocks
from .sorted_blocks import CURSORS, SortedSamples, whole
from .sorted_rows import BLOCK, shift_right

# The part of the loose values that is sorted out beyond what was asked for. All of them are looked
# at each time, so it must be a part of them: else ranks that come nearer one by one cost n² in all.
AHEAD = 8


@rare_kernel
def settle(samples: SortedSamples, arm: int, rank: int) -> None:
    """Sort loose values out, from their nearer end to the rank-th of them and somewhat beyond."""
    count = whole(samples.fill[whole(samples.start[arm]) + whole(samples.loose[arm])])
    lower = 2 * rank <= count
    needed = (rank if lower else count + 1 - rank) + count // AHEAD
    _sort_out(samples, arm, max(count - needed, 0) // BLOCK, lower)


@rare_kernel
def settle_around(samples: SortedSamples, arm: int, value: float) -> None:
    """Sort the loose values out to where `value` lies among them."""
    count = whole(samples.fill[whole(samples.start[arm]) + whole(samples.loose[arm])])
    last, below = whole(samples.start[arm + 1]) - 1, 0
    for i in range(count):
        row = samples.values[samples.order[last - i // BLOCK]]
        below += 1 if row[i % BLOCK] <= value else 0
    settle(samples, arm, max(below, 1))


@rare_kernel
def settle_all(samples: SortedSamples, arm: int) -> None:
    """Sort all of the arm's values."""
    if whole(samples.loose[arm]) < whole(samples.blocks[arm]):
        _sort_out(samples, arm, 0, True)


@kernel
def _sort_out(samples: SortedSamples, arm: int, keep: int, lower: bool) -> None:
    """Sort all but `keep` blocks of loose values: the smallest, if `lower`, or the largest."""
    first, at = whole(samples.start[arm]), whole(samples.loose[arm])
    count, end = whole(samples.fill[first + at]), whole(samples.start[arm + 1])
    sort_end(samples.values, samples.order, end, count, keep * BLOCK, lower)
    taken = loose_blocks(samples, arm) - keep
    into = at if lower or keep == 0 else at + 1
    _open_places(samples, arm, into, taken, keep)
    last = into + taken - 1
    filled, row = count - (keep + taken - 1) * BLOCK, samples.values[samples.order[first + last]]
    for i in range(filled, BLOCK):
        row[i] = math.inf
    samples.fill[first + last], samples.top[first + last] = filled, row[filled - 1]
    if keep == 0:
        samples.loose[arm] = samples.blocks[arm]
        samples.least[arm], samples.most[arm] = math.inf, -math.inf
    elif lower:
        samples.loose[arm] = last + 1
        samples.fill[first + last + 1] = keep * BLOCK
        samples.least[arm] = samples.top[first + last]
    else:
        samples.fill[first + at] = keep * BLOCK
        samples.most[arm] = samples.top[first + at] = samples.values[samples.order[first + into], 0]
    twice = 2 * whole(samples.blocks[arm])
    samples.patience[arm] = max(whole(samples.patience[arm]), twice)


@kernel
def _open_places(samples: SortedSamples, arm: int, into: int, taken: int, keep: int) -> None:
    """Put the last `taken` of the listed blocks, which are sorted, into places of their own.

    If none are to be kept, they take the place of the loose values too. The ids wait in the unused
    end of the list of free blocks while the directory moves.
    """
    first, end = whole(samples.start[arm]), whole(samples.start[arm + 1])
    at, freed = whole(samples.loose[arm]), whole(samples.freed[0])
    for i in range(taken):
        samples.free[freed + i] = samples.order[end - 1 - keep - i]
    moved, last = into, first + whole(samples.blocks[arm])
    by = taken
    if keep == 0:
        moved, by = into + 1, taken - 1
    shift_right(samples.order, first + moved, last, by)
    shift_right(samples.top, first + moved, last, by)
    shift_right(samples.fill, first + moved, last, by)
    samples.blocks[arm] += by
    for c in range(CURSORS):
        samples.place[arm, c] += by if whole(samples.place[arm, c]) > at else 0
    for i in range(taken):
        block = whole(samples.free[freed + i])
        samples.order[first + into + i] = block
        samples.fill[first + into + i] = BLOCK
        samples.top[first + into + i] = samples.values[block, BLOCK - 1]
