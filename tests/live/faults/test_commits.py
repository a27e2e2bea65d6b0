"""Jobs that share a commit: whose fault it is, and what an interrupt leaves."""

import asyncio
import threading
from dataclasses import replace

import pytest

import upperhand as uh
from tests.live.interrupting import interrupted
from tests.live.opened import Wrapped
from tests.live.states import assert_replay
from upperhand.errors import StoreAwayError, StoreError
from upperhand.live import Experiment

# An interrupt between the opening of the lock's file and its note leaves it to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
MADE = {"quantile": 0.9, "direction": "minimize", "seed": 1}


@pytest.fixture(params=["sqlite", "memory"])
def storage(request, tmp_path):
    return tmp_path / "log.db" if request.param == "sqlite" else None


def gathered(exp, calls):
    """Run calls, each on a thread, in one commit; return what each returned or raised."""
    answers = [None] * len(calls)

    def run(i):
        try:
            answers[i] = calls[i]()
        except BaseException as error:
            answers[i] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(calls))]
    log = Wrapped(exp)
    log.flushes = True  # as of a server: callers that meet leave it to the engine's thread
    with exp._look():
        for thread in threads:
            thread.start()
        # the first one may be in the engine's hands already
        wait_until(lambda: exp._engine.waiting >= len(calls) - 1)
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
        transact = exp._log.transact

        def away(work, **how):
            raise StoreAwayError("The disk is full.")

        monkeypatch.setattr(exp._log, "transact", away, raising=False)
        answers = gathered(exp, [lambda t=t: exp.tell(t, 1.0) for t in trials])
        assert all(isinstance(answer, StoreError) for answer in answers)
        monkeypatch.setattr(exp._log, "transact", transact, raising=False)
        assert exp.counts()["outcomes"] == 0
        assert [exp.tell(trial, 1.0) for trial in trials] == ["told"] * 6
        assert_replay(exp)


def interrupted_among_others(exp, place, *, opcodes):
    """Interrupt a tell while other threads work; return whether it got there, and its trial."""
    trial, answers = exp.ask(), []
    other = exp.ask()
    threads = [
        threading.Thread(target=lambda: answers.append(exp.tell(other, 2.0)), daemon=True),
        threading.Thread(target=lambda: answers.append(exp.record(["x"], [3.0])), daemon=True),
    ]
    for thread in threads:
        thread.start()
    hit = interrupted(lambda: exp.tell(trial, 1.0), place, opcodes=opcodes)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread waits for ever"
    assert sorted(map(str, answers)) == ["1", "told"], answers
    return hit, trial


@pytest.mark.parametrize("opcodes", [False, True], ids=["lines", "bytecodes"])
@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)])
def test_an_interrupt_concerns_nobody_else(storage, opcodes, step):
    """What the others did happens exactly once, and what was interrupted at most once."""
    with Experiment("a", ["x", "y", "z"], storage=storage, **MADE) as exp:
        for place in range(1, 20_000, step * (1 + 4 * opcodes)):
            before = exp.counts()["outcomes"]
            hit, own = interrupted_among_others(exp, place, opcodes=opcodes)
            done = exp.counts()["outcomes"] - before - 2
            assert done in (0, 1)
            assert exp.tell(own, 1.0) == ("again" if done else "told")
            if not hit:
                break
        assert not hit
        assert_replay(exp)


def test_many_tasks_share_commits(storage):
    with Experiment("a", ["x", "y", "z"], storage=storage, **MADE) as exp:
        seen = []
        exp._engine.on_commit = lambda n, events: seen.append((n, len(events)))

        async def pairs():
            for _ in range(10):
                trial = await exp.aask()
                assert await exp.atell(trial, 1.0) == "told"

        async def main():
            await asyncio.gather(*(pairs() for _ in range(16)))

        asyncio.run(main())
        assert exp.counts()["outcomes"] == 160
        assert len(seen) < 160  # and not 320
        first, events = seen[0][0] - seen[0][1], sum(count for _, count in seen)
        assert (first, seen[-1][0]) == (1, 1 + events) == (1, exp._log.last())
        assert_replay(exp)
