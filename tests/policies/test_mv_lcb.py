"""MV-LCB: the index by hand, the published special case, and what ρ trades."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import MVLCB
from upperhand.policies.mv_lcb import index, start, update
from upperhand.simulation.player import play

from ..tables import draw


def told(policy, *rewards, arms=2):
    state = start(policy, arms, 0)
    for reward in rewards:
        update(policy, state, 0, reward)
    return state


def test_the_index_by_hand():
    policy = MVLCB(100, 2, rho=0.5)
    state = told(policy, 1.0, 2.0, 6.0)  # mean 3, Σ(Y − 3)² = 14
    bonus = (5 * 2**2 + 0.5 * 2) * math.sqrt(math.log(100**2) / (2 * 3))
    assert index(policy, state, 0, 10) == pytest.approx(0.5 * 3 - 14 / 3 + bonus, rel=1e-15)
    assert index(policy, state, 1, 10) == math.inf


def test_span_1_is_the_published_bound_with_its_sign_turned():
    policy = MVLCB(1000, 1, rho=2)
    state = told(policy, 0.2, 0.4, 0.9)
    mean, variance = 0.5, (0.09 + 0.01 + 0.16) / 3
    published = variance - 2 * mean - (5 + 2) * math.sqrt(math.log(1000**2) / (2 * 3))
    assert index(policy, state, 0, 10) == pytest.approx(-published, rel=1e-14)


def test_the_round_makes_no_difference():
    """The bonus is for the horizon: nothing grows with t."""
    policy = MVLCB(1000, 1)
    state = told(policy, 0.2, 0.4)
    assert index(policy, state, 0, 3) == index(policy, state, 0, 999)


@pytest.mark.parametrize(("rho", "best"), [(0, 0), (0.1, 0), (10, 1)])
def test_rho_trades_mean_for_variance(rho, best):
    """Arm 0 is steady; arm 1 has the better mean and the larger variance."""
    table = np.random.default_rng(0).normal([[0.4], [0.5]], [[0.05], [0.3]], (2, 20_000))
    pulls = play(MVLCB(20_000, 0.1, rho=rho), table).state.pulls
    assert pulls[best] > 15_000


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**20])
def test_span_and_rho_in_the_unit_of_the_rewards_make_the_same_choices(factor):
    table = draw("gaussian", 3, 1000)
    arms = play(MVLCB(1000, 0.5, rho=2), table).arms
    scaled = MVLCB(1000, 0.5 * factor, rho=2 * factor)
    assert play(scaled, factor * table).arms.tolist() == arms.tolist()


@pytest.mark.parametrize("rho", [0, 1, 1e150])
@pytest.mark.parametrize("size", [1e12, 1e100, 1e149])
def test_large_rewards_have_indices(size, rho):
    policy = MVLCB(200, size, rho=rho)
    state = play(policy, size * draw("gaussian", 2, 200)).state
    assert all(math.isfinite(index(policy, state, arm, 201)) for arm in (0, 1))


def test_what_it_refuses():
    with pytest.raises(TypeError, match="span"):
        MVLCB(100)
    for bad in (0, -1, 1.5, "9", None):
        with pytest.raises(ParameterError, match="horizon must be a whole number, 1 or more; got"):
            MVLCB(bad, 1)
    for bad in (0, -1, math.inf, math.nan, 1e151):
        with pytest.raises(ParameterError, match=r"span must be a finite number > 0 and ≤ 1e\+150"):
            MVLCB(100, bad)
    for bad in (-1, math.inf, math.nan):
        with pytest.raises(ParameterError, match="rho must be a finite number ≥ 0"):
            MVLCB(100, 1, rho=bad)
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        MVLCB(100, 1, random_ties=1)


def test_costs_are_played_by_the_same_policy():
    assert MVLCB(100, 1).mirrored() == MVLCB(100, 1)
