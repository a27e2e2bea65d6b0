"""Trials that measure themselves: contexts and decorators, plain and asynchronous."""

import asyncio
import pickle
import time
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from upperhand.errors import ParameterError
from upperhand.live import measured

from .opened import memory


@pytest.fixture
def took(monkeypatch):
    """Return a function that lets time pass inside of a block."""
    clock = [50.0]
    monkeypatch.setattr(measured, "time", SimpleNamespace(perf_counter=lambda: clock[0]))

    def wait(seconds):
        clock[0] += seconds

    return wait


def known(exp, arm="a"):
    report = exp.report()[exp.arms.index(arm)]
    return report.pulls, report.quantile, report.pending


class Once:
    """Run a block in both ways; the same must come of it."""

    def __init__(self, exp, way):
        self.exp, self.way = exp, way

    def run(self, body, **asked):
        if self.way == "plain":
            with self.exp.trial(**asked) as trial:
                return body(trial)

        async def main():
            async with self.exp.trial(**asked) as trial:
                return body(trial)

        return asyncio.run(main())


@pytest.fixture(params=["plain", "asynchronous"])
def once(request):
    return lambda **settings: Once(memory(**settings), request.param)


class TestBlock:
    @pytest.mark.parametrize(("unit", "told"), [(None, 2.0), ("s", 2.0), ("ms", 2e3), ("us", 2e6)])
    def test_the_time_is_told_in_the_unit(self, once, took, unit, told):
        each = once(duration=unit)
        each.run(lambda _: took(2.0))
        assert known(each.exp) == (1, told, 0)

    def test_a_duration_can_be_maximized(self, once, took):
        each = once(duration="s", direction="maximize")
        each.run(lambda _: took(2.0))
        assert known(each.exp) == (1, 2.0, 0)

    def test_an_exception_is_a_failure_and_goes_on(self, once):
        each = once()
        with pytest.raises(ZeroDivisionError):
            each.run(lambda _: 1 / 0)
        assert each.exp.counts()["failed"] == 1
        assert known(each.exp)[2] == 0

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
    def test_an_interrupt_gives_it_back(self, error):
        exp = memory()
        with pytest.raises(error), exp.trial():
            raise error
        counts = exp.counts()
        assert (counts["given_back"], counts["outcomes"], counts["pending"]) == (1, 0, 0)

    @pytest.mark.parametrize("error", [NameError, SyntaxError, ImportError, ModuleNotFoundError])
    def test_so_does_a_mistake_in_the_program(self, once, error):
        each = once()
        with pytest.raises(error):
            each.run(lambda _: (_ for _ in ()).throw(error))
        assert (each.exp.counts()["given_back"], len(each.exp)) == (1, 0)

    def test_failures_may_be_named(self, once):
        each = once()
        for error in (TimeoutError, ValueError, KeyboardInterrupt):
            with pytest.raises(error):
                each.run(
                    lambda _, error=error: (_ for _ in ()).throw(error),
                    failures=(TimeoutError, KeyboardInterrupt),
                )
        counts = each.exp.counts()
        assert (counts["failed"], counts["given_back"]) == (2, 1)
        with pytest.raises(ParameterError, match="failures must be exceptions, such as Time"):
            each.exp.trial(failures="TimeoutError")

    @pytest.mark.parametrize(
        "tell",
        [
            lambda exp, trial: trial.tell(7.0),
            lambda exp, trial: exp.tell(trial, 7.0),
            lambda exp, trial: exp.tell(trial.id, 7.0),
            lambda exp, trial: exp.tell_many([(trial, 7.0)]),
            lambda exp, trial: exp.tell_many([(trial.id, 7.0)]),
        ],
    )
    def test_what_the_block_tells_counts(self, once, took, tell):
        each = once()
        each.run(lambda trial: (took(1.0), tell(each.exp, trial)))
        assert known(each.exp) == (1, 7.0, 0)

    def test_also_before_an_exception(self, once):
        each = once()
        with pytest.raises(ZeroDivisionError):
            each.run(lambda trial: (each.exp.tell(trial.id, 7.0), 1 / 0))
        assert known(each.exp) == (1, 7.0, 0)
        assert each.exp.counts()["failed"] == 0

    def test_given_back_in_the_block(self, once):
        each = once()
        each.run(lambda trial: each.exp.release(trial))
        assert each.exp.counts()["given_back"] == 1
        assert len(each.exp) == 0

    def test_to_maximize_without_a_value_says_so(self, once):
        each = once(direction="maximize")
        with pytest.raises(ParameterError, match=r"told nothing. Tell it: trial.tell\(value\)"):
            each.run(lambda _: None)
        assert each.exp.counts()["given_back"] == 1
        each.run(lambda trial: each.exp.tell(trial, 3.0))
        assert len(each.exp) == 1

    def test_a_reward_that_is_refused_is_a_failure(self, once):
        each = once()
        with pytest.raises(ValueError, match="finite number"):
            each.run(lambda trial: each.exp.tell(trial, "7"))
        assert each.exp.counts()["failed"] == 1

    def test_arguments_are_those_of_ask(self, once, took):
        each = once()
        each.run(lambda _: took(1.0), among=["b"], by="eu", key="ann")
        assert each.exp.pulls("b", by="eu") == 1


