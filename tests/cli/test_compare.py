"""`upperhand compare`, end to end."""

import csv
import json

import pytest

import upperhand as uh
from upperhand.comparison.default_policies import EXTREMES

from ..looping import for_each

SMALL = ["--horizon", "200", "--replications", "3"]
FEW = ["--policy", "acp-ucb1", "--policy", "ucb1"]


@pytest.fixture
def run(call):
    """Return `upperhand compare`."""
    return lambda *words: call("compare", *words)


def test_by_default_everyone_on_the_headline(run):
    code, out, err = run("--horizon", "200", "--replications", "3")

    assert (code, err) == (0, "")
    assert "headline: Figure 1" in out
    for label in ("KL-QUCB+", "Quantile-TS", "ACP-UCB1 auto", "MV-LCB (n, span 1)", "MaRaB"):
        assert out.count(f"\n{label} ") == 1
    assert "3 replications of 200 rounds, seed 0" in out
    assert max(map(len, out.splitlines())) <= 110


def test_the_same_bytes_without_times(run):
    assert run(*SMALL, *FEW) == run(*SMALL, *FEW, "--workers", "1")
    assert "ns a step" not in run(*SMALL, *FEW)[1]


def test_json_holds_what_python_gives(run):
    code, out, _ = run(*SMALL, *FEW, "--json", "--seed", "3", "--quantile", "0.9")
    told = json.loads(out)
    policies = {"ACP-UCB1": uh.ACPUCB1(0.2), "UCB1": uh.UCB1()}
    asked = {"quantile": 0.9, "horizon": 200, "replications": 3, "seed": 3}

    assert code == 0
    assert told == json.loads(json.dumps(uh.compare("headline", policies, **asked).to_dict()))
    assert told["instances"][0]["name"] == "headline at p90"


def test_files(run, tmp_path):
    words = ["--csv", "rows.csv", "--plot", "figure.png", "--markdown", "page.md"]
    code, _, _ = run(*SMALL, *FEW, *words)

    assert code == 0
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["policy"] for row in rows[:2]] == ["ACP-UCB1", "UCB1"]
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "](figure.png)" in page
    assert f"    upperhand compare {' '.join([*SMALL, *FEW, *words])}\n" in page


def test_markdown_shows_no_figure_that_it_cannot(run, tmp_path):
    run(*SMALL, *FEW, "--plot", "figure.pdf", "--markdown", "page.md")
    assert "figure.pdf)" not in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert (tmp_path / "figure.pdf").exists()


def test_several_instances_are_one_table_in_a_pipe(run):
    code, out, _ = run("paper", *FEW, *SMALL)

    assert code == 0
    (head,) = (line for line in out.splitlines() if line.startswith("policy"))
    assert head.count("alpha-") == 6


def test_your_own_arms_objectives_and_reference(run):
    arms = ["--arm", "normal:0,1", "--arm", "t:1,1,5"]
    objectives = ["--objective", "cvar:0.2", "--objective", "quantile:0.3"]
    code, out, _ = run(*arms, *objectives, *FEW, *SMALL, "--reference", "ucb1")

    assert code == 0
    assert "your arms: 2 arms; regret under the CVaR 20 %" in out
    assert "are against UCB1's regret" in out


def test_policies_are_told_the_level_and_the_horizon(run):
    names = ["kl-qucb", "expexp", "marab", "mv-lcb:span=2", "kl-qucb:plus=true"]
    words = [word for name in names for word in ("--policy", name)]
    code, out, _ = run("alpha-0.20", *words, *SMALL, "--json")
    told = {p["label"]: p["settings"] for p in json.loads(out)["instances"][0]["policies"]}

    assert code == 0
    assert told["KL-QUCB"]["tau"] == 0.9
    assert told["ExpExp"]["horizon"] == 200
    assert told["MaRaB"]["level"] == 0.2
    assert told["MV-LCB span=2"]["span"] == 2
    assert told["KL-QUCB plus=True"]["plus"] is True


