"""UCB-V: the index by hand, what the variance saves, and what must be told."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import UCB1, UCBV
from upperhand.policies.ucb_v import index, start, update
from upperhand.simulation.player import play

from ..tables import draw


def told(policy, *rewards, arms=2):
    state = start(policy, arms, 0)
    for reward in rewards:
        update(policy, state, 0, reward)
    return state


def test_the_index_by_hand():
    policy = UCBV(2, zeta=1.5, c=0.5)
    state = told(policy, 1.0, 2.0, 6.0)  # mean 3, Σ(Y − 3)² = 14
    e = 1.5 * math.log(10)
    expected = 3 + math.sqrt(2 * (14 / 3) * e / 3) + 3 * 0.5 * 2 * e / 3
    assert index(policy, state, 0, 10) == pytest.approx(expected, rel=1e-15)
    assert index(policy, state, 1, 10) == math.inf


def test_the_defaults_are_the_theorem():
    assert (UCBV(1).zeta, UCBV(1).c) == (1.2, 1.0)


def test_an_arm_that_never_varies_has_the_range_term_alone():
    policy = UCBV(1)
    state = told(policy, *[0.5] * 10)
    expected = 0.5 + 3 * 1.2 * math.log(100) / 10
    assert index(policy, state, 0, 100) == pytest.approx(expected, rel=1e-15)


def test_little_variance_saves_exploration():
    table = 0.5 + np.random.default_rng(0).normal([[0.0], [0.05]], 0.02, (2, 20_000))
    ours, theirs = (play(policy, table).state.pulls[0] for policy in (UCBV(1), UCB1()))
    assert 2 * ours < theirs


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**20])
def test_a_span_in_the_unit_of_the_rewards_makes_the_same_choices(factor):
    table = draw("gaussian", 3, 1000)
    arms = play(UCBV(4), table).arms
    assert play(UCBV(4 * factor), factor * table).arms.tolist() == arms.tolist()


@pytest.mark.parametrize("size", [1e12, 1e100, 1e149])
def test_rewards_of_any_size_have_indices(size):
    state = play(UCBV(size), size * draw("gaussian", 2, 200)).state
    values = [index(UCBV(size), state, arm, 201) for arm in (0, 1)]
    assert all(map(math.isfinite, values))


def test_what_it_refuses():
    with pytest.raises(TypeError, match="span"):
        UCBV()
    for bad in (0, -1, math.inf, math.nan, "1", None):
        with pytest.raises(ParameterError, match="span must be a finite number > 0; got"):
            UCBV(bad)
    with pytest.raises(ParameterError, match="zeta must be a finite number > 0; got 0"):
        UCBV(1, zeta=0)
    with pytest.raises(ParameterError, match="c must be a finite number ≥ 0; got -1"):
        UCBV(1, c=-1)
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        UCBV(1, random_ties=1)


def test_costs_are_played_by_the_same_policy():
    assert UCBV(1).mirrored() == UCBV(1)
