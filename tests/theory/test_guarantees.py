"""Which theorem covers a policy, and what it says of arms."""

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import quantile_policies
from upperhand.theory.lower_bounds import quantile_regret

from .instances import PAPER

COVERED = {
    uh.KLQUCB(0.95): ("Theorem Q1", quantile_policies.kl_qucb_pulls),
    uh.KLQUCB(0.95, plus=True): ("Theorem Q2", quantile_policies.kl_qucb_plus_pulls),
    uh.QuantileIMED(0.95): ("Theorem Q2", quantile_policies.kl_qucb_plus_pulls),
    uh.QuantileTS(0.95): ("Theorem Q3", quantile_policies.quantile_ts_pulls),
}
FAR = [uh.Normal(0, 1), uh.Normal(3, 1)]
LATTICE = [uh.Empirical([0] * 60 + [1] * 30 + [2] * 10), uh.Empirical([0] * 20 + [1] * 80)]


@pytest.mark.parametrize(("policy", "stated"), COVERED.items(), ids=lambda each: str(each)[:30])
def test_each_policy_has_its_theorem(policy, stated):
    name, bound = stated
    assert quantile_policies.theorem(policy) == name
    assert policy in quantile_policies.covered(0.95).values()
    assert (
        quantile_policies.pulls(policy, PAPER, 5000).tolist() == bound(PAPER, 0.95, 5000).tolist()
    )
    # The p95s are 0.1 + 1.6449 · 0.05, 1.6449 · 0.15 and 0.04 + 1.6449 · 0.08.
    gaps = np.array([1.6448536 * 0.10 - 0.1, 0, 1.6448536 * 0.07 - 0.04])
    total = np.sum(gaps[[0, 2]] * bound(PAPER, 0.95, 5000)[[0, 2]])
    assert quantile_policies.regret(policy, PAPER, 5000) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("policy", COVERED, ids=str)
def test_between_the_lower_bound_and_the_upper(policy):
    """Per ln n, as n grows: the constants agree on arms without atoms."""
    for n in (10_000, 10**6):
        assert quantile_policies.regret(policy, PAPER, n) > quantile_regret(PAPER, 0.95) * np.log(n)


@pytest.mark.parametrize(
    ("policy", "plus"),
    [
        (uh.KLQUCB(0.95, trust=1.5), False),
        (uh.KLQUCB(0.95, plus=True, trust=1.5), True),
        (uh.QuantileIMED(0.95, trust=1.5), True),
    ],
    ids=["KL-QUCB", "KL-QUCB+", "IMED"],
)
def test_with_trust_it_is_theorem_q5(policy, plus):
    assert quantile_policies.theorem(policy) == "Theorem Q5"
    found, stated = (
        quantile_policies.pulls(policy, FAR, 2000),
        quantile_policies.hedged_pulls(FAR, 0.95, 2000, 1.5, plus=plus),
    )
    assert found.tolist() == stated.tolist()
    assert found[0] > quantile_policies.pulls(policy.replace(trust=0.0), FAR, 2000)[0]


def test_nothing_is_pulled_more_often_than_there_are_rounds():
    close = [uh.Normal(0, 1), uh.Normal(0.001, 1)]
    assert quantile_policies.kl_qucb_pulls(close, 0.95, 100)[0] > 100
    assert quantile_policies.pulls(uh.KLQUCB(0.95), close, 100).tolist() == [100, np.inf]


def test_imed_has_the_better_of_two_bounds():
    """Of counts 0, 1 and 2 at the median: 0 and 1, and 90 % of the first arm's are up to 1."""
    all_laws, lattice = (
        bound(LATTICE, 0.5, 1000)[0]
        for bound in (quantile_policies.kl_qucb_plus_pulls, quantile_policies.imed_lattice_pulls)
    )
    assert lattice < all_laws
    assert quantile_policies.pulls(uh.QuantileIMED(0.5), LATTICE, 1000)[0] == lattice
    assert quantile_policies.pulls(uh.KLQUCB(0.5, plus=True), LATTICE, 1000)[0] == all_laws


def test_a_curve():
    policy, rounds = uh.KLQUCB(0.95), [[100, 10], [1, 100]]
    curve = quantile_policies.regret_curve(policy, PAPER, rounds)
    assert curve.shape == (2, 2)
    assert curve[0, 0] == curve[1, 1] == quantile_policies.regret(policy, PAPER, 100)
    assert curve[0, 0] > curve[0, 1] > curve[1, 0] > 0
    with pytest.raises(ParameterError, match="rounds must be whole numbers; got"):
        quantile_policies.regret_curve(policy, PAPER, [1.5])


def test_costs():
    costs = [uh.Normal(-arm.loc, arm.scale) for arm in PAPER]
    for policy in COVERED:
        mirrored = policy.replace(tau=0.05)
        found = quantile_policies.regret(mirrored, costs, 300, minimize=True)
        assert found == pytest.approx(quantile_policies.regret(policy, PAPER, 300), rel=1e-6)


def test_costs_whose_upper_quantile_is_as_low():
    """Costs 0 and 2, half each: the lower median is 0, the upper one 2, as of the other arm.

    The policy sees the upper one, so the second arm is as good to it, and it is not.
    """
    arms = [uh.Empirical([0, 2]), uh.Empirical([2])]
    with pytest.raises(AssumptionError, match=r"arm 2, Empirical.*: its costs have an upper 0.5-q"):
        quantile_policies.regret(uh.KLQUCB(0.5), arms, 100, minimize=True)


def test_policies_without_a_theorem():
    assert quantile_policies.theorem(uh.ACPUCB1(0.1)) is None
    for call in (quantile_policies.pulls, quantile_policies.regret, quantile_policies.regret_curve):
        with pytest.raises(AssumptionError, match=r"no bound of ours on the regret of UCB1\("):
            call(uh.UCB1(), PAPER, 100)
        with pytest.raises(ParameterError, match="policy must be one such as"):
            call("KLQUCB", PAPER, 100)


def test_nothing_to_lose():
    assert quantile_policies.regret(uh.KLQUCB(0.5), [uh.Normal(0, 1)] * 2, 100) == 0.0


def test_pulls_of_each_arm():
    """By hand: p50s 0, 2 and 1, so 2 · 3 + 1 · 5."""
    arms = [uh.Normal(0, 1), uh.Normal(2, 1), uh.Normal(1, 1)]
    assert quantile_policies.regret_of([3, np.inf, 5], arms, 0.5) == pytest.approx(11)
    with pytest.raises(ParameterError, match=r"pulls must be one number an arm; got \[3, 5\]"):
        quantile_policies.regret_of([3, 5], arms, 0.5)
