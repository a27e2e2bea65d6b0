"""Values that leave: sorted samples against sorted lists, whatever comes and goes, both worlds."""

import bisect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import sorted_samples
from upperhand._kernels.sorted_samples import BLOCK, CURSORS, JOINED, empty, of, remove, values_of

from ..tables import TABLES, draw
from .closures import check_blocks, counted, edited, filled, read, sorted_values, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)
kinds = st.sampled_from(sorted(TABLES))
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
@PROPERTY
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


@pytest.mark.parametrize("kind", ["gaussian", "rising", "falling", "alternating", "ties"])
@pytest.mark.parametrize("window", [1, BLOCK, 1000, 3000])
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


def test_both_worlds_make_the_same_blocks():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=3000), 1) + 0.0
    events, signs = np.concatenate([values, rng.permutation(values)[:2900]]), [1] * 3000
    ours, theirs = (
        edited(empty(1), events, np.zeros(5900), signs + [-1] * 2900, compiled=compiled)
        for compiled in (True, False)
    )
    for name in set(ours._fields) - {"values"}:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert values_of(ours, 0).tolist() == values_of(theirs, 0).tolist()


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
    sorted_samples.clear(samples)
    assert (samples.freed[0], samples.used[0]) == (0, 0)


@PROPERTY
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
