"""The five primitives on sorted rows against sorted(), in both worlds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels.sorted_rows import (
    BLOCK,
    CHUNK,
    count_below,
    insert_sorted,
    remove_sorted,
    shift_left,
    shift_right,
)

from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)
finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 0.5, 1.0])


def make_count_below(count_below):
    def count(row, first, count, value):
        return count_below(row, first, count, value)

    return count


def make_insert_sorted(insert_sorted):
    def insert(row, filled, value):
        insert_sorted(row, filled, value)

    return insert


def make_remove_sorted(remove_sorted):
    def remove(row, filled, value):
        return remove_sorted(row, filled, value)

    return remove


def make_shift_right(shift_right):
    def shift(row, first, last):
        shift_right(row, first, last)

    return shift


def padded(values, chunks=0):
    """Return the values sorted, then +∞ up to a multiple of CHUNK."""
    length = CHUNK * max(chunks, -(-len(values) // CHUNK), 1)
    return np.array(sorted(values) + [np.inf] * (length - len(values)))


@worlds
@PROPERTY
@given(values=st.lists(finite, max_size=3 * CHUNK), value=finite, offset=st.integers(0, 2))
def test_count_below(compiled, values, value, offset):
    count = closure(make_count_below, count_below, compiled=compiled)
    others = np.full(offset * CHUNK, -np.inf)  # another arm's part of the row
    row = np.concatenate([others, padded(values), others])
    assert count(row, len(others), len(values), value) == sum(v < value for v in values)


@worlds
def test_count_below_at_every_length_and_place(compiled):
    count = closure(make_count_below, count_below, compiled=compiled)
    for length in range(5 * CHUNK + 1):
        row = padded(range(length), chunks=6)
        for below in {0, length // 3, length // 2, max(length - 1, 0), length}:
            assert count(row, 0, length, float(below)) == below
            assert count(row, 0, length, below - 0.5) == below


@worlds
@PROPERTY
@given(values=st.lists(finite, max_size=BLOCK - 1), value=finite)
def test_insert_sorted(compiled, values, value):
    row = padded(values, chunks=BLOCK // CHUNK)
    closure(make_insert_sorted, insert_sorted, compiled=compiled)(row, len(values), value)
    assert row.tolist() == padded([*values, value], chunks=BLOCK // CHUNK).tolist()


@worlds
@PROPERTY
@given(
    length=st.integers(1, 100),
    cut=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    data=st.data(),
)
def test_shift_right(compiled, length, cut, data):
    dtype = data.draw(st.sampled_from([np.float64, np.uint32]))
    first, last = sorted(min(place, length - 1) for place in cut)
    row = np.arange(length).astype(dtype)
    before = row.tolist()
    closure(make_shift_right, shift_right, compiled=compiled)(row, first, last)
    assert row[first + 1 : last + 1].tolist() == before[first:last]
    assert row[: first + 1].tolist() + row[last + 1 :].tolist() == (
        before[: first + 1] + before[last + 1 :]
    )


@worlds
@PROPERTY
@given(values=st.lists(finite, max_size=BLOCK), value=finite, there=st.booleans())
def test_remove_sorted(compiled, values, value, there):
    value = values[0] if there and values else value
    row = padded(values, chunks=BLOCK // CHUNK)
    remove = closure(make_remove_sorted, remove_sorted, compiled=compiled)
    assert remove(row, len(values), value) == (value in values)
    if value in values:
        values.remove(value)
    assert row.tolist() == padded(values, chunks=BLOCK // CHUNK).tolist()


@worlds
@PROPERTY
@given(length=st.integers(1, 40), first=st.integers(0, 39), last=st.integers(1, 40))
def test_shift_left(compiled, length, first, last):
    first, last = min(first, length - 1), min(max(last, first + 1), length)
    row = np.arange(length, dtype=np.float64)
    expected = row.tolist()
    expected[first : last - 1] = expected[first + 1 : last]
    closure(make_shift_right, shift_left, compiled=compiled)(row, first, last)
    assert row.tolist() == expected
