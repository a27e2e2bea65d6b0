"""Quantile-IMED: its index by hand, its memory against none, and who is tried when."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.policies.quantile_imed import index, select
from upperhand.theory.lower_bounds import bernoulli_kl

from ..tables import draw
from .late import state_of

ANY = np.random.default_rng(0)


def test_the_index_by_hand():
    """Medians 2 and 5: three of the first arm's four rewards are at most 5."""
    policy = uh.QuantileIMED(0.5)
    state = state_of(policy, [1, 2, 3, 9], [4, 5, 6])
    arm = select(index, policy, state, 8, ANY)
    costs = [-index(policy, state, j, 8) for j in (0, 1)]
    assert costs[1] == math.log(3)
    assert costs[0] == pytest.approx(4 * bernoulli_kl(3 / 4, 0.5) + math.log(4))
    assert arm == 1


def test_all_rewards_below_the_best_quantile():
    """Evidence N ln(1/τ): as many pulls as the lower bound asks for an arm that is all below."""
    policy = uh.QuantileIMED(0.9)
    state = state_of(policy, range(20), range(100, 130))
    select(index, policy, state, 51, ANY)
    assert -index(policy, state, 0, 51) == pytest.approx(20 * math.log(1 / 0.9) + math.log(20))


def test_an_arm_with_the_best_quantile_is_never_weighed_down():
    """Equal quantiles: ln N alone, so that both are played in turn."""
    policy = uh.QuantileIMED(0.9)
    state = state_of(policy, [0, 1, 1], [1, 1, 1, 1])
    assert select(index, policy, state, 8, ANY) == 0
    assert -index(policy, state, 0, 8) == math.log(3)
    assert -index(policy, state, 1, 8) == math.log(4)


@pytest.mark.parametrize(
    ("kind", "tau"), [("gaussian", 0.1), ("ties", 0.5), ("bernoulli", 0.5), ("heavy", 0.95)]
)
def test_what_is_cached_is_what_would_be_computed(kind, tau):
    """After a whole run, the indices of the state are those of a new state of the same rewards."""
    table = draw(kind, 4, 1_500)
    policy = uh.QuantileIMED(tau)
    state = uh.play(policy, table).state
    fresh = state_of(policy, *(table[j, : state.pulls[j]] for j in range(4)))
    assert select(index, policy, state, 1_501, ANY) == select(index, policy, fresh, 1_501, ANY)
    for arm in range(4):
        assert index(policy, state, arm, 1_501) == index(policy, fresh, arm, 1_501)


def test_pulls_under_way_count_as_evidence():
    """W in the place of N, though the sample is the same as when the evidence was computed."""
    policy = uh.QuantileIMED(0.5)
    state = state_of(policy, [1, 2, 3, 9], [4, 5, 6])
    select(index, policy, state, 8, ANY)
    asked = state._replace(pulls=state.pulls + np.array([3, 0]))
    select(index, policy, asked, 8, ANY)
    expected = 7 * bernoulli_kl(3 / 4, 0.5) + math.log(7)
    assert -index(policy, asked, 0, 8) == pytest.approx(expected)


def test_it_needs_no_clock():
    policy = uh.QuantileIMED(0.5)
    state = state_of(policy, [1, 2, 3, 9], [4, 5, 6])
    assert select(index, policy, state, 8, ANY) == select(index, policy, state, 10**9, ANY)
