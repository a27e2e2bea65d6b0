"""What is proved of the policies in a comparison, as a curve to compare with."""

import numpy as np
import pytest

import upperhand as uh
from upperhand.comparison.instances import INSTANCES
from upperhand.comparison.result import MOST_LAWS, proved_bound
from upperhand.objectives import Minimized
from upperhand.theory import quantile_policies

FAR = INSTANCES["far-apart"].arms
POLICIES = {
    "mine": uh.KLQUCB(0.95),
    "plus": uh.KLQUCB(0.95, plus=True),
    "median": uh.KLQUCB(0.5),
    "UCB1": uh.UCB1(),
}


def test_the_least_of_all():
    """181 pulls of either arm by KL-QUCB, and 92 by KL-QUCB+, at n = 10⁴."""
    found = proved_bound(POLICIES, FAR, uh.UpperTail(0.1), 10_000)
    assert found.label == "plus"
    assert found.rounds[[0, -1]].tolist() == [10, 10_000]
    exact = quantile_policies.regret_curve(POLICIES["plus"], FAR, found.rounds)
    assert found.regret.tolist() == exact.tolist()
    assert found.most == pytest.approx(10)


def test_between_its_points():
    found = proved_bound(POLICIES, FAR, uh.UpperTail(0.1), 10_000)
    t = np.array([1.0, 10.0, found.rounds[-2] + 1, 10_000.0])
    expected = [10, 100, found.regret[-1], found.regret[-1]]  # 10 a round can be lost at most
    assert found.at(t) == pytest.approx(expected)


@pytest.mark.parametrize("instance", ["far-apart", "lognormal", "headline"])
def test_the_line_is_nowhere_below_what_is_proved(instance):
    arms = INSTANCES[instance].arms
    found = proved_bound(POLICIES, arms, uh.UpperTail(0.1), 10_000)
    for t in np.geomspace(12, 10_000, 25).round():
        proved = quantile_policies.regret(POLICIES[found.label], arms, int(t))
        assert found.at(np.array([t]))[0] >= min(proved, t * found.most) * (1 - 1e-9)


def test_of_very_many_laws_there_is_none():
    arms = [uh.Normal(0.1 * j, 1) for j in range(MOST_LAWS + 1)]
    assert proved_bound(POLICIES, arms, uh.UpperTail(0.1), 10_000) is None


def test_each_policy_at_its_own_level():
    medians = proved_bound(POLICIES, FAR, uh.Quantile(0.5), 1000)
    assert medians.label == "median"


@pytest.mark.parametrize(
    ("arms", "objective", "n"),
    [
        (FAR, uh.Mean(), 1000),  # no quantile
        (FAR, uh.Quantile(0.9), 1000),  # that nobody plays for
        (INSTANCES["headline"].arms, uh.UpperTail(0.1), 300),  # 22.5 can be lost at most
        (INSTANCES["exact-tie"].arms, uh.UpperTail(0.1), 1000),  # A(j) fails
        ([uh.Normal(0, 1)] * 2, uh.UpperTail(0.1), 1000),  # nothing to lose
    ],
    ids=["mean", "level", "few rounds", "exact tie", "tie"],
)
def test_none(arms, objective, n):
    assert proved_bound(POLICIES, arms, objective, n) is None


def test_costs():
    costs = [uh.Normal(-arm.loc, arm.scale) for arm in FAR]
    objective, policies = Minimized(uh.Quantile(0.05)), {"plus": uh.KLQUCB(0.05, plus=True)}
    found = proved_bound(policies, costs, objective, 1000)
    rewards = proved_bound(POLICIES, FAR, uh.UpperTail(0.1), 1000)
    assert found.regret == pytest.approx(rewards.regret, rel=1e-6)
