"""`upperhand simulate` and `upperhand identify`, end to end."""

import json
import runpy
import sys
from pathlib import Path

import pytest

import upperhand as uh
from upperhand.cli import commands

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


def test_prints_what_the_runs_print(run, tmp_path):
    code, out, err = run("simulate", *ARMS, *SMALL, "--save", str(tmp_path / "runs.npz"))

    assert (code, err) == (0, "")
    assert out == f"{uh.load(tmp_path / 'runs.npz')}\n"
    lines = out.splitlines()
    assert lines[0] == "3 arms, 4 replications of 300 rounds, seed 0"
    assert lines[2] == "policy    regret, p95  pulls of 0  pulls of 1  pulls of data"
    assert [line.split("  ")[0] for line in lines[3:5]] == ["ACP-UCB1", "UCB1"]
    assert "Arms by p95, the highest first: data (3), 1 (0.376" in out
    assert lines[-1] == "Regret ± one standard error; pulls on average."


def test_json_holds_what_python_gives(run):
    code, out, _ = run("simulate", *ARMS[:4], *SMALL, "--json", "--seed", "3", "--quantile", "0.9")
    arms = {"0": uh.Normal(0.10, 0.05), "1": uh.StudentT(0, 0.16, 3)}
    runs = uh.simulate(arms, ["acp-ucb1", "ucb1"], 300, 4, seed=3, quantile=0.9)

    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(runs.to_dict()))
    assert runs.policies["ACP-UCB1"].alpha == 0.2


def test_json_names_data_by_file_and_digest(run):
    _, out, _ = run("simulate", *ARMS, *SMALL, "--json")
    spec = json.loads(out)["arms"][2]["spec"]
    assert spec.pop("digest").startswith("sha256:")
    assert spec == {"family": "empirical", "file": "data.csv", "column": None, "count": 3}


@pytest.mark.parametrize(
    "words",
    [
        ["--arms", "normal(0,1)", "eu=normal(0.5, 1)", "--policies", "ucb1", "acp-ucb1:b=1,eta=0"],
        ["--arms=normal:0,1,eu=normal:0.5,1", "--policies", "ucb1,acp-ucb1:b=1,eta=0"],
        [
            "--policies=ucb1",
            "acp-ucb1:b=1,eta=0",
            "--arm",
            "normal:0,1",
            "--arms",
            "eu=normal:.5,1",
        ],
    ],
    ids=["several words", "commas", "mixed"],
)
def test_several_arms_and_policies_after_one_option(run, words):
    expected = run("simulate", "--arm", "normal:0,1", "--arm", "eu=normal:0.5,1", "--policy",
                   "ucb1", "--policy", "acp-ucb1:b=1,eta=0", *SMALL)  # fmt: skip
    assert run("simulate", *words, *SMALL) == expected
    assert expected[0] == 0
    assert "pulls of eu" in expected[1]


def test_columns_and_files_name_their_arms(run, tmp_path):
    (tmp_path / "d.csv").write_text("eu,us\n1,2\n2,3\n")

    def names(*arms):
        out = run("simulate", "--arms", *arms, "--json", *SMALL)[1]
        return [arm["name"] for arm in json.loads(out)["arms"]]

    assert names("empirical:d.csv:us", "empirical:d.csv:eu", "normal:0,1") == ["us", "eu", "2"]
    assert names("empirical:{data}", "scipy:norm,0,1") == ["data", "1"]
    assert names("empirical:d.csv:eu", "empirical:d.csv:eu", "x=normal:0,1") == ["0", "1", "x"]


def test_options_of_0_1_are_refused_with_the_line_to_write(run):
    for words, line in (
        (["simulate", *ONE, "--alpha", "0.1"], "--alpha 0.1: write --quantile 0.95, or"),
        (["simulate", *ONE, "--tail", "lower"], "--tail lower: write --quantile 0.05."),
        (["identify", *ONE, "--tau", "0.9"], "--tau 0.9: write --quantile 0.9."),
        (["compare", "--alpha", "0.2"], "--alpha 0.2: write --quantile 0.9, or"),
        (["compare", "--instance", "ties"], "--instance ties: write upperhand compare ties."),
        (["calibrate", "a.csv", "--column", "y"], "--column y: write --y y."),
    ):  # fmt: skip
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith(f"Error: {line}")
        assert words[-2] not in run(words[0], "--help")[1]


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


