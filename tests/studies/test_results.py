"""What a study says: the numbers of `compare` and `identify`, from blocks read one by one."""

import tracemalloc

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import FileError
from upperhand.reports.study import write_report
from upperhand.studies import Folder, plan, read_plan, run_plan
from upperhand.studies.progress import status_of
from upperhand.studies.results import results

from .files import TEXT, written

SEARCHES = '\n[[searches]]\nname = "uniform-sampling"\nbudget = 200\n'


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 200)


@pytest.fixture
def study(tmp_path):
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
    study = read_plan(written(tmp_path, "minimize = true\n" + TEXT + SEARCHES))
    for play in (each for each in study.cells if each.kind == plan.PLAY):
        both = [each for each in study.cells if each.arms == play.arms]
        assert {each.kind for each in both} == {plan.PLAY, plan.SEARCH}
        assert len({each.job(tuple(each.policies)).arms for each in both}) == 1


def test_searches_are_those_of_identify(tmp_path, study):
    run_plan(study, tmp_path / "out", progress=False)
    searched = [each for each in results(study, Folder(tmp_path / "out")) if each.answers]
    assert len(searched) == 2
    for found in searched:
        policies = dict(found.cell.policies)
        told = uh.identify(found.cell.arms, policies, replications=12, seed=3, progress=False)
        assert found.answers.to_dict() == told.to_dict()


@pytest.mark.parametrize("rounds", [100, 500, 100_000])
def test_cuts_leave_no_trace(tmp_path, study, monkeypatch, rounds):
    """Blocks of one replication and more: the same bytes."""
    told = []
    for name, least in (("a", 200), ("b", rounds)):
        monkeypatch.setattr(plan, "LEAST_ROUNDS", least)
        monkeypatch.setattr(plan, "ROUNDS_PER_BLOCK", max(least, 200))
        run_plan(study, tmp_path / name, progress=False)
        write_report(Folder(tmp_path / name))
        told.append([(tmp_path / name / f).read_bytes() for f in ("results.csv", "report.html")])
    assert told[0] == told[1]


def test_growing_one_by_one_says_the_same(tmp_path):
    for count in (1, 2, 5, 6):
        text = TEXT.replace("replications = 12", f"replications = {count}")
        run_plan(read_plan(written(tmp_path, text)), tmp_path / "grown", progress=False)
    run_plan(read_plan(written(tmp_path, text)), tmp_path / "once", progress=False)
    for name in ("grown", "once"):
        write_report(Folder(tmp_path / name))
    both = [(tmp_path / name / "results.csv").read_bytes() for name in ("grown", "once")]
    assert both[0] == both[1]


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
            assert each.replications == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 500 * 400  # bytes a replication, where a curve has 3,200


def test_of_a_study_that_is_not_complete_the_common_replications_count(tmp_path, study):
    run_plan(study, tmp_path / "out", progress=False)
    series = study.cells[0].series[1]
    folder = Folder(tmp_path / "out")
    folder.blocks(series)[-1].path.unlink()
    first = next(iter(results(study, folder)))
    assert 0 < first.replications < 12
    assert all(len(curve.final) == first.replications for curve in first.curves["mean"].values())
    status = status_of(study, folder)
    assert status.done < status.wanted
    assert not status.running


def test_a_damaged_block_is_told(tmp_path, study):
    run_plan(study, tmp_path / "out", progress=False)
    folder = Folder(tmp_path / "out")
    block = folder.blocks(study.cells[0].series[0])[0]
    block.path.write_bytes(b"gone")
    with pytest.raises(FileError, match=r"is damaged. Run the study again"):
        list(results(study, folder))
    assert run_plan(study, tmp_path / "out", progress=False).played == 1
    assert len(list(results(study, folder))) == len(study.cells)
