"""`upperhand theory`, end to end."""

import json

import pytest

import upperhand as uh
from upperhand.card.instance import theory_card
from upperhand.cli.card_text import number

HEADLINE = ["--arm", "normal:0.10,0.05", "--arm", "normal:0,0.15", "--arm", "normal:0.04,0.08"]


@pytest.fixture
def run(call):
    """Return `upperhand theory`."""
    return lambda *words: call("theory", *words)


def test_the_card_of_the_papers_arms(run):
    code, out, err = run(*HEADLINE)

    assert (code, err) == (0, "")
    for said in (
        "1    Normal(loc=0.1, scale=0.05)    0.1  best           0.1822  0.06449",
        "Best by mean: arm 1. Best by ACP value (p95): arm 2.",
        "loses 0.1 a round in mean",
        "The best arm switches from arm 1 to arm 2 at κ = 1.",
        "average over [0, a]              0.0304             0.01264",
        "Minimax: no, M has the smaller worst loss: 2 δ_μ = 0.2 is not below a δ_σ = 0.1645",
        "b, at least                   1               215,630     76,430",
        "Theorem 1 does not cover these settings:",
        "The theorem's b is 76,430 times the one set",
        "No policy can lose more than 751.4 in 10,000 rounds here.",
        "ACP value (p95), all laws                  3.628          33.42      210, 0, 264.5",
    ):
        assert said in out


def test_json_holds_what_python_gives(run):
    code, out, _ = run(*HEADLINE, "--alpha", "0.2", "--horizon", "500", "--json")
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0, 0.15), uh.Normal(0.04, 0.08)]
    assert code == 0
    assert json.loads(out) == theory_card(arms, uh.ACPUCB1(0.2), 500)


def test_settings_that_the_theorem_covers(run):
    arms = ["--arm", "uniform:0,1", "--arm", "uniform:0.9796,1.9796", "--alpha", "0.5"]
    settings = "acp-ucb1:b=64,lam=1,level_min=0.49,level_max=0.51,init=222246"
    code, out, _ = run(*arms, "--policy", settings, "--horizon", "450000")
    assert code == 0
    assert "Theorem 1 covers these settings." in out
    assert "for Gaussian arms only; arm 1 is Uniform" in out


def test_objectives_that_agree(run):
    arms = ["--arm", "normal:0,1", "--arm", "normal:1,2"]
    _, out, _ = run(*arms, "--policy", "acp-ucb1:level_min=0.05,level_max=0.15")
    assert "Mean and ACP value (p95) agree on arm 2." in out
    assert "one arm is best all along" in out
    assert "γ ACP-UCB1" in out


def test_no_bonus_and_no_mean(run):
    _, out, _ = run(
        "--arm", "t:0,1,1", "--arm", "t:0.1,1,1", "--policy", "acp-ucb1:b=0,level_max=.2"
    )
    assert "Some arm has no mean." in out
    assert "Without a bonus (b = 0) there is nothing that it could say." in out


def test_where_the_theorem_does_not_apply(run):
    code, out, _ = run("--arm", "bernoulli:0.3", "--arm", "normal:0,1")
    assert code == 0
    assert "Theorem 1 does not apply. Assumption 1 needs densities; arm 1, Bernoulli" in out


def test_plot(run, tmp_path):
    code, _, _ = run(*HEADLINE, "--plot", str(tmp_path / "path.svg"))
    assert code == 0
    assert (tmp_path / "path.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--arm", "t:0,1,3", "--arm", "normal:0,1", "--plot", "p.png"], "Gaussian arms only"),
        ([*HEADLINE, "--plot", "p.jpg"], "must end in .png, .pdf, .svg"),
        ([*HEADLINE, "--policy", "ucb1"], "Theorem 1 is about acp-ucb1; got 'ucb1'"),
        ([*HEADLINE, "--alpha", "1"], "alpha must be a finite number > 0 and < 1"),
        (["--arm", "normal:0,1"], "two arms or more; got 1"),
        ([*HEADLINE, "--horizon", "1"], "horizon must be a whole number, 2 or more"),
        ([*HEADLINE, "--r-s", "0"], "r_s must be a finite number > 0"),
    ],
)
def test_mistakes_are_sentences(run, tmp_path, words, told):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_a_radius_too_large_is_on_the_card(run):
    code, out, _ = run(*HEADLINE, "--r-s", "0.05")
    assert code == 0
    assert "Theorem 1 does not apply. Assumption 1 (b) fails for arm 1" in out


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "—"),
        (0, "0"),
        (2, "2"),
        (999.94, "999.9"),
        (1000.4, "1,000"),
        (9_999_999, "9,999,999"),
        (1e7, "1.000e7"),
        (0.00011, "0.00011"),
        (0.0000987654, "9.877e-5"),
        (-0.25, "-0.25"),
    ],
)
def test_numbers(value, written):
    assert number(value) == written
