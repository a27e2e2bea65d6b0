"""What the tests of power cuts and failing disks run: ``python -m tests.live.faults.on_disk``."""

import sys
from pathlib import Path

from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import ARMS, MADE, NAME
from tests.live.log.disk import Failing, mark
from tests.live.states import assert_replay
from upperhand.errors import StoreError
from upperhand.live import Experiment, engine
from upperhand.live.log.sqlite import SqliteStorage


def opened(folder, pages):
    """Open the experiment, with checkpoints after so many pages."""
    storage = SqliteStorage(folder / "log.db")
    with storage.reading() as connection:
        connection.execute(f"pragma wal_autocheckpoint = {pages}").fetchall()
    return Experiment(NAME, ARMS, storage=storage, **MADE)


def power(folder, fault=""):
    """Ask and tell, two asks under way, and say what was acknowledged."""
    if fault == "no epochs":  # counters that go on where the log ends
        engine.decide = going_on
    elif fault == "no syncs":
        SqliteStorage.sync = lambda storage, commit: None
    exp, trials, told = opened(folder, 12), [], {}
    for n in range(40):
        trials.append(exp.ask())
        mark(folder, [told, [trial.id for trial in trials]])
        if n >= 2:
            exp.tell(trials[n - 2], float(n))
            told[trials[n - 2].id] = float(n)
            mark(folder, [told, [trial.id for trial in trials]])
        if n == 20:  # a restart, so that there are two epochs
            exp.storage.close()
            exp = opened(folder, 12)
    exp.storage.close()


def going_on(state, command, context, decide=engine.decide):
    if context.epoch is None and 1 in state.epochs:
        context.epoch = 1
    return decide(state, command, context)


def errors(folder, fault, step, careless=""):
    """Let one call after the other fail, until there are no more; say how many were refused."""
    if careless:
        engine.Engine._renew = lambda engine: None
    refused = 0
    for at in range(1, 400, int(step)):
        failed, hit = fail_at(folder / str(at), at, fault)
        refused += failed
        if not hit:
            print(refused)
            return
    raise AssertionError("there are more calls than were tried")


def fail_at(folder, at, fault):
    """Ask and tell with a fault at the N-th call; return how many calls were refused."""
    folder.mkdir()
    exp, disk = opened(folder, 8), Failing()
    told, refused, trials, calls = {}, {}, [exp.ask()], 0
    disk.fail(at, fault)
    for n in range(12):
        try:
            trials.append(exp.ask())
        except StoreError:
            assert exp.counts()["asked"] >= len(trials)
            assert len(exp.report()) == 3
            calls += disk.heal()
            trials.append(exp.ask())
        try:
            exp.tell(trials[n], float(n))
            told[trials[n].id] = float(n)
        except StoreError:
            refused[trials[n].id] = float(n)
            assert exp.report()  # reads go on
            assert repr(exp)
            check_kept(exp, told)
            calls += disk.heal()
    calls += disk.heal()
    for text, value in refused.items():
        assert exp.tell(text, value) in ("told", "again")
    check_kept(exp, told | refused)
    assert exp.counts()["outcomes"] == 12
    assert exp.counts()["lost"] == 0
    assert_replay(exp)
    exp.close()
    exp.storage.close()
    with Experiment(NAME, storage=folder / "log.db") as again:
        check_kept(again, told | refused)
        assert_replay(again)
    return len(refused), calls >= at


if __name__ == "__main__":
    place, what, *more = sys.argv[1:]
    {"power": power, "errors": errors}[what](Path(place), *more)
