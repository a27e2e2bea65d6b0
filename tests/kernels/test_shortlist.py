"""Lists of arms: what is on them, and for how long."""

from typing import NamedTuple

import numpy as np
import pytest

from upperhand._kernels import argmax as lists
from upperhand._kernels.argmax import all_listed, argmax, enlist, never_same_index, serving, shorten


class Rule:
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


def index(policy, state, arm, t):
    return float(state.value[arm]) + float(state.slope[arm]) * t


def lines(value, slope=0.0):
    value = np.array(value, float)
    return Lines(np.ones(len(value), np.int64), value, np.broadcast_to(slope, value.shape).copy())


def choose(state, t, shortlist):
    return argmax(index, Rule, state, t, None, shortlist)


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
    assert (depth > 0) == (arms > lists.SHORTEST)
    for level in range(1, depth + 1):
        shorter = listed(shortlist, level)
        assert set(shorter) < set(listed(shortlist, level - 1))
        assert shorter == sorted(shorter)
        guard, outside = shortlist.guard[level], np.delete(state.value, shorter)
        assert {best, guard} <= set(shorter)
        assert state.value[guard] > outside.max()
    assert shortlist.size[depth] <= lists.SHORTEST


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
        shorten(index, Rule, state, t, shortlist, 0, 0)
    assert shortlist.size[1] == 0
    shorten(index, Rule, state, int(shortlist.wait[0]), shortlist, 0, 0)
    assert shortlist.size[1] == 100


@pytest.mark.parametrize("rises", [True, False])
def test_lines_that_cross_are_followed(rises):
    rng = np.random.default_rng(7)
    slopes = rng.random(200) * (0.01 if rises else -0.01)
    state, shortlist = lines(rng.random(200), slopes), all_listed(200, rises=rises)
    for t in range(1, 3000):
        values = [index(None, state, arm, t) for arm in range(200)]
        arm = choose(state, t, shortlist)
        assert arm == int(np.argmax(values))
        if t % 3 == 0:
            state.value[arm] = rng.random() - slopes[arm] * t
            state.pulls[arm] += 1
