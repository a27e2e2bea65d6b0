"""Policies as text."""

import pytest

import upperhand as uh
from upperhand.policies.spec import parse_policy, told_of


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
    with pytest.raises(uh.ParameterError, match="wanted once"):
        parse_policy("acp-ucb1:b=1,b=2")


def test_what_policies_are_told_of_a_quantile():
    upper, lower, middle = told_of(0.95, 100), told_of(0.05, 100), told_of(0.5, 100)

    assert parse_policy("acp-ucb1", **upper)[1] == uh.ACPUCB1(0.1)
    assert parse_policy("acp-ucb1", **lower)[1] == uh.ACPUCB1(0.1, tail="lower")
    assert parse_policy("ucb-cp", **lower)[1] == uh.UCBCP("L", alpha=0.1)
    assert parse_policy("kl-qucb", **lower)[1] == uh.KLQUCB(0.05)
    assert parse_policy("marab", **upper)[1] == uh.MaRaB(0.1)
    assert parse_policy("exp-exp", **upper)[1] == uh.ExpExp(100)
    assert parse_policy("acp-ucb1", **told_of(0.6, 100))[1].level_max == 0.8  # holds α
    with pytest.raises(uh.ParameterError, match="alpha must be"):
        parse_policy("acp-ucb1", **middle)  # no α has its endpoint there


@pytest.mark.parametrize("name", ["KLQUCB", "kl-qucb", "KL QUCB", "klq-ucb"])
def test_hyphens_spaces_and_case_make_no_difference(name):
    assert parse_policy(name)[1] == uh.KLQUCB()


def test_what_must_be_told_is_asked_for():
    with pytest.raises(uh.ParameterError, match=r"MV-LCB must be told span: mv-lcb:span=…"):
        parse_policy("mv-lcb", horizon=100)
