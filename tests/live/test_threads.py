"""Threads, forks and tasks that share a bandit or an experiment."""

import asyncio
import copy
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ConflictError
from upperhand.live import Experiment
from upperhand.live.log import OUTCOMES, Kind

from .states import assert_replay, assert_same

THREADS, ROUNDS = 8, 300
NAMES = ["a", "b", "c"]
MADE = {"quantile": 0.9, "direction": "minimize", "seed": 1}


@pytest.fixture
def hasty():
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(params=["sqlite", "memory"])
def storage(request, tmp_path):
    return tmp_path / "log.db" if request.param == "sqlite" else None


def work_on_bandit(bandit, rounds=ROUNDS):
    """Let threads ask and tell; return the pulls that they made of each arm."""

    def work(thread):
        rng, own = np.random.default_rng(thread), np.zeros(3, int)
        for turn in range(rounds):
            name = bandit.ask()
            assert len(bandit) >= 0
            bandit.tell(name, rng.normal())
            own[NAMES.index(name)] += 1
            if turn % 100 == 0:
                assert repr(bandit)
                assert len(copy.copy(bandit)) > turn
        return own

    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(work, range(THREADS))).tolist()


@pytest.mark.usefixtures("hasty")
@pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
@pytest.mark.parametrize(
    "policy",
    [uh.UCB1(), uh.ACPUCB1(), uh.KLQUCB(), uh.QuantileTS(random_ties=True)],
    ids=lambda policy: policy.name,
)
def test_a_bandit_loses_and_tears_nothing(policy):
    bandit = uh.Bandit(NAMES, policy, seed=0)
    check_bandit(bandit)


def check_bandit(bandit):
    pulls = work_on_bandit(bandit)
    assert len(bandit) == bandit.counts()["asked"] == THREADS * ROUNDS
    assert [bandit.pulls(name) for name in NAMES] == pulls
    replayed = copy.copy(bandit)
    replayed._changing = True  # as an interrupt leaves it: all is learned anew
    assert_same(replayed, bandit)


@pytest.mark.usefixtures("hasty")
def test_how_long_a_bandit_is_can_be_looked_at_any_time():
    """A look that reads the journal must not be in the way of who writes it."""
    bandit = uh.Bandit(NAMES, uh.KLQUCB(), seed=0)
    for _ in range(3000):
        bandit.tell("a", 1.0)
    over = []

    def look():
        while not over:
            len(bandit)

    with ThreadPoolExecutor(4) as pool:
        lookers = [pool.submit(look) for _ in range(3)]
        try:
            for _ in range(500):
                bandit.tell("a", 1.0)
        finally:
            over.append(True)
        assert all(each.result() is None for each in lookers)
    assert len(bandit) == 3500


class NoLock:
    """A planted fault."""

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


@pytest.mark.usefixtures("hasty")
def test_a_bandit_without_a_lock_is_caught():
    def try_often():
        for _ in range(5):  # on a busy machine, threads may not meet at the first try
            bandit = uh.Bandit(NAMES, uh.KLQUCB(), seed=0)
            bandit._lock = NoLock()
            check_bandit(bandit)

    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever breaks first
        try_often()


def work_on_experiment(exp, threads, rounds):
    """Let threads ask and tell, each tell twice; return what was acknowledged, by id."""

    def work(thread):
        rng, told = np.random.default_rng(thread), {}
        for turn in range(rounds):
            if turn % 3 == 0:
                trials = exp.ask_many(2)
            elif turn % 3 == 1:
                trials = [exp.ask(among=["a", "b"], by="eu")]
            else:
                trials = [exp.ask(key=f"user {turn % 2}")]
            for trial in trials:
                value = float(rng.normal())
                assert exp.tell(trial, value) == "told"
                assert exp.tell(trial.id, value) == "again"
                assert trial.id not in told
                told[trial.id] = (trial, value)
            if turn % 5 == 0:
                assert repr(exp)
                with pytest.raises(ConflictError):
                    exp.tell(trial, value + 1)
        return told

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(work, range(threads)))
    told = {key: what for part in parts for key, what in part.items()}
    assert len(told) == sum(map(len, parts)), "an id was given twice"
    return told


