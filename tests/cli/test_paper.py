"""`upperhand paper`, end to end."""

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from upperhand.cli import commands
from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.registry import EXPERIMENTS

SMALL = ["--horizon", "200", "--replications", "3"]


LONG = "A statement with [brackets] that is far too long for the eighty columns of a terminal."


@pytest.fixture
def theory(monkeypatch):
    """Put two claims, one of them ours, in front of the others; take notes of the effort."""
    efforts = []

    def judge(effort):
        efforts.append(effort)
        return [
            Claim("Short.", "A look.", {"x": "1"}, Verdict.HOLDS, where="Lemma 1"),
            Claim(LONG, "A look.", {"x": "2"}, Verdict.FAILS, where="equation (15)", ours=True),
        ]

    monkeypatch.setattr("upperhand.paper.ledger.THEORY", (("Section 4: theory", judge),))
    return efforts


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
        (["--claims", "--out", "file"], 1, "Cannot write to the folder 'file'"),
        (["--claims", "--only", "levels"], 2, "whole paper; got --only levels as well. Leave one"),
        (["--claims", "--trials", "0"], 2, "trials must be a whole number, 1 or more; got 0"),
        (["--claims", "--horizon", "3"], 2, "so the horizon must be 6 or more; got 3"),
        (["--trials", "5"], 2, "--trials 5 is for --claims"),
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


def test_claims_are_numbered_and_listed(run, theory, tmp_path):
    code, out, err = run("--claims", *SMALL, "--seed", "3", "--trials", "9")
    lines = out.splitlines()

    assert (code, err) == (0, "")
    assert theory == [(3, 9)]
    assert re.match(r"no\. +where +verdict +statement$", lines[0])
    assert [line.split()[0] for line in lines[1:15]] == [str(n) for n in range(1, 15)]
    start = lines[0].index("statement")
    assert lines[1][start:] == "Short."
    assert lines[2][start:] == LONG  # in full: nothing is shortened or wrapped
    assert lines[2][:start].split("  ")[0] == "2"
    assert re.search(r"^2 +Ours, on equation \(15\) +does not hold +A statement", out, re.M)
    assert re.search(r"^5 +Section 5\.1 +\w.* {2}ACP-UCB1 has smaller ACP-regret\.$", out, re.M)
    assert "Not the paper's size: 200 rounds instead of 10,000" in out
    assert "Rounds and replications concern the chapters of section 5 only" in out
    assert "9 trials instead of 2,000" in out
    assert "little power at this size" in out
    assert re.search(
        r"^14 claims of the paper: .*\. 1 of ours about its experiments, which the paper does "
        r"not claim: holds 0, holds with a note 0, does not hold 1\.$",
        out,
        re.M,
    )
    assert out.endswith("Ledger: paper-out/claims.html\n")
    assert "\x1b" not in out
    written = sorted(path.name for path in (tmp_path / "paper-out").iterdir())
    assert written == ["claims.html", "claims.md"]


def test_claims_wrap_on_a_terminal(run, theory, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, out, _ = run("--claims", *SMALL)
    table = click.unstyle(out[: out.index("Not the paper's size")])

    assert code == 0
    assert "─────" in table
    assert max(map(len, table.splitlines())) <= 80
    assert LONG not in table
    for word in ("[brackets]", "terminal.", "Lemma 1", "does not hold"):
        assert word in table


def test_help_names_every_experiment():
    text = CliRunner().invoke(commands, ["paper", "--help"]).output
    for name in EXPERIMENTS:
        assert name in text
    assert "fresh" not in text  # the figures share their streams


def test_help_is_light():
    code = (
        "import sys; from click.testing import CliRunner; from upperhand.cli import commands;"
        "CliRunner().invoke(commands, ['paper', '--help']);"
        "sys.exit(any(m in sys.modules for m in ('numba', 'scipy', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
