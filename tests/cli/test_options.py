"""Options that commands share: lists in the help, and `--best-of N`."""

import json
import subprocess
import sys

import pytest

import upperhand as uh
from upperhand.objectives import DIRECTIONS

ARMS = ["--arm", "normal:0.10,0.05", "--arm", "normal:0,0.15", "--arm", "normal:0.04,0.08"]
DISTRIBUTIONS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
SMALL = ["--horizon", "200", "--replications", "3"]
LEVELS = {(): 0.5**0.125, ("--minimize",): 1 - 0.5**0.125}
LABELS = {(): "best of 8", ("--minimize",): "lowest of 8"}
ways = pytest.mark.parametrize("way", LEVELS, ids=lambda way: way[0] if way else "rewards")


def test_help_loads_no_laboratory():
    code = (
        "import sys; from click.testing import CliRunner; from upperhand.cli import commands\n"
        "for name in sys.argv[1:]: print(CliRunner().invoke(commands, [name, '--help']).output)\n"
        "sys.exit(any(m in sys.modules for m in ('numba', 'scipy', 'matplotlib')))"
    )
    command = [sys.executable, "-c", code, "simulate", "compare", "identify", "theory", "paper"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert " ".join(done.stdout.split()).count("--arms A B") == 4
    assert max(map(len, done.stdout.splitlines())) <= 88


@pytest.mark.parametrize("words", [["simulate", "--arm", "normal:0,1"], ["compare"]], ids=" ".join)
def test_without_matplotlib_a_figure_is_refused_before_simulating(call, monkeypatch, words):
    monkeypatch.setattr("upperhand.simulation.workers.cut", lambda *_, **__: pytest.fail("played"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = call(*words, "--plot", "figure.png")

    assert (code, "upperhand[lab]" in err) == (1, True)


@pytest.mark.parametrize("command", ["simulate", "compare", "identify", "calibrate"])
def test_the_help_fits_a_screen(call, command):
    code, out, _ = call(command, "--help")
    assert (code, out.count("\n") <= 45) == (0, True)


@pytest.fixture
def told(call):
    """Return what a command prints as JSON."""

    def read(*words):
        code, out, err = call(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return read


@ways
def test_best_of_at_compare(told, way):
    words = ["--policy", "kl-qucb", "--policy", "acp-ucb1", *SMALL, *way]
    found = told("compare", *ARMS, "--best-of", "8", *words)
    policies = {p["label"]: p["settings"] for p in found["instances"][0]["policies"]}
    python = uh.compare(
        DISTRIBUTIONS,
        {"KL-QUCB": uh.KLQUCB(policies["KL-QUCB"]["tau"]), "ACP-UCB1": uh.ACPUCB1(
            policies["ACP-UCB1"]["alpha"], tail="lower" if way else "upper")},
        best_of=8, horizon=200, replications=3, direction=DIRECTIONS[bool(way)],
    )  # fmt: skip

    assert policies["KL-QUCB"]["tau"] == pytest.approx(LEVELS[way], rel=1e-15)
    assert found["instances"][0]["objectives"][0] == LABELS[way]
    assert [row["own"] for row in found["rows"][:2]] == [True, True]
    assert [row["regret"] for row in found["rows"]] == [row.regret for row in python.rows]


def test_best_of_goes_with_other_objectives(told):
    words = [*SMALL, "--policy", "kl-qucb", "--objective", "mean"]
    found = told("compare", "--best-of", "8", *words)

    assert found["instances"][0]["name"] == "headline at best of 8"
    assert found["instances"][0]["objectives"] == ["best of 8", "mean"]


@ways
def test_best_of_at_simulate(told, way):
    words = ["--policy", "kl-qucb", "--policy", "acp-ucb1"]
    found = told("simulate", *ARMS, "--best-of", "8", *words, *SMALL, *way)
    runs = uh.simulate(
        DISTRIBUTIONS,
        [uh.KLQUCB(found["policies"][0]["settings"]["tau"])],
        200,
        3,
        0,
        direction=DIRECTIONS[bool(way)],
    )
    value = uh.BestOf(8).cost if way else uh.BestOf(8).value

    assert found["policies"][0]["settings"]["tau"] == pytest.approx(LEVELS[way], rel=1e-15)
    label = LABELS[way]
    assert found["policies"][1]["settings"]["tail"] == ("lower" if way else "upper")
    assert found["objectives"] == [label, "mean"]
    assert [arm["values"][label] for arm in found["arms"]] == [*map(value, DISTRIBUTIONS)]
    assert found["best"][label] == [1]  # the widest has the highest highs and the lowest lows
    regret = runs.regret(uh.BestOf(8))["KL-QUCB"].final.mean()
    assert found["policies"][0]["regret"][label]["mean"] == regret


def test_best_of_one_is_the_median(told, call):
    found = told("simulate", *ARMS, "--best-of", "1", "--policy", "kl-qucb", *SMALL)
    assert found["policies"][0]["settings"]["tau"] == 0.5
    code, _, err = call("simulate", *ARMS, "--best-of", "1", *SMALL)
    assert code == 2
    assert "the median is none. Play for it by kl-qucb" in err


@ways
def test_best_of_at_identify(told, way):
    words = ["--policy", "uniform-sampling:budget=60", "--replications", "4", *way]
    found = told("identify", *ARMS, "--best-of", "8", *words)
    tau = found["policies"][0]["settings"]["tau"]

    assert tau == pytest.approx(LEVELS[way], rel=1e-15)
    assert found == told("identify", *ARMS, "--quantile", repr(tau), *words)


@ways
def test_best_of_at_new(told, way):
    found = told("new", "x", "--arm", "a", "--arm", "b", "--best-of", "8", *(way or ["--maximize"]),
                 "--storage", "memory.db")  # fmt: skip
    assert found["settings"]["quantile"] == pytest.approx(LEVELS[way], rel=1e-15)


@pytest.mark.parametrize(
    ("way", "aim"),
    [("--maximize", "highest p91.7 (best of 8)"), ("--minimize", "lowest p8.3 (lowest of 8)")],
)
def test_best_of_is_shown_again(call, way, aim):
    store = ["--storage", "memory.db"]
    made = ["new", "x", "--arm", "a", "--arm", "b", way, *store]
    assert call(*made, "--best-of", "8")[0] == 0
    code, out, _ = call("show", "x", *store)
    assert (code, f"Experiment 'x': the {aim} of 2 arms" in out) == (0, True)
    code, _, err = call(*made, "--best-of", "9")
    name = aim[aim.index("(") + 1 : -2]
    assert code == 4
    assert f"({name}8), and 0." in err
    assert f"({name}9) was given" in err


def test_best_of_is_named_by_identify(call):
    words = ["--policy", "uniform-sampling:budget=60", "--replications", "2", "--best-of", "2"]
    assert "p70.7 (best of 2)" in call("identify", *ARMS, *words)[1]
    assert "p29.3 (lowest of 2)" in call("identify", *ARMS, *words, "--minimize")[1]


def test_another_level_is_refused(call, tmp_path):
    for words in (["compare"], ["simulate", *ARMS], ["identify", *ARMS, "--policy", "qpac"]):
        code, out, err = call(*words, "--best-of", "8", "--quantile", "0.9")
        assert (code, out) == (2, ""), words
        assert "quantile=0.9 and best_of=8 both say what an arm is worth. Give one." in err
    assert list(tmp_path.iterdir()) == []


def test_n_is_a_whole_number(call):
    for words in (
        ["compare"],
        ["simulate", *ARMS],
        ["identify", *ARMS, "--policy", "qpac"],
        ["new", "x", "--arm", "a", "--maximize"],
    ):
        for n, message in (
            ("0", "Error: best_of must be a whole number, 1 or more; got 0."),
            ("1e13", "best_of must be a whole number, 1 or more, and at most 1000000000000"),
            ("2.5", "not a whole number"),
        ):
            code, _, err = call(*words, "--best-of", n)
            assert code == 2
            assert message in err
