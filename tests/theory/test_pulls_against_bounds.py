"""Pulls of our policies against Theorems Q1 to F, and faults that the bounds notice.

An upper bound refuses a policy that explores too much where it is attained, and one that explores
too little where that loses the best arm for good. `tests/slow` has more and longer runs.
"""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.special import bernoulli_kl
from upperhand.theory import quantile_policies
from upperhand.theory.lower_bounds import quantile_pulls
from upperhand.theory.quantile_policies import delayed_pulls, frugal_pulls

from . import planted
from .simulated import (
    DECEPTIVE,
    ERRORS,
    FAILING,
    FAR_APART,
    UNLUCKY,
    excess,
    frugal,
    hedged,
    interpreted_pulls,
    late_pulls,
    policies,
    random_instance,
)

TAU = 0.95
DETERMINISTIC = {n: p for n, p in policies(TAU).items() if n != "Quantile-TS"}
ONE_OFF = {  # too much or too little where the bound is attained
    "½ ln t": planted.HalfBudget(TAU),
    "½ ln t, plus": planted.HalfBudget(TAU, plus=True),
    "2 ln t": planted.DoubleBudget(TAU),
    "x_(r)": planted.RankBelow(TAU),
    "x_(r), plus": planted.RankBelow(TAU, plus=True),
    "x_(r+2)": planted.RankAbove(TAU),
    "x_(r+2), plus": planted.RankAbove(TAU, plus=True),
    "without ln N": planted.WithoutLog(TAU),
    "half of the evidence": planted.HalfEvidence(TAU),
}
LOSERS = {  # of the best arm
    "x_(r)": planted.RankBelow(TAU),
    "x_(r), plus": planted.RankBelow(TAU, plus=True),
    "without ln N": planted.WithoutLog(TAU),
    "x_(B)": planted.DrawBelow(TAU),
}


def is_attained(policy, n=1000):
    """Tell whether each run has as many pulls as the bound allows, or one less."""
    bound = quantile_policies.pulls(policy, FAR_APART, n)[0]
    pulls = interpreted_pulls(policy, FAR_APART, n, 2)[:, 0]
    return bool(np.all((pulls <= bound) & (pulls > bound - 2)))


def is_refused(policy, arms, n, runs):
    bounds = quantile_policies.pulls(policy, arms, n)
    return excess(interpreted_pulls(policy, arms, n, runs), bounds).max() > ERRORS


@pytest.mark.parametrize("policy", DETERMINISTIC.values(), ids=DETERMINISTIC)
def test_far_apart_the_bound_is_attained(policy):
    """All rewards of the bad arm are below the others: its pulls do not depend on chance."""
    assert is_attained(policy)


@pytest.mark.parametrize("fault", ONE_OFF.values(), ids=ONE_OFF)
def test_far_apart_a_fault_is_seen(fault):
    assert not is_attained(fault)


@pytest.mark.parametrize("policy", policies(TAU).values(), ids=policies(TAU))
def test_an_unlucky_best_arm_comes_back(policy):
    assert not is_refused(policy, UNLUCKY, 600, 40)


@pytest.mark.parametrize("fault", LOSERS.values(), ids=LOSERS)
def test_who_loses_the_best_arm_is_refused(fault):
    """In four of five runs its first reward is low; the bad arm is then pulled to the end."""
    assert is_refused(fault, UNLUCKY, 600, 40)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential", "five values"])
def test_random_instances(kind):
    rng, n = np.random.default_rng(12), 400
    for seed in range(3):
        arms, tau = random_instance(rng, kind)
        runs = uh.simulate(arms, policies(tau), n, 200, seed=seed, rounds=1, progress=False)
        for name, policy in runs.policies.items():
            bounds = quantile_policies.pulls(policy, arms, n)
            assert excess(runs.pulls[name][:, -1], bounds).max() <= ERRORS, (arms, tau, name)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential"])
def test_random_instances_with_trust_and_charges(kind):
    rng, n = np.random.default_rng(5), 400
    for seed in range(2):
        arms, tau = random_instance(rng, kind)
        played = hedged(tau) | frugal(tau, n)
        runs = uh.simulate(arms, played, n, 200, seed=seed, rounds=1, progress=False)
        for name, policy in runs.policies.items():
            stated = "Theorem Q5" if name in hedged(tau) else "Theorem F"
            assert quantile_policies.theorem(policy) == stated
            bounds = quantile_policies.pulls(policy, arms, n)
            assert excess(runs.pulls[name][:, -1], bounds).max() <= ERRORS, (arms, tau, name)


@pytest.mark.parametrize("policy", hedged(TAU).values(), ids=hedged(TAU))
def test_trust_with_a_limit_comes_back_to_a_deceptive_arm(policy):
    assert not is_refused(policy, DECEPTIVE, 1500, 30)


@pytest.mark.parametrize(
    "fault",
    [planted.Boundless(TAU, plus=True, trust=1.0), planted.BoundlessIMED(TAU, trust=1.0)],
    ids=["KL-QUCB+", "IMED"],
)
def test_trust_without_a_limit_is_refused(fault):
    """In a third of the runs the first three rewards are poor, and the best arm is lost."""
    assert is_refused(fault, DECEPTIVE, 1500, 100)


def test_a_charge_ends():
    """The best arm often begins with a failure, and is then charged; it must come back."""
    for policy in frugal(0.5, 600).values():
        assert not is_refused(policy, FAILING, 600, 100)
    plain = {"plus": True, "frugal": 5}
    assert quantile_policies.pulls(uh.KLQUCB(0.5, **plain), FAILING, 600)[0] < 25
    assert is_refused(planted.Endless(0.5, **plain), FAILING, 600, 300)


