"""What the tests of power cuts and of failing disks run: ``python -m tests.live.log.on_disk``."""

import sys
from pathlib import Path

from tests.live.log.disk import Failing, mark
from upperhand.errors import StoreAwayError
from upperhand.live.log import Event, Kind
from upperhand.live.log.sqlite import SqliteStorage

CHECKPOINT = "pragma wal_autocheckpoint = 12"


def note(log, n, *, durable):
    event = Event(Kind.NOTE, value=float(n), extra={"n": n} if n % 9 == 0 else None)
    log.transact(lambda found: found.append([event]), durable=durable)


def often_checkpointed(storage):
    """Let checkpoints come often, so that the power goes in them too."""
    with storage.reading() as connection:
        connection.execute(CHECKPOINT).fetchall()


def power(folder, synchronous=None):
    """Every second one is durable, and acknowledged; with snapshots now and then."""
    storage = SqliteStorage(folder / "log.db")
    often_checkpointed(storage)
    if synchronous is not None:  # a planted fault: a store that syncs too seldom
        storage.sync = lambda commit: None
        with storage.reading() as connection:
            connection.execute(f"pragma synchronous = {synchronous}").fetchall()
    log = storage.log("a")
    for n in range(1, 121):
        note(log, n, durable=n % 2 == 0)
        if n % 2 == 0:
            mark(folder, n)
        if n % 50 == 0:
            log.save_snapshot(n, bytes([n]) * 3000)
    storage.close()


def syncs(folder):
    """Say before each commit that it comes."""
    log = SqliteStorage(folder / "log.db").log("a")
    note(log, 1, durable=True)  # the WAL's header is synced too
    for durable in (False, True, False, False, True, True):
        mark(folder, durable)
        note(log, 2, durable=durable)
    mark(folder, "end")


def errors(folder, fault, step):
    """Let one call after the other fail; what failed is not acknowledged, the rest stays."""
    failures = 0
    for at in range(1, 300, int(step)):
        failed, hit = fail_at(folder / str(at), at, fault)
        failures += failed
        if not hit:
            print(failures)
            return
    raise AssertionError("there are more calls than were tried")


def fail_at(folder, at, fault):
    folder.mkdir()
    disk, storage = Failing(), SqliteStorage(folder / "log.db")
    log = storage.log("a")
    note(log, 0, durable=True)
    with storage.reading() as connection:
        connection.execute("pragma wal_autocheckpoint = 8").fetchall()
    told, failed, calls = [0.0], [], 0
    disk.fail(at, fault)
    for n in range(1, 17):
        try:
            note(log, n, durable=n % 2 == 0)
            told.append(float(n))
        except StoreAwayError:
            failed.append(float(n))
            calls += disk.heal()
            check(log.read().value.tolist(), told, failed)
    calls += disk.heal()
    note(log, 99, durable=True)
    told.append(99.0)
    check(log.read().value.tolist(), told, failed)
    storage.close()
    again = SqliteStorage(folder / "log.db")
    check(again.log("a").read().value.tolist(), told, failed)
    assert again.log("a").check() >= len(told)
    again.close()
    return len(failed), calls >= at


def check(found, told, failed):
    assert [value for value in found if value not in failed] == told, (found, told, failed)
    assert found == sorted(set(found))


def unsynced(folder):
    """After a sync that failed, what was committed is there, and the next one is on the disk."""
    storage = SqliteStorage(folder / "log.db")
    log, disk = storage.log("a"), Failing()
    note(log, 1, durable=True)
    with storage.reading() as connection:
        assert connection.execute("pragma synchronous").get == 1
    for n in range(2, 200, 2):
        note(log, n, durable=False)
        disk.fail(1, "EIO")
        try:
            log.sync(log.commits)
            raise AssertionError("a failed sync was not noticed")
        except StoreAwayError:
            disk.heal()
        note(log, n + 1, durable=True)
        mark(folder, n + 1)
    storage.close()


if __name__ == "__main__":
    place, what, *more = sys.argv[1:]
    {"power": power, "syncs": syncs, "errors": errors, "unsynced": unsynced}[what](
        Path(place), *more
    )