class TestTrial:
    def test_it_tells_all_that_an_experiment_takes(self):
        exp = memory(quantile=0.5)
        assert exp.ask().tell(failed=True) == "told"
        assert exp.ask().tell(at_least=3.0, timeout=60) == "told"
        trial = exp.ask_many(2)[1]
        assert (trial.tell(2.0), trial.tell(2.0)) == ("told", "again")
        counts = exp.counts()
        assert (counts["failed"], counts["at_least"], counts["outcomes"]) == (1, 1, 3)

    def test_a_copy_can_be_sent_to_another_process(self):
        exp = memory({"a": {"lr": 0.1}})
        trial = exp.ask()
        assert trial.config == {"lr": 0.1}
        sent = pickle.loads(pickle.dumps(trial))  # noqa: S301
        assert sent == trial
        assert asdict(sent)["arm"] == "a"
        with pytest.raises(ParameterError, match=r"no experiment. Write exp.tell\(trial, value\)"):
            sent.tell(1.0)
        with pytest.raises(ParameterError, match="A copied trial has no experiment"):
            sent.config  # noqa: B018
        assert exp.tell(sent, 1.0) == "told"


class TestRun:
    def test_what_a_function_returns_is_recorded(self):
        exp = memory(["a"])
        values = iter([3.0, 1.0, 2.0])
        exp.run(lambda trial: next(values), 3)
        assert exp.to_frame()["value"].tolist() == [3.0, 1.0, 2.0]
        exp.run(lambda trial: trial.tell(failed=True), 1e1)
        assert (len(exp), exp.counts()["failed"]) == (13, 10)

    def test_it_goes_on_after_named_exceptions_only(self):
        exp = memory(["a"])
        problems = iter([TimeoutError, None, TimeoutError, ZeroDivisionError])

        def function(trial):
            if (problem := next(problems)) is not None:
                raise problem
            return 1.0

        with pytest.raises(ZeroDivisionError):
            exp.run(function, 9, catch=TimeoutError)
        assert (len(exp), exp.counts()["failed"]) == (4, 3)

    def test_a_function_without_a_result_gives_its_trial_back(self):
        exp = memory(["a"])
        for result, message in ((None, "got none for 'a'"), ("7", "finite number")):
            with pytest.raises(ValueError, match=message):
                exp.run(lambda trial, result=result: result, 2)
        assert (len(exp), exp.counts()["given_back"]) == (0, 2)

    def test_with_a_duration_the_time_counts(self, took):
        exp = memory(["a"], duration="ms")
        exp.run(lambda trial: took(2.0), 2)
        assert exp.quantile("a") == 2000.0


class TestDecorator:
    def test_plain(self, took):
        exp = memory()

        @exp.measured
        def call(arm, x, *, y=0):
            """Say."""
            took(x + y)
            return arm, x

        assert call(1, y=2) == ("a", 1)
        assert known(exp) == (1, 3.0, 0)
        assert (call.__name__, call.__doc__) == ("call", "Say.")
        with pytest.raises(TypeError):
            call("x")
        assert exp.counts()["failed"] == 1

    def test_asynchronous(self, took):
        exp = memory()

        @exp.measured
        async def call(arm, x):
            took(x)
            return 1 / x

        assert asyncio.run(call(4.0)) == 0.25
        assert known(exp) == (1, 4.0, 0)
        with pytest.raises(ZeroDivisionError):
            asyncio.run(call(0.0))
        assert exp.counts()["failed"] == 1

    def test_many_at_once(self):
        exp = memory()

        @exp.measured
        async def call(arm):
            await asyncio.sleep(0)
            return arm

        async def main():
            return await asyncio.gather(*(call() for _ in range(30)))

        assert set(asyncio.run(main())) == {"a", "b", "c"}
        assert (len(exp), exp.counts()["pending"]) == (30, 0)


class TestAsynchronous:
    def test_ask_and_tell(self):
        exp = memory()

        async def main():
            trial = await exp.aask(among=["b"])
            return trial.arm, await exp.atell(trial, 2.0), await exp.atell(trial.id, value=2.0)

        assert asyncio.run(main()) == ("b", "told", "again")

    def test_a_cancelled_block_gives_its_trial_back(self):
        exp = memory()

        async def main():
            inside = asyncio.Event()

            async def work():
                async with exp.trial():
                    inside.set()
                    await asyncio.sleep(60)

            task = asyncio.create_task(work())
            await inside.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        counts = exp.counts()
        assert (counts["given_back"], counts["outcomes"], counts["pending"]) == (1, 0, 0)

    @pytest.mark.parametrize("answered", [False, True])
    def test_a_cancelled_ask_leaves_no_trial(self, answered):
        exp = memory()

        async def main():
            task = asyncio.create_task(exp.aask())
            with exp._look():  # the ask waits
                await asyncio.sleep(0.01)
                if not answered:
                    task.cancel()
                    await asyncio.sleep(0)  # the task hears of it
            while answered and not exp._log.read().n.size > 2:
                time.sleep(0.001)  # the loop does not know of the answer yet
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while exp.counts()["given_back"] < answered:
                await asyncio.sleep(0.001)

        asyncio.run(asyncio.wait_for(main(), 60))
        assert (exp.counts()["asked"], exp.counts()["pending"]) == (answered, 0)
