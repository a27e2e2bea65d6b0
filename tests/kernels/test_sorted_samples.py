"""Sorted samples against sorted(): any stream, removals, and ranks, compiled and interpreted."""

import bisect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import sorted_samples
from upperhand._kernels.sorted_samples import (
    BLOCK,
    CURSORS,
    JOINED,
    PACKED,
    empty,
    full,
    grown,
    insert,
    of,
    remove,
    values_of,
)

from ..looping import for_each
from ..tables import TABLES, draw
from .closures import check_blocks, counted, edited, extended, filled, read, sorted_values, worlds

pytestmark = pytest.mark.compiled
PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
kinds = st.sampled_from(sorted(TABLES))


@for_each("n", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5000])
@for_each("kind", TABLES)
def test_every_rank(kind, n):
    values = draw(kind, 1, n)[0]
    assert sorted_values(filled(values)) == sorted(values.tolist())


@for_each("kind", TABLES)
def test_compiled_is_interpreted(kind):
    """Blocks may split at different values, so only what they hold is compared."""
    values = draw(kind, 2, 500).T.ravel()
    arms = np.arange(len(values)) % 2
    expected = [sorted(values[arm::2].tolist()) for arm in range(2)]
    for compiled in (True, False):
        check_blocks(filled(values, arms, k=2, compiled=compiled), expected)


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


@worlds
def test_cursors_that_go_far(compiled):
    """Over up to a hundred blocks at once, from anywhere, also from behind the last one."""
    values, rng = draw("gaussian", 1, 100 * PACKED)[0], np.random.default_rng(0)
    samples, expected = of([np.sort(values)]), np.sort(values)
    ranks, cursors = rng.integers(1, len(values) + 1, 400), rng.integers(CURSORS, size=400)
    at = expected[ranks - 1]
    counts = counted(samples, 0, at, cursors, compiled=compiled)
    assert counts == np.searchsorted(expected, at, side="right").tolist()
    assert read(samples, 0, ranks[::-1], cursors, compiled=compiled) == at[::-1].tolist()


@PROPERTY
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.just(0.5), max_size=400))
def test_any_numbers(values):
    assert sorted_values(filled(values)) == sorted(values)


