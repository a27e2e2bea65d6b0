"""It never stops traffic: a store that hangs, fails or is away, and what is said afterwards."""

import threading
import time

import pytest

from tests.live.faults.worker import ARMS, MADE
from tests.live.log.cluster import Cluster
from tests.live.opened import Wrapped
from tests.live.states import assert_replay
from upperhand.errors import StoreAwayError, StoreBusyError, StoreError
from upperhand.live import Experiment, fallback
from upperhand.live.log import Kind

SOON = 20.0  # seconds: nobody may wait that long; a busy machine makes all slow


class Gate(Wrapped):
    """A log whose transactions hang, or fail, as long as one likes."""

    def __init__(self, exp):
        super().__init__(exp, before=self.pass_through)
        self.way, self.error = threading.Event(), None
        self.way.set()

    def pass_through(self):
        if self.error is not None:
            raise self.error
        assert self.way.wait(60), "the test forgot to open the gate"


@pytest.fixture(params=["memory", "sqlite"])
def exp(request, tmp_path):
    url = tmp_path / "log.db" if request.param == "sqlite" else None
    exp = Experiment("a", ARMS, storage=url, **MADE)
    exp.gate = Gate(exp)
    exp.ask()
    exp.tell(arm="x", value=1.0)
    yield exp
    exp.gate.error = None
    exp.gate.way.set()
    exp.close()


def within(call, *args, **how):
    """Run a call that must not wait for the store; return what it returns."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call(*args, **how)), daemon=True)
    thread.start()
    thread.join(SOON)
    assert answers, "traffic stopped"
    return answers[0]


def eventually(condition):
    for _ in range(4000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it never came")


def idle(exp):
    """Wait until the engine's thread has run all that it was given."""
    for _ in range(2):  # what it gives back comes behind
        assert exp._engine.submit([], durable=False).wait(SOON)


def defaulted(exp):
    events = exp._log.read()
    return int(events.value[events.kind == Kind.DEFAULTED].sum())


def stop(exp, how):
    if how == "hangs":
        exp.gate.way.clear()
    else:
        exp.gate.error = StoreAwayError("The server is away.")


def start(exp):
    exp.gate.error = None
    exp.gate.way.set()


both = pytest.mark.parametrize("how", ["hangs", "fails"])


@both
def test_asks_get_the_default_and_the_log_says_how_many(exp, how):
    before = exp.counts()
    stop(exp, how)
    trials = [within(exp.ask, default="y", timeout=0.02) for _ in range(30)]
    assert {(trial.arm, trial.how, trial.id) for trial in trials} == {("y", "default", "")}
    start(exp)
    idle(exp)
    exp.tell(exp.ask(), 1.0)
    idle(exp)
    assert defaulted(exp) == exp.counts()["defaulted"] == 30
    exp.tell(exp.ask(), 1.0)
    assert defaulted(exp) == 30  # once
    counts = exp.counts()
    assert counts["pending"] == before["pending"]  # what was answered too late was given back
    assert counts["asked"] - before["asked"] - 2 == counts["given_back"]
    assert_replay(exp)


@both
def test_outcomes_are_kept_and_written_once(exp, how):
    trials = [exp.ask() for _ in range(5)]
    default = exp.ask(default="z", timeout=30.0)
    assert default.how != "default"
    before = exp.counts()["outcomes"]
    stop(exp, how)
    answers = [within(exp.tell, t, float(i), timeout=0.02) for i, t in enumerate(trials)]
    assert answers == ["kept"] * 5
    answers = [within(exp.tell, t, float(i), timeout=0.02) for i, t in enumerate(trials)]
    assert answers == ["kept"] * 5  # a client that tries again
    stood_in = within(exp.ask, default="y", timeout=0.02)
    assert within(exp.tell, stood_in, 9.0, timeout=0.02) == "kept"  # it has no id
    assert within(exp.tell, arm="x", value=8.0, timeout=0.02) == "kept"
    start(exp)
    idle(exp)
    exp.note("back")
    assert not exp._fallback.waiting
    events = exp._log.read()
    told = sorted(events.value[events.kind == Kind.TOLD].tolist()[before:])
    assert told == [0.0, 1.0, 2.0, 3.0, 4.0, 8.0, 9.0]
    assert [exp.tell(t, float(i)) for i, t in enumerate(trials)] == ["again"] * 5
    assert_replay(exp)


