"""Ctrl-C at every line of a transaction: whole or not at all, and the next one works."""

import sys
import threading
from pathlib import Path

import pytest

from tests.live.interrupting import on_lock
from upperhand.live import log as package
from upperhand.live.log import Event, Kind

FOLDER = str(Path(package.__file__).parent)


def interrupted(log, trial, at):
    """Interrupt a transaction at a line; return whether that line came."""
    steps = 0

    def trace(frame, what, _):
        nonlocal steps
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        if what == "line" and not on_lock(frame.f_code.co_filename, frame.f_lineno):
            steps += 1
            if steps == at:
                raise KeyboardInterrupt
        return trace

    def work(transaction):
        transaction.outcome(trial)
        transaction.append([Event(Kind.TOLD, trial, extra={"z": 1}), Event(Kind.NOTE, trial)])

    sys.settrace(trace)
    try:
        log.transact(work, durable=False)
    except KeyboardInterrupt as error:
        return error  # with its traceback, which keeps all that it holds alive
    finally:
        sys.settrace(None)
    return None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_at_every_line(place):
    log = place.open().log("a")
    expected, held = [], []
    for at in range(1, 2000):
        held.append(interrupted(log, at, at))

        def after(transaction, at=at):
            whole = transaction.outcome(at) is not None
            transaction.append([Event(Kind.ASKED, at)])
            return whole

        whole = log.transact(after, durable=False)
        expected += [at] * (3 if whole else 1)
        if held[-1] is None:
            break
        del held[:-1]  # the last one only, as a prompt does
    found = log.read()
    assert found.trial.tolist() == expected
    assert found.n.tolist() == list(range(1, len(expected) + 1))
    assert set(found.extra) == {i + 1 for i in range(len(expected)) if found.kind[i] == Kind.TOLD}
    assert 30 < at < 1900
    free = threading.Thread(target=lambda: interrupted(log, -1, 0))  # another thread gets it too
    free.start()
    free.join(20)
    assert log.last() == len(expected) + 2
