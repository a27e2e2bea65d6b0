"""`upperhand theory`, end to end."""

import json
import re

import pytest

import upperhand as uh
from upperhand.theory.card import theory_card

HEADLINE = ["--arm", "normal:0.10,0.05", "--arm", "normal:0,0.15", "--arm", "normal:0.04,0.08"]


@pytest.fixture
def run(call):
    """Return `upperhand theory`."""
    return lambda *words: call("theory", *words)


def test_the_card_of_the_papers_arms(run):
    code, out, err = run(*HEADLINE)

    assert (code, err) == (0, "")
    for said in (
        "0    Normal(loc=0.1, scale=0.05)    0.1  best           0.1822  0.06449",
        "ends with arm lost a round, mean lost a round, ACP value (p95) 1 0.1 0 0 0 0.06449",
        "from κ best arm 0 0 1 1",
        "average over [0, a]             0.0304            0.01264",
        "A is minimax, 2 δ_μ < a δ_σ (15): no; 0.2 against 0.1645.",
        "b, at least                         1               215,630            76,430     ",
        "horizon, at least 10,000 3.538e15 4.180e14 2.779e12 745,902",
        "Below the first row, each column is at the smallest b in that column;",
        "Theorem 1 covers these settings: no.",
        "b ≥ b_0 = 64 / h_min 1 76,430",
        "The most that any policy can lose in ACP value (p95) in 10,000 rounds: 751.4.",
        "4.936e13 (empty)",
        "UCB1 1,966 (empty) UCB1-NORMAL 794.8",
        "(empty): above n times the largest gap, which no policy can lose.",
        "ACP value (p95), all laws 3.628 33.42 210, 0, 264.5",
        "ACP value (p95), Gaussian, variances unknown 1.048 9.649 52.35, 0, 83.49",
        "upper bounds, ACP value (p95) at n = 10,000 pulls of the arms",
        "KL-QUCB (Theorem Q1) 72.01 458.9, —, 564.5",
        "Quantile-IMED (Theorem Q2) 252.6 1,989, —, 1,655",
    ):
        assert said in out or said in " ".join(out.split())


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
    assert "Theorem 1 covers these settings: yes." in out
    assert "for Gaussian arms only; arm\n0 is Uniform" in out or "arm 0 is Uniform" in out


@pytest.mark.parametrize("other", ["scale=auto", "calibrator=aci", "sketch=64"])
def test_settings_that_the_theorem_is_not_about(run, other):
    said = run(*HEADLINE, "--policy", f"acp-ucb1:{other}")[1].replace("'", "").lower()
    assert f"covers these settings: no; it is not about {other}" in said
    assert "condition that fails" not in said


def test_objectives_that_agree(run):
    arms = ["--arm", "normal:0,1", "--arm", "normal:1,2"]
    _, out, _ = run(*arms, "--policy", "acp-ucb1:level_min=0.05,level_max=0.15")
    assert "ends with" not in out
    assert re.search(r"from κ  best arm\n +0 +1\n\n", out)
    assert "γ ACP-UCB1" in out


def test_no_bonus_and_no_mean(run):
    _, out, _ = run(
        "--arm", "t:0,1,1", "--arm", "t:0.1,1,1", "--policy", "acp-ucb1:b=0,level_max=.2"
    )
    assert out.splitlines()[2].split() == ["arm", "distribution", "ACP", "value", "(p95)", "gap"]
    assert "Theorem 1 covers these settings: no." in out
    assert "condition that fails" not in out


def test_where_the_theorem_does_not_apply(run):
    code, out, _ = run("--arm", "bernoulli:0.3", "--arm", "normal:0,1")
    assert code == 0
    assert "Theorem 1 does not apply. Assumption 1 needs densities; arm 0, Bernoulli" in out


def test_where_nothing_is_proved_of_our_policies(run):
    code, out, _ = run("--arm", "bernoulli:0.05", "--arm", "bernoulli:0.2")
    said = " ".join(out.split())
    assert code == 0
    assert "No upper bound for ACP value (p95). There is no bound for arm 0, Bernoulli" in said


def test_plot(run, tmp_path):
    code, _, _ = run(*HEADLINE, "--plot", str(tmp_path / "path.svg"))
    assert code == 0
    assert (tmp_path / "path.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--arm", "t:0,1,3", "--arm", "normal:0,1", "--plot", "p.png"], "Gaussian arms only"),
        ([*HEADLINE, "--plot", "p.jpg"], "must end in .png, .pdf, .svg"),
        ([*HEADLINE, "--policy", "ucb1"], "Theorem 1 is about ACP-UCB1; got UCB1"),
        (
            [*HEADLINE, "--policy", "acp-ucb1:tail=lower"],
            "about the upper end of the interval; got",
        ),
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
    assert "Theorem 1 does not apply. Assumption 1 (b) fails for arm 0" in out


