"""UCB1-NORMAL: the index by hand, the pulls that are due, and the scale that nobody tells it."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import UCB1Normal
from upperhand.policies.ucb1_normal import index, start, update
from upperhand.simulation.player import play

from ..tables import draw


def told(*rewards, arms=2):
    state = start(UCB1Normal(), arms, 0)
    for reward in rewards:
        update(UCB1Normal(), state, 0, reward)
    return state


def test_the_index_by_hand():
    state = told(*[1.0, 3.0] * 8)  # mean 2, Σ(Y − 2)² = 16, S² = 16/15
    expected = 2 + math.sqrt(16 * (16 / 15) * math.log(6) / 16)
    assert index(UCB1Normal(), state, 0, 7) == pytest.approx(expected, rel=1e-15)


def test_an_arm_with_fewer_than_8_ln_t_pulls_is_due():
    """8 ln 7 = 15.6 and 8 ln 8 = 16.6: sixteen pulls do at round 7 and not at round 8."""
    state = told(*[1.0, 3.0] * 8)
    assert math.isfinite(index(UCB1Normal(), state, 0, 7))
    assert index(UCB1Normal(), state, 0, 8) == math.inf
    assert index(UCB1Normal(), told(1.0), 0, 1) == math.inf  # a variance takes two


def test_every_arm_has_the_pulls_that_are_due():
    table = draw("gaussian", 3, 1000)
    pulls = play(UCB1Normal(), table).state.pulls
    assert pulls.min() >= math.floor(8 * math.log(1000))


def test_the_first_rounds_are_a_round_robin():
    """With three arms each has t/3 pulls, which is less than 8 ln t until t = 118."""
    arms = play(UCB1Normal(), draw("gaussian", 3, 300)).arms
    due = next(t for t in range(2, 300) if (t - 1) // 3 >= 8 * math.log(t))
    assert arms[: due - 1].tolist() == [t % 3 for t in range(due - 1)]


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**20])
def test_the_unit_of_the_rewards_makes_no_difference(factor):
    table = draw("gaussian", 3, 2000)
    arms = play(UCB1Normal(), table).arms
    assert play(UCB1Normal(), factor * table).arms.tolist() == arms.tolist()


def test_nor_does_a_constant_added_to_them():
    table = np.round(draw("gaussian", 3, 2000), 6)
    arms = play(UCB1Normal(), table).arms
    assert play(UCB1Normal(), table + 100.0).arms.tolist() == arms.tolist()


def test_it_finds_the_best_mean_of_arms_that_differ_in_spread():
    table = np.random.default_rng(0).normal([[0.1], [0.0]], [[0.05], [0.15]], (2, 10_000))
    assert play(UCB1Normal(), table).state.pulls[0] > 8000


@pytest.mark.parametrize("size", [1e12, 1e100, 1e149])
def test_large_rewards_have_indices(size):
    state = play(UCB1Normal(), size * draw("gaussian", 2, 500)).state
    assert all(math.isfinite(index(UCB1Normal(), state, arm, 200)) for arm in (0, 1))


def test_the_initial_pulls_make_a_variance():
    assert UCB1Normal().initial_pulls == 2


def test_costs_are_played_by_the_same_policy():
    assert UCB1Normal().mirrored() == UCB1Normal()


@pytest.mark.parametrize("bad", [1, 0, "no", None])
def test_random_ties_is_a_flag(bad):
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        UCB1Normal(random_ties=bad)
