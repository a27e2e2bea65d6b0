"""Everything is written, says what was run, and does not depend on the workers."""

import csv
import math
import re
import shutil
import subprocess
import sys

import pytest

from upperhand.comparison.instances import FAMILIES
from upperhand.errors import FileError, MissingExtraError, ParameterError, UnknownNameError
from upperhand.figures.regret import LOWER_BOUND
from upperhand.paper.claims import Verdict
from upperhand.paper.experiments import (
    EXPERIMENTS,
    LEVELS,
    METRICS,
    ROBUSTNESS,
    CurvesExperiment,
    Size,
    level_curves,
)
from upperhand.paper.run import chosen, run_paper

from ..figures import samples

SMALL = {"replications": 3, "horizon": 200, "seed": 5}
FIGURES = ("figure-1-metrics", "figure-2-levels", "figure-3-families")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return run_paper(tmp_path_factory.mktemp("paper") / "new" / "out", workers=1, **SMALL)


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_files_are_there_and_nothing_else(small):
    written = {path.name for path in small.report.parent.iterdir()}
    figures = {f"{stem}{suffix}" for stem in FIGURES for suffix in (".png", ".pdf", ".csv")}

    assert written == figures | {"report.md", "report.html"}
    assert [path.stem for path in small.figures] == list(FIGURES)


def test_figures_and_tables_are_the_same_for_any_workers(small, tmp_path):
    run_paper(tmp_path, workers=3, **SMALL)

    for path in small.report.parent.iterdir():
        if path.stem != "report":  # which tells the wall time
            assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.mark.parametrize(
    ("stem", "experiment", "group"),
    [(FIGURES[0], METRICS, "metric"), (FIGURES[2], ROBUSTNESS, "family")],
)
def test_curves_in_the_tables(small, stem, experiment, group):
    table = rows(small.report.parent / f"{stem}.csv")
    curves = experiment.curves(experiment.run(Size(3, 200, 5)))

    for label, named in curves.items():
        for policy, curve in named.items():
            mine = [row for row in table if (row[group], row["policy"]) == (label, policy)]
            assert [int(row["round"]) for row in mine] == curve.rounds.tolist()
            for column in ("mean", "low", "high"):
                assert [float(row[column]) for row in mine] == getattr(curve, column).tolist()


def test_final_values_in_the_table_of_levels(small):
    table = rows(small.report.parent / f"{FIGURES[1]}.csv")
    curves = level_curves(LEVELS.run(Size(3, 200, 5))["Gaussian"])

    policies = [row for row in table if row["policy"] != LOWER_BOUND]
    assert len(policies) == 2 * 6 * 2
    for row in policies:
        curve = curves[row["metric"]][float(row["alpha"])][row["policy"]]
        assert float(row["mean"]) == curve.mean[-1]
        assert float(row["high"]) == curve.high[-1]


def test_lower_bounds_in_the_tables(small):
    metric, level, family = (
        [row for row in rows(small.report.parent / f"{stem}.csv") if row["policy"] == LOWER_BOUND]
        for stem in FIGURES
    )
    # Pulls of arms 1 and 3 at n = 10⁴, about 210 and 265, times their gaps; and Σ 2σ²/Δ.
    expected = {"ACP": 3.6284, "mean": 0.66333}
    for row in metric:
        bound = expected[row["metric"]] * math.log(int(row["round"]))
        assert float(row["mean"]) == pytest.approx(bound, rel=1e-4)
        assert row["low"] == row["high"] == ""
    assert {row["family"] for row in family} == set(FAMILIES)

    assert len(level) == 2 * 6
    ends = {row["metric"]: row["mean"] for row in metric if row["round"] == "200"}
    found = {row["metric"]: row["mean"] for row in level if row["alpha"] == "0.1"}
    assert {k: float(v) for k, v in found.items()} == pytest.approx(
        {k: float(v) for k, v in ends.items()}
    )


def test_lower_bounds_in_the_figures_and_captions():
    for name, experiment in EXPERIMENTS.items():
        figure = experiment.draw(experiment.run(Size(3, 1000, 5)))
        assert any(LOWER_BOUND in text for text in samples.named(figure))
        assert "Σ_j Δ_j ln t / kl(F_j(u*), τ)" in experiment.drawn
        assert ("Lai and Robbins" in experiment.drawn) is (name != "families")


