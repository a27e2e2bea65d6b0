"""What a study says: the numbers of `compare` and `identify`, from blocks read one by one."""

import csv
import tracemalloc

import numpy as np
import pytest

import upperhand as uh
from upperhand.reports import study as study_report
from upperhand.reports.study import write_report
from upperhand.studies import Folder, plan, read_plan, run_plan
from upperhand.studies.results import results

from .files import TEXT, written

SEARCHES = '\n[[searches]]\nname = "uniform-sampling"\nbudget = 200\n'


@pytest.fixture
def study(tmp_path):
    """Return the plan of a study with searches."""
    return read_plan(written(tmp_path, TEXT + SEARCHES))


def same(a, b):
    return a == b or (a != a and b != b)


def test_rows_and_curves_are_those_of_compare(tmp_path, study):
    run_plan(study, tmp_path / "out", progress=False)
    for found in results(study, Folder(tmp_path / "out")):
        cell = found.cell
        if cell.kind != plan.PLAY:
            continue
        runs = uh.simulate(cell.arms, dict(cell.policies), cell.horizon, 12, seed=3, progress=False)
        instance = uh.Instance(cell.instance, cell.arms)
        assert list(found.replications.values()) == [12] * 3
        told = uh.compare(
            instance, dict(cell.policies), cell.objectives, horizon=cell.horizon, replications=12,
            seed=3, reference=next(iter(cell.policies)), progress=False,
        )  # fmt: skip
        slopes = ("slope", "slope_se", "slope_low", "slope_high", "slope_ratio")  # other rounds
        for mine, other in zip(found.rows, told.rows, strict=True):
            for name in mine._fields:
                if name not in slopes:
                    assert same(getattr(mine, name), getattr(other, name)), name
        for objective in cell.objectives:
            for label, curve in runs.regret(objective).items():
                drawn = found.curves[objective.label][label]
                for name in ("mean", "low", "high", "final"):
                    assert np.allclose(getattr(drawn, name), getattr(curve, name), rtol=1e-9)


def test_plays_and_searches_of_costs_play_on_the_same_arms(tmp_path):
    """Workers of a cluster get them once, whoever asks first."""
    study = read_plan(written(tmp_path, 'direction = "minimize"\n' + TEXT + SEARCHES))
    for play in (each for each in study.cells if each.kind == plan.PLAY):
        both = [each for each in study.cells if each.arms == play.arms]
        assert {each.kind for each in both} == {plan.PLAY, plan.SEARCH}
        assert len({each.job(tuple(each.policies)).arms for each in both}) == 1


def test_searches_are_those_of_identify(tmp_path, study):
    run_plan(study, tmp_path / "out", progress=False)
    searched = [each for each in results(study, Folder(tmp_path / "out")) if each.answers]
    assert len(searched) == 2
    for found in searched:
        policies, (answers,) = dict(found.cell.policies), found.answers
        told = uh.identify(found.cell.arms, policies, replications=12, seed=3, progress=False)
        assert answers.to_dict() == told.to_dict()


def test_cuts_leave_no_trace(tmp_path, study, monkeypatch):
    """Blocks of one replication and more: the same bytes."""
    told = []
    for least in (200, 500, 100_000):
        monkeypatch.setattr(plan, "LEAST_ROUNDS", least)
        monkeypatch.setattr(plan, "ROUNDS_PER_BLOCK", least)
        run_plan(study, tmp_path / str(least), progress=False)
        write_report(Folder(tmp_path / str(least)))
        names = ("results.csv", "searches.csv", "report.html")
        told.append([(tmp_path / str(least) / name).read_bytes() for name in names])
    assert told[0] == told[1] == told[2]


def test_growing_one_by_one_says_the_same(tmp_path):
    for count in (1, 2, 5, 6):
        text = TEXT.replace("replications = 12", f"replications = {count}")
        run_plan(read_plan(written(tmp_path, text)), tmp_path / "grown", progress=False)
    run_plan(read_plan(written(tmp_path, text)), tmp_path / "once", progress=False)
    for name in ("grown", "once"):
        write_report(Folder(tmp_path / name))
    both = [(tmp_path / name / "results.csv").read_bytes() for name in ("grown", "once")]
    assert both[0] == both[1]


