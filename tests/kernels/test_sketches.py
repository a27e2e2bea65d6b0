"""Sketches against what is known of each reward, and against all of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import samples, sketches
from upperhand._kernels.sketches import Sketches, counts_of, empty, sound, values_of, within

from ..looping import for_each
from ..reference.sketches import Sketch
from ..tables import TABLES, draw
from .closures import closure, make_count, make_fill, make_read, worlds

LEVELS = (0.0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1.0)


def sketched(values, arms=None, *, k=1, room=64, compiled=True) -> Sketches:
    found = samples.empty(k, sketch=room)
    arms = np.zeros(len(values), np.int64) if arms is None else np.asarray(arms, np.int64)
    fill = closure(make_fill, samples.insert, samples.full, compiled=compiled)
    assert fill(found, arms, np.asarray(values, np.float64), 0) == len(values)
    return found


def read(found, ranks, arm=0, *, compiled=True):
    ranks, out = np.asarray(ranks, np.int64), np.empty(len(ranks))
    look_up = closure(make_read, samples.value_at, compiled=compiled)
    look_up(found, arm, np.zeros(len(ranks), np.int64), ranks, out)
    return out


@worlds
@for_each("room", [8, 21])
@for_each("kind", TABLES)
def test_it_keeps_what_the_reference_keeps(kind, room, compiled):
    """The reference remembers every reward and between which kept values it is known to lie."""
    values = draw(kind, 1, 200)[0]
    plain, found = Sketch(room), samples.empty(1, sketch=room)
    fill = closure(make_fill, samples.insert, samples.full, compiled=compiled)
    for i, value in enumerate(values.tolist()):
        plain.insert(value)
        fill(found, np.zeros(1, np.int64), values[i : i + 1], 0)
        counts = counts_of(found, 0)
        assert counts.values.tolist() == plain.kept
        if i % 29 == 0 or i == len(values) - 1:
            assert counts.least.tolist() == [plain.surely_at_most(v) for v in plain.kept]
            equal = [plain.equal(v) for v in plain.kept]
            assert found.equal[0, : len(equal)].tolist() == equal
            most = [plain.possibly_at_most(v) for v in plain.kept]
            assert (counts.below + equal).tolist() == most
            ranks = range(1, i + 2)
            values_at = [plain.value_at(rank) for rank in ranks]
            assert read(found, ranks, compiled=compiled).tolist() == values_at
    assert float(found.coarse[0]) == plain.coarse


@pytest.mark.compiled
@for_each("kind", TABLES)
def test_both_worlds_are_equal(kind):
    values = draw(kind, 2, 3_000).T.ravel()
    arms = np.arange(len(values)) % 2
    made = [sketched(values, arms, k=2, compiled=compiled) for compiled in (True, False)]
    for name in set(Sketches._fields) - {"ranks", "slack", "equal"}:
        assert np.array_equal(*(getattr(each, name) for each in made)), name
    for arm in range(2):
        for one, other in zip(*(counts_of(each, arm) for each in made), strict=True):
            assert np.array_equal(one, other)


@pytest.mark.compiled
@for_each("kind", TABLES)
def test_few_different_values_are_known_exactly(kind):
    """Fewer than there is room for, however often each comes."""
    few = np.unique(draw(kind, 1, 63)[0])
    values = np.random.default_rng(0).choice(few, 5_000)
    found = sketched(values)
    assert read(found, range(1, 5_001)).tolist() == np.sort(values).tolist()
    assert found.coarse[0] == 0.0


@pytest.mark.compiled
@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    kind=st.sampled_from(sorted(TABLES)),
    room=st.integers(8, 200),
    n=st.integers(1, 4_000),
    seed=st.integers(0, 2**32 - 1),
)
def test_what_is_sure(kind, room, n, seed):
    values = draw(kind, 1, n, seed)[0] + 0.0
    found, ordered = sketched(values, room=room), np.sort(values)
    counts = counts_of(found, 0)
    at_most = np.searchsorted(ordered, counts.values, side="right")
    below = np.searchsorted(ordered, counts.values)
    assert (counts.least <= at_most).all()
    assert (below <= counts.below).all()
    assert counts.values[[0, -1]].tolist() == ordered[[0, -1]].tolist()
    assert len(counts.values) < room
    for rank in np.unique(np.linspace(1, n, 40).astype(int)).tolist():
        low, high = within(found, 0, rank)
        assert low <= ordered[rank - 1] <= high
        assert low <= read(found, [rank])[0] <= high


N = 100_000
TIME = np.arange(N) / N
NOISE = np.random.default_rng(5).normal(size=N)
SIDES = np.where(np.arange(N) % 2, 1.0, -1.0)
ORDERS = {  # values, and what √(p (1−p)) / room is multiplied by
    **{kind: (draw(kind, 1, N)[0], 5.0) for kind in ("gaussian", "ties", "heavy")},
    **{kind: (draw(kind, 1, N)[0], 5.0) for kind in ("rising", "falling")},
    "drift up": (NOISE + 20 * TIME, 5.0),
    "drift down": (NOISE - 20 * TIME, 5.0),
    "far down": (NOISE - 200 * TIME, 5.0),
    "steps down": (NOISE - 5 * np.floor(10 * TIME), 5.0),
    "days": (NOISE + 3 * np.sin(20 * math.pi * TIME), 5.0),
    "narrower": (NOISE * 10 ** (-6 * TIME), 5.0),
    "wider": (NOISE * 10 ** (6 * TIME), 5.0),
    "a walk": (np.cumsum(NOISE), 10.0),
    "from both sides": (SIDES * (1.0 - TIME), 20.0),  # the worst that was found
}  # fmt: skip


@pytest.mark.compiled
@for_each("room", [64, 250, 1_000])
@for_each("order", ORDERS)
def test_the_error_that_is_stated(order, room):
    """As docs/sketches.md has it."""
    values, times = ORDERS[order]
    found, ordered = sketched(values, room=room), np.sort(values)
    for p in LEVELS:
        rank = max(1, math.ceil(p * N))
        value = read(found, [rank])[0]
        first, last = np.searchsorted(ordered, value) + 1, np.searchsorted(ordered, value, "right")
        error = max(first - rank, rank - last, 0)
        assert error <= times * math.sqrt(p * (1 - p)) / room * N + 1, (p, error)


@worlds
def test_ranks_and_counts_agree(compiled):
    """The count at a value is the last rank whose value is at most that."""
    values = draw("gaussian", 1, 2_000)[0]
    found = sketched(values)
    expanded = values_of(found, 0)
    assert expanded.tolist() == read(found, range(1, 2_001), compiled=compiled).tolist()
    asked = np.concatenate([values[:50], [-1e9, 1e9, math.inf, -math.inf], found.values[0, :20]])
    count, out = closure(make_count, samples.count_at_most, compiled=compiled), np.empty(len(asked))
    count(found, 0, np.zeros(len(asked), np.int64), asked, out)
    assert out.tolist() == np.searchsorted(expanded, asked, side="right").tolist()


def test_arms_have_sketches_of_their_own():
    table = draw("heavy", 3, 1_500)
    arms = np.random.default_rng(1).integers(3, size=1_500)
    found = sketched(table[arms, np.arange(1_500)], arms, k=3)
    for arm in range(3):
        alone = sketched(table[arm, arms == arm])
        for one, other in zip(counts_of(found, arm), counts_of(alone, 0), strict=True):
            assert np.array_equal(one, other)


def test_nothing_is_given_back():
    found = sketched(draw("gaussian", 1, 100)[0])
    assert not samples.remove(found, 0, float(found.values[0, 0]))
    assert found.size[0] == 100


@for_each(
    "name, place, value",
    [
        ("values", 3, -9.0), ("values", 3, math.nan), ("values", 63, 1.0), ("ranks", 5, 10**9),
        ("ranks", 5, -1), ("slack", 5, -1), ("slack", 5, 10**9), ("equal", 5, 0), ("row", None, 1),
        ("equal", 5, 10**6), ("ranks", slice(1, 40), 500), ("slack", slice(-20, None), 3),
        ("kept", None, 64), ("kept", None, -1), ("kept", None, 0), ("size", None, 7),
        ("coarse", None, math.nan), ("coarse", None, -1.0),
    ],
)  # fmt: skip
def test_damage_is_seen(name, place, value):
    found = sketched(draw("gaussian", 1, 500)[0])
    assert sound(found, 0)
    assert sound(empty(1, 64), 0)
    getattr(found, name)[(0, place) if place is not None else 0] = value
    assert not sound(found, 0)


def test_how_it_is_written():
    assert repr(sketched([1.0, 2.0, 2.0])) == "Sketches of 1 arms, 3 values"
    assert sketches.full(empty(1, 64), 0) is False