@pytest.mark.parametrize("name", ["report.md", "report.html"])
def test_the_report_says_everything(small, name):
    text = (small.report.parent / name).read_text(encoding="utf-8")

    assert "Not the paper's size" in text.replace("&#x27;", "'")
    assert "upperhand paper --replications 3 --horizon 200 --seed 5" in text
    for part in small.parts:
        for claim in part.claims:
            assert claim.verdict in text
            assert claim.statement in text.replace("&#x27;", "'")
    for word in ("numpy", "wall time", "StudentT(loc=0.08, scale=0.05, df=3.0)"):
        assert word in text


def test_the_report_tells_nothing_about_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "zaphods-desk")
    monkeypatch.setattr("platform.node", lambda: "zaphods-desk")
    for variable in ("USER", "LOGNAME", "USERNAME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "zaphod"))
    run_paper(tmp_path / "zaphods-folder", only=["metrics"], **SMALL)

    for name in ("report.md", "report.html"):
        text = (tmp_path / "zaphods-folder" / name).read_text(encoding="utf-8")
        assert "zaphod" not in text
        assert str(tmp_path) not in text


def test_only_what_was_asked_for(tmp_path):
    run = run_paper(tmp_path, only=["families", "metrics"], **SMALL)

    assert [part.experiment.name for part in run.parts] == ["metrics", "families"]
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Figure 2." not in text
    assert "--only metrics --only families" in text


def test_one_replication_of_the_shortest_run(tmp_path):
    run = run_paper(tmp_path, replications=1, horizon=6)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")

    assert all(final.curve.final.mean() >= 0 for part in run.parts for final in part.finals)
    assert "Final regret of one replication." in text
    assert not re.search(r"\bnan\b|standard error|\bbands?\b|\bbars\b|\b1 replications", text, re.I)


def test_a_run_that_is_too_short_refutes_nothing(tmp_path):
    run = run_paper(tmp_path, only=["metrics"], replications=4, horizon=1000)
    verdicts = [claim.verdict for claim in run.parts[0].claims]

    assert Verdict.UNDECIDED in verdicts  # the transfer cost: both policies still explore
    assert Verdict.FAILS not in verdicts
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "not decided by this run" in page
    assert "standard error" in page


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"only": ["level"]}, UnknownNameError, "Did you mean 'levels'"),
        ({"replications": 0}, ParameterError, "replications"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"workers": 0}, ParameterError, "workers"),
        ({"horizon": 2.5}, ParameterError, "horizon must be a whole number"),
        ({"horizon": 5, "only": ["families"]}, ParameterError, "the horizon must be 6 or more"),
    ],
)
def test_mistakes_come_before_the_folder_is_made(tmp_path, given, error, message):
    with pytest.raises(error, match=message):
        run_paper(tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"upperhand\[lab\]"):
        run_paper(tmp_path / "out", **SMALL)
    assert not (tmp_path / "out").exists()


def test_an_interruption_leaves_an_earlier_run_as_it_was(small, tmp_path, monkeypatch):
    def contents():
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def interrupted(*_):
        raise KeyboardInterrupt

    shutil.copytree(small.report.parent, tmp_path, dirs_exist_ok=True)
    before = contents()
    monkeypatch.setattr(CurvesExperiment, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_paper(tmp_path, **SMALL | {"seed": 6})
    assert contents() == before


def test_an_interruption_leaves_no_empty_folder(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(CurvesExperiment, "run", interrupted)
    for out in ("mine", "new/out"):
        with pytest.raises(KeyboardInterrupt):
            run_paper(tmp_path / out, **SMALL)
    assert [each.name for each in tmp_path.rglob("*")] == ["mine"]


def test_a_folder_that_cannot_be_written_is_found_before_simulating(tmp_path, monkeypatch):
    def never(*_):
        raise AssertionError("simulated")

    monkeypatch.setattr("upperhand.paper.experiments.simulate", never)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match="Cannot write to the folder"):
        run_paper(tmp_path / "file")
    with pytest.raises(FileError, match="Cannot write to the folder"):
        run_paper(tmp_path / "file" / "out")


def test_chosen_keeps_the_papers_order():
    assert [e.number for e in chosen(["families", "metrics", "families"])] == [1, 3]
    assert [e.number for e in chosen([])] == [1, 2, 3]


def test_drawing_leaves_no_pyplot_behind():
    code = (
        "import sys, tempfile; from upperhand.paper.run import run_paper;"
        "run_paper(tempfile.mkdtemp(), ['metrics'], replications=2, horizon=50);"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_if_one_file_cannot_be_written_none_is(tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(FileError, match="a folder or device is there"):
        run_paper(tmp_path, ["metrics"], replications=2, horizon=50)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
