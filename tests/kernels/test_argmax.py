"""Choosing an arm: ties, random ties, and shortlists."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from upperhand._kernels.argmax import (
    SHORTEST,
    all_listed,
    argmax,
    argmax_of_two,
    enlist,
    never_same_index,
    serving,
    shorten,
)
from upperhand._kernels.compiler import kernel

from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)
ERROR_PROBABILITY = 1e-3  # of each statistical test, had its seed been drawn at random


class Rule(NamedTuple):
    random_ties: bool


class State(NamedTuple):
    pulls: np.ndarray
    value: np.ndarray


@kernel
def index(policy, state, arm, t):
    return state.value[arm]


def make_pick(argmax, index):
    def pick(policy, state, t, rng):
        return argmax(index, policy, state, t, rng)

    return pick


def picked(values, pulls=None, *, random_ties=False, seed=0, times=1, compiled=True):
    """Return the arms picked, `times` over."""
    pick = closure(make_pick, argmax, index, compiled=compiled)
    pulls = np.ones(len(values), np.int64) if pulls is None else np.array(pulls, np.int64)
    state, rng = State(pulls, np.array(values, np.float64)), np.random.default_rng(seed)
    return [int(pick(Rule(random_ties), state, 1, rng)) for _ in range(times)]


@worlds
@PROPERTY
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12))
def test_the_largest_index_and_the_lowest_arm(compiled, values):
    assert picked(values, compiled=compiled) == [values.index(max(values))]


@worlds
@pytest.mark.parametrize("values", [[1, 3, 3, 3], [3, 3, 1], [-math.inf] * 3, [0.0, -0.0], [5]])
def test_a_tie_goes_to_the_lowest_arm(compiled, values):
    assert picked(values, [9, 1, 1, 1][: len(values)], compiled=compiled) == [
        values.index(max(values))
    ]


@worlds
@pytest.mark.parametrize(
    ("pulls", "arm"),
    [([0, 0, 0], 0), ([1, 0, 0], 1), ([2, 2, 1], 2), ([3, 2, 2], 1), ([0, 5, 0], 0)],
)
def test_among_arms_at_infinity_the_fewest_pulls(compiled, pulls, arm):
    for random_ties in (False, True):
        among = [picked([math.inf] * 3, pulls, random_ties=random_ties, compiled=compiled, seed=s)
                 for s in range(20)]  # fmt: skip
        fewest = [j for j in range(3) if pulls[j] == min(pulls)]
        assert {a for (a,) in among} == (set(fewest) if random_ties else {arm})


@worlds
def test_infinity_beats_any_number(compiled):
    assert picked([1e308, math.inf, 2.0, math.inf], [0, 7, 0, 6], compiled=compiled) == [3]


@pytest.mark.compiled
def test_random_ties_are_even():
    counts = np.bincount(picked([2, 5, 5, 1, 5, 5], random_ties=True, times=20_000), minlength=6)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert stats.chisquare(counts[[1, 2, 4, 5]]).pvalue > ERROR_PROBABILITY


@pytest.mark.compiled
def test_random_ties_at_infinity_are_even_among_the_fewest_pulls():
    values, pulls = [math.inf, 7, math.inf, math.inf], [1, 0, 0, 0]
    counts = np.bincount(picked(values, pulls, random_ties=True, times=20_000), minlength=4)
    assert counts[[0, 1]].tolist() == [0, 0]
    assert stats.chisquare(counts[[2, 3]]).pvalue > ERROR_PROBABILITY


@pytest.mark.compiled
def test_both_worlds_draw_the_same_ties():
    for seed in range(20):
        worlds = [
            picked([1, 1, 0, 1], random_ties=True, seed=seed, times=50, compiled=compiled)
            for compiled in (True, False)
        ]
        assert worlds[0] == worlds[1]


@pytest.mark.compiled
@pytest.mark.parametrize("random_ties", [False, True])
def test_without_a_tie_no_random_number_is_drawn(random_ties):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    pick = closure(make_pick, argmax, index, compiled=True)
    pick(Rule(random_ties), State(np.ones(3, np.int64), np.array([1.0, 3.0, 2.0])), 1, rng)
    assert rng.bit_generator.state == before


class Pair(NamedTuple):
    pulls: np.ndarray
    value: np.ndarray
    second: np.ndarray


@kernel
def second(policy, state, arm, t):
    return state.second[arm]


def make_pick_of_two(argmax_of_two, index, second):
    def pick(policy, state, t, rng):
        return argmax_of_two(index, second, policy, state, t, rng)

    return pick


@worlds
@pytest.mark.parametrize(
    ("values", "seconds", "pulls", "arm"),
    [
        ([1, 3, 2], [9, 0, 9], [1, 1, 1], 1),  # the first index decides
        ([3, 3, 2], [0, 1, 9], [1, 9, 1], 1),  # equal: the second does, whatever the pulls
        ([3, 3, 3], [1, 1, 0], [1, 1, 1], 0),  # both equal: the lowest arm
        ([math.inf, math.inf], [9, 0], [2, 1], 1),  # at +∞ the pulls do
        ([-math.inf, -math.inf], [0, 1], [1, 1], 1),
    ],
)
def test_a_second_index_for_ties(compiled, values, seconds, pulls, arm):
    state = Pair(np.array(pulls), np.array(values, float), np.array(seconds, float))
    pick = closure(make_pick_of_two, argmax_of_two, index, second, compiled=compiled)
    assert pick(Rule(random_ties=False), state, 1, np.random.default_rng(0)) == arm


class LinesRule:
    """A policy without parameters."""

    random_ties = False

    class owner:  # noqa: N801
        class functions:  # noqa: N801
            same_index = staticmethod(never_same_index)


class Lines(NamedTuple):
    """Indices that are lines in the round."""

    pulls: np.ndarray
    value: np.ndarray
    slope: np.ndarray


def line(policy, state, arm, t):
    return float(state.value[arm]) + float(state.slope[arm]) * t


def lines(value, slope=0.0):
    value = np.array(value, float)
    return Lines(np.ones(len(value), np.int64), value, np.broadcast_to(slope, value.shape).copy())


def choose(state, t, shortlist):
    return argmax(line, LinesRule, state, t, None, shortlist)


def listed(shortlist, level):
    return shortlist.arms[level, : shortlist.size[level]].tolist()


def test_the_first_list_is_of_all_arms():
    shortlist = all_listed(40, rises=True)
    assert listed(shortlist, 0) == list(range(40))
    assert serving(lines(np.zeros(40)), 10**15, shortlist) == 0


@pytest.mark.parametrize("arms", [2, 17, 100, 1000])
def test_lists_are_parts_of_lists_and_hold_the_best(arms):
    state, shortlist = lines(np.random.default_rng(arms).random(arms)), all_listed(arms, rises=True)
    best = choose(state, 1, shortlist)
    assert best == np.argmax(state.value)
    depth = int(shortlist.depth[0])
    assert (depth > 0) == (arms > SHORTEST)
    for level in range(1, depth + 1):
        shorter = listed(shortlist, level)
        assert set(shorter) < set(listed(shortlist, level - 1))
        assert shorter == sorted(shorter)
        guard, outside = shortlist.guard[level], np.delete(state.value, shorter)
        assert {best, guard} <= set(shorter)
        assert state.value[guard] > outside.max()
    assert shortlist.size[depth] <= SHORTEST


def test_a_list_ends_when_its_guard_is_pulled_or_its_rounds_are_over():
    state, shortlist = lines(np.linspace(0, 1, 300)), all_listed(300, rises=True)
    choose(state, 1, shortlist)
    depth, guard = int(shortlist.depth[0]), int(shortlist.guard[2])
    assert depth >= 2
    assert serving(state, int(shortlist.until[depth]), shortlist) == depth
    assert serving(state, int(shortlist.until[depth]) + 1, shortlist) < depth
    state.pulls[guard] += 1
    assert serving(state, 2, shortlist) == 1


def test_the_arm_that_is_pulled_is_listed_though_others_pass_it():
    """Arm 0 leads in round 1 and not in round 2, unless it is paid well meanwhile."""
    state = lines(np.r_[1.0, np.linspace(0.0, 0.1, 99)], np.r_[0.0, np.full(99, 0.89)])
    shortlist = all_listed(100, rises=True)
    shortlist.span[:] = 1
    assert choose(state, 1, shortlist) == 0
    assert shortlist.depth[0] > 0
    state.value[0] = 100.0
    state.pulls[0] += 1
    assert choose(state, 2, shortlist) == 0


def test_an_arm_is_put_on_every_list_in_its_place():
    state, shortlist = lines(np.linspace(1, 0, 300)), all_listed(300, rises=True)
    choose(state, 1, shortlist)
    before = [listed(shortlist, level) for level in range(1, int(shortlist.depth[0]) + 1)]
    for arm in (299, 0, 150, 150):
        enlist(shortlist, arm)
    for level, arms in enumerate(before, start=1):
        assert listed(shortlist, level) == sorted({*arms, 0, 150, 299})


def test_a_list_that_cannot_be_shortened_is_left_for_a_while():
    state, shortlist = lines(np.zeros(100)), all_listed(100, rises=True)
    assert choose(state, 1, shortlist) == 0
    assert (shortlist.depth[0], shortlist.size[1]) == (0, 100)
    shortlist.size[1] = 0
    for t in range(2, int(shortlist.wait[0])):
        shorten(line, LinesRule, state, t, shortlist, 0, 0)
    assert shortlist.size[1] == 0
    shorten(line, LinesRule, state, int(shortlist.wait[0]), shortlist, 0, 0)
    assert shortlist.size[1] == 100


@pytest.mark.parametrize("rises", [True, False])
def test_lines_that_cross_are_followed(rises):
    rng = np.random.default_rng(7)
    slopes = rng.random(200) * (0.01 if rises else -0.01)
    state, shortlist = lines(rng.random(200), slopes), all_listed(200, rises=rises)
    for t in range(1, 3000):
        values = [line(None, state, arm, t) for arm in range(200)]
        arm = choose(state, t, shortlist)
        assert arm == int(np.argmax(values))
        if t % 3 == 0:
            state.value[arm] = rng.random() - slopes[arm] * t
            state.pulls[arm] += 1