def check_all_there(exp, told):
    """Each ask and each outcome that was acknowledged stands in the log, once, as it was."""
    events = assert_replay(exp)
    asks, outcomes = {}, {}
    for i in range(len(events.n)):
        event = events.event(i)
        if event.kind == Kind.ASKED:
            asks[event.trial] = event
        elif event.kind in OUTCOMES:
            assert event.trial not in outcomes
            outcomes[event.trial] = event
    assert len(asks) == len(outcomes) == len(told)
    for text, (trial, value) in told.items():
        epoch, ask = map(int, text.split(".")[:2])
        number = epoch * 2**40 + ask
        assert asks[number].value == trial.propensity
        assert exp.arms[asks[number].arm] == exp.arms[outcomes[number].arm] == trial.arm
        assert outcomes[number].value == value


@pytest.mark.parametrize("rounds", [12, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("policy", [None, uh.QuantileTS(0.9)], ids=["default", "draws"])
def test_32_threads_on_an_experiment(storage, policy, rounds):
    if policy is not None and storage is None and rounds < 20:
        rounds = 6
    with Experiment("x", NAMES, policy=policy, storage=storage, draws=4, **MADE) as exp:
        told = work_on_experiment(exp, 32, rounds)
        check_all_there(exp, told)
        if storage is not None:
            with Experiment("x", storage=storage) as again:
                check_all_there(again, told)


def test_an_outcome_that_is_written_twice_is_caught(storage):
    """A planted fault: who tells again is not asked whether it was told."""
    with Experiment("x", NAMES, storage=storage, **MADE) as exp:
        told = work_on_experiment(exp, 4, 5)
        exp.record(["a"], [1.0])  # an outcome that nobody acknowledged
        with pytest.raises(AssertionError):
            check_all_there(exp, told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_in_the_middle(tmp_path):
    """Parent and child go on with the same object; no id is given twice, nothing is lost."""
    with Experiment("x", NAMES, storage=tmp_path / "log.db", **MADE) as exp:
        open_trial = exp.ask()
        with ThreadPoolExecutor(4) as pool:
            busy = [pool.submit(lambda: [exp.tell(exp.ask(), 1.0) for _ in range(40)])]
            children = [forked(lambda: [exp.tell(exp.ask(), 2.0) for _ in range(25)])]
            children.append(forked(lambda: exp.tell(open_trial, 5.0)))
            assert all(each.result() == ["told"] * 40 for each in busy)
        exp.tell(exp.ask(), 3.0)
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0]
        assert exp.tell(open_trial, 5.0) == "again"
        events = assert_replay(exp)
        values = events.value[events.kind == Kind.TOLD].tolist()
        assert {value: values.count(value) for value in set(values)} == {1: 40, 2: 25, 3: 1, 5: 1}
        assert (events.kind == Kind.OPENED).sum() == 2  # parent, and the child that asked


def forked(work):
    """Run `work` in a forked process; it ends with 0 if all went well."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:
        sys.stderr.write(f"in the child: {error!r}\n")
    finally:
        os._exit(code)


@pytest.mark.parametrize("count", [200])
def test_tasks(storage, count):
    """Many tasks at once; those that are cancelled while they ask give their trial back."""

    async def one(exp, i):
        trial = await exp.aask()
        assert await exp.atell(trial, float(i)) == "told"
        return trial.id

    async def measured(exp):
        async with exp.trial():
            await asyncio.sleep(0)

    async def main(exp):
        told = [asyncio.create_task(one(exp, i)) for i in range(count)]
        contexts = [asyncio.create_task(measured(exp)) for _ in range(count // 4)]
        cancelled = [asyncio.create_task(exp.aask()) for _ in range(count // 2)]
        await asyncio.sleep(0.01)
        for task in cancelled:
            task.cancel()
        answers = await asyncio.gather(*cancelled, return_exceptions=True)
        await asyncio.gather(*contexts)
        return await asyncio.gather(*told), [a for a in answers if not isinstance(a, BaseException)]

    with Experiment("x", NAMES, storage=storage, **MADE) as exp:
        ids, kept = asyncio.run(main(exp))
        assert len(set(ids)) == count
        counts = exp.counts()
        assert counts["outcomes"] == count + count // 4
        assert counts["pending"] == len(kept)  # all that was cancelled was given back
        assert_replay(exp)


def test_a_cancelled_trial_is_given_back(storage):
    async def main(exp):
        async def long():
            async with exp.trial():
                await asyncio.sleep(60)

        task = asyncio.create_task(long())
        while not exp.counts()["pending"]:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with Experiment("x", NAMES, storage=storage, **MADE) as exp:
        asyncio.run(main(exp))
        for _ in range(2000):  # the engine's thread gives it back
            if exp.counts()["given_back"]:
                break
            time.sleep(0.005)
        assert exp.counts()["given_back"] == 1
        assert exp.counts()["pending"] == exp.counts()["outcomes"] == 0
        assert_replay(exp)
