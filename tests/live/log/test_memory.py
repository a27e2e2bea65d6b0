"""Logs in memory: copies, and interrupts at every line."""

import copy
import pickle
import sys

import pytest

from upperhand.live.log import Event, Kind, MemoryLog, open_storage
from upperhand.live.log import memory as module


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


def test_an_interrupt_at_any_line_leaves_a_turn_whole_or_not_at_all():
    """Stop after each traced line in turn, and look."""

    def interrupted(log, at):
        steps = 0

        def trace(frame, what, _):
            nonlocal steps
            if frame.f_code.co_filename != module.__file__:
                return None
            if what == "line":
                steps += 1
                if steps == at:
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            with log.turn(durable=True) as turn:
                turn.append([Event(Kind.TOLD, 9, extra={"z": 1}), Event(Kind.NOTE, 10)])
        finally:
            sys.settrace(None)

    for at in range(1, 1000):
        log = filled()
        try:
            interrupted(log, at)
        except KeyboardInterrupt:
            assert log.last() in (2, 4)
            whole = log.last() == 4
            assert log.read().n.tolist() == list(range(1, 5 if whole else 3))
            with log.turn(durable=True, timeout=0) as turn:
                assert (turn.outcome(9) is not None) == whole
                turn.append([Event(Kind.NOTE, 77)])
            assert log.read().trial.tolist() == [1, 1, *([9, 10] if whole else []), 77]
            assert set(log.read().extra) == ({2, 3} if whole else {2})
        else:
            break
    assert 20 < at < 900


@pytest.mark.parametrize("url", [None, "memory://"])
def test_a_storage_of_ones_own(url):
    storage = open_storage(url)
    assert storage.names() == []
    assert storage.log("a") is storage.log("a")
    assert open_storage(url).log("a") is not storage.log("a")
