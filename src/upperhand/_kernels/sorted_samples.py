"""K sorted samples that take and give back values and answer order statistics, exactly and fast.

Each arm's sample is a list of *blocks* (rows of one shared pool), in ascending order. The arm's
part of the *directory* lists them, with the largest value and the number of values of each. To
insert, a search over the blocks' largest values finds the block, and the value is appended there. A
full block splits in two. A block is sorted when a rank or a value in it is looked up. Most never
are: policies ask for few ranks, which move little from one round to the next.

So a rank is looked up from a *cursor*, a remembered block with the number of values before it. It
moves by a block or two where prefix sums would cost a pass over all blocks. A cursor that was never
moved stands behind the last block: all values are before it.
"""

import math
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import compiled_body_of, kernel
from .sorted_rows import BLOCK, CHUNK, count_below, shift_left, shift_right, sort_row, split_row

CURSORS = 4  # look-ups that an arm remembers: two anchors, two ends of a window
HOP = 16  # blocks that a cursor far from its goal passes at once
PACKED = 3 * BLOCK // 4  # values to a block of a sample that is made at once, and can take more

# Two neighbours with so few values in all become one block. A split leaves BLOCK values in two, so
# blocks that are joined were far from that, and none is split and joined again and again; and two
# neighbours hold more than this, so a sample of m values has at most 1 + 2 m / JOINED blocks.
JOINED = BLOCK // 2

# Positions are stored unsigned and read through `whole`: compiled code then knows that they are
# not negative and drops Python's wrap-around of indices, which made a step 5–15 % slower.
Positions = NDArray[np.uint32]


class SortedSamples(NamedTuple):
    """The samples of K arms. All arrays are modified in place; `grown` makes larger ones."""

    values: NDArray[np.float64]  # (pool, BLOCK) the blocks; +∞ where not in use
    in_order: Positions  # (pool,) how many of the first values of each block are ascending
    used: Positions  # (1,) blocks ever taken from the pool
    free: Positions  # (pool,) ids of blocks that were given back, the first `freed` of them
    freed: Positions  # (1,) how many these are
    order: Positions  # (directory,) block ids, arm after arm, ascending within an arm
    top: NDArray[np.float64]  # (directory,) largest value of each of these blocks, +∞ if none
    fill: Positions  # (directory,) values in use in each of these blocks
    start: Positions  # (K + 1,) where each arm's part of the directory begins
    blocks: Positions  # (K,) blocks of each arm
    size: NDArray[np.int64]  # (K,) values of each arm
    cursor_position: Positions  # (K, CURSORS) block of each cursor, counted within the arm
    cursor_block: Positions  # (K, CURSORS) the same block's id in the pool
    cursor_rank: NDArray[np.int64]  # (K, CURSORS) values of the arm before that block

    def __repr__(self) -> str:
        return f"SortedSamples of {len(self.size)} arms, {self.size.sum()} values"


