"""Sorted samples against sorted(): any stream, any arms, any rank by any cursor, both worlds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels.sorted_samples import (
    BLOCK,
    CURSORS,
    clear,
    empty,
    full,
    grown,
    insert,
    values_of,
)

from ..tables import TABLES, draw
from .closures import check_blocks, counted, extended, filled, read, sorted_values, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
kinds = st.sampled_from(sorted(TABLES))


@pytest.mark.parametrize("n", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5000])
@pytest.mark.parametrize("kind", TABLES)
def test_every_rank(kind, n):
    values = draw(kind, 1, n)[0]
    assert sorted_values(filled(values)) == sorted(values.tolist())


@pytest.mark.parametrize("kind", TABLES)
def test_both_worlds_are_equal(kind):
    values = draw(kind, 2, 500).T.ravel()
    arms = np.arange(len(values)) % 2
    compiled = filled(values, arms, k=2, compiled=True)
    interpreted = filled(values, arms, k=2, compiled=False)
    for name in set(compiled._fields) - {"values"}:  # what is not in use is not yet written
        assert np.array_equal(getattr(compiled, name), getattr(interpreted, name)), name
    for arm in range(2):
        assert values_of(compiled, arm).tolist() == values_of(interpreted, arm).tolist()


@PROPERTY
@given(kind=kinds, k=st.integers(1, 9), n=st.integers(1, 1500), seed=st.integers(0, 2**32 - 1))
def test_arms_interleaved_and_ranks_in_any_order(kind, k, n, seed):
    rng = np.random.default_rng(seed)
    arms, values = rng.integers(k, size=n), draw(kind, 1, n, seed)[0]
    samples = filled(values, arms, k=k)
    for arm in range(k):
        expected = sorted(values[arms == arm].tolist())
        assert samples.size[arm] == len(expected)
        if expected:
            ranks = rng.integers(1, len(expected) + 1, size=300)
            cursors = rng.integers(CURSORS, size=300)
            assert read(samples, arm, ranks, cursors) == [expected[r - 1] for r in ranks]


@worlds
@settings(PROPERTY, max_examples=60)
@given(kind=kinds, seed=st.integers(0, 2**32 - 1))
def test_cursors_stay_right_while_values_arrive(compiled, kind, seed):
    """Look-ups between insertions leave cursors in mid-sample, where blocks open and split."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    seen = [[] for _ in range(k)]
    samples = empty(k)
    for batch in np.array_split(draw(kind, 1, 900, seed)[0], 45):
        arms = rng.integers(k, size=len(batch))
        samples = extended(samples, batch, arms, compiled=compiled)
        for arm, values in enumerate(seen):
            values.extend(batch[arms == arm].tolist())
            ranks = rng.integers(1, len(values) + 1, size=3) if values else []
            cursors = rng.integers(CURSORS, size=len(ranks))
            expected = [sorted(values)[r - 1] for r in ranks]
            assert read(samples, arm, ranks, cursors, compiled=compiled) == expected


