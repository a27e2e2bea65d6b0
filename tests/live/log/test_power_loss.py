"""R2: the power goes at any moment. Acknowledged durable turns stay, and the file is whole."""

import random

import apsw
import pytest

from tests.live.log.faulty_vfs import Disk
from upperhand.live.log import Event, Kind
from upperhand.live.log.sqlite import SqliteStorage
from upperhand.live.log.sqlite.desk import Desk

TURNS = 120


def workload(folder):
    """Ask without, tell with a sync, and mark what was acknowledged; return the disk."""
    SqliteStorage(folder / "log.db").close()
    disk = Disk(folder)
    storage = SqliteStorage(folder / "log.db", vfs=disk.name)
    with storage._writer as connection:
        connection.wal_autocheckpoint(12)  # so that the power goes in them too
    log = storage.log("a")
    for n in range(1, TURNS + 1):
        with log.turn(durable=n % 2 == 0) as turn:
            turn.append([Event(Kind.NOTE, value=float(n), extra={"n": n} if n % 9 == 0 else None)])
        if n % 2 == 0:
            disk.mark(n)
        if n % 50 == 0:
            log.save_snapshot(n, bytes([n]) * 3000)
    storage.close()
    return disk


def lost_and_corrupt(disk, folder, states, seed):
    """Return how many of the states miss what was acknowledged, and how many are damaged."""
    generator, lost, corrupt = random.Random(seed), 0, 0
    for state in range(states):
        image = folder / f"image-{state}"
        image.mkdir()
        cut = generator.randrange(disk.cuts())
        disk.image(generator, cut, image)
        try:
            found = recovered(image / "log.db")
        except Exception:
            corrupt += 1
            continue
        lost += found < (disk.marked(cut) or 0)
    return lost, corrupt


def recovered(path):
    """Return how many events there are, after a look at each of them."""
    storage = SqliteStorage(path, create=False)
    with storage._reader as connection:
        assert connection.execute("pragma integrity_check").get == "ok"
    columns = storage.log("a").read()
    n = len(columns.n)
    assert columns.value.tolist() == list(range(1, n + 1))
    assert columns.extra == {k: {"n": k} for k in range(9, n + 1, 9)}
    snapshot = storage.log("a").snapshot()
    assert snapshot is None or (snapshot[0] <= n and snapshot[1] == bytes([snapshot[0]]) * 3000)
    storage.close()
    return n


def test_one_sync_a_durable_turn_and_none_for_the_others(tmp_path):
    SqliteStorage(tmp_path / "log.db").close()
    disk = Disk(tmp_path)
    log = SqliteStorage(tmp_path / "log.db", vfs=disk.name).log("a")
    with log.turn(durable=True) as turn:  # the WAL's header is synced too
        turn.append([Event(Kind.NOTE)])
    for durable in (False, True, False, False, True, True):
        before = len(disk.record)
        with log.turn(durable=durable) as turn:
            turn.append([Event(Kind.NOTE)])
        assert sum(kind == "sync" for kind, *_ in disk.record[before:]) == durable


@pytest.mark.parametrize("states", [150, pytest.param(2500, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost(tmp_path, states):
    (tmp_path / "first").mkdir()
    disk = workload(tmp_path / "first")
    assert sum(entry[:2] == ("sync", "log.db") for entry in disk.record) >= 5  # checkpoints
    assert lost_and_corrupt(disk, tmp_path, states, seed=1) == (0, 0)


@pytest.mark.parametrize("synchronous", ["off", "normal"])
def test_a_store_that_syncs_too_seldom_is_caught(tmp_path, monkeypatch, synchronous):
    """Never, or only at checkpoints, which keeps the file whole."""

    def careless(self, connection, durable):
        connection.execute(f"pragma synchronous = {synchronous}", can_cache=False)

    monkeypatch.setattr(Desk, "_set_durable", careless)
    (tmp_path / "first").mkdir()
    lost, corrupt = lost_and_corrupt(workload(tmp_path / "first"), tmp_path, 60, seed=2)
    assert lost > 0
    assert (corrupt > 0) == (synchronous == "off")


def test_the_vfs_is_in_the_way(tmp_path):
    disk = Disk(tmp_path)
    connection = apsw.Connection(str(tmp_path / "x.db"), vfs=disk.name)
    connection.execute("create table t (x)")
    connection.close()
    assert {entry[0] for entry in disk.record} >= {"write", "sync", "delete"}