def test_equal_means_are_no_obstacle_to_the_theorem(run):
    """The ACP-optimal arm is unique; only the utility path needs a unique mean-optimal one."""
    code, out, _ = run("--arm", "normal:0,1", "--arm", "normal:0,2")
    assert code == 0
    assert "ends with" not in out
    assert "Utility path\n────────────\nThe mean-optimal arm must be unique; arms 0 and 1" in out
    assert "Theorem 1 covers these settings: no.\n\ncondition that fails" in out


def test_a_small_gap_is_a_gap(run):
    _, out, _ = run("--arm", "normal:0,1", "--arm", "normal:1e-9,1")
    first, second = out.splitlines()[3:5]
    assert first.count("1.000e-9") == 2
    assert "best" not in first
    assert second.count("best") == 2


def test_arms_that_share_everything(run):
    _, out, _ = run("--arm", "bernoulli:0.3", "--arm", "bernoulli:0.3")
    assert out.count("Theorem 1 needs one best arm") == 1


def test_the_proof_without_adaptation_needs_less(run):
    _, out, _ = run("--arm", "t:0.08,0.05,3", "--arm", "t:0,0.16,3", "--arm", "t:0.03,0.08,5")
    assert "Theorem 1 does not apply. Assumption 1 (b) fails for arm 0" in out
    assert "max Δ_j / 4 = 0.0463336." in out
    assert "as set  its proof, η = 0 *" in out
    assert re.search(r"b, at least +— +13.64\n", out)


@pytest.mark.parametrize("unit", ["1e-160", "1e-9", "1e160", "1e300"])
@pytest.mark.filterwarnings("error")
def test_any_unit_of_rewards(run, unit):
    arms = ["--arm", f"normal:0,{unit}", "--arm", f"normal:{unit},{float(unit) * 2}"]
    code, out, err = run(*arms)
    assert (code, err) == (0, "")
    assert out.splitlines()[4].count("best") == 2
    code, out, _ = run(*arms, "--json")
    assert code == 0
    json.loads(out, parse_constant=pytest.fail)


def test_a_bound_that_is_infinite(run, tmp_path):
    """No mass of the first arm lies between its p95, 0, and the 1 of the other."""
    (tmp_path / "data.csv").write_text("0\n" * 95 + "3\n" * 5)
    _, out, _ = run("--arm", "empirical:data.csv", "--arm", "scipy:uniform,1,1e-9")
    assert re.search(r"ACP value \(p95\), all laws +∞ +∞ +∞, 0", out)


def test_many_switches_are_rows(run):
    arms = [f"normal:{-j * j / 100},{j / 10 + 0.1}" for j in range(12)]
    _, out, _ = run(*[word for arm in arms for word in ("--arm", arm)])
    rows = out[out.index("from κ  best arm") : out.index("lost per round")].splitlines()
    assert len(rows) > 6


def test_where_the_theorems_b_is_beyond_counting(run):
    code, out, _ = run("--arm", "normal:0,1e303", "--arm", "normal:1e302,1.05e303")
    assert code == 0
    assert "Theorem 1 does not apply. The least b of Theorem 1 is beyond floating point." in out
    assert "lower bounds" in out


def test_a_tiny_bonus(run):
    arms = ["--arm", "normal:0,1e10", "--arm", "normal:1e9,2e10"]
    code, out, _ = run(*arms, "--policy", "acp-ucb1:b=1e-300")
    assert code == 0
    assert "1.000e-300" in out


def test_no_density_at_the_upper_end(run):
    _, out, _ = run("--arm", "uniform:0,1", "--arm", "uniform:0.5,2")
    assert "Its proof with η = 0 does not apply. Assumption 1 (a) fails" in out
    assert out.count("max Δ_j / 4") == 2
    assert "a smaller r_y. Theorem" in " ".join(out.split())


def test_a_level_beyond_the_usual_window(run):
    """As in `simulate`, the window widens to hold α."""
    code, out, err = run(*HEADLINE, "--alpha", "0.6", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["theorem"]["window"] == [1e-4, 0.6]
    code, out, _ = run(*HEADLINE, "--alpha", "5e-5", "--json")
    assert json.loads(out)["alpha"] == 5e-5


def test_costs(call):
    arms = ["--arm", "uniform:0,30", "--arm", "uniform:10,20"]
    code, out, _ = call("theory", *arms, "--minimize")

    assert code == 0
    assert out.splitlines()[4].split()[-1] == "best"
    code, _, err = call("theory", *arms, "--minimize", "--plot", "path.png")
    assert code == 2
    assert "leave it out with --minimize" in err