@worlds
@settings(PROPERTY, max_examples=30)
@given(kind=kinds, seed=st.integers(0, 2**32 - 1))
def test_counts_while_values_arrive(compiled, kind, seed):
    """Counts at values that are there, near them and beyond them, mixed with look-ups by rank."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    seen = [[] for _ in range(k)]
    samples = empty(k)
    for batch in np.array_split(draw(kind, 1, 900, seed)[0], 45):
        arms = rng.integers(k, size=len(batch))
        samples = extended(samples, batch, arms, compiled=compiled)
        for arm, values in enumerate(seen):
            values.extend(batch[arms == arm].tolist())
            if values:
                near = rng.choice(values, 3)
                at = [*near, np.nextafter(near[0], np.inf), np.nextafter(near[1], -np.inf), 9e307]
                cursors = rng.integers(CURSORS, size=len(at))
                expected = [sum(v <= x for v in values) for x in at]
                assert counted(samples, arm, at, cursors, compiled=compiled) == expected
                ranks = rng.integers(1, len(values) + 1, size=2)
                looked_up = read(samples, arm, ranks, cursors[:2], compiled=compiled)
                assert looked_up == [sorted(values)[r - 1] for r in ranks]


@PROPERTY
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.just(0.5), max_size=400))
def test_any_numbers(values):
    assert sorted_values(filled(values)) == sorted(values)


@pytest.mark.parametrize("kind", TABLES)
def test_growth_keeps_every_value_and_cursor(kind):
    values = draw(kind, 1, 3000)[0]
    samples = filled(values)
    while not full(samples, 0):
        insert(samples, 0, 0.0)
        values = np.append(values, 0.0)
    ranks = [1500, 10, 2990, 700]
    before = read(samples, 0, ranks, range(CURSORS))
    larger = grown(samples)
    assert len(larger.free) > len(samples.free)
    assert larger.cursor_rank.tolist() == samples.cursor_rank.tolist()
    assert read(larger, 0, ranks, range(CURSORS)) == before
    assert sorted_values(larger) == sorted(values.tolist())


def test_cleared_samples_are_as_new():
    samples = filled(draw("ties", 1, 900)[0])
    sorted_values(samples)  # moves a cursor
    clear(samples)
    assert samples.size.tolist() == [0]
    values = draw("gaussian", 1, 900)[0]
    for value in values:
        insert(samples, 0, float(value))
    assert sorted_values(samples) == sorted(values.tolist())


def test_full_when_the_pool_is_used_up():
    samples = empty(1)
    while not full(samples, 0):
        insert(samples, 0, float(samples.size[0]))
    assert samples.used[0] == len(samples.free)
    assert not full(grown(samples), 0)


def test_full_when_an_arms_part_of_the_directory_is_used_up():
    """Many arms share a large pool; one of them takes more blocks than its part can list."""
    samples = empty(50, 20_000)
    while not full(samples, 7):
        insert(samples, 7, float(samples.size[7]))
    assert samples.used[0] < len(samples.free)
    assert samples.blocks[7] == samples.start[8] - samples.start[7]
    larger = grown(samples)
    assert not full(larger, 7)
    insert(larger, 7, -1.0)
    insert(larger, 8, 5.0)
    assert sorted_values(larger, 7) == [-1.0, *map(float, range(samples.size[7] - 1))]
    assert sorted_values(larger, 8) == [5.0]


@pytest.mark.parametrize("winner", [None, 3])
def test_memory_with_many_arms(winner):
    """Forty arms told one after another, or one that takes all: no more than 24 bytes."""
    k, n = (
        40,
        280_000,
    )  # 7,000 values fill more than the part of the directory that an arm begins with
    arms = np.repeat(np.arange(k), n // k) if winner is None else np.full(n, winner)
    samples = filled(np.random.default_rng(0).normal(size=n), arms, k=k)
    assert sum(array.nbytes for array in samples) <= 24 * n


@pytest.mark.parametrize("kind", ["rising", "falling", "constant"])
def test_a_stream_in_order_fills_blocks_and_does_not_halve_them(kind):
    n = 100 * BLOCK
    samples = filled(draw(kind, 1, n)[0])
    assert samples.used[0] <= 100 + 1


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("room", [0, 100_000])
def test_24_bytes_a_value_at_most(kind, room):
    samples = filled(draw(kind, 1, 100_000)[0], room=room)
    assert sum(array.nbytes for array in samples) <= 24 * 100_000


@pytest.mark.parametrize("k", [1, 3, 100])
def test_empty_samples_are_small(k):
    assert sum(array.nbytes for array in empty(k)) < 3000 * (k + 1)


@pytest.mark.parametrize("kind", TABLES)
def test_blocks_are_sorted_padded_and_in_order(kind):
    values = draw(kind, 1, 2000)[0]
    check_blocks(filled(values), [sorted(values.tolist())])
