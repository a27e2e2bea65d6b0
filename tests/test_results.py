"""What every result has: a table, a frame, a plot, and files; loaded only when asked for."""

import subprocess
import sys

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import FileError

ARMS = {"steady": uh.Normal(0.10, 0.05), "wild": uh.Normal(0, 0.15)}
SIZE = {"replications": 3, "seed": 0}


def results():
    """Return a result of each kind."""
    return [
        uh.simulate(ARMS, ["ucb1", "kl-qucb"], 60, **SIZE, quantile=0.9),
        uh.compare(ARMS, ["ucb1", "acp-ucb1"], horizon=60, **SIZE),
        uh.identify(ARMS, "qlucb", epsilon=0.04, cap=500, **SIZE, direction="minimize"),
        uh.calibrate([*np.arange(60.0) % 7, np.nan], np.full(61, 3.0), methods=["aci", "nexcp"]),
    ]


def test_tables_frames_plots_and_files(tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    for found in results():
        text, summary = repr(found), found.summary()
        assert summary.title in text
        assert text == repr(summary)
        assert "<table>" in found._repr_html_()
        assert len(summary.to_frame()) == len(summary.rows)
        assert len(found.to_frame()) > 0

        figure = found.plot().figure
        axes = figure.subplots() if not figure.axes else figure.axes[0]
        assert found.plot(axes) is axes

        path = tmp_path / "result.npz"
        found.save(path)
        for again in (uh.load(path), type(found).load(path)):
            assert repr(again) == text
            assert again.to_frame().equals(found.to_frame())


def test_titles_say_how_much_was_played():
    runs, compared, *_ = results()
    titles = [each.plot().get_title("left") for each in (runs, compared)]
    assert titles == [
        "Regret, p90: 2 arms, 3 replications of 60 rounds",
        "Regret, p95: your arms, 3 × 60 rounds",
    ]


def test_policies_of_another_level_are_named():
    policies = {"own": uh.KLQUCB(0.5), "same": uh.KLQUCB(0.9), "mean": uh.UCB1()}
    runs = uh.simulate(ARMS, policies, 40, **SIZE, quantile=0.9)
    assert runs.summary().notes[-1] == "Set to play for another quantile: own (p50)."
    for direction in ("maximize", "minimize"):
        size = {"horizon": 40, "quantile": 0.9, "direction": direction, **SIZE}
        found = uh.compare(ARMS, policies, **size)
        assert found.summary().notes[-1] == "Set to play for another quantile: own (p50)."


def test_the_lowest_of_n_costs_is_saved(tmp_path):
    size = {"horizon": 20, "direction": "minimize", **SIZE}
    found = uh.compare(ARMS, "ucb1", best_of=3, **size)
    found.save(tmp_path / "costs.npz")
    assert repr(uh.load(tmp_path / "costs.npz")) == repr(found)
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace("cap", 'direction = "minimize"\nobjectives = ["best-of:3"]\ncap'))
    study = uh.run_study(file, tmp_path / "out", progress=False)
    assert set(study.summary().to_frame().objective) == {"lowest of 3"}


def test_a_frame_of_runs_has_the_curves():
    runs = results()[0]
    frame = runs.to_frame()
    assert list(frame.columns) == ["policy", "round", "regret", "low", "high"]
    mine = frame[frame.policy == "UCB1"]
    np.testing.assert_array_equal(mine.regret, runs.regret("p90")["UCB1"].mean)
    np.testing.assert_array_equal(mine["round"], runs.rounds)
    assert runs["UCB1"].final.tolist() == runs.regret()["UCB1"].final.tolist()


def test_the_best_of_a_comparison():
    one, several = results()[1], uh.compare(["headline", "ties"], "ucb1", horizon=60, **SIZE)
    assert one.best().policy == min(one.main("your arms").values(), key=lambda r: r.regret).policy
    assert one.best(objective="mean").objective == "mean"
    with pytest.raises(uh.ParameterError, match=r"best\('headline'\).*headline, ties"):
        several.best()
    assert several.best("ties").instance == "ties"
    with pytest.raises(uh.UnknownNameError, match="Unknown objective 'p33'"):
        one.best(objective="p33")


