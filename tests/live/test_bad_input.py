"""Whatever is given: an error of ours that says what is wrong, and nothing changed."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from upperhand.errors import UpperhandError
from upperhand.live import Bandit
from upperhand.live.log.event import Kind
from upperhand.policies import UCB1

from ..looping import for_each
from .opened import again, assert_equal, events, machine, memory, state

NO_REWARDS = [
    math.nan, math.inf, -math.inf, 1e999, "1.5", b"1", True, False, np.True_, [1.0], {}, set(), ...,
    1j, np.complex128(1), Decimal("nan"), 1e200, -1.1e150, 10**400, np.datetime64("2020"), object(),
]  # fmt: skip


@pytest.fixture
def exp():
    exp = memory()
    exp.tell(exp.ask(by="eu"), 2.0, timeout=None)
    exp.tell(exp.ask(), failed=True)
    exp.ask(key="ann")
    return exp


def refused(exp, call):
    """Assert that a call is refused with an error of ours, and that nothing is changed by it."""
    before, length = state(exp), exp._log.last()
    with pytest.raises(UpperhandError) as caught:
        call()
    assert len(str(caught.value)) > 20
    assert state(exp) == before
    assert exp._log.last() == length
    assert_equal(machine(again(exp)), machine(exp))


class TestRewards:
    @for_each("value", NO_REWARDS)
    def test_what_is_no_reward(self, exp, value):
        trial = exp.ask()
        refused(exp, lambda: exp.tell(trial, value))
        refused(exp, lambda: exp.tell(trial, at_least=value))
        refused(exp, lambda: exp.tell(arm="a", value=value, by="new"))
        refused(exp, lambda: exp.tell_many([(trial, value)]))
        refused(exp, lambda: exp.record(["a", "b"], [1.0, value]))
        assert exp.tell(trial, 1.0) == "told"
        refused(exp, lambda: exp.correct(trial, value))

    @pytest.mark.parametrize(
        "value", [1, np.float32(1), np.int8(1), np.array(1.0), Fraction(1), Decimal(1)]
    )
    def test_what_is_one(self, value):
        exp = memory()
        exp.tell(exp.ask(), value)
        exp.record(["a"], [value])
        assert exp.quantile("a") == 1.0
        bandit = Bandit(["a"], UCB1())
        bandit.tell("a", value)
        assert bandit.state.mean[0] == 1.0

    @pytest.mark.parametrize("value", [1e150, -1e150, 5e-324, -5e-324, 1.7976931348623157e-300])
    def test_extremes_are_kept_to_the_bit(self, value):
        exp = memory(quantile=0.5)
        exp.tell(arm="a", value=value)
        assert exp.quantile("a") == again(exp).quantile("a") == value

    @pytest.mark.parametrize("direction", ["minimize", "maximize"])
    def test_a_zero_has_no_sign(self, direction):
        exp = memory(direction=direction, quantile=0.5)
        exp.tell(exp.ask(), -0.0)
        exp.tell(arm="b", at_least=-0.0)
        trial = exp.ask()
        exp.tell(trial, 1.0)
        exp.correct(trial, -0.0)
        assert all(math.copysign(1, e.value) == 1 for e in events(exp))
        found = [exp.quantile("a"), *exp.quantile_interval("a"), exp.report()[0].quantile]
        assert all(math.copysign(1, x) == 1 for x in found if x == 0)
        assert found[0] == 0
        assert "-0" not in repr(exp)
        assert "−0 " not in repr(exp)

    @pytest.mark.parametrize(
        "how",
        [
            {}, {"value": 1.0, "failed": True}, {"value": 1.0, "at_least": 1.0},
            {"failed": True, "at_least": 2.0}, {"failed": 1}, {"failed": "yes"}, {"failed": None},
        ],
    )  # fmt: skip
    def test_one_outcome_of_three(self, exp, how):
        trial = exp.ask()
        refused(exp, lambda: exp.tell(trial, **how))
        refused(exp, lambda: exp.tell(arm="a", **how))


class TestTrials:
    @for_each(
        "trial",
        [
            "", "d", "1.1", "1.1.0.0.0", "-1.1.0", "1.1.-1", "1.1.0 ", "1e3.1.0", 5, 1.1, b"1.1.0",
            ["1.1.0"], {}, object(), "9" * 50, "1." + "9" * 12 + ".0", "0.0.0", "1.0.0", True, ...,
            "1.1.99999", "1.1.0.999999999",
        ],
    )  # fmt: skip
    def test_what_is_no_trial(self, exp, trial):
        refused(exp, lambda: exp.tell(trial, 1.0))
        refused(exp, lambda: exp.correct(trial, 1.0))
        refused(exp, lambda: exp.tell_many([(trial, 1.0)]))

    def test_a_trial_or_an_arm(self, exp):
        refused(exp, lambda: exp.tell())
        trial = exp.ask()
        refused(exp, lambda: exp.tell(trial, 1.0, arm="a"))
        refused(exp, lambda: exp.tell(value=1.0))

    @pytest.mark.parametrize("pairs", [[("1.1.0",)], ["1.1.0"], [5], [None], [("1.1.0", 1.0, 2.0)]])
    def test_pairs(self, exp, pairs):
        refused(exp, lambda: exp.tell_many(pairs))

    def test_the_arm_of_another_trial(self, exp):
        trial = exp.ask(among="b")
        epoch, ask, _ = trial.id.split(".")
        refused(exp, lambda: exp.tell(f"{epoch}.{ask}.0", 1.0))
        refused(exp, lambda: exp.tell(f"{epoch}.{ask}.1.1", 1.0))
        refused(exp, lambda: exp.release(f"{epoch}.{ask}.0"))
        exp.tell(trial, 1.0)
        refused(exp, lambda: exp.tell(f"{epoch}.{ask}.0", 1.0))


class TestNames:
    @for_each("arm", ["d", "", "A", " a", ["a"], 0, {}, "x" * 10**5, object()])
    def test_unknown_arms(self, exp, arm):
        refused(exp, lambda: exp.tell(arm=arm, value=1.0))
        refused(exp, lambda: exp.record(["a", arm], [1.0, 2.0]))
        refused(exp, lambda: exp.ask(among=["a", arm]))
        refused(exp, lambda: exp.retire(arm))
        refused(exp, lambda: exp.pin(arm))
        for look in (exp.pulls, exp.quantile, exp.interval, exp.quantile_interval):
            refused(exp, lambda look=look: look(arm))

    @for_each("name", ["", "x" * 201, "a\n", "\0", "\ud800", None, np.nan, True, ["d"], b"d"])
    def test_arms_that_cannot_be_added(self, exp, name):
        refused(exp, lambda: exp.add_arm(name))

    @for_each("by", ["", "x" * 201, "a\n", "\0", "\ud800", 5, ["eu"], b"eu", True])
    def test_segments(self, exp, by):
        refused(exp, lambda: exp.ask(by=by))
        refused(exp, lambda: exp.ask_many(2, by=by))
        refused(exp, lambda: exp.tell(arm="a", value=1.0, by=by))
        refused(exp, lambda: exp.report(by=by))
        refused(exp, lambda: exp.leader(by=by))

    def test_an_empty_segment_is_not_that_of_all(self, exp):
        """The label of asks without a segment is empty, but not a name for it."""
        for look in (exp.report, exp.leader):
            with pytest.raises(UpperhandError, match="segment"):
                look(by="")


@for_each("count", [0, -1, 1.5, "3", True, None, 10**6])
def test_how_many(exp, count):
    refused(exp, lambda: exp.ask_many(count))


@for_each("confidence", [0, 1, -0.5, 1.5, "0.9", math.nan, None, True])
def test_confidence(exp, confidence):
    refused(exp, lambda: exp.leader(confidence))
    refused(exp, lambda: exp.report(confidence))
    refused(exp, lambda: exp.quantile_interval("a", confidence))


@for_each("tau", [0, 1, "0.9", math.nan, True])
def test_levels(exp, tau):
    refused(exp, lambda: exp.best(tau))


@pytest.mark.parametrize(
    "how", [{"default": "d"}, {"default": 5}, {"default": ["a"]}, {"default": "a", "timeout": -1},
            {"default": "a", "timeout": "1"}, {"default": "a", "timeout": math.nan}],
)  # fmt: skip
def test_defaults(exp, how):
    refused(exp, lambda: exp.ask(**how))


@pytest.mark.parametrize("timeout", [-1, "1", math.nan, True])
def test_how_long_a_tell_may_take(exp, timeout):
    trial = exp.ask()
    refused(exp, lambda: exp.tell(trial, 1.0, timeout=timeout))


def test_a_policy_that_breaks_takes_nothing_with_it(exp, monkeypatch):
    """A fault in a policy is raised as it is, and the log goes on from where it was."""
    before, kinds = state(exp), [e.kind for e in events(exp)]
    monkeypatch.setattr("upperhand.live.decide.choose", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        exp.ask(by="another segment")
    monkeypatch.undo()
    assert state(exp) == before
    assert [e.kind for e in events(exp)] == kinds
    exp.tell(exp.ask(by="another segment"), 1.0)
    assert Kind.SEGMENT in [e.kind for e in events(exp)][len(kinds) :]