def empty(arms: int, capacity: int = 0) -> SortedSamples:
    """Return samples without values, with capacity for about so many of them in all."""
    pool = arms + 1 + capacity // (5 * BLOCK // 8)  # random insertion leaves blocks 65 % full
    start = _directory(np.full(arms, 4 * pool // arms))
    return SortedSamples(
        values=np.empty((pool, BLOCK)),
        in_order=np.zeros(pool, np.uint32),
        used=np.zeros(1, np.uint32),
        free=np.zeros(pool, np.uint32),
        freed=np.zeros(1, np.uint32),
        order=np.zeros(start[-1], np.uint32),
        top=np.full(start[-1], np.inf),
        fill=np.zeros(start[-1], np.uint32),
        start=start,
        blocks=np.zeros(arms, np.uint32),
        size=np.zeros(arms, np.int64),
        cursor_position=np.zeros((arms, CURSORS), np.uint32),
        cursor_block=np.zeros((arms, CURSORS), np.uint32),
        cursor_rank=np.zeros((arms, CURSORS), np.int64),
    )


def of(sorted_arrays: Sequence[NDArray[np.float64]]) -> SortedSamples:
    """Return samples of these values, an ascending array for each arm, without inserting them."""
    sizes = np.array([len(values) for values in sorted_arrays], np.int64)
    blocks = -(-sizes // PACKED)
    samples = empty(len(sizes), 0)
    total, start = int(blocks.sum()), _directory(2 * blocks)
    pool = total + len(sizes) + 1
    values, (in_order, free) = np.full((pool, BLOCK), np.inf), np.zeros((2, pool), np.uint32)
    order, fill = np.zeros((2, start[-1]), np.uint32)
    top = np.full(start[-1], np.inf)
    done = 0
    for arm, (given, count) in enumerate(zip(sorted_arrays, blocks.tolist(), strict=True)):
        padded = np.full(count * PACKED, np.inf)
        padded[: len(given)] = given
        values[done : done + count, :PACKED] = padded.reshape(count, PACKED)
        listed = slice(start[arm], start[arm] + count)
        order[listed], fill[listed] = np.arange(done, done + count), PACKED
        if count:
            fill[start[arm] + count - 1] = len(given) - (count - 1) * PACKED
            top[listed] = np.append(given[PACKED - 1 : (count - 1) * PACKED : PACKED], given[-1])
        in_order[done : done + count] = fill[listed]
        done += count
    samples.used[0], samples.blocks[:], samples.size[:] = total, blocks, sizes
    samples.cursor_position[:], samples.cursor_rank[:] = blocks[:, None], sizes[:, None]
    return samples._replace(
        values=values, in_order=in_order, free=free, order=order, top=top, fill=fill, start=start
    )


def grown(samples: SortedSamples) -> SortedSamples:
    """Return the same samples with a quarter more blocks, if all are used, and a new directory.

    In the directory each arm can have twice its blocks.
    """
    pool = len(samples.free)
    if int(samples.used[0]) == pool and not samples.freed[0]:
        more = pool // 4 + 1
        samples = samples._replace(
            values=np.concatenate([samples.values, np.empty((more, BLOCK))]),
            in_order=np.pad(samples.in_order, (0, more)),
            free=np.pad(samples.free, (0, more)),
        )
    start = _directory(2 * samples.blocks)
    order, fill = np.zeros((2, start[-1]), np.uint32)
    top = np.full(start[-1], np.inf)
    for arm, count in enumerate(samples.blocks):
        old = slice(samples.start[arm], samples.start[arm] + count)
        new = slice(start[arm], start[arm] + count)
        order[new], top[new], fill[new] = samples.order[old], samples.top[old], samples.fill[old]
    return samples._replace(order=order, top=top, fill=fill, start=start)


def _directory(blocks: NDArray[np.integer]) -> Positions:
    """Return where each arm's part begins if it is to hold that many blocks, in whole chunks."""
    ends = np.cumsum(CHUNK * (1 + blocks // CHUNK))
    return np.concatenate(([0], ends)).astype(np.uint32)


def values_of(samples: SortedSamples, arm: int) -> NDArray[np.float64]:
    """Return a copy of the arm's values, in ascending order."""
    first, count = int(samples.start[arm]), int(samples.blocks[arm])
    listed = slice(first, first + count)
    parts = [
        samples.values[block, :filled]
        for block, filled in zip(samples.order[listed], samples.fill[listed], strict=True)
    ]
    return np.sort(np.concatenate(parts)) if parts else np.empty(0)


# Read a position as a plain integer: interpreted by a function of C's, half the time of our own.
whole = kernel(operator.index)


@compiled_body_of(whole)
def _whole_compiled(position: np.uint32) -> np.int64:
    return np.int64(position)


@kernel
def full(samples: SortedSamples, arm: int) -> bool:
    """Tell whether `arm` could fail to find a block for its next value: then it needs `grown`."""
    if whole(samples.start[arm]) + whole(samples.blocks[arm]) == whole(samples.start[arm + 1]):
        return True
    return whole(samples.used[0]) == len(samples.free) and whole(samples.freed[0]) == 0


@kernel
def insert(samples: SortedSamples, arm: int, value: float) -> None:
    """Put `value` into the arm's sample. Needs capacity: not `full(samples, arm)`."""
    first, count = whole(samples.start[arm]), whole(samples.blocks[arm])
    d = min(count_below(samples.top, first, count, value), count - 1)  # −1: no block yet
    if d < 0 or whole(samples.fill[first + d]) == BLOCK:
        d = _block_for(samples, arm, d, value)
    filled = whole(samples.fill[first + d])
    samples.values[samples.order[first + d], filled] = value
    samples.fill[first + d] = filled + 1
    if filled == 0 or value > samples.top[first + d]:
        samples.top[first + d] = value
    samples.size[arm] += 1
    for c in range(CURSORS):
        samples.cursor_rank[arm, c] += 1 if whole(samples.cursor_position[arm, c]) > d else 0


@kernel
def remove(samples: SortedSamples, arm: int, value: float) -> bool:
    """Take one `value` out of the arm's sample; return whether it was there."""
    first, count = whole(samples.start[arm]), whole(samples.blocks[arm])
    d = count_below(samples.top, first, count, value)
    if d >= count:
        return False
    block, filled = whole(samples.order[first + d]), whole(samples.fill[first + d])
    _sort_block(samples, block, filled)
    row, left = samples.values[block], filled - 1
    at = count_below(row, 0, filled, value)
    if row[at] != value:
        return False
    shift_left(row, at + 1, filled)
    row[left] = math.inf
    samples.fill[first + d] = samples.in_order[block] = left
    samples.size[arm] -= 1
    for c in range(CURSORS):
        samples.cursor_rank[arm, c] -= 1 if whole(samples.cursor_position[arm, c]) > d else 0
    if left == 0:
        _close_block(samples, arm, d)
        return True
    samples.top[first + d] = row[left - 1]
    if left < JOINED:
        if d + 1 < count and left + whole(samples.fill[first + d + 1]) <= JOINED:
            _join_blocks(samples, arm, d)
        elif d > 0 and left + whole(samples.fill[first + d - 1]) <= JOINED:
            _join_blocks(samples, arm, d - 1)
    return True


@kernel
def value_at(samples: SortedSamples, arm: int, cursor: int, rank: int) -> float:
    """Return the rank-th smallest value of the arm (1-based), and move the cursor there."""
    before = whole(samples.cursor_rank[arm, cursor])
    at = whole(samples.start[arm]) + whole(samples.cursor_position[arm, cursor])
    if rank <= before or rank > before + whole(samples.fill[at]):
        _move_cursor(samples, arm, cursor, rank)
        before = whole(samples.cursor_rank[arm, cursor])
        at = whole(samples.start[arm]) + whole(samples.cursor_position[arm, cursor])
    block = whole(samples.cursor_block[arm, cursor])
    _sort_block(samples, block, whole(samples.fill[at]))
    return float(samples.values[block, rank - before - 1])


@kernel
def span(samples: SortedSamples, arm: int, cursor: int) -> tuple[int, int]:
    """Return the ranks that the cursor's block holds: those above the first, up to the second."""
    before = whole(samples.cursor_rank[arm, cursor])
    at = whole(samples.start[arm]) + whole(samples.cursor_position[arm, cursor])
    return before, before + whole(samples.fill[at])


@kernel
def count_at_most(samples: SortedSamples, arm: int, cursor: int, value: float) -> int:
    """Return how many of the arm's values are at most `value`, and move the cursor there."""
    first, last = whole(samples.start[arm]), whole(samples.blocks[arm]) - 1
    d = whole(samples.cursor_position[arm, cursor])
    before = whole(samples.cursor_rank[arm, cursor])
    while d > last or (d > 0 and value < samples.top[first + d - 1]):
        hop = HOP if d > HOP and value < samples.top[first + d - HOP - 1] else 1
        d -= hop
        before -= _filled(samples, first + d, hop)
    while d < last and value >= samples.top[first + d]:
        hop = HOP if d + HOP <= last and value >= samples.top[first + d + HOP - 1] else 1
        before += _filled(samples, first + d, hop)
        d += hop
    block, filled = whole(samples.order[first + d]), whole(samples.fill[first + d])
    samples.cursor_position[arm, cursor], samples.cursor_block[arm, cursor] = d, block
    samples.cursor_rank[arm, cursor] = before
    _sort_block(samples, block, filled)
    row = samples.values[block]
    count = count_below(row, 0, filled, value)
    while count < filled and row[count] == value:
        count += 1
    return before + count


@kernel
def _move_cursor(samples: SortedSamples, arm: int, cursor: int, rank: int) -> None:
    """Move a cursor to the block that holds `rank`."""
    first = whole(samples.start[arm])
    d = whole(samples.cursor_position[arm, cursor])
    before = whole(samples.cursor_rank[arm, cursor])
    while rank <= before - HOP * BLOCK:  # then further than HOP blocks away
        d -= HOP
        before -= _filled(samples, first + d, HOP)
    while rank > before + HOP * BLOCK:
        before += _filled(samples, first + d, HOP)
        d += HOP
    while rank <= before:
        d -= 1
        before -= whole(samples.fill[first + d])
    while rank > before + whole(samples.fill[first + d]):
        before += whole(samples.fill[first + d])
        d += 1
    samples.cursor_position[arm, cursor] = d
    samples.cursor_block[arm, cursor] = samples.order[first + d]
    samples.cursor_rank[arm, cursor] = before


@kernel
def _filled(samples: SortedSamples, first: int, count: int) -> int:
    """Return how many values so many blocks hold, from that place of the directory on."""
    part, values = samples.fill[first : first + count], 0
    for i in range(count):
        values += whole(part[i])
    return values


@kernel
def _block_for(samples: SortedSamples, arm: int, d: int, value: float) -> int:
    """Split the arm's full d-th block, or open one; return the block that now takes `value`.

    A rising or falling stream opens new blocks at its end, so that it fills blocks, not halves.
    """
    if d < 0:
        return _open_block(samples, arm, 0)
    first = whole(samples.start[arm])
    if d == whole(samples.blocks[arm]) - 1 and value >= samples.top[first + d]:
        return _open_block(samples, arm, d + 1)
    if d == 0:
        block = whole(samples.order[first])
        _sort_block(samples, block, BLOCK)
        if value <= samples.values[block, 0]:
            return _open_block(samples, arm, 0)
    _split_block(samples, arm, d)
    return d if value <= samples.top[first + d] else d + 1


@kernel
def _split_block(samples: SortedSamples, arm: int, d: int) -> None:
    """Move the upper part of the arm's full d-th block into a new block behind it."""
    first = whole(samples.start[arm])
    _open_block(samples, arm, d + 1)
    old, new = whole(samples.order[first + d]), whole(samples.order[first + d + 1])
    row, upper, in_order = samples.values[old], samples.values[new], whole(samples.in_order[old])
    kept, top, samples.in_order[old], samples.in_order[new] = split_row(row, upper, in_order)
    samples.fill[first + d], samples.fill[first + d + 1] = kept, BLOCK - kept
    samples.top[first + d], samples.top[first + d + 1] = top, samples.top[first + d]


@kernel
def _sort_block(samples: SortedSamples, block: int, filled: int) -> None:
    in_order = whole(samples.in_order[block])
    if in_order < filled:
        sort_row(samples.values[block], in_order, filled)
        samples.in_order[block] = filled


@kernel
def _open_block(samples: SortedSamples, arm: int, d: int) -> int:
    """Take an empty block from the pool and make it the arm's d-th."""
    first, last = whole(samples.start[arm]), whole(samples.start[arm]) + whole(samples.blocks[arm])
    shift_right(samples.order, first + d, last)
    shift_right(samples.top, first + d, last)
    shift_right(samples.fill, first + d, last)
    block = _take_block(samples)
    for i in range(BLOCK):
        samples.values[block, i] = math.inf
    samples.order[first + d] = block
    samples.fill[first + d] = samples.in_order[block] = 0
    samples.blocks[arm] += 1
    for c in range(CURSORS):
        samples.cursor_position[arm, c] += 1 if whole(samples.cursor_position[arm, c]) >= d else 0
    return d


@kernel
def _join_blocks(samples: SortedSamples, arm: int, d: int) -> None:
    """Move the values of the arm's block behind the d-th into that one, and close it."""
    first = whole(samples.start[arm])
    old, new = whole(samples.order[first + d + 1]), whole(samples.order[first + d])
    filled, more = whole(samples.fill[first + d]), whole(samples.fill[first + d + 1])
    _sort_block(samples, new, filled)
    _sort_block(samples, old, more)
    samples.in_order[new] = filled + more
    for i in range(more):
        samples.values[new, filled + i] = samples.values[old, i]
    samples.fill[first + d] = filled + more
    samples.top[first + d] = samples.top[first + d + 1]
    for c in range(CURSORS):
        if whole(samples.cursor_position[arm, c]) == d + 1:
            samples.cursor_position[arm, c], samples.cursor_block[arm, c] = d, new
            samples.cursor_rank[arm, c] -= filled
    _close_block(samples, arm, d + 1)


@kernel
def _close_block(samples: SortedSamples, arm: int, d: int) -> None:
    """Give the arm's d-th block back to the pool; it is empty, or its values are elsewhere.

    A cursor on it moves to the next block, or behind the last one.
    """
    first, last = whole(samples.start[arm]), whole(samples.start[arm]) + whole(samples.blocks[arm])
    freed = whole(samples.freed[0])
    samples.free[freed] = samples.order[first + d]
    samples.freed[0] = freed + 1
    shift_left(samples.order, first + d + 1, last)
    shift_left(samples.top, first + d + 1, last)
    shift_left(samples.fill, first + d + 1, last)
    samples.top[last - 1] = math.inf
    samples.blocks[arm] -= 1
    for c in range(CURSORS):
        position = whole(samples.cursor_position[arm, c])
        if position == d and first + d < last - 1:
            samples.cursor_block[arm, c] = samples.order[first + d]
        elif position > d:
            samples.cursor_position[arm, c] = position - 1


@kernel
def _take_block(samples: SortedSamples) -> int:
    """Take a block from the pool, one that was given back if there is any, and return its id."""
    freed = whole(samples.freed[0])
    if freed > 0:
        samples.freed[0] = freed - 1
        return whole(samples.free[freed - 1])
    block = whole(samples.used[0])
    samples.used[0] = block + 1
    return block
