"""`upperhand simulate` and `upperhand identify`, end to end."""

import json
import runpy
import sys
from pathlib import Path

import pytest

import upperhand as uh
from upperhand.cli import commands
from upperhand.cli.options import words_of

DATA = Path(__file__).parents[2] / "examples" / "latencies"
ARMS = ["--arm", "normal:0.10,0.05", "--arm", "t:0,0.16,3", "--arm", "empirical:{data}"]
SMALL = ["--horizon", "300", "--replications", "4"]
ONE = ["--arm", "normal:0,1"]


@pytest.fixture
def run(call, tmp_path):
    """Return the command line, with a file of data as {data}."""
    (tmp_path / "data.csv").write_text("1.0\n2.0\n3.0\n")

    def called(*words):
        return call(*[word.format(data=tmp_path / "data.csv") for word in words])

    return called


def test_prints_arms_policies_and_who_is_best(run):
    code, out, err = run("simulate", *ARMS, *SMALL)

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "4 replications of 300 rounds, seed 0" in lines[1]
    assert "ACP value (p95)" in lines[3]
    assert "Normal(loc=0.1, scale=0.05)" in lines[4]
    assert "*best*" in lines[6]  # the data, 1 to 3, beat both laws under both objectives
    assert lines[9].startswith("ACP-UCB1")
    assert lines[10].startswith("UCB1")
    assert lines[-1] == "Regret ± one standard error; pulls on average."


def test_json_holds_what_python_gives(run):
    code, out, _ = run("simulate", *ARMS[:4], *SMALL, "--json", "--seed", "3", "--alpha", "0.2")
    told = json.loads(out)
    arms = [uh.Normal(0.10, 0.05), uh.StudentT(0, 0.16, 3)]
    runs = uh.simulate(arms, [uh.ACPUCB1(0.2), uh.UCB1()], 300, 4, seed=3)

    assert code == 0
    curve = runs.regret(uh.UpperTail(0.2))["ACP-UCB1"]
    assert told["policies"][0]["regret"]["tail"] == {"mean": curve.final.mean(), "se": curve.se}
    assert told["policies"][0]["settings"]["alpha"] == 0.2


def test_save_and_plot(run, tmp_path):
    saved, drawn = tmp_path / "runs.npz", tmp_path / "regret.png"
    code, _, _ = run("simulate", *ARMS, *SMALL, "--save", str(saved), "--plot", str(drawn))

    assert code == 0
    assert uh.Runs.load(saved).horizon == 300
    assert drawn.read_bytes().startswith(b"\x89PNG")


def test_policies_with_settings_are_told_apart(run):
    """A policy may also have another level than the default."""
    policies = ["--policy", "acp-ucb1", "--policy", "acp-ucb1:alpha=0.2"]
    code, out, _ = run("simulate", *ARMS, *SMALL, *policies)
    assert (code, "ACP-UCB1 alpha=0.2" in out) == (0, True)
    found = json.loads(run("simulate", *ARMS, *SMALL, *policies, "--json")[1])
    assert [p["settings"]["alpha"] for p in found["policies"]] == [0.1, 0.2]


@pytest.mark.parametrize(("tail", "level"), [("upper", 0.9), ("lower", 0.1)])
def test_policies_are_told_the_level_and_the_horizon(run, tail, level):
    names = ["kl-qucb", "expexp", "marab", "mv-lcb:span=1"]
    policies = [word for name in names for word in ("--policy", name)]
    code, out, _ = run(
        "simulate", *ARMS, *SMALL, *policies, "--alpha", "0.2", "--tail", tail, "--json"
    )
    told = {policy["name"]: policy["settings"] for policy in json.loads(out)["policies"]}

    assert code == 0
    assert told["KL-QUCB"]["tau"] == pytest.approx(level)
    assert told["ExpExp"]["horizon"] == told["MV-LCB span=1"]["horizon"] == 300
    assert told["MaRaB"]["level"] == 0.2


def test_data_take_one_short_row(run, tmp_path):
    (tmp_path / "data.csv").write_text("\n".join(str(value / 7) for value in range(3000)))
    code, out, _ = run("simulate", *ARMS, *SMALL)

    assert code == 0
    assert "Empirical(data.csv: 3,000 values from 0 to 428.429)" in out
    assert max(map(len, out.splitlines())) < 100


def test_few_arms_show_all_pulls_and_many_only_those_of_the_best(run):
    def heads(count):
        arms = [word for j in range(count) for word in ("--arm", f"normal:{j % 5},{1 + j % 7}")]
        code, out, _ = run("simulate", *arms, "--horizon", "40", "--replications", "2")
        assert code == 0
        return " ".join(line for line in out.splitlines() if line.startswith("policy"))

    assert heads(8).count("pulls of") == 8
    tail, mean = "pulls of 13", "pulls of 4"  # 3 + 6 · 1.64 is the most; 4 is the best mean first
    assert heads(20).count("pulls of") == 2
    assert tail in heads(20)
    assert heads(20).index(mean) < heads(20).index(tail)


