"""ExpExp: how long it explores, in whole numbers, what it commits to, and that it stays."""

import math
from decimal import ROUND_CEILING, Decimal, localcontext

import numpy as np
import pytest

from upperhand._kernels.argmax import explore_or_stay as select
from upperhand._kernels.states import widened
from upperhand.errors import ParameterError
from upperhand.live import Bandit
from upperhand.policies import ExpExp
from upperhand.policies.exp_exp import exploration, index, start, update
from upperhand.simulation.player import play

from ..tables import draw


def test_exploration_by_hand():
    """(n/14)^(2/3) is whole at n = 14 k^(3/2): 14, 112, 378, 14·10³ and 14·10⁶."""
    assert [exploration(n) for n in (1, 14, 15, 112, 113, 378, 379)] == [1, 1, 2, 4, 5, 9, 10]
    assert [exploration(14 * 10**k) for k in (3, 6, 15)] == [100, 10**4, 10**10]
    assert [exploration(14 * 10**k + 1) for k in (3, 6, 15)] == [101, 10**4 + 1, 10**10 + 1]
    assert exploration(10_000) == 80


def test_exploration_against_decimals():
    for horizon in (*range(1, 200), 10**4, 10**6, 123_456_789, 10**12, 2**62):
        with localcontext(prec=60):
            exact = ((Decimal(horizon) / 14).ln() * 2 / 3).exp() - Decimal("1e-30")
            assert exploration(horizon) == max(1, exact.to_integral_value(ROUND_CEILING))


def told(policy, rewards, arms=2):
    state = start(policy, arms, 0)
    for arm, values in enumerate(rewards):
        for reward in values:
            update(policy, state, arm, reward)
    return state


def test_the_index_by_hand():
    policy = ExpExp(50, rho=0.5)  # explores (50/14)^(2/3) = 2.3…: three pulls
    state = told(policy, [[1.0, 2.0, 6.0], [1.0, 2.0]])
    assert index(policy, state, 0, 6) == pytest.approx(0.5 * 3 - 14 / 3, rel=1e-15)
    assert index(policy, state, 1, 6) == math.inf


def test_round_robin_then_one_arm():
    table = draw("gaussian", 3, 1000)
    arms, e = play(ExpExp(1000), table).arms, ExpExp(1000).initial_pulls
    assert e == 18
    assert arms[: 3 * e].tolist() == [0, 1, 2] * e
    values = table[:, :e].mean(axis=1) - table[:, :e].var(axis=1)
    assert set(arms[3 * e :].tolist()) == {int(values.argmax())}


def test_what_comes_later_changes_nothing():
    table = draw("gaussian", 3, 1000)
    spoilt = table.copy()
    spoilt[:, 18:] = -1e9
    first, second = play(ExpExp(1000), table), play(ExpExp(1000), spoilt)
    assert first.arms.tolist() == second.arms.tolist()
    for found, again in zip(first.state.explored[:3], second.state.explored[:3], strict=True):
        assert found.tolist() == again.tolist()


def test_random_ties_commit_to_one_arm_too():
    committed = set()
    for seed in range(20):
        later = play(ExpExp(60, random_ties=True), draw("constant", 4, 60), seed).arms[12:]
        assert len(set(later.tolist())) == 1
        committed.add(int(later[0]))
    assert committed == {0, 1, 2, 3}


def test_told_of_arms_that_it_did_not_ask_for_it_still_explores_them_all():
    policy = ExpExp(50)
    bandit = Bandit(["a", "b"], policy, 0)
    for _ in range(10):
        bandit.tell("b", 1.0)
    for _ in range(3):
        assert bandit.ask() == "a"
        bandit.tell("a", 0.0)
    assert bandit.ask() == "b"


@pytest.mark.parametrize(("rho", "best"), [(0, 0), (10, 1)])
def test_rho_trades_mean_for_variance(rho, best):
    table = np.random.default_rng(0).normal([[0.4], [0.5]], [[0.05], [0.3]], (2, 10_000))
    assert play(ExpExp(10_000, rho=rho), table).state.pulls[best] == 10_000 - 80


@pytest.mark.parametrize("size", [1e12, 1e100, 1e149])
def test_rewards_of_any_size_have_indices(size):
    state = play(ExpExp(200), size * draw("gaussian", 2, 200)).state
    assert not any(math.isnan(index(ExpExp(200), state, arm, 201)) for arm in (0, 1))


def test_the_choice_is_remembered():
    policy = ExpExp(14)
    state = told(policy, [[0.1], [0.9]])
    assert select(index, policy, state, 3, np.random.default_rng(0)) == 1
    assert state.chosen.tolist() == [False, False]
    policy.functions.update(policy, state, 0, 0.1)  # not what was chosen
    assert state.chosen.tolist() == [False, False]
    policy.functions.update(policy, state, 1, 0.9)
    assert state.chosen.tolist() == [False, True]


def test_an_arm_that_comes_later_is_explored_and_may_win():
    policy, rng = ExpExp(14), np.random.default_rng(0)
    state = told(policy, [[0.1], [0.9, 0.9]])
    assert state.chosen.tolist() == [False, True]
    state = widened(state, start(policy, 3, 0))
    assert select(index, policy, state, 4, rng) == 2
    policy.functions.update(policy, state, 2, 0.95)
    assert state.chosen.tolist() == [False, False, False]
    assert select(index, policy, state, 5, rng) == 2


def test_what_it_refuses():
    with pytest.raises(TypeError, match="horizon"):
        ExpExp()
    for bad in (0, -1, 1.5, "9", None):
        with pytest.raises(ParameterError, match="horizon must be a whole number, 1 or more; got"):
            ExpExp(bad)
    for bad in (-1, math.inf, math.nan, 1e151):
        with pytest.raises(ParameterError, match=r"rho must be a finite number ≥ 0 and ≤ 1e\+150"):
            ExpExp(100, rho=bad)
    with pytest.raises(ParameterError, match="random_ties must be True or False"):
        ExpExp(100, random_ties=1)
    with pytest.raises(ParameterError, match="the horizon must be 36 or more; got 20"):
        play(ExpExp(1000), draw("gaussian", 2, 20))


def test_costs_are_played_by_the_same_policy():
    assert ExpExp(100).mirrored() == ExpExp(100)
