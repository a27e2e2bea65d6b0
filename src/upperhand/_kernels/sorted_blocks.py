"""K sorted samples in blocks: what they are made of, and how they are made, read and enlarged.

The kernels that fill and read them are in `sorted_samples.py`, which is the one to import from.
"""

import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import compiled_body_of, kernel
from .sorted_rows import BLOCK, CHUNK

CURSORS = 4  # look-ups that an arm remembers: two anchors, two ends of a window
PACKED = 3 * BLOCK // 4  # values to a block of a sample that is made at once: room for more

# Positions are stored unsigned and read through `whole`: compiled code then knows that they are
# not negative and drops Python's wrap-around of indices, which made a step 5–15 % slower.
Positions = NDArray[np.uint32]


class SortedSamples(NamedTuple):
    """The samples of K arms. All arrays are modified in place; `grown` makes larger ones."""

    values: NDArray[np.float64]  # (pool, BLOCK) the blocks: sorted, +∞ where not in use
    used: Positions  # (1,) blocks ever taken from the pool
    free: Positions  # (pool,) ids of blocks that were given back, the first `freed` of them
    freed: Positions  # (1,) how many these are
    order: Positions  # (directory,) block ids, arm after arm, ascending within an arm
    top: NDArray[np.float64]  # (directory,) largest value of each of these blocks, +∞ if none
    fill: Positions  # (directory,) values in use in each of these blocks
    start: Positions  # (K + 1,) where each arm's part of the directory begins
    blocks: Positions  # (K,) blocks of each arm
    size: NDArray[np.int64]  # (K,) values of each arm
    place: Positions  # (K, CURSORS) block of each cursor, counted within the arm
    held: Positions  # (K, CURSORS) the same block's id in the pool
    before: NDArray[np.int64]  # (K, CURSORS) values of the arm before that block

    def __repr__(self) -> str:
        return f"SortedSamples of {len(self.size)} arms, {self.size.sum()} values"


def empty(arms: int, room: int = 0) -> SortedSamples:
    """Return samples without values, with room for about `room` of them in all."""
    pool = arms + 1 + room // (5 * BLOCK // 8)  # random insertion leaves blocks 69 % full
    start = _directory(np.full(arms, 4 * pool // arms))
    return SortedSamples(
        values=np.empty((pool, BLOCK)),
        used=np.zeros(1, np.uint32),
        free=np.zeros(pool, np.uint32),
        freed=np.zeros(1, np.uint32),
        order=np.zeros(start[-1], np.uint32),
        top=np.full(start[-1], np.inf),
        fill=np.zeros(start[-1], np.uint32),
        start=start,
        blocks=np.zeros(arms, np.uint32),
        size=np.zeros(arms, np.int64),
        place=np.zeros((arms, CURSORS), np.uint32),
        held=np.zeros((arms, CURSORS), np.uint32),
        before=np.zeros((arms, CURSORS), np.int64),
    )


def grown(samples: SortedSamples) -> SortedSamples:
    """Return the same samples with more of what is used up: a quarter more blocks, a directory."""
    used_up = int(samples.used[0]) == len(samples.free) and not samples.freed[0]
    return _relisted(_with_more_blocks(samples) if used_up else samples)


def _with_more_blocks(samples: SortedSamples) -> SortedSamples:
    pool = len(samples.free)
    larger = pool + pool // 4 + 1
    values, free = np.empty((larger, BLOCK)), np.zeros(larger, np.uint32)
    values[:pool], free[:pool] = samples.values, samples.free
    return samples._replace(values=values, free=free)


def _relisted(samples: SortedSamples) -> SortedSamples:
    """Return the samples with a directory in which each arm can have twice its blocks."""
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


def of(sorted_arrays: Sequence[NDArray[np.float64]]) -> SortedSamples:
    """Return samples of these values, an ascending array for each arm, without inserting them."""
    sizes = np.array([len(values) for values in sorted_arrays], np.int64)
    blocks = -(-sizes // PACKED)
    samples = empty(len(sizes), 0)
    total, start = int(blocks.sum()), _directory(2 * blocks)
    pool = total + len(sizes) + 1
    values, free = np.empty((pool, BLOCK)), np.zeros(pool, np.uint32)
    order, fill = np.zeros((2, start[-1]), np.uint32)
    top = np.full(start[-1], np.inf)
    values[:total] = np.inf
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
        done += count
    samples.used[0], samples.blocks[:], samples.size[:] = total, blocks, sizes
    # Cursors stand behind the last block, as those that were never walked do.
    samples.place[:], samples.before[:] = blocks[:, None], sizes[:, None]
    return samples._replace(values=values, free=free, order=order, top=top, fill=fill, start=start)


def values_of(samples: SortedSamples, arm: int) -> NDArray[np.float64]:
    """Return a copy of the arm's values, in ascending order."""
    first, count = int(samples.start[arm]), int(samples.blocks[arm])
    fill = samples.fill[first : first + count]
    parts = [samples.values[i, :n] for i, n in zip(samples.order[first:], fill, strict=False)]
    return np.concatenate(parts) if parts else np.empty(0)


# Read a position as a plain integer: interpreted by a function of C's, half the time of our own.
whole = kernel(operator.index)


@compiled_body_of(whole)
def _whole_compiled(position: np.uint32) -> np.int64:
    return np.int64(position)


@kernel
def take_block(samples: SortedSamples) -> int:
    """Take a block from the pool, one that was given back if there is any, and return its id."""
    freed = whole(samples.freed[0])
    if freed > 0:
        samples.freed[0] = freed - 1
        return whole(samples.free[freed - 1])
    block = whole(samples.used[0])
    samples.used[0] = block + 1
    return block


@kernel
def give_block(samples: SortedSamples, block: int) -> None:
    """Give a block back."""
    freed = whole(samples.freed[0])
    samples.free[freed] = block
    samples.freed[0] = freed + 1
