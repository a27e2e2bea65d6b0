"""The primitives on sorted rows against sorted(), in both worlds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels.sorted_rows import (
    BLOCK,
    CHUNK,
    count_below,
    shift_left,
    shift_right,
    sort_row,
    split_row,
)

from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)
finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 0.5, 1.0])


def make_count_below(count_below):
    def count(row, first, count, value):
        return count_below(row, first, count, value)

    return count


def make_sort_row(sort_row):
    def call(row, in_order, filled):
        sort_row(row, in_order, filled)

    return call


def make_split_row(split_row):
    def call(row, upper, in_order):
        return split_row(row, upper, in_order)

    return call


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
@given(values=st.lists(finite, max_size=BLOCK), part=st.floats(0, 1))
def test_sort_row(compiled, values, part):
    in_order = int(part * len(values))
    values[:in_order] = sorted(values[:in_order])
    row = np.array(values + [np.inf] * (BLOCK - len(values)))
    closure(make_sort_row, sort_row, compiled=compiled)(row, in_order, len(values))
    assert row.tolist() == padded(values, chunks=BLOCK // CHUNK).tolist()


@worlds
@pytest.mark.parametrize("distinct", [1, 2, 3, 20, 10**6])
def test_split_row(compiled, distinct):
    """The larger values move, a quarter or more, and so do few of many equal ones."""
    split = closure(make_split_row, split_row, compiled=compiled)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values, in_order = rng.integers(distinct, size=BLOCK) / 8.0, int(rng.integers(BLOCK + 1))
        values[:in_order].sort()
        row, upper = values.copy(), np.full(BLOCK, np.inf)
        kept, top, *ascending = split(row, upper, in_order)
        assert BLOCK // 4 <= kept <= BLOCK - BLOCK // 4 + 1
        assert sorted([*row[:kept], *upper[: BLOCK - kept]]) == sorted(values)
        assert row[:kept].max() == top <= upper[: BLOCK - kept].min()
        assert np.all(row[kept:] == np.inf)
        assert np.all(upper[BLOCK - kept :] == np.inf)
        for part, count in zip((row, upper), ascending, strict=True):
            assert np.all(np.diff(part[:count]) >= 0)
        assert sum(ascending) >= in_order


@worlds
def test_a_row_in_order_splits_in_halves_that_are(compiled):
    row, upper = np.arange(float(BLOCK)), np.full(BLOCK, np.inf)
    split = closure(make_split_row, split_row, compiled=compiled)
    kept, _, *ascending = split(row, upper, BLOCK)
    assert abs(kept - BLOCK // 2) <= 1
    assert ascending == [kept, BLOCK - kept]
    assert [*row[:kept], *upper[: BLOCK - kept]] == list(range(BLOCK))


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
