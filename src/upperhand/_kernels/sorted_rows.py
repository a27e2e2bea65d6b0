"""Six primitives on rows of values or positions, each with two bodies: interpreted and compiled.

Interpreted, slices and `bisect` on memory views are fastest. Compiled, loops over scalars are: they
compile in a tenth of the time, and those whose bounds are constants become vector instructions.
Tests check that both bodies do the same. (They may split a block at different values.)
"""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from .compiler import compiled_body_of, kernel

Row = NDArray[np.float64] | NDArray[np.uint32]

BLOCK = 192  # values to a block; 128 to 256 are as fast at 10⁴ values, 128 is slower at 10⁶
CHUNK = 64  # entries compared at once, without a branch: 23 ns a search, against 31 by bisection


@kernel
def count_below(row: NDArray[np.float64], first: int, count: int, value: float) -> int:
    """Return how many of the `count` sorted entries from `first` on are below `value`.

    What follows them, up to a multiple of CHUNK, must be there and +∞.
    """
    return bisect_left(row, value, first, first + count) - first


@compiled_body_of(count_below)
def _count_below_compiled(row: NDArray[np.float64], first: int, count: int, value: float) -> int:
    chunk, chunks = 0, (count + CHUNK - 1) // CHUNK
    while chunks > 1:
        half = chunks // 2
        if row[first + (chunk + half) * CHUNK - 1] < value:
            chunk += half
        chunks -= half
    part = row[first + chunk * CHUNK : first + (chunk + 1) * CHUNK]
    below = 0
    for i in range(CHUNK):
        below += 1 if part[i] < value else 0
    return chunk * CHUNK + below


@kernel
def sort_row(row: NDArray[np.float64], in_order: int, filled: int) -> None:
    """Sort the first `filled` entries of a row, of which the first `in_order` are ascending."""
    row[:filled].sort()


@compiled_body_of(sort_row)
def _sort_row_compiled(row: NDArray[np.float64], in_order: int, filled: int) -> None:
    # Each entry becomes the median of itself, its left neighbour and the inserted value: no search.
    for i in range(in_order, filled):
        value, left = row[i], -np.inf
        for j in range(i + 1):
            here = row[j]
            lower = here if here < value else value
            row[j] = left if left > lower else lower
            left = here


@kernel
def split_row(
    row: NDArray[np.float64], upper: NDArray[np.float64], in_order: int
) -> tuple[int, float, int, int]:
    """Move the largest entries of a full block, a quarter or more, to an empty one (all +∞).

    At least a quarter stays. `in_order` is how many of the first entries are ascending. Return how
    many stay, the largest of them, and how many of the first entries are ascending in each block.
    """
    half = BLOCK // 2
    row.sort()
    upper[:half] = row[half:]
    row[half:] = np.inf
    return half, float(row[half - 1]), half, half


@compiled_body_of(split_row)
def _split_row_compiled(
    row: NDArray[np.float64], upper: NDArray[np.float64], in_order: int
) -> tuple[int, float, int, int]:
    pivot, below = row[0], 0
    for tried in range(BLOCK):
        pivot = row[(tried + BLOCK // 2) % BLOCK]
        below, above = 0, 0
        for i in range(BLOCK):
            below += 1 if row[i] < pivot else 0
            above += 1 if row[i] > pivot else 0
        if 4 * below <= 3 * BLOCK and 4 * above <= 3 * BLOCK:
            break
    equal = max(BLOCK // 2 - below, 1)  # so many entries that equal the pivot stay
    kept, moved, kept_in_order = 0, 0, 0
    for i in range(BLOCK):
        value = row[i]
        tie = 1 if value == pivot and equal > 0 else 0
        equal -= tie
        stays = 1 if value < pivot else tie
        row[kept] = upper[moved] = value
        kept += stays
        moved += 1 - stays
        kept_in_order += stays if i < in_order else 0
    for i in range(kept, BLOCK):
        row[i] = np.inf
    for i in range(moved, BLOCK):
        upper[i] = np.inf
    return kept, pivot, kept_in_order, in_order - kept_in_order


@kernel
def shift_right(row: Row, first: int, last: int) -> None:
    """Move row[first:last] one place to the right."""
    row[first + 1 : last + 1] = row[first:last]


@compiled_body_of(shift_right)
def _shift_right_compiled(row: Row, first: int, last: int) -> None:
    part, moved = row[first : last + 1], row[first + 1 : last + 1]
    for i in range(last - first - 1, -1, -1):
        moved[i] = part[i]


@kernel
def shift_left(row: Row, first: int, last: int) -> None:
    """Move row[first:last] one place to the left."""
    row[first - 1 : last - 1] = row[first:last]


@compiled_body_of(shift_left)
def _shift_left_compiled(row: Row, first: int, last: int) -> None:
    part, moved = row[first:last], row[first - 1 : last - 1]
    for i in range(last - first):
        moved[i] = part[i]


@kernel
def count_up(row: NDArray[np.int64], first: int, last: int) -> None:
    """Add one to each of row[first:last]."""
    row[first:last] += 1


@compiled_body_of(count_up)
def _count_up_compiled(row: NDArray[np.int64], first: int, last: int) -> None:
    part = row[first:last]
    for i in range(last - first):
        part[i] += 1
