"""Loose values, in blocks that are listed backwards, sorted at one end: a body for each world.

As in `sorted_rows.py`. The order of the values that stay loose means nothing, and differs.
"""

import numpy as np
from numpy.typing import NDArray

from .compile import compiled_body_of, kernel
from .sorted_rows import BLOCK


@kernel
def sort_end(
    values: NDArray[np.float64],
    order: NDArray[np.uint32],
    end: int,
    count: int,
    kept: int,
    lower: bool,
) -> None:
    """Put the smallest of `count` loose values, if `lower`, or the largest, in order at the end.

    The i-th value is in block order[end − 1 − i // BLOCK]. The first `kept` become the others.
    """
    ids = order[end - -(-count // BLOCK) : end][::-1]
    flat = values[ids].ravel()
    flat[:count].sort()
    if lower:
        flat[:count] = np.roll(flat[:count], kept)
    values[ids] = flat.reshape(-1, BLOCK)


@compiled_body_of(sort_end)
def _sort_end_compiled(
    values: NDArray[np.float64],
    order: NDArray[np.uint32],
    end: int,
    count: int,
    kept: int,
    lower: bool,
) -> None:
    if kept > 0:
        _select(values, order, end, count, kept, -1.0 if lower else 1.0)
    # Shell's sort, which needs no memory.
    gap = count - kept
    while gap > 1:
        gap = max(1, (5 * gap - 1) // 11)
        for i in range(kept + gap, count):
            value, j = _get(values, order, end, i), i
            while j - gap >= kept and _get(values, order, end, j - gap) > value:
                _put(values, order, end, j, _get(values, order, end, j - gap))
                j -= gap
            _put(values, order, end, j, value)


@kernel
def _select(
    values: NDArray[np.float64],
    order: NDArray[np.uint32],
    end: int,
    count: int,
    kept: int,
    sign: float,
) -> None:
    """Bring the `kept` values that are smallest, times `sign`, to the front: Hoare's selection."""
    low, high, seed = 0, count - 1, 1
    while low < high:
        seed = (1_103_515_245 * seed + 12_345) % 2**31  # no order of values is slow
        pivot = sign * _get(values, order, end, low + seed % (high - low + 1))
        i, j = low, high
        while i <= j:
            while sign * _get(values, order, end, i) < pivot:
                i += 1
            while sign * _get(values, order, end, j) > pivot:
                j -= 1
            if i <= j:
                swapped = _get(values, order, end, i)
                _put(values, order, end, i, _get(values, order, end, j))
                _put(values, order, end, j, swapped)
                i, j = i + 1, j - 1
        if kept <= j:
            high = j
        elif kept >= i:
            low = i
        else:
            return


@kernel
def _get(values: NDArray[np.float64], order: NDArray[np.uint32], end: int, i: int) -> float:
    """Return the i-th loose value."""
    return float(values[order[end - 1 - i // BLOCK], i % BLOCK])


@kernel
def _put(
    values: NDArray[np.float64], order: NDArray[np.uint32], end: int, i: int, value: float
) -> None:
    """Write the i-th loose value."""
    values[order[end - 1 - i // BLOCK], i % BLOCK] = value
