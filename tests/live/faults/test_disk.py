"""R2 and R3: the power goes, and the ask with it; the disk fails or is full."""

import random

import apsw
import pytest

from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import ARMS, MADE, NAME
from tests.live.log.faulty_vfs import Disk
from tests.live.states import assert_replay
from upperhand.errors import StoreError
from upperhand.live import Experiment, experiment
from upperhand.live.log.sqlite import SqliteStorage
from upperhand.live.log.sqlite.desk import Desk
from upperhand.live.trial import parse_id
from upperhand.live.writer import Writer

MADE = {**MADE, "arms": ARMS}


def opened(monkeypatch, path, disk=None, **how):
    """Open an experiment, on a disk that is recorded or fails."""
    with monkeypatch.context() as patch:
        if disk is not None:
            patch.setattr(experiment, "open_storage", lambda url: SqliteStorage(url, vfs=disk.name))
        return Experiment(NAME, storage=path, **how)


def mark(disk, told, trials):
    """Note what was acknowledged by now."""
    disk.known.append((dict(told), [trial.id for trial in trials]))
    disk.mark(len(disk.known) - 1)


def workload(monkeypatch, folder, rounds=40):
    """Ask and tell on a recorded disk, two asks under way; return the disk and all trials."""
    folder.mkdir()
    SqliteStorage(folder / "log.db").close()
    disk = Disk(folder)
    disk.known, trials, told = [], [], {}
    exp = opened(monkeypatch, folder / "log.db", disk, **MADE)
    exp._log._writer.connection().wal_autocheckpoint(12)
    for n in range(rounds):
        trials.append(exp.ask())
        mark(disk, told, trials)
        if n >= 2:
            exp.tell(trials[n - 2], float(n))
            told[trials[n - 2].id] = float(n)
            mark(disk, told, trials)
        if n == rounds // 2:  # a restart, so that there are two epochs
            exp.storage.close()
            exp = opened(monkeypatch, folder / "log.db", disk)
    exp.storage.close()
    return disk, {trial.id: trial for trial in trials}


def after_power_cut(disk, folder, cut, generator):
    """Reopen an image; go on, then tell what was under way. Return how many asks were lost."""
    folder.mkdir()
    disk.image(generator, cut, folder)
    place = disk.marked(cut)
    told, issued = disk.known[place] if place is not None else ({}, [])
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


def check_power_cuts(monkeypatch, tmp_path, states, seed=1):
    disk, _ = workload(monkeypatch, tmp_path / "first")
    generator, lost = random.Random(seed), 0
    first = next(i for i, entry in enumerate(disk.record) if entry[0] == "mark")
    for state in range(states):
        cut = generator.randrange(first, disk.cuts())
        lost += after_power_cut(disk, tmp_path / f"image-{state}", cut, generator)
    return lost


@pytest.mark.parametrize("states", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_power_cut_that_loses_an_ask_then_its_tell(monkeypatch, tmp_path, states):
    lost = check_power_cuts(monkeypatch, tmp_path, states)
    assert lost > states // 20  # the test is of something
    print(f"\n{states} power cuts: {lost} tells of asks that were lost; none went astray")


class TestPlantedFaults:
    def test_ids_without_epochs(self, monkeypatch, tmp_path):
        """Counters that go on where the log ends: a lost ask's number is given again."""

        def reopened(writer):
            if writer.epoch is None and 1 in writer.machine.epochs:
                writer.epoch = 1
            return open_epoch(writer)

        open_epoch = Writer.open
        monkeypatch.setattr(Writer, "open", reopened)
        with pytest.raises((AssertionError, StoreError, LookupError)):
            check_power_cuts(monkeypatch, tmp_path, 40)

    def test_tells_that_are_not_synced(self, monkeypatch, tmp_path):
        def careless(desk, connection, durable):
            connection.execute("pragma synchronous = normal", can_cache=False)

        monkeypatch.setattr(Desk, "_set_durable", careless)
        with pytest.raises((AssertionError, LookupError)):
            check_power_cuts(monkeypatch, tmp_path, 40)

    def test_a_machine_that_believes_a_failed_write(self, monkeypatch, tmp_path):
        from upperhand.live.session import Session

        monkeypatch.setattr(Session, "_renew", lambda session: None)
        with pytest.raises((AssertionError, LookupError, StoreError)):
            fail_everywhere(monkeypatch, tmp_path, FAULTS["EIO"], 1)


FAULTS = {
    "EIO": {"code": apsw.SQLITE_IOERR_WRITE},
    "EIO at a sync": {"code": apsw.SQLITE_IOERR_FSYNC},
    "ENOSPC": {"code": apsw.SQLITE_FULL, "times": 10**9},
    "half a write": {"code": apsw.SQLITE_IOERR_WRITE, "partly": True},
}


def fail_at(monkeypatch, folder, at, fault):
    """Ask and tell with a fault at the N-th call; return how many calls were refused."""
    folder.mkdir()
    SqliteStorage(folder / "log.db").close()
    disk = Disk(folder)
    exp = opened(monkeypatch, folder / "log.db", disk, **MADE)
    first = exp.ask()
    exp._log._writer.connection().wal_autocheckpoint(8)
    told, refused, trials = {}, {}, [first]
    disk.fail(at, **fault)
    for n in range(12):
        try:
            trials.append(exp.ask())
        except StoreError:
            assert exp.counts()["asked"] >= len(trials)
            assert len(exp.report()) == 3
            disk.heal()
            trials.append(exp.ask())
        try:
            exp.tell(trials[n], float(n))
            told[trials[n].id] = float(n)
        except StoreError:
            refused[trials[n].id] = float(n)
            assert exp.report()  # reads go on
            assert repr(exp)
            check_kept(exp, told)
            disk.heal()
    hit = disk.calls >= at
    disk.heal()
    for text, value in refused.items():
        assert exp.tell(text, value) in ("told", "again")
    check_kept(exp, told | refused)
    assert exp.counts()["outcomes"] == 12
    assert exp.counts()["lost"] == 0
    assert_replay(exp)
    exp.close()
    with Experiment(NAME, storage=folder / "log.db") as again:
        check_kept(again, told | refused)
        assert_replay(again)
    return len(refused), hit


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_at_writes(monkeypatch, tmp_path, name, step):
    assert fail_everywhere(monkeypatch, tmp_path, FAULTS[name], step)


def fail_everywhere(monkeypatch, tmp_path, fault, step):
    """Let one call after the other fail, until there are no more; return how many were refused."""
    refused = 0
    for at in range(1, 400, step):
        failed, hit = fail_at(monkeypatch, tmp_path / str(at), at, fault)
        refused += failed
        if not hit:
            return refused
    raise AssertionError("there are more calls than were tried")
