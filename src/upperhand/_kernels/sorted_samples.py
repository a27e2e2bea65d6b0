"""K sorted samples that take and give back values and answer order statistics, exactly and fast.

Each arm's sample is a list of sorted *blocks* (rows of one shared pool), in ascending order. To
insert, a search over the blocks' tops finds the block; a full block splits in two. A rank is looked
up from a *cursor*, a remembered block with the number of values before it: the ranks that a policy
asks for move little from one round to the next, so a cursor has a step or two to go where prefix
sums would cost a pass over all blocks. (With a large constant step η and no localisation the level
jumps, and the cursors walk after it.)
"""

import math

from .compile import kernel
from .sorted_blocks import (
    CURSORS,
    SortedSamples,
    empty,
    grown,
    of,
    take_block,
    values_of,
    whole,
)
from .sorted_removal import remove
from .sorted_rows import BLOCK, count_below, insert_sorted, shift_right

__all__ = [
    "BLOCK",
    "CURSORS",
    "SortedSamples",
    "clear",
    "count_at_most",
    "empty",
    "full",
    "grown",
    "insert",
    "of",
    "remove",
    "span",
    "value_at",
    "values_of",
    "whole",
]


@kernel
def full(samples: SortedSamples, arm: int) -> bool:
    """Tell whether `arm` could fail to find a block for its next value: then it needs `grown`."""
    if whole(samples.start[arm]) + whole(samples.blocks[arm]) == whole(samples.start[arm + 1]):
        return True
    return whole(samples.used[0]) == len(samples.free) and whole(samples.freed[0]) == 0


@kernel
def insert(samples: SortedSamples, arm: int, value: float) -> None:
    """Put `value` into the arm's sample. Needs room: not `full(samples, arm)`."""
    first, count = whole(samples.start[arm]), whole(samples.blocks[arm])
    d = min(count_below(samples.top, first, count, value), count - 1)  # −1: no block yet
    if d < 0 or whole(samples.fill[first + d]) == BLOCK:
        d = _make_room(samples, arm, d, value)
    row, filled = samples.values[samples.order[first + d]], whole(samples.fill[first + d])
    insert_sorted(row, filled, value)
    samples.fill[first + d] = filled + 1
    samples.top[first + d] = row[filled]
    samples.size[arm] += 1
    for c in range(CURSORS):
        samples.before[arm, c] += 1 if whole(samples.place[arm, c]) > d else 0


@kernel
def clear(samples: SortedSamples) -> None:
    """Forget all values of all arms; the room stays."""
    samples.used[0] = samples.freed[0] = 0
    for place in range(len(samples.top)):
        samples.top[place] = math.inf
        samples.fill[place] = 0
    for arm in range(len(samples.size)):
        samples.blocks[arm] = samples.size[arm] = 0
        for c in range(CURSORS):
            samples.place[arm, c] = samples.held[arm, c] = samples.before[arm, c] = 0


@kernel
def value_at(samples: SortedSamples, arm: int, cursor: int, rank: int) -> float:
    """Return the rank-th smallest value of the arm (1-based), walking the cursor there."""
    before = whole(samples.before[arm, cursor])
    at = whole(samples.start[arm]) + whole(samples.place[arm, cursor])
    if rank <= before or rank > before + whole(samples.fill[at]):
        _walk(samples, arm, cursor, rank)
        before = whole(samples.before[arm, cursor])
    return float(samples.values[samples.held[arm, cursor], rank - before - 1])


@kernel
def span(samples: SortedSamples, arm: int, cursor: int) -> tuple[int, int]:
    """Return the ranks that the cursor's block holds: those above the first, up to the second."""
    before = int(samples.before[arm, cursor])
    at = whole(samples.start[arm]) + whole(samples.place[arm, cursor])
    return before, before + whole(samples.fill[at])


@kernel
def count_at_most(samples: SortedSamples, arm: int, cursor: int, value: float) -> int:
    """Return how many of the arm's values are at most `value`, walking the cursor there."""
    first, last = whole(samples.start[arm]), whole(samples.blocks[arm]) - 1
    d, before = whole(samples.place[arm, cursor]), whole(samples.before[arm, cursor])
    # A cursor that was never walked stands behind the last block.
    while d > last or (d > 0 and value < samples.top[first + d - 1]):
        d -= 1
        before -= whole(samples.fill[first + d])
    while d < last and value >= samples.top[first + d]:
        before += whole(samples.fill[first + d])
        d += 1
    block, filled = whole(samples.order[first + d]), whole(samples.fill[first + d])
    samples.place[arm, cursor], samples.held[arm, cursor] = d, block
    samples.before[arm, cursor] = before
    row = samples.values[block]
    count = count_below(row, 0, filled, value)
    while count < filled and row[count] == value:
        count += 1
    return before + count


@kernel
def _walk(samples: SortedSamples, arm: int, cursor: int, rank: int) -> None:
    """Move a cursor to the block that holds `rank`."""
    first = whole(samples.start[arm])
    d, before = whole(samples.place[arm, cursor]), whole(samples.before[arm, cursor])
    while rank <= before:
        d -= 1
        before -= whole(samples.fill[first + d])
    while rank > before + whole(samples.fill[first + d]):
        before += whole(samples.fill[first + d])
        d += 1
    samples.place[arm, cursor] = d
    samples.held[arm, cursor] = samples.order[first + d]
    samples.before[arm, cursor] = before


@kernel
def _make_room(samples: SortedSamples, arm: int, d: int, value: float) -> int:
    """Make room for `value` at the arm's full d-th block; return the block that now takes it.

    A rising or falling stream opens new blocks at its end, so that it fills blocks, not halves.
    """
    if d < 0:
        return _open_block(samples, arm, 0)
    first = whole(samples.start[arm])
    row = samples.values[samples.order[first + d]]
    if d == whole(samples.blocks[arm]) - 1 and value >= row[BLOCK - 1]:
        return _open_block(samples, arm, d + 1)
    if d == 0 and value <= row[0]:
        return _open_block(samples, arm, 0)
    _split(samples, arm, d)
    return d if value <= samples.top[first + d] else d + 1


@kernel
def _open_block(samples: SortedSamples, arm: int, d: int) -> int:
    """Take an empty block from the pool and make it the arm's d-th."""
    first, last = whole(samples.start[arm]), whole(samples.start[arm]) + whole(samples.blocks[arm])
    shift_right(samples.order, first + d, last, 1)
    shift_right(samples.top, first + d, last, 1)
    shift_right(samples.fill, first + d, last, 1)
    block = take_block(samples)
    for i in range(BLOCK):
        samples.values[block, i] = math.inf
    samples.order[first + d] = block
    samples.fill[first + d] = 0
    samples.blocks[arm] += 1
    for c in range(CURSORS):
        samples.place[arm, c] += 1 if whole(samples.place[arm, c]) >= d else 0
    return d


@kernel
def _split(samples: SortedSamples, arm: int, d: int) -> None:
    """Move the upper half of the arm's full d-th block into a new block behind it."""
    first, half = whole(samples.start[arm]), BLOCK // 2
    _open_block(samples, arm, d + 1)
    old, new = whole(samples.order[first + d]), whole(samples.order[first + d + 1])
    for i in range(half):
        samples.values[new, i] = samples.values[old, half + i]
        samples.values[old, half + i] = math.inf
    samples.fill[first + d] = samples.fill[first + d + 1] = half
    samples.top[first + d + 1] = samples.top[first + d]
    samples.top[first + d] = samples.values[old, half - 1]
