"""The default policies, and what each plays for."""

import pytest

import upperhand as uh
from upperhand.policies import POLICIES
from upperhand.studies.instances import INSTANCES, Instance
from upperhand.studies.line_up import OURS, REFERENCE, line_up, own_objective, plays_for

HEADLINE = INSTANCES["headline"]
FULL = line_up(HEADLINE, 10_000)


def test_everyone_takes_part():
    assert {type(policy) for policy in FULL.values()} == set(POLICIES.values())
    assert set(OURS) < set(FULL)
    assert FULL[REFERENCE] == uh.ACPUCB1()  # the paper's settings


def test_every_policy_plays_for_something():
    assert None not in [own_objective(policy) for policy in FULL.values()]


@pytest.mark.parametrize("name", INSTANCES)
def test_each_is_set_for_the_instance(name):
    instance, tail = INSTANCES[name], []
    for label, policy in line_up(instance, 10_000).items():
        settings = policy.settings
        assert settings.get("alpha", instance.alpha) == instance.alpha
        assert settings.get("tau", 1 - instance.alpha / 2) == 1 - instance.alpha / 2
        assert settings.get("horizon", 10_000) == 10_000
        assert settings.get("level", instance.alpha) == instance.alpha
        if plays_for(policy, uh.UpperTail(instance.alpha)):
            tail.append(label)
    assert tail == [*OURS, "ACP-UCB1", "ACP-UCB1 auto", "Quantile-UCB", "QUCB", "UCB-CP U"]


def test_labels_say_what_a_policy_was_told():
    assert "(n" in next(label for label, p in FULL.items() if isinstance(p, uh.MVLCB))
    assert FULL["KL-UCB (sd)"].sd == 0.15  # the largest
    assert FULL["UCB-V (span 1)"].span == 1


def test_arms_without_a_variance_leave_out_what_needs_it():
    heavy = Instance("heavy", [uh.StudentT(0, 1, 2), uh.Normal(0, 1)])
    assert set(FULL) - set(line_up(heavy, 10_000)) == {"KL-UCB (sd)"}


def test_a_short_horizon_leaves_out_who_could_not_begin():
    short = line_up(HEADLINE, 5)

    assert "UCB1" in short
    assert "ACP-UCB1" not in short  # two pulls of each arm
    assert all(3 * policy.initial_pulls <= 5 for policy in short.values())


@pytest.mark.parametrize("alpha", [1e-5, 0.7, 0.99])
def test_any_level_will_do(alpha):
    instance = Instance("mine", HEADLINE.arms, alpha)
    assert line_up(instance, 10_000)["ACP-UCB1"].alpha == alpha


@pytest.mark.parametrize(
    ("policy", "objective"),
    [
        (uh.ACPUCB1(0.2), uh.UpperTail(0.2)),
        (uh.ACPUCB1(0.2, tail="lower"), uh.LowerTail(0.2)),
        (uh.QuantileUCB(0.2, tail="lower"), uh.LowerTail(0.2)),
        (uh.UCBCP("L", alpha=0.2), uh.LowerTail(0.2)),
        (uh.UCBCP("U", alpha=0.2), uh.UpperTail(0.2)),
        (uh.KLQUCB(0.8), uh.Quantile(0.8)),
        (uh.ThompsonSampling("beta"), uh.Mean()),
        (uh.ExpExp(100, rho=2), uh.MeanVariance(2)),
        (uh.MaRaB(0.3), uh.CVaR(0.3)),
    ],
)
def test_own_objectives(policy, objective):
    assert own_objective(policy) == objective
    assert plays_for(policy, objective)


def test_scores_between_the_endpoints_are_no_objective():
    assert own_objective(uh.UCBCP("UL")) is None
    assert not plays_for(uh.UCBCP("UL"), uh.Mean())


def test_endpoints_are_quantiles():
    assert plays_for(uh.QuantileTS(0.95), uh.UpperTail(0.1))
    assert plays_for(uh.ACPUCB1(0.1), uh.Quantile(0.95))
    assert not plays_for(uh.ACPUCB1(0.1), uh.UpperTail(0.2))
    assert not plays_for(uh.ACPUCB1(0.1), uh.LowerTail(0.1))
