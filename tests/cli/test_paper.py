"""`upperhand paper`, end to end."""

import re
import sys

import pytest
from click.testing import CliRunner

from upperhand.cli import commands
from upperhand.paper.experiments import EXPERIMENTS

SMALL = ["--horizon", "200", "--replications", "3"]


@pytest.fixture
def run(call):
    """Return `upperhand paper`."""
    return lambda *words: call("paper", *words)


def test_prints_figures_regrets_verdicts_and_report(run, tmp_path):
    code, out, err = run(*SMALL)

    assert (code, err) == (0, "")
    for name in ("figure-1-metrics.png", "figure-2-levels.png", "figure-3-families.png"):
        assert f"paper-out/{name}" in out
        assert (tmp_path / "paper-out" / name).exists()
    assert re.search(
        r"^1 +Gaussian, α = 0.1 +ACP +\d+\.\d ± \d+\.\d +\d+\.\d ± \d+\.\d$", out, re.M
    )
    assert re.search(
        r"^13 claims of the paper: holds \d+, holds with a note \d+, not decided by this run \d+, "
        r"does not hold 0\.$",
        out,
        re.M,
    )
    assert "Not the paper's size: 200 rounds instead of 10,000" in out
    assert "section 5" not in out
    assert out.endswith("Report: paper-out/report.html\n")
    assert "\x1b" not in out  # no colours where there is no terminal


def test_only_and_out(run, tmp_path):
    code, out, _ = run(*SMALL, "--only", "levels", "--out", "here", "--workers", "1")

    assert code == 0
    assert "Figure 2" in out
    assert "Figure 1" not in out
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == [
        "figure-2-levels.csv",
        "figure-2-levels.pdf",
        "figure-2-levels.png",
        "report.html",
        "report.md",
    ]


def test_an_empty_path_is_not_the_current_folder(run, tmp_path):
    code, out, err = run("--out", "")
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert "'--out': The path is empty. Write the name of a file or folder." in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--only", "metrix"], 2, "Did you mean 'metrics'?"),
        (["--replications", "0"], 2, "replications must be a whole number, 1 or more; got 0"),
        (["--horizon", "3"], 2, "so the horizon must be 6 or more; got 3"),
        (["--workers", "0"], 2, "workers must be a whole number, 1 or more; got 0"),
        (["--seed", "-1"], 2, "seed"),
        (["--out", "file"], 1, "Cannot write to the folder 'file'"),
    ],
)
def test_mistakes_get_a_sentence_and_an_exit_code(run, tmp_path, words, code, message):
    (tmp_path / "file").write_text("in the way")
    got, out, err = run(*words)

    assert (got, out) == (code, "")
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "paper-out").exists()


def test_a_table_with_rules_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, out, _ = run(*SMALL, "--only", "metrics")

    assert code == 0
    assert "─────" in out
    assert "ACP-UCB1" in out


def test_help_names_every_experiment():
    text = CliRunner().invoke(commands, ["paper", "--help"]).output
    for name in EXPERIMENTS:
        assert name in text
    assert "fresh" not in text  # the figures share their streams
