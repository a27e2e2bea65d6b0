"""Theorems Q1, Q2, Q3, Q7 and F on many random instances, and every planted fault refused on one.

What an excess of five standard errors means is said in `tests/theory/simulated.py`; with some 700
comparisons of bounds that were attained, chance would refuse one with probability 2e-4 at most.
Most bounds are far from attained.
"""

import numpy as np
import pytest

import upperhand as uh
from upperhand.theory import quantile_policies
from upperhand.theory.quantile_policies import delayed_pulls

from ..theory import planted
from ..theory.simulated import ERRORS, excess, frugal, late_pulls, policies, random_instance

pytestmark = pytest.mark.slow
KINDS = ("normal", "uniform", "exponential", "five values")
FAULTS = {
    "DoubleBudget": (planted.DoubleBudget, {}),
    "RankBelow": (planted.RankBelow, {}),
    "RankAbove": (planted.RankAbove, {}),
    "RankBelow+": (planted.RankBelow, {"plus": True}),
    "RankAbove+": (planted.RankAbove, {"plus": True}),
    "WithoutLog": (planted.WithoutLog, {}),
    "HalfEvidence": (planted.HalfEvidence, {}),
    "DrawBelow": (planted.DrawBelow, {}),
}


def instances(kind, count=10):
    rng = np.random.default_rng([27, KINDS.index(kind)])
    return [random_instance(rng, kind) for _ in range(count)]


def refused(played, arms, n, seed, runs=300):
    """Return the names of the policies whose mean pulls are above what is proved."""
    run = uh.simulate(arms, played, n, runs, seed=seed, rounds=1, progress=False)
    bounds = {name: quantile_policies.pulls(policy, arms, n) for name, policy in played.items()}
    return {name for name in played if excess(run.pulls[name][:, -1], bounds[name]).max() > ERRORS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [300, 3000])
def test_no_policy_is_above_its_bound(kind, n):
    for seed, (arms, tau) in enumerate(instances(kind)):
        played = policies(tau) | frugal(tau, n)
        assert refused(played, arms, n, seed) == set(), (arms, tau)


def test_every_fault_is_above_it_somewhere():
    found = set()
    for seed, (arms, tau) in enumerate(each for kind in KINDS for each in instances(kind, 8)):
        faulty = {name: fault(tau, **given) for name, (fault, given) in FAULTS.items()}
        found |= refused(faulty, arms, 3000, seed)
    assert found == set(FAULTS)


def test_half_of_the_budget_loses_the_best_arm():
    """Seldom, but for long: KL-QUCB+ with ½ ln t has a mean of 114 ± 7 here, against 49.

    KL-QUCB with ½ ln t gives its best arm up in so few runs that a mean of thousands does not tell;
    it is seen where the bound is attained, in `tests/theory`.
    """
    arms = [uh.Empirical([0.0]), uh.Empirical([-1.0] * 3 + [1.0] * 7)]
    played = {"½ ln t": planted.HalfBudget(0.5, plus=True), "ln t": uh.KLQUCB(0.5, plus=True)}
    assert refused(played, arms, 3000, seed=5, runs=3000) == {"½ ln t"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [5, 9])
def test_late_rewards(kind, most):
    """Each reward comes 0 to 5 rounds late, or all ten of a batch at its end."""
    n, rng = 300, np.random.default_rng(most)
    late = rng.integers(0, 6, n).tolist() if most == 5 else [9 - t % 10 for t in range(n)]
    for arms, tau in instances(kind, 6):
        pulls = late_pulls(uh.KLQUCB(tau), arms, late, 40)
        assert excess(pulls, delayed_pulls(arms, tau, n, most)).max() <= ERRORS, (arms, tau)