@for_each("kind", TABLES)
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
    # 7,000 values fill more than the part of the directory that an arm begins with.
    k, n = 40, 280_000
    arms = np.repeat(np.arange(k), n // k) if winner is None else np.full(n, winner)
    samples = filled(np.random.default_rng(0).normal(size=n), arms, k=k)
    assert sum(array.nbytes for array in samples) <= 24 * n


@pytest.mark.parametrize("kind", ["rising", "falling", "constant"])
def test_a_stream_in_order_fills_blocks_and_does_not_halve_them(kind):
    n = 100 * BLOCK
    samples = filled(draw(kind, 1, n)[0])
    assert samples.used[0] <= 100 + 1


@for_each("kind", TABLES)
@for_each("room", [0, 100_000])
def test_24_bytes_a_value_at_most(kind, room):
    samples = filled(draw(kind, 1, 100_000)[0], room=room)
    assert sum(array.nbytes for array in samples) <= 24 * 100_000


@pytest.mark.parametrize("k", [1, 3, 100])
def test_empty_samples_are_small(k):
    assert sum(array.nbytes for array in empty(k)) < 3000 * (k + 1)


seeds = st.integers(0, 2**32 - 1)


def check(samples, seen, rng, *, compiled):
    """Compare some ranks and counts, by any cursor, and the blocks, with the lists."""
    for arm, values in enumerate(seen):
        assert samples.size[arm] == len(values)
        if values:
            ranks = rng.integers(1, len(values) + 1, size=4)
            cursors = rng.integers(CURSORS, size=4)
            found = read(samples, arm, ranks, cursors, compiled=compiled)
            assert found == [values[r - 1] for r in ranks]
            at = [*rng.choice(values, 2), float(rng.normal())]
            expected = [bisect.bisect_right(values, x) for x in at]
            assert counted(samples, arm, at, cursors[:3], compiled=compiled) == expected
    check_blocks(samples, seen)


@worlds
@settings(PROPERTY, max_examples=60)
@given(kind=kinds, seed=seeds, window=st.sampled_from([1, 3, 60, 130, 400]))
def test_what_comes_and_goes_in_any_order(compiled, kind, seed, window):
    """Random removals, ties among them, looked at between batches; in the end all is gone."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    seen, samples = [[] for _ in range(k)], empty(k)
    for batch in np.array_split(draw(kind, 1, 900, seed)[0] + 0.0, 18):
        events = []
        for value in batch.tolist():
            arm = int(rng.integers(k))
            bisect.insort(seen[arm], value)
            events.append((arm, value, 1))
            while len(seen[arm]) > window or (seen[arm] and rng.random() < 0.3):
                events.append((arm, seen[arm].pop(int(rng.integers(len(seen[arm])))), -1))
        arms, values, signs = zip(*events, strict=True)
        samples = edited(samples, values, arms, signs, compiled=compiled)
        check(samples, seen, rng, compiled=compiled)
    rest = [(arm, value, -1) for arm, values in enumerate(seen) for value in values]
    rng.shuffle(rest)
    if rest:
        arms, values, signs = zip(*rest, strict=True)
        samples = edited(samples, values, np.int64(arms), signs, compiled=compiled)
    check(samples, [[] for _ in range(k)], rng, compiled=compiled)
    assert samples.blocks.tolist() == [0] * k


@for_each("kind", ["gaussian", "rising", "falling", "alternating", "ties"])
@for_each("window", [1, BLOCK, 1000, 3000])
def test_a_window_that_slides_for_long_needs_no_more_room(kind, window):
    n = window + 20_000
    values = draw(kind, 1, n)[0]
    come, gone = np.stack([values, np.roll(values, window)], axis=1), np.arange(n) >= window
    events = come.ravel()[np.stack([np.ones(n, bool), gone], axis=1).ravel()]
    signs = np.tile([1, -1], (n, 1)).ravel()[np.stack([np.ones(n, bool), gone], axis=1).ravel()]
    samples = edited(empty(1), events, np.zeros(len(events)), signs)
    assert sorted_values(samples) == sorted(values[-window:].tolist())
    check_blocks(samples, [sorted(values[-window:].tolist())])
    assert samples.blocks[0] <= 1 + 2 * (window + 1) / JOINED
    most = 1 + 2 * (window + 1) / JOINED
    assert len(samples.free) <= 2 + 1.25 * (most + 1)


@worlds
def test_a_value_that_is_not_there_changes_nothing(compiled):
    samples = filled([1.0, 2.0, 4.0], compiled=compiled)
    for absent in (0.0, 3.0, 9.0):
        with pytest.raises(AssertionError, match="not there"):
            edited(samples, [absent], [0], [-1], compiled=compiled)
    assert sorted_values(samples) == [1.0, 2.0, 4.0]
    assert not remove(empty(1), 0, 1.0)


@worlds
def test_a_cursor_on_a_block_that_another_arm_gets(compiled):
    """The cursor moves on to the next block before the old one is another's."""
    samples = filled(np.arange(6.0 * BLOCK), np.zeros(6 * BLOCK), k=2, compiled=compiled)
    second = np.arange(BLOCK, 2.0 * BLOCK)
    assert read(samples, 0, [BLOCK + 5], [3], compiled=compiled) == [BLOCK + 4.0]
    samples = edited(samples, second, np.zeros(BLOCK), -np.ones(BLOCK), compiled=compiled)
    samples = edited(samples, -second, np.ones(BLOCK), np.ones(BLOCK), compiled=compiled)
    assert samples.freed[0] == 0
    assert read(samples, 0, [BLOCK + 5], [3], compiled=compiled) == [2 * BLOCK + 4.0]


def test_small_neighbours_become_one_block():
    rng = np.random.default_rng(0)
    values = rng.permutation(np.arange(10_000.0))
    samples, left = filled(values), 10_000
    for part in np.split(values, 100):
        samples = edited(samples, part, np.zeros(100), -np.ones(100))
        left -= 100
        assert samples.blocks[0] <= 1 + 2 * left / JOINED


def test_removed_blocks_are_used_before_new_ones():
    samples = filled(np.arange(10.0 * BLOCK))
    used = int(samples.used[0])
    for value in range(10 * BLOCK):
        assert remove(samples, 0, float(value))
    assert samples.freed[0] == used
    for value in range(5 * BLOCK):
        sorted_samples.insert(samples, 0, float(value))
    assert samples.used[0] == used


@settings(PROPERTY, max_examples=60)
@given(kind=kinds, seed=seeds, sizes=st.lists(st.integers(0, 700), min_size=1, max_size=5))
def test_samples_made_at_once(kind, seed, sizes):
    """They are those made one by one, can be looked up by any cursor, and go on from there."""
    rng = np.random.default_rng(seed)
    rows = [
        np.sort(draw(kind, 1, n, seed + i)[0]) if n else np.empty(0) for i, n in enumerate(sizes)
    ]
    samples, seen = of(rows), [row.tolist() for row in rows]
    check(samples, seen, rng, compiled=False)
    more = draw(kind, 1, 300, seed + 9)[0]
    arms = rng.integers(len(sizes), size=300)
    samples = edited(samples, more, arms, np.ones(300))
    seen = [sorted(values + more[arms == arm].tolist()) for arm, values in enumerate(seen)]
    check(samples, seen, rng, compiled=True)


def test_a_copy_is_what_the_values_of_an_arm_are():
    samples = filled([3.0, 1.0, 2.0])
    values_of(samples, 0)[:] = 9.0
    assert values_of(samples, 0).tolist() == [1.0, 2.0, 3.0]
