"""One way to pick an arm: the largest index, and one rule for each kind of tie."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from upperhand._kernels.argmax import argmax, argmax_of_two
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


def test_random_ties_are_even():
    counts = np.bincount(picked([2, 5, 5, 1, 5, 5], random_ties=True, times=20_000), minlength=6)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert stats.chisquare(counts[[1, 2, 4, 5]]).pvalue > ERROR_PROBABILITY


def test_random_ties_at_infinity_are_even_among_the_fewest_pulls():
    values, pulls = [math.inf, 7, math.inf, math.inf], [1, 0, 0, 0]
    counts = np.bincount(picked(values, pulls, random_ties=True, times=20_000), minlength=4)
    assert counts[[0, 1]].tolist() == [0, 0]
    assert stats.chisquare(counts[[2, 3]]).pvalue > ERROR_PROBABILITY


def test_both_worlds_draw_the_same_ties():
    for seed in range(20):
        worlds = [
            picked([1, 1, 0, 1], random_ties=True, seed=seed, times=50, compiled=compiled)
            for compiled in (True, False)
        ]
        assert worlds[0] == worlds[1]


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
