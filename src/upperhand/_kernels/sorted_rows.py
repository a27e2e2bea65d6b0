"""Six primitives on sorted rows, each with two bodies: interpreted and compiled.

Interpreted, slices and `bisect` on memory views are fastest. Compiled, loops over scalars are: they
compile in a tenth of the time, and those whose bounds are constants become vector instructions.
Tests check that the two bodies are equal.
"""

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiler import compiled_body_of, kernel

BLOCK = 128  # values to a block; 64 to 192 are as fast at 10⁴ values, smaller is slower at 10⁶
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
def insert_sorted(row: NDArray[np.float64], filled: int, value: float) -> None:
    """Insert `value` into a sorted block of which `filled` entries are in use, the rest +∞."""
    view: Any = row.data
    at = bisect_left(view, value, 0, filled)
    view[at + 1 : filled + 1] = view[at:filled]
    view[at] = value


@compiled_body_of(insert_sorted)
def _insert_sorted_compiled(row: NDArray[np.float64], filled: int, value: float) -> None:
    # Each entry becomes the middle one of itself, its left neighbour and the value: no search.
    for i in range(BLOCK - 1, 0, -1):
        here = row[i] if row[i] < value else value
        row[i] = row[i - 1] if row[i - 1] > here else here
    row[0] = row[0] if row[0] < value else value


@kernel
def shift_right(row: NDArray[np.float64] | NDArray[np.uint32], first: int, last: int) -> None:
    """Move row[first:last] one place to the right."""
    row[first + 1 : last + 1] = row[first:last]


@compiled_body_of(shift_right)
def _shift_right_compiled(
    row: NDArray[np.float64] | NDArray[np.uint32], first: int, last: int
) -> None:
    part, moved = row[first : last + 1], row[first + 1 : last + 1]
    for i in range(last - first - 1, -1, -1):
        moved[i] = part[i]


@kernel
def shift_left(row: NDArray[np.float64] | NDArray[np.uint32], first: int, last: int) -> None:
    """Move row[first:last] one place to the left."""
    row[first - 1 : last - 1] = row[first:last]


@compiled_body_of(shift_left)
def _shift_left_compiled(
    row: NDArray[np.float64] | NDArray[np.uint32], first: int, last: int
) -> None:
    part, moved = row[first:last], row[first - 1 : last - 1]
    for i in range(last - first):
        moved[i] = part[i]


@kernel
def remove_sorted(row: NDArray[np.float64], filled: int, value: float) -> bool:
    """Take one `value` out of a sorted block with `filled` entries; return whether it was there."""
    view: Any = row.data
    at = bisect_left(view, value, 0, filled)
    if at == filled or view[at] != value:
        return False
    view[at : filled - 1] = view[at + 1 : filled]
    view[filled - 1] = np.inf
    return True


@compiled_body_of(remove_sorted)
def _remove_sorted_compiled(row: NDArray[np.float64], filled: int, value: float) -> bool:
    at = 0
    for i in range(BLOCK):
        at += 1 if row[i] < value else 0
    if at >= filled or row[at] != value:
        return False
    # From the value on, each entry becomes its right neighbour; all entries, so without a branch.
    for i in range(BLOCK - 1):
        row[i] = row[i] if row[i] < value else row[i + 1]
    row[BLOCK - 1] = np.inf
    return True


@kernel
def count_up(row: NDArray[np.int64], first: int, last: int) -> None:
    """Add one to each of row[first:last]."""
    row[first:last] += 1


@compiled_body_of(count_up)
def _count_up_compiled(row: NDArray[np.int64], first: int, last: int) -> None:
    part = row[first:last]
    for i in range(last - first):
        part[i] += 1