@pytest.mark.parametrize("level", [0.9, 0.1])
def test_policies_are_told_the_level_and_the_horizon(run, level):
    policies = ["kl-qucb", "expexp", "marab", "mv-lcb:span=1"]
    _, out, _ = run(
        "simulate", *ARMS, *SMALL, "--policies", *policies, "--quantile", str(level), "--json"
    )
    told = {policy["name"]: policy["settings"] for policy in json.loads(out)["policies"]}

    assert told["KL-QUCB"]["tau"] == level
    assert told["ExpExp"]["horizon"] == told["MV-LCB span=1"]["horizon"] == 300
    assert told["MaRaB"]["level"] == 0.2


def test_the_files_that_the_readme_uses(call):
    words = [f"empirical:{DATA}/{name}.csv" for name in ("eu", "us", "ap")]
    policies = ["acp-ucb1:scale=auto", "kl-qucb"]
    words = ["--arms", *words, "--policies", *policies, "--minimize"]
    code, out, err = call("simulate", *words, *SMALL)

    assert (code, err) == (0, "")
    assert "Arms by p95, the lowest first: eu (128.4" in out


def test_another_objective(run):
    _, out, _ = run("simulate", *ARMS, *SMALL, "--objective", "cvar:0.1")
    assert "regret, CVaR 10 %" in out
    code, _, err = run("simulate", *ARMS, "--objective", "mean", "--quantile", "0.5")
    assert (code, "both say what an arm is worth" in err) == (2, True)


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
    ([*ONE, "--policy", "ucb1", "--policy", "ucb1"], "each with a name of its own"),
    ([*ONE, "--quantile", "1"], "quantile must be a finite number > 0 and < 1"),
    (["--arms", "a=normal:0,1", "a=normal:1,1"], "Each arm needs its own name; got a, a."),
    ([*ONE, "--policy", "mine:Mine:b=1"], "no class mine:Mine:b=1, as a class takes no settings"),
    ([*ONE, "--polices", "ucb1"], "No such option '--polices'. (Did you mean one of: '--policy'"),
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
EIGHT = ["--replications", "8", "--quantile", "0.5"]


def test_identify_prints_arms_and_policies(call):
    code, out, err = call("identify", *THREE, *BUDGET, *EIGHT)

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "3 arms, 8 replications of at most 1,000,000 pulls, seed 0"
    assert lines[2].split() == ["policy", "samples", "median", "p90", "error"]
    assert lines[3].startswith("Uniform sampling budget=60")
    assert lines[5] == "Arms by p50, the highest first: 1 (1), 2 (0.2), 0 (0)."


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
    assert "Arms by p50, the lowest first: 0 (0), 2 (0.2), 1 (1)." in out


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
        ([*THREE, *BUDGET, "--quantile", "1"], "quantile must be"),
        ([*THREE, *BUDGET, *BUDGET], "each with a name of its own"),
        ([*THREE, *BUDGET, "--plot", "samples.gif"], "must end in .png, .pdf, .svg"),
        (
            [*THREE, "--policy", "qlucb:delta=0.01", "--delta", "0.05"],
            "delta=0.05 and QLUCB delta=0.01 both set delta. Give one.",
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


def test_a_class_of_the_working_directory(call, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (tmp_path / "own_one.py").write_text("from tests.policies.test_plain import Mine\n")
    (tmp_path / "own_two.py").write_text("import missing_one\n")
    plays = [word for name in ("own_one:Mine", "ucb1") for word in ("--policy", name)]
    for command in ("simulate", "compare"):
        code, out, err = call(command, *ONE, *ONE, *plays, *SMALL, "--json")
        assert (code, err) == (0, "")
        assert '"c": 2.0' in out
    runs = uh.simulate([uh.Normal(0, 1)] * 2, ["own_one:Mine", "ucb1"], 50, 2)
    assert (runs.pulls["Mine"] == runs.pulls["UCB1"]).all()
    for wrong in ("own_one:Yours", "nothing:Mine"):
        code, _, err = call("simulate", *ONE, "--policy", wrong)
        assert code == 2
        assert f"There is no class {wrong}." in err
    assert call("warm", "own_one:Mine")[2].startswith("Error: Mine is a plain class, which cannot")
    with pytest.raises(ModuleNotFoundError, match="missing_one"):
        uh.simulate([uh.Normal(0, 1)], "own_two:Mine", 50)
