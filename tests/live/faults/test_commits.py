"""Threads that share commits: whose fault it is, and what an interrupted leader leaves."""

import sys
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

import upperhand as uh
from tests.live.interrupting import interrupted
from tests.live.states import assert_replay
from upperhand.errors import StoreAwayError, StoreError
from upperhand.live import Experiment
from upperhand.live.commits import Commits

# An interrupt between the opening of the lock's file and its note leaves it to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
MADE = {"quantile": 0.9, "direction": "minimize", "seed": 1}


@pytest.fixture(params=["sqlite", "memory"])
def storage(request, tmp_path):
    return tmp_path / "log.db" if request.param == "sqlite" else None


@contextmanager
def held(exp):
    """Keep turns away, so that what is called meanwhile gathers in one batch."""
    with exp._commits.alone():
        yield


def gathered(exp, calls):
    """Run calls, each on a thread, in one batch; return what each returned or raised."""
    answers = [None] * len(calls)

    def run(i):
        try:
            answers[i] = calls[i]()
        except BaseException as error:
            answers[i] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(calls))]
    with held(exp):
        for thread in threads:
            thread.start()
        wait_until(
            lambda: exp._commits._gathering and len(exp._commits._gathering.jobs) == len(calls)
        )
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return answers


def wait_until(condition):
    for _ in range(20_000):
        if condition():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never came")


class Superstitious(uh.KLQUCB):
    """A policy of a user's own, with a fault."""


def refuse_13(policy, state, arm, reward):
    if abs(reward) == 13:
        raise ZeroDivisionError("13")
    uh.KLQUCB.functions.update(policy, state, arm, reward)


def test_a_policy_that_fails_on_one_value_hurts_only_its_caller(storage):
    Superstitious.functions = replace(uh.KLQUCB.functions, update=refuse_13)
    with Experiment(
        "a", ["x", "y", "z"], policy=Superstitious(0.9), storage=storage, **MADE
    ) as exp:
        trials = exp.ask_many(8)
        values = [1.0, 2.0, 13.0, 4.0, 5.0, 13.0, 7.0, 8.0]
        answers = gathered(
            exp, [lambda t=t, v=v: exp.tell(t, v) for t, v in zip(trials, values, strict=True)]
        )
        failed = [isinstance(answer, ZeroDivisionError) for answer in answers]
        assert failed == [value == 13.0 for value in values]
        assert answers.count("told") == 6
        assert exp.counts()["outcomes"] == 6
        assert [exp.tell(t, 6.0) for t in (trials[2], trials[5])] == ["told", "told"]
        assert_replay(exp)


def test_a_refusal_is_its_callers_alone(storage):
    with Experiment("a", ["x", "y", "z"], storage=storage, **MADE) as exp:
        trials = exp.ask_many(3)
        exp.tell(trials[0], 1.0)
        answers = gathered(
            exp,
            [
                lambda: exp.tell(trials[0], 2.0),
                lambda: exp.tell(trials[1], 2.0),
                lambda: exp.tell("99.1.0", 2.0),
                lambda: exp.ask(among=["nobody"]),
                exp.ask,
            ],
        )
        kinds = [type(answer).__name__ for answer in answers]
        assert kinds == ["ConflictError", "str", "UnknownNameError", "UnknownNameError", "Trial"]
        assert_replay(exp)


def test_an_error_of_the_store_reaches_every_waiter(storage, monkeypatch):
    with Experiment("a", ["x", "y", "z"], storage=storage, **MADE) as exp:
        trials = exp.ask_many(6)
        turn = exp._log.turn

        def away(**how):
            raise StoreAwayError("The disk is full.")

        monkeypatch.setattr(exp._log, "turn", away, raising=False)
        answers = gathered(exp, [lambda t=t: exp.tell(t, 1.0) for t in trials])
        assert all(isinstance(answer, StoreError) for answer in answers)
        monkeypatch.setattr(exp._log, "turn", turn, raising=False)
        assert exp.counts()["outcomes"] == 0
        assert [exp.tell(trial, 1.0) for trial in trials] == ["told"] * 6
        assert_replay(exp)


def led_and_interrupted(exp, place, *, opcodes):
    """Lead a batch of an own and three others' operations, and be interrupted; return all."""
    trials = exp.ask_many(2)
    calls = [lambda: exp.tell(trials[1], 2.0), exp.ask, lambda: exp.record(["x"], [3.0])]
    answers, threads = [None] * 3, []

    def run(i):
        try:
            answers[i] = calls[i]()
        except BaseException as error:
            answers[i] = error

    def others_join(batch):
        """Let the others in when the leader has the batch, before it runs it."""
        threads.extend(threading.Thread(target=run, args=(i,), daemon=True) for i in range(3))
        for thread in threads:
            thread.start()
        wait_until(lambda: len(batch.jobs) == 4)

    lead = Commits._lead
    main = threading.get_ident()

    def leading(commits, batch):
        if threading.get_ident() == main and not threads:
            with untraced():
                others_join(batch)
        return lead(commits, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Commits, "_lead", leading)
        hit = interrupted(lambda: exp.tell(trials[0], 1.0), place, opcodes=opcodes)
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive(), "a thread waits for ever"
    return hit, trials[0], answers, bool(threads)


@contextmanager
def untraced():
    before = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(before)


def check_leader(storage, *, opcodes, step, first=1):
    """Whenever the leader is interrupted, what the others did happens exactly once."""
    place = first
    with Experiment("a", ["x", "y", "z"], storage=storage, **MADE) as exp:
        while True:
            before = exp.counts()
            hit, own, answers, joined = led_and_interrupted(exp, place, opcodes=opcodes)
            own_told = exp.tell(own, 1.0) == "again"
            after = exp.counts()
            grown = [after[name] - before[name] for name in ("asked", "outcomes")]
            if joined:
                assert answers[0] == "told", (place, answers)
                assert answers[2] == 1, (place, answers)
                assert grown == [3, 3], (place, grown, own_told)
                exp.tell(answers[1], 1.0)
            if not hit:
                break
            place += step
        assert_replay(exp)
    return place


@pytest.mark.parametrize("opcodes", [False, True], ids=["lines", "bytecodes"])
def test_a_leader_that_is_interrupted(storage, opcodes):
    assert check_leader(storage, opcodes=opcodes, step=83 if opcodes else 19) > 100


@pytest.mark.slow
@pytest.mark.parametrize("opcodes", [False, True], ids=["lines", "bytecodes"])
def test_a_leader_that_is_interrupted_everywhere(storage, opcodes):
    print(f"\ninterrupted {check_leader(storage, opcodes=opcodes, step=1)} times")


def test_an_answer_that_is_not_looked_up_is_caught(monkeypatch):
    """A planted fault: what an interrupted leader had committed is done again."""
    monkeypatch.setattr(Commits, "_settle", lambda commits: None)
    with pytest.raises(AssertionError):
        check_leader(None, opcodes=False, step=5, first=900)