def test_costs_crown_the_lowest_p95_of_the_files_that_the_readme_uses(call):
    words = [
        word for name in ("eu", "us", "ap") for word in ("--arm", f"empirical:{DATA}/{name}.csv")
    ]
    policies = ["--policy", "acp-ucb1:scale=auto", "--policy", "kl-qucb"]
    code, out, err = call("simulate", *words, *policies, "--minimize", *SMALL)

    assert (code, err) == (0, "")
    assert "Empirical(eu.csv:latency_ms: 300 values from 50.3 to 166.7)      128.4 *best*" in out
    assert "168.4  " in out
    assert out.endswith("Arms pay costs: the lowest is best.\n")


def test_the_files_that_the_readme_uses_are_what_their_script_makes():
    made = runpy.run_path(str(DATA / "make.py"))
    for name in made["MEDIAN"]:
        assert (DATA / f"{name}.csv").read_text(encoding="utf-8") == made["text"](name)


def test_numbers_with_an_exponent(run):
    policies = ["--policy", "expexp:horizon=3e2"]
    words = ["--horizon", "3e2", "--replications", "4e0", "--seed", "1e3", "--json"]
    code, out, _ = run("simulate", *ARMS, *policies, *words)
    told = json.loads(out)

    assert code == 0
    assert (told["horizon"], told["replications"], told["seed"]) == (300, 4, 1000)
    assert told["policies"][0]["settings"]["horizon"] == 300


USAGE_MISTAKES = [
    ([*ONE, "--horizon", "1.5"], "'1.5' is not a whole number such as 10000 or"),
    ([*ONE, "--horizon", "inf"], "'inf' is not a whole number"),
    ([*ONE, "--horizon", "1e30"], "and at most 1099511627776; got 10000000"),
    ([*ONE, "--seed", "90071992547409935e-1"], "is not a whole number"),
    ([*ONE, "--plot", ""], "'--plot': The path is empty. Write the name of a f"),
    ([*ONE, "--save", " "], "'--save': The path is empty."),
    (["--arm", "normall:0,1"], "Unknown distribution 'normall'. Did you mean 'normal'"),
    (["--arm", "mixture:0.5,0.5"], "Make it in Python, e.g. Mixture([Normal(0, 1), "),
    (["--arm", "normal:0"], "normal takes loc,scale"),
    (["--arm", "normal:0,x"], "x"),
    (["--arm", "normal:0,-1"], "scale must be a finite number > 0; got -1"),
    ([*ONE, "--policy", "ucb2"], "Unknown policy 'ucb2'. Did you mean 'ucb1'"),
    ([*ONE, "--policy", "ucb1", "--policy", "ucb1"], "can take part once"),
    ([*ONE, "--alpha", "0"], "alpha must be a finite number > 0 and < 1"),
    (
        [*ONE, "--alpha", "0.1", "--policy", "acp-ucb1:alpha=0.2"],
        "--alpha 0.1 sets alpha = 0.1, and --policy acp-ucb1:alpha=0.2 sets alpha = 0.2. Leave one",
    ),
    (
        [*ONE, "--tail", "lower", "--policy", "acp-ucb1:tail=upper"],
        "--tail lower sets tail = lower, and --policy acp-ucb1:tail=upper sets tail = upper",
    ),
    (
        [*ONE, "--policy", "acp-ucb1:alpha=0.7,level_max=0.5"],
        "alpha must lie in (level_min, level_max]",
    ),
    ([*ONE, "--horizon", "1"], "the horizon must be 2 or more; got 1"),
    (
        [*ONE, "--horizon", "many"],
        "'many' is not a whole number",
    ),
    ([*ONE, "--replications", "0"], "replications must be a whole number"),
    ([*ONE, "--workers", "0"], "workers must be a whole number"),
    ([*ONE, "--seed", "-1"], "seed must be a whole number"),
    ([*ONE, "--plot", "regret.gif"], ".png"),
    ([*ONE, "--plot", "a.png", "--save", "a.png"], "must be different files"),
    ([*ONE, "--horizon", "4000000000000000000"], "and at most"),
    ([], "Missing option '--arm'"),
]


def test_a_mistake_gets_a_sentence_and_exit_code_2(run):
    for arguments, message in USAGE_MISTAKES:
        code, out, err = run("simulate", *arguments)
        assert (code, out) == (2, ""), arguments
        assert message in err
        assert "Traceback" not in err


def test_files_that_cannot_be_written_or_read_are_exit_code_1(run, tmp_path):
    target = tmp_path / "missing" / "file.png"
    simulating = [["simulate", *ONE, option] for option in ("--save", "--plot")]
    comparing = [["compare", option] for option in ("--plot", "--csv", "--markdown")]
    for words in simulating + comparing:
        code, _, err = run(*words, str(target))
        assert (code, "Cannot write" in err) == (1, True)
    assert not target.parent.exists()
    code, _, err = run("simulate", "--arm", "empirical:nowhere.csv")
    assert (code, "nowhere.csv" in err) == (1, True)


