"""R3: the N-th write or sync fails, for each N. What failed is not acknowledged, the rest stays."""

import apsw
import pytest

from tests.live.log.faulty_vfs import Disk
from upperhand.errors import StoreAwayError
from upperhand.live.log import Event, Kind
from upperhand.live.log.sqlite import SqliteStorage

FAULTS = {
    "EIO": {"code": apsw.SQLITE_IOERR_WRITE},
    "EIO at a sync": {"code": apsw.SQLITE_IOERR_FSYNC},
    "a disk that is full": {"code": apsw.SQLITE_FULL, "times": 10**9},
    "half a write": {"code": apsw.SQLITE_IOERR_WRITE, "partly": True},
}


def run(folder, at, fault):
    """Play 16 turns, with a fault at one call; return what was and what was not acknowledged."""
    folder.mkdir()
    SqliteStorage(folder / "log.db").close()
    disk = Disk(folder)
    storage = SqliteStorage(folder / "log.db", vfs=disk.name)
    log = storage.log("a")
    with log.turn(durable=True) as turn:
        turn.append([Event(Kind.NOTE, value=0.0)])
    storage._writer.connection().wal_autocheckpoint(8)
    told, failed = [0.0], []
    disk.fail(at, **fault)
    for n in range(1, 17):
        try:
            with log.turn(durable=n % 2 == 0) as turn:
                turn.append([Event(Kind.NOTE, value=float(n))])
            told.append(float(n))
        except StoreAwayError:
            failed.append(float(n))
            check(log.read().value.tolist(), told, failed)  # reads go on
            disk.heal()
    hit = disk.calls >= at
    disk.heal()
    with log.turn(durable=True) as turn:
        turn.append([Event(Kind.NOTE, value=99.0)])
    told.append(99.0)
    check(log.read().value.tolist(), told, failed)
    storage.close()
    again = SqliteStorage(folder / "log.db")
    check(again.log("a").read().value.tolist(), told, failed)
    with again._reader as connection:
        assert connection.execute("pragma integrity_check").get == "ok"
    again.close()
    return failed, hit


def check(found, told, failed):
    assert [value for value in found if value not in failed] == told
    assert found == sorted(set(found))


@pytest.mark.parametrize("name", FAULTS)
def test_at_every_call(tmp_path, name):
    failures = 0
    for at in range(1, 200, 1 if name == "EIO" else 4):
        failed, hit = run(tmp_path / str(at), at, FAULTS[name])
        failures += len(failed)
        if not hit:
            break
    assert not hit  # all calls had their turn
    assert failures > 5
