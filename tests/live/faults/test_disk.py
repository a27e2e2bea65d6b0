"""R2 and R3: the power goes, and the ask with it; the disk fails or is full."""

import random

import pytest

from tests.live.faults.on_disk import going_on
from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import ARMS, MADE, NAME
from tests.live.log.disk import FAULTS, traced
from tests.live.states import assert_replay
from upperhand.errors import StoreError
from upperhand.live import Experiment, engine
from upperhand.live.log.sqlite import SqliteStorage
from upperhand.live.trial import parse_id

MADE = {**MADE, "arms": ARMS}
MODULE = "tests.live.faults.on_disk"


def after_power_cut(disk, folder, cut, generator):
    """Reopen an image; go on, then tell what was under way. Return how many asks were lost."""
    folder.mkdir()
    disk.image(generator, cut, folder)
    told, issued = disk.marked(cut) or ({}, [])
    with Experiment(NAME, storage=folder / "log.db", **MADE) as exp:
        check_kept(exp, told)
        epochs = {parse_id(text).epoch for text in issued}
        fresh = exp.ask_many(4)
        assert not {parse_id(trial.id).epoch for trial in fresh} & epochs, "an epoch came again"
        assert not {trial.id for trial in fresh} & set(issued), "an id came again"
        under_way = {text: i + 2.0 for i, text in enumerate(issued) if text not in told}
        before = exp.counts()
        answers = [exp.tell(text, value) for text, value in under_way.items()]
        assert set(answers) <= {"told", "lost", "again"}  # again: written, not yet acknowledged
        lost = answers.count("lost")
        counts = exp.counts()
        assert counts["lost"] - before["lost"] == lost
        assert counts["pending"] >= 4, "a late tell was credited to another trial"
        assert {exp.tell(text, value) for text, value in under_way.items()} <= {"again"}
        check_kept(exp, told | under_way)
        for trial in fresh:
            assert exp.tell(trial, 1.0) == "told"
        assert_replay(exp)
    return lost


def check_power_cuts(tmp_path, states, *fault, seed=1):
    (tmp_path / "first").mkdir()
    SqliteStorage(tmp_path / "first" / "log.db").close()
    disk = traced(MODULE, tmp_path / "first", "power", *fault)
    generator, lost = random.Random(seed), 0
    first = next(i for i, entry in enumerate(disk.record) if entry[0] == "mark")
    for state in range(states):
        cut = generator.randrange(first, disk.cuts())
        lost += after_power_cut(disk, tmp_path / f"image-{state}", cut, generator)
    return lost


@pytest.mark.parametrize("states", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_power_cut_that_loses_an_ask_then_its_tell(tmp_path, states):
    lost = check_power_cuts(tmp_path, states)
    assert lost > states // 20  # the test is of something
    print(f"\n{states} power cuts: {lost} tells of asks that were lost; none went astray")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_at_writes(tmp_path, fault, step):
    (tmp_path / "disk").mkdir()
    assert int(traced(MODULE, tmp_path / "disk", "errors", fault, step).said) > 0


class TestPlantedFaults:
    @pytest.mark.parametrize("fault", ["no epochs", "no syncs"])
    def test_what_loses_outcomes(self, tmp_path, monkeypatch, fault):
        """A lost ask's number is given again; or what is told is not synced."""
        if fault == "no epochs":  # also of those who come after the power cut
            monkeypatch.setattr(engine, "decide", going_on)
        with pytest.raises((AssertionError, StoreError, LookupError)):
            check_power_cuts(tmp_path, 40, fault)

    def test_a_state_that_believes_a_failed_write(self, tmp_path):
        (tmp_path / "disk").mkdir()
        with pytest.raises(AssertionError):
            traced(MODULE, tmp_path / "disk", "errors", "EIO", 1, "careless")