@pytest.mark.parametrize(
    "fault", [planted.DoubleBudget, planted.RankAbove, planted.HalfEvidence], ids=lambda f: f.name
)
def test_random_instances_refuse_who_explores_too_much(fault):
    """Uniform arms often lie apart, and there the bounds are attained."""
    rng = np.random.default_rng(12)
    instances = [random_instance(rng, "uniform") for _ in range(3)]
    assert any(is_refused(fault(tau), arms, 400, 10) for arms, tau in instances)


TIED = {
    "KL-QUCB": (uh.KLQUCB(0.5), planted.WithoutOrder(0.5)),
    "KL-QUCB+": (uh.KLQUCB(0.5, plus=True), planted.WithoutOrder(0.5, plus=True)),
    "Quantile-TS": (uh.QuantileTS(0.5), planted.DrawWithoutOrder(0.5)),
}


@pytest.mark.parametrize(("policy", "fault"), TIED.values(), ids=TIED)
def test_an_arm_that_can_only_draw_level_is_not_explored(policy, fault):
    """Corollary (b): the bad arm has an atom at u* = 1, and the line is 10, not 343 as for (a)."""
    arms, n = [uh.Empirical([0, 0, 0, 1, 1]), uh.Empirical([0, 1, 1, 1, 1])], 1000
    line = math.log(n) * quantile_pulls(arms, 0.5)[0]
    assert interpreted_pulls(policy, arms, n, 20)[:, 0].mean() < 3 * line
    assert interpreted_pulls(fault, arms, n, 20)[:, 0].mean() > 9 * line


N_LATE, LATE_TAU = 400, 0.8
NEVER = [10**6] * 12 + [0] * (N_LATE - 12)  # the first twelve are never answered, six of each arm
BATCHES = [9 - t % 10 for t in range(N_LATE)]


@pytest.mark.parametrize(("late", "most"), [(NEVER, 6), (BATCHES, 9)], ids=["never", "batches"])
@pytest.mark.parametrize("arms", [FAR_APART, UNLUCKY], ids=["far apart", "unlucky"])
def test_late_rewards(late, most, arms):
    tau = TAU if arms is UNLUCKY else LATE_TAU
    bounds = delayed_pulls(arms, tau, N_LATE, most)
    pulls = late_pulls(uh.KLQUCB(tau), arms, late, 10)
    assert excess(pulls, bounds).max() <= ERRORS
    assert bounds[0] < N_LATE / 2


@pytest.mark.parametrize("arms", [FAILING, UNLUCKY], ids=["failing", "unlucky"])
def test_late_rewards_with_charges(arms):
    tau = TAU if arms is UNLUCKY else 0.5
    bounds = frugal_pulls(arms, tau, N_LATE, 2, trust=1.0, late=9)
    pulls = late_pulls(uh.KLQUCB(tau, plus=True, frugal=2, trust=1.0), arms, BATCHES, 10)
    assert excess(pulls, bounds).max() <= ERRORS


def test_who_hopes_for_late_rewards_is_refused():
    """What never comes is no good reward."""
    pulls = late_pulls(planted.Hopeful(LATE_TAU), FAR_APART, NEVER, 3)
    assert pulls[:, 0].min() > delayed_pulls(FAR_APART, LATE_TAU, N_LATE, 6)[0]


def late_bound(policy, late, charged=0):
    """Return (6) for `UNLUCKY`, where p = 1 and q = 0.8 for all u in (0, 1); M = charged."""
    if isinstance(policy, uh.KLQUCB) and not policy.plus:
        return delayed_pulls(UNLUCKY, TAU, N_LATE, late)
    n, q, sure, low = N_LATE, 0.8, 0, 0.0
    while (sure + 1) * -math.log(TAU) <= math.log(n / (sure + 1)):
        sure += 1  # the s with s kl(1, τ) ≤ ln(n/s): s₀ is the last of them
    for s in range(1, n + 1):
        for c in range(math.ceil(TAU * s - 1e-9), s + 1):
            rounds = max(s + late, charged)
            rounds *= math.exp(min((s + late) * bernoulli_kl(c / s, TAU), 99.0))
            low += math.comb(s, c) * q**c * (1 - q) ** (s - c) * min(n, rounds)
    return np.array([1 + late + sure + low, np.inf])


LATE_LOSERS = {
    "KL-QUCB": planted.RankBelow(TAU),
    "KL-QUCB+": planted.RankBelow(TAU, plus=True),
    "Quantile-IMED": planted.WithoutLog(TAU),
}


@pytest.mark.parametrize("name", LATE_LOSERS)
def test_who_loses_the_best_arm_late_is_refused(name):
    policy, fault = DETERMINISTIC[name], LATE_LOSERS[name]
    bounds = late_bound(policy, 6)
    assert excess(late_pulls(policy, UNLUCKY, NEVER, 20), bounds).max() <= ERRORS
    assert excess(late_pulls(fault, UNLUCKY, NEVER, 40), bounds).max() > ERRORS


def test_the_late_bound_is_theorem_q2_if_none_is_late():
    policy = DETERMINISTIC["KL-QUCB+"]
    expected = quantile_policies.pulls(policy, UNLUCKY, N_LATE)
    assert late_bound(policy, 0) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("late", [0, 1, 6])
def test_the_late_bound_of_kl_qucb_plus_is_that_of_the_library(late):
    expected = late_bound(DETERMINISTIC["KL-QUCB+"], late)
    assert delayed_pulls(UNLUCKY, TAU, N_LATE, late, plus=True) == pytest.approx(expected, abs=1e-4)
    expected = late_bound(DETERMINISTIC["KL-QUCB+"], late, charged=8)
    assert frugal_pulls(UNLUCKY, TAU, N_LATE, 4, late=late) == pytest.approx(expected, abs=1e-4)
