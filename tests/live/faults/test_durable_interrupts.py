"""An interrupt at any line or bytecode of a durable experiment: nothing half, nobody blocked."""

import fcntl
import threading

import pytest

from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import Worker, made
from tests.live.interrupting import interrupted
from tests.live.states import assert_replay
from upperhand.live import Experiment
from upperhand.live.engine import Engine
from upperhand.live.log.sqlite import SqliteStorage

# An interrupt between the opening of the lock's file and its note leaves it to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
PATIENCE = 20  # seconds until something counts as blocked


class Subject:
    """An experiment, an operation to interrupt, and a look at what became of it."""

    def __init__(self, storage, policy=None):
        self.exp = Experiment(
            "a", ["x", "y", "z"], quantile=0.9, direction="minimize", storage=storage, seed=1,
            policy=policy, lease=1e6,
        )  # fmt: skip
        self.url, self.value, self.interrupts = storage, 0.0, 0

    def ask(self):
        self.exp.ask()

    def tell(self):
        self.value += 1.0
        self.exp.tell(self.trial, self.value)

    def context(self):
        with self.exp.trial():
            pass

    def prepare(self):
        self.trial = self.exp.ask()

    def check(self):
        """Nobody is blocked, and what was counted grew by one call at most."""
        self.interrupts += 1
        done = []
        other = threading.Thread(target=lambda: done.append(self.exp.ask()), daemon=True)
        other.start()
        other.join(PATIENCE)
        assert done, "another thread is blocked"
        if self.url is not None:
            with open(f"{self.url}.lock", "ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        counts = self.exp.counts()
        answer = self.exp.tell(self.trial, self.value) if self.value else "again"
        assert answer in ("told", "again")
        assert self.exp.counts()["outcomes"] == counts["outcomes"] + (answer == "told")


def check_everywhere(subject, what, *, opcodes, step=1, first=1):
    """Interrupt an operation at every place, on an experiment that goes on."""
    place, kinds = first, set()
    while True:
        subject.prepare()
        subject.exp.counts()  # all that was is taken in
        before = subject.exp.counts()
        if not interrupted(getattr(subject, what), place, opcodes=opcodes):
            break
        after = subject.exp.counts()
        grown = (after["asked"] - before["asked"], after["outcomes"] - before["outcomes"])
        kinds.add(grown)
        assert grown in {"ask": [(0, 0), (1, 0)], "tell": [(0, 0), (0, 1)]}.get(
            what, [(0, 0), (1, 0), (1, 1)]
        ), (place, grown)
        subject.check()
        if (place // step) % 60 == 0:
            assert_replay(subject.exp)
        place += step
    assert len(kinds) >= 2 or step > 20, kinds
    assert_replay(subject.exp)
    return place // step


@pytest.fixture(params=["sqlite", "memory"])
def subject(request, tmp_path):
    subject = Subject(tmp_path / "log.db" if request.param == "sqlite" else None)
    yield subject
    subject.exp.close()


@pytest.mark.parametrize("what", ["ask", "tell", "context"])
@pytest.mark.parametrize("opcodes", [False, True], ids=["lines", "bytecodes"])
def test_here_and_there(subject, what, opcodes):
    check_everywhere(subject, what, opcodes=opcodes, step=47 if opcodes else 5)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["ask", "tell", "context"])
@pytest.mark.parametrize("opcodes", [False, True], ids=["lines", "bytecodes"])
def test_everywhere(subject, what, opcodes):
    times = check_everywhere(subject, what, opcodes=opcodes)
    print(f"\n{what}: interrupted {times} times")


@pytest.mark.parametrize("interrupts", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_real_signals(tmp_path, interrupts):
    """A timer that interrupts asks and tells, while another process goes on beside it."""
    with made(tmp_path / "log.db", lease=1e6) as exp:
        worker = Worker(tmp_path / "log.db", do="signals", interrupts=interrupts)
        worker.begin()
        mine = {}
        while worker.process.poll() is None and len(mine) < 20_000:
            trial = exp.ask(timeout=60.0)  # if it is blocked, that is an error
            exp.tell(trial, -1.0 - len(mine))
            mine[trial.id] = -1.0 - len(mine)
            threading.Event().wait(0.003)
        (said,) = worker.end()
        check_kept(exp, said["told"] | mine)
        counts = exp.counts()
        assert counts["outcomes"] == len(said["told"]) + len(mine)
        assert counts["lost"] == 0
        assert counts["asked"] <= said["pairs"] + len(mine)
        assert_replay(exp)
    assert said["rung"] == interrupts
    print(f"\n{interrupts} signals in {said['pairs']} pairs: nothing half, nobody blocked")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
class TestPlantedFaults:
    """What the checks above must catch."""

    def test_a_transaction_that_is_left_open(self, tmp_path, monkeypatch):
        monkeypatch.setattr(SqliteStorage, "clear", lambda storage: None)
        with pytest.raises((AssertionError, OSError)):
            check_everywhere(Subject(tmp_path / "log.db"), "ask", opcodes=True, step=3, first=200)

    def test_a_state_that_is_not_rebuilt(self, tmp_path, monkeypatch):
        def careless(engine):
            engine._changing = False

        monkeypatch.setattr(Engine, "_renew", careless)
        with pytest.raises((AssertionError, LookupError, OSError)):
            check_everywhere(Subject(tmp_path / "log.db"), "tell", opcodes=False, step=5)
