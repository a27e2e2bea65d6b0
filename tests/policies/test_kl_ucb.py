"""KL-UCB: both models by hand, UCB1 as a special case, and what each model refuses."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.live import Bandit
from upperhand.policies import KLUCB, UCB1
from upperhand.policies.kl_ucb import budget, index, start, update
from upperhand.simulation.player import play

from ..tables import TABLES, draw


def told(policy, *rewards, arms=2):
    state = start(policy, arms, 0)
    for reward in rewards:
        update(policy, state, 0, reward)
    return state


@pytest.mark.parametrize("kind", TABLES)
def test_gaussian_with_sd_1_is_ucb1(kind):
    table = draw(kind, 4, 600)
    arms = play(KLUCB("gaussian", sd=1), table).arms
    assert arms.tolist() == play(UCB1(), table).arms.tolist()


def test_the_gaussian_index_by_hand():
    policy = KLUCB("gaussian", sd=0.5, c=3)
    state = told(policy, 1.0, 2.0, 6.0)
    spent = math.log(10) + 3 * math.log(math.log(10))
    expected = 3 + 0.5 * math.sqrt(2 * spent / 3)
    assert index(policy, state, 0, 10) == pytest.approx(expected, rel=1e-15)
    assert index(policy, state, 1, 10) == math.inf


def test_the_gaussian_index_spends_the_budget():
    """T (q − X̄)² / (2 sd²) = ln t."""
    policy = KLUCB("gaussian", sd=0.2)
    state = told(policy, 0.4, 0.8)
    q = index(policy, state, 0, 50)
    assert 2 * (q - 0.6) ** 2 / (2 * 0.2**2) == pytest.approx(math.log(50), rel=1e-12)


def test_the_bernoulli_index_by_hand():
    """No success in two: 1 − q = t^(−1/2). Two in two: 1. One in two: 4 q (1 − q) = 1/t."""
    policy = KLUCB()
    assert index(policy, told(policy, 0.0, 0.0), 0, 9) == pytest.approx(2 / 3, rel=1e-15)
    assert index(policy, told(policy, 1.0, 1.0), 0, 9) == 1.0
    expected = (1 + math.sqrt(1 - 1 / 9)) / 2
    assert index(policy, told(policy, 0.0, 1.0), 0, 9) == pytest.approx(expected, rel=1e-15)
    assert index(policy, told(policy, 0.0), 1, 9) == math.inf


@pytest.mark.parametrize(("rewards", "mean"), [([-3.0, -5.0], 0.0), ([2.0, 1.0], 1.0)])
def test_means_outside_the_range_are_clipped(rewards, mean):
    policy = KLUCB()
    assert index(policy, told(policy, *rewards), 0, 9) == index(
        policy, told(policy, mean, mean), 0, 9
    )


def test_ln_ln_t_counts_from_round_3_on():
    assert budget(KLUCB(c=3), 1) == 0.0
    assert budget(KLUCB(c=3), 2) == math.log(2)
    assert budget(KLUCB(c=3), 3) > math.log(3)
    assert budget(KLUCB(), 1000) == math.log(1000)


def test_every_arm_once_then_the_largest_index():
    """At round 4 an arm of one failure has 1 − 1/4, so zeros come up again and again."""
    table = np.array([[0.0] * 6, [1.0] * 6, [0.0] * 6])
    assert play(KLUCB(), table).arms.tolist() == [0, 1, 2, 1, 1, 1]


def test_on_coins_it_beats_ucb1():
    table = (np.random.default_rng(0).random((3, 20_000)) < [[0.02], [0.05], [0.1]]).astype(float)
    ours, theirs = (play(policy, table).state.pulls[2] for policy in (KLUCB(), UCB1()))
    assert ours > 19_000 > theirs


@pytest.mark.parametrize("size", [1e12, 1e149])
def test_rewards_of_any_size_have_indices(size):
    for policy in (KLUCB(), KLUCB("gaussian", sd=1e300)):
        state = play(policy, size * draw("gaussian", 2, 200)).state
        assert not any(math.isnan(index(policy, state, arm, 201)) for arm in (0, 1))


def test_settings_can_be_read():
    assert (KLUCB().model, KLUCB().sd, KLUCB().c) == ("bernoulli", None, 0.0)
    policy = KLUCB("gaussian", sd=2, c=1)
    assert (policy.model, policy.sd, policy.c) == ("gaussian", 2.0, 1.0)
    assert repr(KLUCB()) == "KLUCB(model='bernoulli', sd=None, c=0.0, random_ties=False)"


def test_gaussian_must_be_told_sd_and_bernoulli_must_not():
    with pytest.raises(ParameterError, match=r'must be told.*KLUCB\("gaussian", sd=…\)'):
        KLUCB("gaussian")
    with pytest.raises(ParameterError, match=r'sd belongs to model="gaussian"; got sd=0.5'):
        KLUCB(sd=0.5)


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="model must be one of 'bernoulli', 'gaussian'; got"):
        KLUCB("poisson")
    for bad in (0, -1, math.inf, math.nan, "1"):
        with pytest.raises(ParameterError, match="sd must be a finite number > 0; got"):
            KLUCB("gaussian", sd=bad)
    for bad in (-1, math.inf, math.nan, None):
        with pytest.raises(ParameterError, match="c must be a finite number ≥ 0; got"):
            KLUCB(c=bad)
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        KLUCB(random_ties=1)


def test_costs_are_for_the_gaussian_model_only():
    gaussian = KLUCB("gaussian", sd=1)
    assert Bandit(["a", "b"], gaussian, 0, minimize=True).ask() == "a"
    with pytest.raises(ParameterError, match="1 − cost, and maximise"):
        Bandit(["a", "b"], KLUCB(), 0, minimize=True)
