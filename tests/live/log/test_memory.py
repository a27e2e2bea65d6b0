"""Logs in memory: copies."""

import copy
import pickle

import pytest

from upperhand.live.log import Event, Kind, MemoryLog, open_storage


def filled():
    log = MemoryLog("a")
    with log.turn(durable=True) as turn:
        turn.append([Event(Kind.ASKED, 1), Event(Kind.TOLD, 1, value=2.0, extra={"x": [1]})])
    log.save_snapshot(2, b"s")
    return log


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda log: pickle.loads(pickle.dumps(log))],  # noqa: S301
)
def test_copies_go_their_own_way(copied):
    log = filled()
    with log.turn(durable=True) as turn:
        turn.append([Event(Kind.NOTE)])
        twin = copied(log)  # an open turn is not copied
    assert (twin.last(), log.last()) == (2, 3)
    assert twin.snapshot() == (2, b"s")
    assert twin.read().extra == {2: {"x": [1]}}
    with twin.turn(durable=True) as turn:
        assert turn.outcome(1).value == 2.0
        turn.append([Event(Kind.TOLD, 5), Event(Kind.NOTE, extra={"y": 1})])
    assert (twin.last(), log.last()) == (4, 3)
    assert log.read().extra == {2: {"x": [1]}}
    with log.turn(durable=True) as turn:
        assert turn.outcome(5) is None


def test_what_is_read_does_not_change():
    log = filled()
    before = log.read()
    with log.turn(durable=True) as turn:
        turn.append([Event(Kind.NOTE)] * 100)
    assert len(before.n) == 2


@pytest.mark.parametrize("url", [None, "memory://"])
def test_a_storage_of_ones_own(url):
    storage = open_storage(url)
    assert storage.names() == []
    assert storage.log("a") is storage.log("a")
    assert open_storage(url).log("a") is not storage.log("a")
