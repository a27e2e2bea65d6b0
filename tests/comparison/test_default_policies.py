"""The default policies, and what each plays for."""

import pytest

import upperhand as uh
from upperhand.comparison.default_policies import (
    EXTREMES,
    OURS,
    REFERENCE,
    default_policies,
    plays_for,
)
from upperhand.comparison.instances import INSTANCES, Instance
from upperhand.policies import POLICIES

HEADLINE = INSTANCES["headline"]
FULL = default_policies(HEADLINE, 10_000)


def left_out(*given, **how):
    default_policies(*given, **how, left_out=(absent := {}))
    return absent


def test_every_policy_takes_part():
    extremes = {cls for cls, _ in EXTREMES.values()}
    baselines = {uh.RoundRobin, uh.EpsilonGreedy, uh.ExploreThenCommit, uh.MeanOfLast}  # if named
    expected = set(POLICIES.values()) - extremes - baselines
    assert {type(policy) for policy in FULL.values()} == expected
    assert extremes < set(POLICIES.values())
    assert set(OURS) < set(FULL)
    assert FULL[REFERENCE] == uh.ACPUCB1()  # the paper's settings


def test_every_policy_plays_for_something():
    assert None not in [policy.objective for policy in FULL.values()]


@pytest.mark.parametrize("name", ["headline", "alpha-0.20", "lognormal", "far-tail"])
def test_each_is_set_for_the_instance(name):
    instance, tail = INSTANCES[name], []
    for label, policy in default_policies(instance, 10_000).items():
        settings = policy.settings
        assert settings.get("alpha", instance.alpha) == instance.alpha
        assert settings.get("tau", 1 - instance.alpha / 2) == 1 - instance.alpha / 2
        assert settings.get("horizon", 10_000) == (None if policy.name == "KL-QUCB" else 10_000)
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
    assert set(FULL) - set(default_policies(heavy, 10_000)) == {"KL-UCB (sd)"}
    assert left_out(heavy, 10_000) == {"KL-UCB (sd)": "sd must be a finite number > 0; got inf"}


def test_a_short_horizon_leaves_out_those_that_could_not_begin():
    short = default_policies(HEADLINE, 5)

    assert "UCB1" in short
    assert "ACP-UCB1" not in short  # two pulls of each arm
    assert all(3 * policy.initial_pulls <= 5 for policy in short.values())
    absent = left_out(HEADLINE, 5)
    assert list(absent) == [label for label in FULL if label not in short]
    assert absent["ACP-UCB1"] == "each arm is pulled 2 times first, and 5 rounds are too few"


def test_any_level_will_do():
    for alpha in (1e-5, 0.7, 0.99):
        instance = Instance("mine", HEADLINE.arms, alpha)
        assert default_policies(instance, 10_000)["ACP-UCB1"].alpha == alpha


def test_own_objectives():
    for policy, objective in [
        (uh.ACPUCB1(0.2), uh.UpperTail(0.2)),
        (uh.ACPUCB1(0.2, tail="lower"), uh.LowerTail(0.2)),
        (uh.QuantileUCB(0.2, tail="lower"), uh.LowerTail(0.2)),
        (uh.UCBCP("L", alpha=0.2), uh.LowerTail(0.2)),
        (uh.UCBCP("U", alpha=0.2), uh.UpperTail(0.2)),
        (uh.KLQUCB(0.8), uh.Quantile(0.8)),
        (uh.ThompsonSampling("beta"), uh.Mean()),
        (uh.ExpExp(100, rho=2), uh.MeanVariance(2)),
        (uh.MaRaB(0.3), uh.CVaR(0.3)),
    ]:
        assert policy.objective == objective
        assert plays_for(policy, objective)
    assert uh.UCBCP("UL").objective is None
    assert not plays_for(uh.UCBCP("UL"), uh.Mean())


def test_endpoints_are_quantiles():
    assert plays_for(uh.QuantileTS(0.95), uh.UpperTail(0.1))
    assert plays_for(uh.ACPUCB1(0.1), uh.Quantile(0.95))
    assert not plays_for(uh.ACPUCB1(0.1), uh.UpperTail(0.2))
    assert not plays_for(uh.ACPUCB1(0.1), uh.LowerTail(0.1))


def test_those_for_one_large_reward_are_apart():
    found = default_policies(HEADLINE, 10_000, entries=EXTREMES)

    assert found == {
        "ThresholdAscent (n)": uh.ThresholdAscent(10_000),
        "MaxMedian": uh.MaxMedian(),
        "QoMax-ETC (n)": uh.QoMaxETC(10_000),
        "QoMax-SDA": uh.QoMaxSDA(),
    }
    assert {policy.objective for policy in found.values()} == {None}
    assert not any(plays_for(policy, uh.UpperTail(0.1)) for policy in found.values())
    assert left_out(HEADLINE, 1000, entries=EXTREMES) == {
        "QoMax-ETC (n)": "each arm is pulled 336 times first, and 1000 rounds are too few"
    }


QUANTILES = [*OURS, "ACP-UCB1", "ACP-UCB1 auto", "Quantile-UCB", "QUCB"]
MEANS = ["UCB1", "UCB1-NORMAL", "KL-UCB (sd)", "UCB-V (span 1)", "Thompson sampling"]
FOR = [
    (uh.UpperTail(0.2), [*QUANTILES, "UCB-CP U"]),
    (uh.Quantile(0.75), [*QUANTILES, "UCB-CP U"]),
    (uh.LowerTail(0.1), [*QUANTILES, "UCB-CP L"]),
    (uh.Quantile(0.2), [*QUANTILES, "UCB-CP L"]),
    (uh.Quantile(0.5), [*OURS, "QUCB"]),
    (uh.Mean(), MEANS),
    (uh.CVaR(0.25), ["MaRaB"]),
    (uh.CVaR(1), ["MaRaB"]),
    (uh.MeanVariance(5), ["MV-LCB (n, span 1)", "ExpExp (n)"]),
    (uh.MeanVariance(-1), []),
    (uh.Utility(1), []),
]


@pytest.mark.parametrize(("objective", "players"), FOR, ids=str)
def test_all_that_can_play_for_the_objective(objective, players):
    policies = default_policies(HEADLINE, 10_000, objective)
    assert [label for label, p in policies.items() if plays_for(p, objective)] == players
    assert len({*policies, *left_out(HEADLINE, 10_000, objective)}) == len(FULL)


def test_those_that_cannot_play_for_it_are_left_out_with_a_reason():
    median = left_out(HEADLINE, 10_000, uh.Quantile(0.5))
    costs = left_out(HEADLINE, 10_000, uh.MeanVariance(-1))

    assert list(median) == ["ACP-UCB1", "ACP-UCB1 auto", "Quantile-UCB", "UCB-CP U"]
    assert set(median.values()) == {"the median is the end of no central interval with α < 1"}
    assert list(costs) == ["MV-LCB (n, span 1)", "ExpExp (n)"]
    assert all("rho must be" in reason for reason in costs.values())


def test_what_the_objective_does_not_say_the_instance_does():
    """Policies for other objectives are set as by default."""
    assert default_policies(HEADLINE, 10_000, uh.Mean()) == FULL
    assert default_policies(HEADLINE, 10_000, uh.UpperTail(0.1)) == FULL
    changed = default_policies(HEADLINE, 10_000, uh.CVaR(0.25))
    assert changed.pop("MaRaB") == uh.MaRaB(0.25)
    assert changed.items() < FULL.items()
