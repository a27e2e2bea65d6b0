"""Logs in memory."""

import pytest

from upperhand.live.log import Event, Kind, MemoryLog, open_storage


def filled():
    log = MemoryLog("a")
    events = [Event(Kind.ASKED, 1), Event(Kind.TOLD, 1, value=2.0, extra={"x": [1]})]
    log.transact(lambda found: found.append(events), durable=True)
    log.save_snapshot(2, b"s")
    return log


def test_what_is_read_does_not_change():
    log = filled()
    before = log.read()
    log.transact(lambda found: found.append([Event(Kind.NOTE)] * 100), durable=True)
    assert len(before.n) == 2


@pytest.mark.parametrize("url", [None, "memory://"])
def test_a_storage_of_ones_own(url):
    storage = open_storage(url)
    assert storage.names() == []
    assert storage.log("a") is storage.log("a")
    assert open_storage(url).log("a") is not storage.log("a")
