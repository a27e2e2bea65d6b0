"""UCB1: the benchmark, and how little it knows of the tail."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import UCB1
from upperhand.policies.ucb1 import index, start, update
from upperhand.simulation.player import play

from ..tables import draw


def test_the_index_by_hand():
    policy, state = UCB1(), start(UCB1(), 2, 0)
    for reward in (1.0, 2.0, 6.0):
        update(policy, state, 0, reward)
    assert index(policy, state, 0, 10) == 3.0 + math.sqrt(2 * math.log(10) / 3)
    assert index(policy, state, 1, 10) == math.inf


def test_every_arm_once_then_the_largest_index():
    table = np.array([[0.0] * 9, [1.0] * 9, [0.0] * 9])
    assert play(UCB1(), table).arms.tolist() == [0, 1, 2, 1, 1, 1, 1, 0, 2]  # by hand


def test_it_finds_the_best_mean_in_the_range_it_was_made_for():
    table = draw("bernoulli", 2, 5000)
    assert play(UCB1(), table).state.pulls[1] > 4500


def test_it_cannot_see_the_tail():
    """Two arms of one mean: UCB1 splits its pulls, whatever the spread."""
    table = np.random.default_rng(0).normal(0.0, [[0.05], [0.15]], (2, 4000))
    assert abs(int(np.subtract(*play(UCB1(), table).state.pulls))) < 800


@pytest.mark.parametrize("bad", [1, 0, "no", None])
def test_random_ties_is_a_flag(bad):
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        UCB1(random_ties=bad)


def test_it_takes_no_positional_settings():
    with pytest.raises(TypeError, match="positional"):
        UCB1(True)