def test_without_one_objective_pulls_are_shown_and_the_line_to_type():
    policies = {"a": uh.KLQUCB(0.9), "b": uh.KLQUCB(0.5)}
    text = repr(uh.simulate(ARMS, policies, 40, **SIZE))
    assert "pulls of wild" in text
    assert 'Say which one counts, such as runs.regret("p90")' in text


STUDY = """
title = "Two instances"
horizon = [40, 80]
replications = 2
instances = ["headline", "ties"]
policies = [{ name = "acp-ucb1", b = [0.5, 1] }, { name = "ucb1" }]
searches = [{ name = "qlucb", epsilon = 0.04 }]
cap = 500
"""


def test_a_study_from_its_file_and_from_its_folder(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    study = uh.run_study(file, tmp_path / "out", progress=False)
    assert repr(study) == repr(uh.load(tmp_path / "out"))
    assert repr(study).splitlines()[0] == "Two instances: 2 replications, seed 0"
    rows = study.to_frame()
    assert len(study.summary().to_frame()) == 2 * 2 * 3
    assert set(rows.setting_b[rows.policy != "UCB1"]) == {0.5, 1.0}
    assert len(study.to_frame(searches=True)) == 2
    with pytest.raises(uh.ParameterError, match=r"there are headline \(ACP value \(p95\)\), ties"):
        study.plot()
    assert "ties, 80 rounds" in study.plot(instance="ties").get_title("left")
    assert "ties, 40 rounds" in study.plot(instance="ties", horizon=40).get_title("left")


def test_one_quantile_of_a_study_is_drawn(tmp_path):
    file = tmp_path / "study.toml"
    axis = STUDY.replace('"headline", "ties"', '"ties"').replace(
        "cap", "quantiles = [0.6, 0.9]\ncap"
    )
    file.write_text(axis)
    study = uh.run_study(file, tmp_path / "out", progress=False)
    with pytest.raises(uh.ParameterError, match=r"there are ties \(p60\), ties \(p90\)"):
        study.plot()
    assert study.plot(objective="p60").get_title("left") == "Regret, p60: ties, 80 rounds"


def test_a_search_that_does_not_fit_itself_is_refused(tmp_path):
    path = tmp_path / "search.npz"
    results()[2].save(path)
    with np.load(path) as arrays:
        parts = dict(arrays)
    for name, wrong in (
        ("samples_0", parts["samples_0"] + 1),
        ("decided_0", parts["decided_0"][:1]),
        ("pulls_0", parts["pulls_0"][:, :1]),
    ):
        np.savez(path, **{**parts, name: wrong})
        with pytest.raises(FileError, match=r"its (arrays|pulls)"):
            uh.load(path)


def test_a_file_of_another_kind_or_version(tmp_path):
    path = tmp_path / "some.npz"
    results()[0].save(path)
    with pytest.raises(FileError, match="holds a Runs, not a Comparison"):
        uh.Comparison.load(path)
    np.savez(path, settings=np.array('{"format": "upperhand-runs-7"}'))
    with pytest.raises(FileError, match="'upperhand-runs-7', and this version reads upperhand-run"):
        uh.load(path)


def test_simulating_loads_no_reports_figures_or_pandas():
    code = """
import sys, upperhand as uh
uh.simulate([uh.Normal(0, 1)], "ucb1", 10, 2, seed=0)
print([name for name in sys.modules if name.startswith(
    ("upperhand.reports", "upperhand.figures", "pandas", "matplotlib"))])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_habits_of_other_libraries_name_our_line():
    exp = uh.Experiment("x", ["a", "b"], quantile=0.9, direction="minimize")
    for found, name, line in (
        (exp, "optimize", r"run\(function, n\)"),
        (exp, "best_arm", r"best\(\)\.arm"),
        (uh.Bandit(2), "record", r"tell\(arm, value\)"),
        (results()[0], "to_pandas", r"to_frame\(\)"),
    ):
        with pytest.raises(AttributeError, match=f"has no {name}: write {line}"):
            getattr(found, name)
    with pytest.raises(AttributeError, match="'Runs' has no 'optimize'"):
        results()[0].optimize  # noqa: B018