def test_calls_that_wait_are_bounded(exp, monkeypatch):
    monkeypatch.setattr(fallback, "MOST_WAITING", 40)
    monkeypatch.setattr(fallback, "MOST_KEPT", 60)
    stop(exp, "hangs")
    for _ in range(100):
        assert within(exp.ask, default="y", timeout=0.0).how == "default"
    assert exp._engine.waiting <= 40
    with pytest.raises(StoreError):
        exp.ask(timeout=0.0)
    answers = []
    with pytest.raises(StoreError):
        answers.extend(exp.tell(arm="x", value=float(i), timeout=0.0) for i in range(200))
    assert set(answers) == {"kept"}
    assert 60 <= len(answers) <= 100
    start(exp)
    idle(exp)
    exp.note("back")
    events = exp._log.read()
    values = events.value[events.kind == Kind.TOLD].tolist()[1:]
    assert sorted(values) == [float(i) for i in range(len(answers))]
    assert defaulted(exp) == 100


def test_without_a_default_the_caller_is_told(exp):
    stop(exp, "hangs")
    with pytest.raises(StoreBusyError, match=r"0\.01 s"):
        exp.ask(timeout=0.01)
    start(exp)
    idle(exp)
    assert exp.counts()["pending"] == 1


def test_a_kept_outcome_that_is_refused_is_in_nobodys_way(exp):
    trial = exp.ask()
    stop(exp, "fails")
    assert exp.tell(trial, 1.0, timeout=1.0) == "kept"
    assert exp.tell(trial, 2.0, timeout=1.0) == "kept"  # a conflict, which nobody can see yet
    start(exp)
    assert exp.tell(exp.ask(), 3.0) == "told"
    events = exp._log.read()
    notes = [extra["text"] for extra in events.extra.values() if "text" in extra]
    assert len(notes) == 1
    assert "ConflictError" in notes[0]
    assert exp.tell(trial, 1.0) == "again"


@pytest.mark.parametrize("back", [True, False])
def test_closing_writes_what_is_kept_or_says_what_is_lost(tmp_path, back):
    exp = Experiment("a", ARMS, storage=tmp_path / "log.db", **MADE)
    exp.gate = Gate(exp)
    trial = exp.ask()
    stop(exp, "fails")
    assert exp.tell(trial, 5.0, timeout=1.0) == "kept"
    if not back:
        with pytest.raises(StoreAwayError, match="1 outcomes were kept"):
            exp.close()
        return
    start(exp)
    exp.close()
    with Experiment("a", storage=tmp_path / "log.db") as again:
        assert again.tell(trial, 5.0) == "again"


def test_an_outcome_that_two_would_write_is_written_once(exp):
    """The one that hangs is written, and a second one of the same key changes nothing."""
    stop(exp, "hangs")
    assert within(exp.tell, arm="x", value=8.0, timeout=0.02) == "kept"
    kept, _ = exp._telling(arm="x", value=8.0)
    exp._fallback._kept += [[kept], [kept]]
    start(exp)
    exp.note("back")
    idle(exp)
    events = exp._log.read()
    assert events.value[events.kind == Kind.TOLD].tolist().count(8.0) == 2


class TestPlantedFaults:
    def test_a_lock_that_is_held_while_the_store_hangs(self, exp, monkeypatch):
        def holding(self, job):
            with self._lock:
                job.wait()
                job.withdrawn = not job.ended

        monkeypatch.setattr(fallback.Fallback, "leave", holding)
        stop(exp, "hangs")
        monkeypatch.setattr("tests.live.faults.test_fallback.SOON", 1.0)
        with pytest.raises(AssertionError, match="traffic stopped"):
            [within(exp.ask, default="y", timeout=0.02) for _ in range(10)]
        start(exp)


def test_a_server_that_is_stopped_and_started_again():
    own = Cluster()
    try:
        exp = Experiment("a", ARMS, storage=own.url, **MADE)
        trial = exp.ask()
        exp.tell(exp.ask(), 1.0)
        own.kill()
        trials = [within(exp.ask, default="y", timeout=5.0) for _ in range(5)]
        assert {each.how for each in trials} == {"default"}
        assert within(exp.tell, trial, 7.0, timeout=5.0) == "kept"
        with pytest.raises(StoreError):
            exp.ask()
        own.start()
        assert exp.tell(exp.ask(), 2.0) == "told"
        assert exp.tell(trial, 7.0) == "again"
        assert exp.counts()["defaulted"] == 5
        assert exp.counts()["outcomes"] == 3
        assert_replay(exp)
        exp.close()
    finally:
        own.remove()
