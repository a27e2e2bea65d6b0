"""The primitives on sorted rows against sorted(), in both worlds."""

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


def make_shift(shift):
    def call(row, first, last):
        shift(row, first, last)

    return call


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
    cut=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    dtype=st.sampled_from([np.float64, np.uint32]),
)
def test_shifts(compiled, cut, dtype):
    first, last = sorted(cut)
    for shift, moved in ((shift_right, 1), (shift_left, -1)):
        row = np.arange(102).astype(dtype)
        expected = row.tolist()
        expected[first + 1 + moved : last + 1 + moved] = expected[first + 1 : last + 1]
        closure(make_shift, shift, compiled=compiled)(row, first + 1, last + 1)
        assert row.tolist() == expected


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
