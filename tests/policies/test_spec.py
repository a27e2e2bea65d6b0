"""Policies as text."""

import pytest

import upperhand as uh
from upperhand.policies import best_arm_class
from upperhand.policies.parsing import endpoint_alpha, parse_policy, settings_for

from ..looping import for_each


def test_a_name_alone():
    assert parse_policy("acp-ucb1") == ("ACP-UCB1", uh.ACPUCB1())
    assert parse_policy("UCB1") == ("UCB1", uh.UCB1())


def test_settings_of_every_kind():
    label, policy = parse_policy("acp-ucb1: b=0.5, init=3, tail=lower, random_ties=true")

    assert policy == uh.ACPUCB1(b=0.5, init=3, tail="lower", random_ties=True)
    assert label == "ACP-UCB1 b=0.5 init=3 tail=lower random_ties=True"


def test_defaults_go_where_they_fit_and_what_is_given_wins():
    assert parse_policy("acp-ucb1", alpha=0.2)[1] == uh.ACPUCB1(0.2)
    assert parse_policy("acp-ucb1:alpha=0.3", alpha=0.2)[1] == uh.ACPUCB1(0.3)
    assert parse_policy("ucb1", alpha=0.2)[1] == uh.UCB1()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("acp", uh.UnknownNameError, "Unknown policy 'acp'.*Known: acp-ucb1, ucb1"),
        ("acp-ucb1:etta=1", uh.UnknownNameError, "setting of acp-ucb1 'etta'.*Did you mean 'eta'"),
        ("acp-ucb1:b", uh.ParameterError, "name=value"),
        ("acp-ucb1:b=", uh.ParameterError, "name=value"),
        ("acp-ucb1:b=high", uh.ParameterError, "b must be a finite number"),
        ("acp-ucb1:init=1.5", uh.ParameterError, "init must be a whole number"),
    ],
)
def test_mistakes(text, error, message):
    with pytest.raises(error, match=message):
        parse_policy(text)


def test_truth_in_any_case():
    assert parse_policy("ucb1:random_ties=True")[1] == uh.UCB1(random_ties=True)


def test_a_setting_given_twice_is_refused():
    with pytest.raises(uh.ParameterError, match="given once"):
        parse_policy("acp-ucb1:b=1,b=2")


TOLD = [
    (uh.UpperTail(0.1), "acp-ucb1", uh.ACPUCB1(0.1)),
    (uh.Quantile(0.95), "acp-ucb1", uh.ACPUCB1(0.1)),
    (uh.Quantile(0.05), "acp-ucb1", uh.ACPUCB1(0.1, tail="lower")),
    (uh.LowerTail(0.1), "ucb-cp", uh.UCBCP("L", alpha=0.1)),
    (uh.LowerTail(0.1), "kl-qucb", uh.KLQUCB(0.05)),
    (uh.LowerTail(0.1), "quantile-ucb", uh.QuantileUCB(0.1, tail="lower")),
    (uh.Quantile(0.5), "kl-qucb", uh.KLQUCB(0.5)),
    (uh.Quantile(0.5), "marab", uh.MaRaB(0.2)),
    (uh.Quantile(0.5), "acp-ucb1:alpha=0.3", uh.ACPUCB1(0.3)),
    (uh.Quantile(0.6), "acp-ucb1", uh.ACPUCB1(0.8, level_max=0.8)),
    (uh.UpperTail(1e-5), "ucb-cp", uh.UCBCP("U", alpha=1e-5, level_min=5e-6)),
    (uh.UpperTail(0.1), "marab", uh.MaRaB(0.1)),
    (uh.CVaR(0.25), "marab", uh.MaRaB(0.25)),
    (uh.CVaR(0.25), "kl-qucb", uh.KLQUCB(0.9)),  # as α says
    (uh.MeanVariance(5), "exp-exp", uh.ExpExp(100, rho=5)),
    (uh.MeanVariance(5), "mv-lcb:span=1", uh.MVLCB(100, 1.0, rho=5)),
    (uh.Mean(), "exp-exp", uh.ExpExp(100)),
    (uh.Mean(), "acp-ucb1", uh.ACPUCB1(0.2)),
    (uh.Utility(2), "ucb1", uh.UCB1()),
]


@for_each("objective, text, policy", TOLD)
def test_settings_that_an_objective_tells(objective, text, policy):
    assert parse_policy(text, **settings_for(objective, 0.2, 100))[1] == policy


def test_the_median_is_the_end_of_no_interval():
    told = settings_for(uh.Quantile(0.5), 0.1, 100)
    for text in ("acp-ucb1", "quantile-ucb:b=2", "ucb-cp"):
        with pytest.raises(uh.ParameterError, match=r"median is none. Play for it by kl-qucb, or "):
            parse_policy(text, **told)


def test_the_interval_that_an_objective_is_an_end_of():
    for alpha in (0.3, 1e-9, 0.05, 0.999):
        assert endpoint_alpha(uh.UpperTail(alpha)) == endpoint_alpha(uh.LowerTail(alpha)) == alpha
        assert endpoint_alpha(uh.Quantile(1 - alpha / 2)) == pytest.approx(alpha, abs=1e-12)
        assert endpoint_alpha(uh.Quantile(alpha / 2)) == pytest.approx(alpha)
    assert endpoint_alpha(uh.CVaR(0.1)) is None


@pytest.mark.parametrize("name", ["KLQUCB", "kl-qucb", "KL QUCB", "klq-ucb"])
def test_hyphens_spaces_and_case_make_no_difference(name):
    assert parse_policy(name)[1] == uh.KLQUCB()


def test_what_must_be_told_is_asked_for():
    with pytest.raises(uh.ParameterError, match=r"MV-LCB needs span: mv-lcb:span=…"):
        parse_policy("mv-lcb", horizon=100)


class TestPoliciesThatStop:
    def test_are_found_by_identify(self):
        label, policy = parse_policy("uniform-sampling:budget=30", best_arm_class, tau=0.5, alpha=1)
        assert label == "Uniform sampling budget=30"
        assert policy == uh.UniformSampling(0.5, budget=30)

    def test_and_by_no_other(self):
        with pytest.raises(uh.ParameterError, match=r"Uniform sampling looks for the.*by id"):
            parse_policy("uniform-sampling:budget=30")
        with pytest.raises(uh.ParameterError, match=r"UCB1 plays.*arm: quantile-evidence.*by s"):
            parse_policy("ucb1", best_arm_class)

    def test_a_name_that_is_nobodys(self):
        with pytest.raises(uh.UnknownNameError, match="Did you mean 'uniform-sampling'"):
            parse_policy("uniform-sample", best_arm_class)
