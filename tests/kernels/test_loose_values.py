"""Loose values against sorted lists: whatever order they come in, and whatever ranks are asked."""

import bisect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import settling
from upperhand._kernels.settling import AHEAD, settle, settle_all, settle_around
from upperhand._kernels.sorted_blocks import PATIENCE, values_of
from upperhand._kernels.sorted_samples import BLOCK, clear, grown, insert, of, remove, value_at
from upperhand._kernels.state_rows import rows, widened
from upperhand.policies import KLQUCB

from ..tables import TABLES, draw
from .closures import check_blocks, counted, extended, filled, read, sorted_values, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=25)
SHARES = {  # the shares of the values whose ranks are asked for, each by its cursor
    "tails": (0.05, 0.95),
    "median": (0.5,),
    "maximum": (1.0,),
    "far apart by one cursor": (0.03, 0.97, 0.5),
    "everywhere": None,
    "nothing": (),
}


def clusters(n, seed=0):
    """Return two clusters by turns."""
    noise = np.random.default_rng(seed).normal(size=n)
    return noise + np.where(np.arange(n) % 2, 30.0, -30.0)


def pipe(n):
    """Return values that rise, then fall."""
    return np.concatenate([np.arange(n // 2), np.arange(n - n // 2)[::-1]]) + 0.0


def stream(kind, n, seed=0):
    """Return a stream of a kind of table, or of the two above."""
    return {"clusters": clusters(n, seed), "pipe": pipe(n)}.get(
        kind, draw(kind, 1, n, seed)[0] if kind in TABLES else None
    )


def ranks_of(pattern, m, rng):
    """Return the ranks that a pattern asks for, and the cursors by which."""
    shares = rng.random(3) if SHARES[pattern] is None else SHARES[pattern]
    one = pattern == "far apart by one cursor"
    return [max(1, round(p * m)) for p in shares], [0 if one else c for c in range(len(shares))]


def loose_count(samples, arm=0):
    """Return how many of the arm's values are loose."""
    at = samples.loose[arm]
    return int(samples.fill[samples.start[arm] + at]) if at < samples.blocks[arm] else 0


def with_tails(n=3000, kind="gaussian", **options):
    """Return a sample whose tails were asked for on the way, and its values in order."""
    samples, seen = filled([], **options), []
    for batch in np.array_split(stream(kind, n), n // 50):
        samples = extended(samples, batch)
        seen = sorted(seen + batch.tolist())
        ranks = [max(1, len(seen) // 20), len(seen) - len(seen) // 20]
        assert read(samples, 0, ranks, [0, 1]) == [seen[r - 1] for r in ranks]
    return samples, seen


@worlds
@PROPERTY
@given(
    kind=st.sampled_from([*sorted(TABLES), "clusters", "pipe"]),
    pattern=st.sampled_from(sorted(SHARES)),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_stream_and_any_ranks(compiled, kind, pattern, seed):
    rng = np.random.default_rng(seed)
    samples, seen = filled([]), []
    for batch in np.array_split(stream(kind, 4000, seed), 40):
        samples = extended(samples, batch, compiled=compiled)
        for value in (batch + 0.0).tolist():
            bisect.insort(seen, value)
        ranks, cursors = ranks_of(pattern, len(seen), rng)
        found = read(samples, 0, ranks, cursors, compiled=compiled)
        assert found == [seen[r - 1] for r in ranks]
        if rng.random() < 0.1:
            near = rng.choice(seen, 2)
            at = [*near, np.nextafter(near[0], np.inf), np.nextafter(near[1], -np.inf)]
            expected = [bisect.bisect_right(seen, x) for x in at]
            assert counted(samples, 0, at, [3, 2, 3, 3], compiled=compiled) == expected
        check_blocks(samples, [seen])


@pytest.mark.parametrize(
    ("pattern", "least"), [("tails", 0.75), ("maximum", 0.85), ("median", 0.3)]
)
def test_what_is_not_asked_for_lies_loose(pattern, least):
    rng, samples = np.random.default_rng(0), filled([])
    for size in range(50, 20_001, 50):
        samples = extended(samples, rng.normal(size=50))
        read(samples, 0, *ranks_of(pattern, size, rng))
    assert loose_count(samples) > least * 20_000
    # Loose blocks are full, the others 69 % full.
    full, others = loose_count(samples) / BLOCK, (20_000 - loose_count(samples)) / BLOCK
    assert samples.used[0] - samples.freed[0] <= full + 1.6 * others + 2


@worlds
@pytest.mark.parametrize("rank", [1, 2, BLOCK, "middle", "after", "last but one", "last"])
def test_every_side_of_what_is_loose(compiled, rank):
    """Ranks at both ends and about the middle, where the nearer end changes."""
    samples, seen = with_tails()
    count, at = loose_count(samples), samples.loose[0]
    before = int(samples.fill[samples.start[0] : samples.start[0] + at].sum())
    named = {"middle": count // 2, "after": count // 2 + 1, "last but one": count - 1}
    wanted = before + (rank if isinstance(rank, int) else named.get(rank, count))
    assert read(samples, 0, [wanted], [2], compiled=compiled) == [seen[wanted - 1]]
    assert loose_count(samples) <= count - count // AHEAD
    assert loose_count(samples) % BLOCK == 0
    check_blocks(samples, [seen])
    ranks = [wanted + 1, wanted - 1, wanted]
    assert read(samples, 0, ranks, [3, 2, 1]) == [seen[r - 1] for r in ranks]


@worlds
def test_counts_at_the_bounds_of_what_is_loose(compiled):
    for kind in ("gaussian", "ties", "bernoulli"):
        samples, seen = with_tails(kind=kind)
        least, most = float(samples.least[0]), float(samples.most[0])
        for bound in (least, most):
            for x in (np.nextafter(bound, -np.inf), bound, np.nextafter(bound, np.inf)):
                samples, _ = with_tails(kind=kind)
                expected = bisect.bisect_right(seen, x)
                assert counted(samples, 0, [x], [2], compiled=compiled) == [expected]
                check_blocks(samples, [seen])


@worlds
def test_values_at_the_bounds_of_what_is_loose(compiled):
    samples, seen = with_tails()
    least, most = float(samples.least[0]), float(samples.most[0])
    bounds = [least, most, np.nextafter(least, -np.inf), np.nextafter(most, np.inf)]
    more = [*bounds, np.nextafter(least, np.inf), np.nextafter(most, -np.inf)] * 40
    count = loose_count(samples)
    samples = extended(samples, more, compiled=compiled)
    assert loose_count(samples) == count + 160
    check_blocks(samples, [sorted(seen + more)])


def test_both_worlds_are_equal_but_for_the_order_of_what_is_loose():
    ours, theirs = filled([]), filled([])
    for batch in np.array_split(stream("gaussian", 9000), 90):
        ours, theirs = extended(ours, batch), extended(theirs, batch, compiled=False)
        size = int(ours.size[0])
        ranks = [1 + size // 20, size - size // 20]
        if size == 5000:
            ranks = [2500, 1000]  # among the loose values
        found = read(ours, 0, ranks, [0, 1]), read(theirs, 0, ranks, [0, 1], compiled=False)
        assert found[0] == found[1]
        for name in set(ours._fields) - {"values"}:
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert loose_count(ours) > 0
    assert sorted_values(ours) == values_of(theirs, 0).tolist()


@pytest.mark.parametrize("pattern", SHARES)
@pytest.mark.parametrize("kind", ["gaussian", "constant", "rising", "falling", "clusters", "pipe"])
def test_no_values_and_ranks_are_sorted_often(kind, pattern, monkeypatch):
    """What is looked at to sort it out is a few times the values, even if any rank may come."""
    looked_at, sort_end = [], settling.sort_end
    monkeypatch.setattr(
        settling,
        "sort_end",
        lambda *given: (looked_at.append(given[3]), sort_end(*given)),
    )
    rng, samples, n = np.random.default_rng(0), filled([]), 20_000
    for batch in np.array_split(stream(kind, n), n // 40):
        samples = extended(samples, batch)
        for rank, cursor in zip(*ranks_of(pattern, int(samples.size[0]), rng), strict=True):
            value_at(samples, 0, cursor, rank)
    assert sum(looked_at) <= (3 if pattern == "everywhere" else 6) * n


def test_room_after_growth_and_for_the_arms_beside():
    """Loose blocks are listed at the end of an arm's part, which moves when the directory grows."""
    rng = np.random.default_rng(0)
    values, arms = rng.normal(size=30_000), rng.integers(3, size=30_000)
    samples = filled(values, arms, k=3)
    seen = [sorted(values[arms == arm].tolist()) for arm in range(3)]
    assert min(loose_count(samples, arm) for arm in range(3)) > 0
    check_blocks(samples, seen)
    check_blocks(grown(samples), seen)


def test_what_leaves_is_found_among_what_is_loose():
    samples, seen = with_tails()
    for gone in (seen[1500], seen[10], seen[-1]):
        assert remove(samples, 0, gone)
        seen.remove(gone)
    assert not remove(samples, 0, 99.0)
    assert loose_count(samples) == 0
    check_blocks(samples, [seen])
    samples = extended(samples, stream("gaussian", 9000, 1))
    assert loose_count(samples) == 0  # values leave in any order, so it stays sorted


def test_cleared_and_made_at_once():
    samples, seen = with_tails()
    clear(samples)
    check_blocks(samples, [[]])
    assert samples.patience.tolist() == [PATIENCE]
    samples = of([np.array(seen)])
    check_blocks(samples, [seen])
    more = stream("gaussian", 9000, 1).tolist()
    samples = extended(samples, more)
    assert loose_count(samples) > 0
    check_blocks(samples, [sorted(seen + more)])


def test_settled_by_hand():
    for by_hand in (
        lambda samples: settle(samples, 0, 1),
        lambda samples: settle_around(samples, 0, float(samples.least[0])),
        lambda samples: settle_all(samples, 0),
    ):
        samples, seen = with_tails()
        by_hand(samples)
        check_blocks(samples, [seen])
    settle_all(samples, 0)  # nothing is left to do
    check_blocks(samples, [seen])


def test_a_view_of_some_arms_leaves_the_samples_right():
    """Rows of a state share its blocks: what the rows sort out must not be lost to the state."""
    policy = KLQUCB(0.95)
    state = policy.functions.start(policy.parameters, 3, 90_000)
    values = stream("gaussian", 9000)
    for value in values:
        for arm in (0, 2):
            insert(state.samples, arm, float(value))
    state.pulls[:] = state.samples.size
    assert loose_count(state.samples, 2) > 0
    some = rows(state, [2, 0])
    seen = sorted(values.tolist())
    for arm in (0, 1):
        assert [value_at(some.samples, arm, 0, r) for r in (1, 4500, 9000)] == [
            seen[0], seen[4499], seen[8999],
        ]  # fmt: skip
    check_blocks(state.samples, [seen, [], seen])
    wider = widened(state, policy.functions.start(policy.parameters, 5, 0))
    check_blocks(wider.samples, [seen, [], seen, [], []])


@worlds
@pytest.mark.parametrize("pattern", ["tails", "median", "maximum", "nothing"])
def test_all_values_are_at_most_infinity(compiled, pattern):
    """Also where loose values end the sample, and what is asked for afterwards is right."""
    rng, values = np.random.default_rng(2), np.random.default_rng(3).normal(size=6000)
    samples = filled(values[:10], compiled=compiled)
    for done in range(10, 6000, 599):
        samples = extended(samples, values[done : done + 599], compiled=compiled)
        kept = np.sort(values[: done + 599])
        ranks, cursors = ranks_of(pattern, len(kept), rng)
        read(samples, 0, ranks, cursors, compiled=compiled)
        counts = counted(samples, 0, [np.inf, -np.inf, np.inf], [0, 1, 2], compiled=compiled)
        assert counts == [len(kept), 0, len(kept)]
        assert read(samples, 0, [1, len(kept)], [0, 2], compiled=compiled) == [kept[0], kept[-1]]
