"""Values leave a sorted sample one by one, and the blocks that they leave are used again."""

import math

from .compile import kernel
from .sorted_blocks import CURSORS, SortedSamples, give_block, whole
from .sorted_rows import BLOCK, count_below, remove_sorted, shift_left

# Two neighbours with so few values in all become one block. A split leaves BLOCK values in two, so
# blocks that are joined were far from that, and none is split and joined again and again; and two
# neighbours hold more than this, so a sample of m values has at most 1 + 2 m / JOINED blocks.
JOINED = BLOCK // 2


@kernel
def remove(samples: SortedSamples, arm: int, value: float) -> bool:
    """Take one `value` out of the arm's sample; return whether it was there."""
    first, count = whole(samples.start[arm]), whole(samples.blocks[arm])
    d = count_below(samples.top, first, count, value)
    if d >= count:
        return False
    block = whole(samples.order[first + d])
    row, left = samples.values[block], whole(samples.fill[first + d]) - 1
    if not remove_sorted(row, left + 1, value):
        return False
    samples.fill[first + d] = left
    samples.size[arm] -= 1
    for c in range(CURSORS):
        samples.before[arm, c] -= 1 if whole(samples.place[arm, c]) > d else 0
    if left == 0:
        _close(samples, arm, d)
        return True
    samples.top[first + d] = row[left - 1]
    if left < JOINED:
        if d + 1 < count and left + whole(samples.fill[first + d + 1]) <= JOINED:
            _join(samples, arm, d)
        elif d > 0 and left + whole(samples.fill[first + d - 1]) <= JOINED:
            _join(samples, arm, d - 1)
    return True


@kernel
def _join(samples: SortedSamples, arm: int, d: int) -> None:
    """Move the values of the arm's block behind the d-th into that one, and close it."""
    first = whole(samples.start[arm])
    old, new = whole(samples.order[first + d + 1]), whole(samples.order[first + d])
    filled, more = whole(samples.fill[first + d]), whole(samples.fill[first + d + 1])
    for i in range(more):
        samples.values[new, filled + i] = samples.values[old, i]
    samples.fill[first + d] = filled + more
    samples.top[first + d] = samples.top[first + d + 1]
    for c in range(CURSORS):
        if whole(samples.place[arm, c]) == d + 1:
            samples.place[arm, c], samples.held[arm, c] = d, new
            samples.before[arm, c] -= filled
    _close(samples, arm, d + 1)


@kernel
def _close(samples: SortedSamples, arm: int, d: int) -> None:
    """Give the arm's d-th block back; it is empty, or its values are elsewhere.

    A cursor on it comes to stand on the next block, or behind the last one, as a cursor does that
    was never walked: all values are before it.
    """
    first, count = whole(samples.start[arm]), whole(samples.blocks[arm])
    give_block(samples, whole(samples.order[first + d]))
    shift_left(samples.order, first + d + 1, first + count, 1)
    shift_left(samples.top, first + d + 1, first + count, 1)
    shift_left(samples.fill, first + d + 1, first + count, 1)
    samples.top[first + count - 1] = math.inf
    samples.blocks[arm] = count - 1
    for c in range(CURSORS):
        place = whole(samples.place[arm, c])
        if place == d and d < count - 1:
            samples.held[arm, c] = samples.order[first + d]
        elif place > d:
            samples.place[arm, c] = place - 1