@pytest.mark.parametrize(
    ("objective", "policy", "setting"),
    [
        ("lower-tail:0.1", "kl-qucb", ("tau", 0.05)),
        ("lower-tail:0.1", "acp-ucb1", ("tail", "lower")),
        ("lower-tail:0.1", "ucb-cp", ("score", "L")),
        ("cvar:0.25", "marab", ("level", 0.25)),
        ("mean-variance:5", "exp-exp", ("rho", 5)),
        ("quantile:0.5", "kl-qucb", ("tau", 0.5)),
        ("mean", "acp-ucb1", ("alpha", 0.1)),
    ],
)
def test_policies_play_for_the_first_objective(run, objective, policy, setting):
    words = ["--objective", objective, "--objective", "upper-tail:0.3", "--policy", policy]
    code, out, err = run(*words, *SMALL, "--json")

    assert (code, err) == (0, "")
    told = json.loads(out)
    name, value = setting
    assert told["instances"][0]["policies"][0]["settings"][name] == value
    assert told["rows"][0]["own"] == (objective != "mean")


def test_a_quantile_stands_before_other_objectives(run):
    words = ["--quantile", "0.9", "--objectives", "mean,p75", *FEW, *SMALL, "--json"]
    (found,) = json.loads(run("headline", *words)[1])["instances"]
    assert found["objectives"] == ["p90", "mean", "p75"]
    assert found["policies"][0]["settings"]["alpha"] == 0.2


def test_who_is_left_out_is_said(run):
    code, out, _ = run("--objective", "quantile:0.5", *SMALL)

    assert code == 0
    said = " ".join(out.split())
    assert "Left out: ACP-UCB1, ACP-UCB1 auto, Quantile-UCB, UCB-CP U (the median is" in said
    assert "are against KL-QUCB's regret" in said


def test_instances_on_extremes_by_name(run):
    words = ["extreme-5", "--best-of", "8", "--policy", "kl-qucb"]
    code, out, err = run(*words, *SMALL, "--json")

    assert (code, err) == (0, "")
    assert json.loads(out)["instances"][0]["name"] == "extreme-5 at best of 8"


def test_what_the_p95_of_extremes_leaves_out(run):
    code, out, _ = run("extreme-5", *SMALL, "--json")
    (found,) = json.loads(out)["instances"]

    assert (code, found["objectives"][0]) == (0, "ACP value (p95)")
    assert not {each["label"] for each in found["policies"]} & set(EXTREMES)


def test_the_median(run):
    _, out, _ = run("--best-of", "1", "--policy", "kl-qucb", *SMALL)
    assert "the arms of headline; regret under the best of 1" in out


def test_costs(run):
    arms = ["--arm", "uniform:0,30", "--arm", "uniform:10,20"]
    code, out, _ = run(*arms, *FEW, *SMALL, "--minimize")

    assert code == 0
    assert "your arms: 2 arms (costs: the lowest is best); regret under" in out


USAGE_MISTAKES = [
    (["headlin"], "Unknown instance 'headlin'. Did you mean 'headline'"),
    (["--horizon", "2"], "No policy can pull each of the 3 arms of headline in 2 rounds"),
    (["headline", "--arm", "normal:0,1"], "not both; got headline and --arm normal:0,1"),
    (["--policy", "ucb-v"], "needs span"),
    (["--objective", "medain"], "Unknown objective 'medain'"),
    (["--objective", "mean", "--objective", "mean"], "each once; got mean, mean"),
    (["--arm", "t:0,1,1", "--objective", "mean"], "has no finite mean"),
    (["--quantile", "2"], "quantile must be"),
    (["--objective", "quantile:0.5", "--policy", "acp-ucb1"], "and the median is none. Play for"),
    ([*FEW, "--reference", "ucb2"], "Unknown reference policy 'ucb2'. Known: ACP-UCB1, UCB1"),
    (["--plot", "a.png", "--csv", "a.png"], "--plot and --csv must be different files; got the s"),
    (["--csv", ""], "'--csv': The path is empty."),
]


@for_each("arguments, message", USAGE_MISTAKES)
def test_a_mistake_gets_a_sentence_and_exit_code_2(run, arguments, message, tmp_path):
    code, out, err = run(*arguments)

    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []
