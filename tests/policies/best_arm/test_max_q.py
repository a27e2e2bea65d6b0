"""Max-Q and Doubled Max-Q: published numbers, their guarantee, what they refuse."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import DoubledMaxQ, MaxQ

from .guarantee import errors, most_errors, near_ties
from .runs import search

EPSILON, DELTA = 0.1, 0.05


def test_the_published_plan():
    """K = 3, δ = 0.05, ε = 0.1, p = ½, in the tests of quantilecs."""
    effort, first, enough = DoubledMaxQ(tau=0.5, epsilon=0.1).plan(3)
    assert effort == pytest.approx(24.26684, abs=1e-5)
    assert (first, enough) == (146, math.floor(12133.42))


@pytest.mark.compiled
def test_the_published_number_of_samples():
    """Uniform arms, p = 0.95, K = 10, ε = 0.025: 47,750 in every one of 64 runs."""
    table = np.random.default_rng(4).random((10, 32_000))
    table[0] += 0.05
    found, state = search(DoubledMaxQ(tau=0.95, epsilon=0.025), table, 10**6, compiled=True)
    assert found.stopped
    assert found.answer == [0]
    assert state.pulls.tolist() == [30_560] + 9 * [1910]
    assert state.pulls.sum() == 47_750


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [MaxQ, DoubledMaxQ])
def test_the_answer_is_wrong_with_probability_at_most_delta(kind):
    """Runs are long, so there are few of them."""
    policy = kind(tau=0.5, epsilon=EPSILON, delta=DELTA)
    wrong = errors(policy, near_ties(20, 35_000, EPSILON), compiled=True)
    assert wrong <= most_errors(20, DELTA)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [MaxQ, DoubledMaxQ])
def test_a_two_hundredth_of_the_effort_is_noticed(kind, monkeypatch):
    """A thirtieth is too mild: no run of Max-Q errs."""

    def less(policy, arms, whole=MaxQ.plan):
        effort, rare = whole(policy, arms)[0] / 200, 1 - policy.tau
        enough = math.floor(10 * rare * effort / policy.epsilon**2)
        return effort, math.floor(3 * effort / rare) + 1, enough

    monkeypatch.setattr(MaxQ, "plan", less)
    policy = kind(tau=0.5, epsilon=EPSILON, delta=DELTA)
    assert errors(policy, near_ties(60, 2000, EPSILON), compiled=True) > most_errors(60, DELTA)


@pytest.mark.parametrize("kind", [MaxQ, DoubledMaxQ])
def test_without_a_tolerance_it_is_refused(kind):
    with pytest.raises(ParameterError, match=r"an epsilon of 9\.5e-07"):
        kind(tau=0.5)
    with pytest.raises(ParameterError, match=r"tau \+ epsilon must be below 1"):
        kind(tau=0.9, epsilon=0.1)


def test_a_confidence_near_nothing_still_has_a_plan():
    """Then the number of doublings in the formula would be below 1, and its logarithm negative."""
    effort, first, _ = DoubledMaxQ(tau=0.5, epsilon=0.4, delta=0.99).plan(2)
    assert effort == pytest.approx(6 * math.log(2) - math.log(0.99))
    assert first > 0


def test_rounding_does_not_reach_beyond_the_sample():
    """Here N_0 λ falls a hair short of 3L in doubles: the largest reward is the bound, no other."""
    policy = MaxQ(0.95, epsilon=0.02, delta=0.13188518912330838)
    _, first, _ = policy.plan(6)
    table = np.random.default_rng(0).random((6, first))
    f, p = policy.functions, policy.parameters
    state = f.start(p, 6, 7 * first)
    for arm in range(6):
        for reward in table[arm]:
            f.update(p, state, arm, float(reward))
    assert state.bound.tolist() == table.max(axis=1).tolist()


@pytest.mark.parametrize("epsilon", [1e-200, 1e-100, 1e-7])
def test_a_tolerance_that_nobody_can_afford_is_refused(epsilon):
    with pytest.raises(ParameterError, match=r"an epsilon of 9\.5e-07"):
        MaxQ(0.5, epsilon=epsilon)