@pytest.mark.compiled
def test_the_memory_of_a_report_does_not_grow_with_what_was_recorded(tmp_path):
    peaks = []
    for count in (500, 1_000):
        text = TEXT.replace("replications = 12", f"replications = {count}")
        text = text.replace("[60, 100]", "100").replace('name = "quantile-ucb"\nb = [0.5, 1]', "")
        text = text.replace("[[policies]]\n\n\n", "")
        study = read_plan(written(tmp_path, text))
        run_plan(study, tmp_path / f"out{count}", progress=False)
        tracemalloc.start()
        for each in results(study, Folder(tmp_path / f"out{count}")):
            assert set(each.replications.values()) == {count}
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 500 * 400  # bytes a replication, where a curve has 3,200


def test_searches_that_lack_a_block_are_told_by_themselves(tmp_path):
    text = TEXT + SEARCHES.replace("budget = 200", "budget = [30, 40]")
    study = read_plan(written(tmp_path, text.replace("[60, 100]", "60")))
    run_plan(study, tmp_path / "out", progress=False)
    cell = next(cell for cell in study.cells if cell.kind == plan.SEARCH)
    next((tmp_path / "out" / "blocks").glob(f"{cell.series[0].key}*/*.npy")).unlink()
    folder = Folder(tmp_path / "out")
    found = next(each for each in results(study, folder) if each.cell is cell)
    assert [list(each.policies) for each in found.answers] == [[s.label] for s in cell.series[::-1]]
    assert found.answers[0].replications == 12 > found.answers[1].replications
    write_report(folder)
    rows = (folder.path / "searches.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].endswith("setting_tau,setting_budget,setting_top,setting_random_ties")
    assert rows[1].endswith(",0.95,40,1,False")


def test_more_policies_than_colours_are_drawn(tmp_path):
    """The best in colour, and the others in grey."""
    text = TEXT.replace("b = [0.5, 1]", f"b = {[0.1 * place for place in range(1, 12)]}")
    text = text.replace("[60, 100]", "60").replace("replications = 12", "replications = 1")
    run_plan(read_plan(written(tmp_path, text)), tmp_path / "out", progress=False)
    names = write_report(Folder(tmp_path / "out"))
    assert [name for name in names if name.endswith(".png")] == ["figure-1.png", "figure-2.png"]


def test_settings_are_columns(tmp_path, study, out):
    write_report(Folder(out))
    with open(out / "results.csv", encoding="utf-8") as file:
        first, *_, last = csv.DictReader(file)
    assert (first["setting_b"], first["setting_tail"], last["setting_b"]) == ("0.5", "upper", "")


def test_figures_name_the_quantile_and_draw_the_reference_in_colour(tmp_path, monkeypatch):
    """And a user's figures stay."""
    text = TEXT.replace("objectives =", "quantiles = [0.9, 0.99]\nobjectives =")
    text = text.replace("[60, 100]", "60").replace("replications = 12", "replications = 1")
    run_plan(read_plan(written(tmp_path, text)), tmp_path / "out", progress=False)
    for name in ("figure-mine.png", "figure-9.png", "figure-9-2.png"):
        (tmp_path / "out" / name).write_bytes(b"")
    references, real = [], study_report.emphasised
    seen = lambda curves, reference: references.append(reference) or real(curves, reference)  # noqa: E731
    monkeypatch.setattr(study_report, "emphasised", seen)
    write_report(Folder(tmp_path / "out"))
    assert references == ["Quantile-UCB b=0.5"] * 4
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Regret on headline, p99, 60 rounds." in page
    left = {path.name for path in (tmp_path / "out").glob("figure-[m9]*.png")}
    assert left == {"figure-mine.png"}
