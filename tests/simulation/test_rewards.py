"""Rewards drawn as needed: the same whoever asks, and no more than needed."""

import numpy as np
import pytest

import upperhand as uh
from tests.naive import searches
from upperhand.errors import ParameterError
from upperhand.simulation.rewards import FIRST, Rewards
from upperhand.simulation.tables import draw_table

ARMS = (
    uh.Normal(0, 1),
    uh.Mixture([uh.Normal(0, 1), uh.Uniform(2, 3)], [0.5, 0.5]),
    uh.Empirical([-0.0, 1.0]),
)


def test_chunks_in_any_order_hold_the_same_rewards():
    one, other = Rewards(ARMS, 7, 3), Rewards(ARMS, 7, 3)
    for arm in (0, 0, 2, 1, 0):
        one.draw(arm)
    for arm in (1, 0, 0, 0, 2):
        other.draw(arm)
    assert one.drawn.tolist() == other.drawn.tolist() == [8 * FIRST, 2 * FIRST, 2 * FIRST]
    for arm, count in enumerate(one.drawn):
        expected = searches.rewards(ARMS[arm], arm, 7, 3, int(count))
        assert one.table[arm, :count].tolist() == other.table[arm, :count].tolist() == expected


def test_the_first_rewards_are_those_of_a_simulation():
    """Of laws that draw rewards one by one; a mixture draws all components first."""
    table = draw_table(ARMS, 2 * FIRST, 7, 3)
    rewards = Rewards(ARMS, 7, 3)
    for arm in (0, 2):
        rewards.draw(arm)
        assert np.array_equal(rewards.table[arm], table[arm])


def test_negated_rewards_without_negative_zeros():
    plain, negated = Rewards(ARMS, 7, 3), Rewards(ARMS, 7, 3, negated=True)
    assert np.array_equal(negated.table, -plain.table)
    for rewards in (plain, negated):
        assert not np.signbit(rewards.table[rewards.table == 0]).any()


def test_memory_grows_with_the_arm_that_is_pulled_most():
    rewards = Rewards(ARMS, 0, 0)
    for doublings in range(1, 6):
        rewards.draw(1)
        assert rewards.table.shape == (3, FIRST * 2**doublings)
    assert rewards.drawn.tolist() == [FIRST, 32 * FIRST, FIRST]


def test_a_reward_that_is_too_large_is_refused_in_any_chunk():
    class Late(uh.Normal):
        def _sample(self, rng, shape):
            return np.full(shape, 1e200) if shape[0] > FIRST else super()._sample(rng, shape)

    rewards = Rewards([uh.Normal(0, 1), Late(0, 1)], 0, 0)
    rewards.draw(1)
    with pytest.raises(ParameterError, match=r"Arm 2, .*Late.* drew the reward 1e"):
        rewards.draw(1)