def test_every_command_has_help():
    assert all(command.help for command in commands.commands.values())


THREE = ["--arm", "normal:0,1", "--arm", "normal:1,1", "--arm", "t:0.2,1,3"]
BUDGET = ["--policy", "uniform-sampling:budget=60"]
EIGHT = ["--replications", "8", "--tau", "0.5"]


def test_identify_prints_arms_and_policies(call):
    code, out, err = call("identify", *THREE, *BUDGET, *EIGHT)

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[1] == "3 arms, 8 replications of at most 1,000,000 pulls, seed 0"
    assert lines[3].split() == ["arm", "distribution", "p50"]
    assert lines[5].endswith("1 *best*")
    assert "lower bound" in lines[8]
    assert lines[9].startswith("Uniform sampling budget=60")


def test_identify_as_json_holds_what_python_gives(call):
    code, out, _ = call("identify", *THREE, *BUDGET, *EIGHT, "--seed", "3", "--json")
    arms = [uh.Normal(0, 1), uh.Normal(1, 1), uh.StudentT(0.2, 1, 3)]
    policies = {"Uniform sampling budget=60": uh.UniformSampling(0.5, budget=60)}
    expected = uh.identify(arms, policies, replications=8, seed=3).to_dict()

    assert code == 0
    told = json.loads(out)
    assert told["policies"][0].pop("lower_bound") is None
    assert told == json.loads(json.dumps(expected))


def test_identify_costs(call):
    _, out, _ = call("identify", *THREE, *BUDGET, *EIGHT, "--minimize")
    assert "Arms pay costs: the lowest is best." in out
    assert out.splitlines()[4].endswith("0 *best*")


def test_identify_plots(call, tmp_path):
    code, _, _ = call("identify", *THREE, *BUDGET, *EIGHT, "--plot", "samples.png")
    assert code == 0
    assert (tmp_path / "samples.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_at_identify(call):
    for words, message in (
        ([*THREE[:2], *BUDGET], "two arms or more; got one"),
        ([*THREE, "--policy", "ucb1"], "UCB1 plays for a small regret and never stops"),
        ([*THREE, "--policy", "uniform"], "Did you mean 'uniform-sampling'"),
        (
            [*THREE, "--policy", "uniform-sampling"],
            "needs budget: uniform-sampling:budget=…",
        ),
        ([*THREE, *BUDGET, "--cap", "50"], "budget of 60 pulls, and the cap is 50"),
        ([*THREE, *BUDGET, "--tau", "1"], "tau must be"),
        ([*THREE, *BUDGET, *BUDGET], "Each policy can take part once"),
        ([*THREE, *BUDGET, "--plot", "samples.gif"], "must end in .png, .pdf, .svg"),
        (
            [*THREE, "--policy", "uniform-sampling:budget=60,tau=0.5", "--tau", "0.9"],
            "--tau 0.9 sets tau = 0.9, and --policy uniform-sampling:budget=60,tau=0.5 sets",
        ),
    ):
        code, out, err = call("identify", *words)
        assert (code, out) == (2, ""), words
        assert message in err
        assert err.count("\n") == 1


def test_a_policy_that_stops_is_none_for_simulate(call):
    code, _, err = call("simulate", *THREE, "--policy", "uniform-sampling:budget=60")
    assert code == 2
    assert "Uniform sampling looks for the best arm" in err
    assert "Run it by identify" in err


def test_help_lists_the_policies_that_stop(call):
    _, out, _ = call("identify", "--help")
    listed = out.partition("Policies (")[2].partition("Distributions:")[0]
    assert "uniform-sampling" in listed
    assert "ucb1" not in listed
    assert "uniform-sampling:budget=" in words_of("best-arm policy")


def test_a_class_of_the_working_directory(call, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    (tmp_path / "first.py").write_text("from tests.policies.test_plain import Mine\n")
    (tmp_path / "second.py").write_text("import missing_one\n")
    plays = [word for name in ("first:Mine", "ucb1") for word in ("--policy", name)]
    for command in ("simulate", "compare"):
        code, out, err = call(command, *ONE, *ONE, *plays, *SMALL, "--json")
        assert (code, err) == (0, "")
        assert '"c": 2.0' in out
    runs = uh.simulate([uh.Normal(0, 1)] * 2, ["first:Mine", "ucb1"], 50, 2)
    assert (runs.pulls["Mine"] == runs.pulls["UCB1"]).all()
    for wrong in ("first:Yours", "nothing:Mine"):
        code, _, err = call("simulate", *ONE, "--policy", wrong)
        assert code == 2
        assert f"There is no class {wrong}." in err
    with pytest.raises(ModuleNotFoundError, match="missing_one"):
        uh.simulate([uh.Normal(0, 1)], "second:Mine", 50)
