"""Steering an experiment: candidates, segments, keys, pins, shares, arms, corrections, notes."""

import math
from itertools import pairwise

import numpy as np
import pytest

from upperhand.errors import ParameterError, UnknownNameError
from upperhand.live import bulk, replay
from upperhand.live.log.event import Kind
from upperhand.live.verify import contents, difference, verify

from .opened import Clock, again, events, machine, memory, state


def replayed(exp):
    """Assert that the experiment is the replay of its log."""
    assert verify(exp._log, exp.settings, machine(exp)).first_difference is None
    assert difference(machine(again(exp)), machine(exp)) is None


class TestAmong:
    def test_only_these(self):
        exp = memory()
        exp.record(list("abc"), [9.0, 5.0, 1.0])
        assert {exp.ask(among=["a", "b"]).arm for _ in range(8)} == {"a", "b"}
        assert exp.ask(among="a").arm == exp.ask(among=("a",)).arm == "a"
        assert exp.ask(among=(name for name in ["b"])).arm == "b"
        replayed(exp)

    def test_all_of_them_in_any_order_is_no_restriction(self):
        one, other = memory(), memory()
        assert [one.ask(among=["c", "a", "b", "a"]).arm for _ in range(9)] == [
            other.ask().arm for _ in range(9)
        ]

    @pytest.mark.parametrize(
        ("among", "error", "message"),
        [
            ([], ParameterError, "at least one arm"),
            ("", UnknownNameError, "Unknown arm ''"),
            (["a", "d"], UnknownNameError, "Unknown arm 'd'"),
            ([["a"]], UnknownNameError, "Unknown arm"),
            ([None], UnknownNameError, "Unknown arm"),
            ({"a": 1}.values(), UnknownNameError, "Unknown arm 1"),
            (["b"], ParameterError, "not retired"),
            (5, ParameterError, "among must be"),
        ],
    )
    def test_what_is_refused(self, among, error, message):
        exp = memory()
        exp.retire("b")
        before = state(exp)
        with pytest.raises(error, match=message):
            exp.ask(among=among)
        with pytest.raises(error, match=message):
            exp.ask_many(2, among=among)
        assert state(exp) == before

    def test_retired_ones_are_left_out(self):
        exp = memory()
        exp.retire("b")
        assert exp.ask(among=["a", "b"]).arm == "a"


class TestSegments:
    def test_each_has_a_bandit_of_its_own(self):
        exp, alone = memory(), memory()
        exp.record(list("abc"), [100.0, 200.0, 300.0])
        for value in (3.0, 1.0, 2.0, 4.0, 1.0, 0.0):
            trial, other = exp.ask(by="region=eu"), alone.ask()
            assert trial.arm == other.arm
            assert trial.by == "region=eu"
            exp.tell(trial, value)
            alone.tell(other, value)
        assert exp.segments == ("region=eu",)
        assert [exp.quantile(a, by="region=eu") for a in "abc"] == [alone.quantile(a) for a in "abc"]
        assert exp.quantile("a") == 100.0
        assert math.isnan(exp.quantile("a", by="nowhere"))
        assert exp.leader(by="region=eu").arm == alone.leader().arm
        with pytest.raises(UnknownNameError, match="Unknown segment 'nowhere'"):
            exp.report(by="nowhere")
        replayed(exp)

    def test_looking_at_one_does_not_make_it(self):
        exp = memory()
        exp.pulls("a", by="x")
        exp.best(by="x")
        assert exp.segments == ()


class TestKeys:
    def test_the_same_key_gets_the_same_arm_while_it_is_pending(self):
        exp = memory()
        first = exp.ask(key="ann")
        assert [exp.ask(key="ann").arm for _ in range(3)] == [first.arm] * 3
        second = exp.ask(key="ann")
        assert (second.propensity, second.how) == (1.0, "sticky")
        assert {exp.ask().arm for _ in range(4)} == {"b", "c"}
        replayed(exp)

    def test_until_all_of_it_is_told_or_given_back(self):
        exp = memory()
        trials = [exp.ask(key="ann") for _ in range(2)]
        exp.tell(trials[1], 5.0)
        assert exp.ask(key="ann", among=[trials[0].arm, "b"]).arm == trials[0].arm
        for trial in trials:
            exp.release(trial)
        assert len(machine(exp).sticky) == 1

    def test_segments_have_keys_of_their_own(self):
        exp = memory()
        exp.ask(key="ann", by="eu")
        assert exp.ask(key="ann").how == "deterministic"
        assert exp.ask(key="ann", by="eu").how == "sticky"

    def test_an_arm_that_is_no_candidate_is_not_kept(self):
        exp = memory()
        assert exp.ask(key="ann").arm == "a"
        assert exp.ask(key="ann", among=["b", "c"]).arm == "b"
        exp.retire("a")
        exp.retire("b")
        assert exp.ask(key="ann").arm == "c"

    def test_expired_asks_hold_nothing(self, monkeypatch):
        clock = Clock().set(monkeypatch)
        exp = memory(lease=5)
        exp.ask(key="ann")
        clock.now += 6
        assert exp.ask(key="ann").how == "deterministic"
        replayed(exp)

    def test_what_users_are_called_is_not_in_the_log(self):
        exp = memory()
        exp.ask(key="ann@example.org", by="eu")
        text = repr(events(exp)) + repr(exp) + repr(contents(machine(exp)))
        assert "ann" not in text
        assert "example" not in text

    def test_any_text_is_a_key(self):
        exp = memory()
        for key in ("", "\ud800", "\0", "ü" * 10_000):
            assert exp.ask(key=key).how == "deterministic"
            assert exp.ask(key=key).how == "sticky"


class TestPin:
    def test_every_ask_gets_it_and_choices_go_on_afterwards(self):
        exp = memory()
        exp.pin("c")
        trials = [exp.ask() for _ in range(3)]
        assert [(t.arm, t.propensity, t.how) for t in trials] == [("c", 1.0, "pinned")] * 3
        assert exp.ask(among=["a", "b"]).arm == "a"
        exp.pin(None)
        assert exp.ask().arm == "b"
        replayed(exp)

    def test_a_retired_one_is_not_given(self):
        exp = memory()
        exp.pin("a")
        exp.retire("a")
        assert exp.ask().arm == "b"
        with pytest.raises(UnknownNameError, match="Unknown arm 'd'"):
            exp.pin("d")


class TestShares:
    def test_frequencies_and_probabilities(self):
        """3,000 asks; each frequency lies within 6 standard deviations (below 1e-8 each)."""
        exp = memory(["best", "good", "bad"], seed=2)
        exp.record(["best", "good", "bad"] * 200, [1.0, 5.0, 9.0] * 200)
        exp.shares({"bad": 0.2}, least=0.05)
        trials, size = exp.ask_many(3000), 3000
        expected = {"best": 0.75, "good": 0.05, "bad": 0.2}
        for arm, share in expected.items():
            own = [trial for trial in trials if trial.arm == arm]
            assert abs(len(own) - size * share) < 6 * math.sqrt(size * share * (1 - share))
            assert {round(t.propensity, 12) for t in own} == {share}
            assert {t.how for t in own} == {"exact"}
        replayed(exp)

    def test_they_are_replaced_and_ended(self):
        exp = memory(["a", "b"])
        exp.shares({"a": 1.0})
        assert {t.arm for t in exp.ask_many(20)} == {"a"}
        exp.shares({"b": 1.0})
        assert {t.arm for t in exp.ask_many(20)} == {"b"}
        exp.shares()
        assert exp.ask().how == "deterministic"
        replayed(exp)

    @pytest.mark.parametrize(
        "given",
        [
            {"shares": {"a": 0.7, "b": 0.4}}, {"least": 0.4}, {"shares": {"a": 0.5}, "least": 0.3},
            {"shares": {"a": -0.1}}, {"shares": {"a": True}}, {"shares": {"a": "0.1"}},
            {"shares": {"d": 0.1}}, {"least": 1.5}, {"least": math.nan}, {"shares": "a"},
            {"shares": [("a", 0.1)]}, {"shares": {"a": None}},
        ],
    )  # fmt: skip
    def test_what_is_refused(self, given):
        exp = memory()
        before = state(exp)
        with pytest.raises((ParameterError, UnknownNameError)):
            exp.shares(**given)
        assert state(exp) == before

    def test_an_arm_more_may_not_make_them_more_than_all(self):
        exp = memory(["a", "b"])
        exp.shares(least=0.5)
        before = state(exp)
        with pytest.raises(ParameterError, match="shares together"):
            exp.add_arm("c")
        assert state(exp) == before
        exp.shares(least=0.1)
        exp.add_arm("c")
        assert all(0 < trial.propensity <= 1 for trial in exp.ask_many(50))

    def test_with_a_policy_that_draws(self):
        exp = memory(policy="quantile-ts", draws=16)
        exp.shares(least=0.1)
        for trial in exp.ask_many(60):
            assert 0.1 <= trial.propensity <= 0.8 + 1e-12
        replayed(exp)


class TestArms:
    def test_a_new_one_is_tried_and_a_retired_one_not(self):
        exp = memory(["a", "b"])
        exp.record(["a", "b"] * 50, [1.0, 2.0] * 50)
        exp.add_arm("c")
        assert exp.arms == ("a", "b", "c")
        assert exp.ask().arm == "c"
        exp.retire("a")
        assert exp.arms == ("b", "c")
        assert "a" not in {trial.arm for trial in exp.ask_many(20)}
        assert exp.report()[0].retired
        assert "a (retired)" in repr(exp)
        assert exp.leader().arm == "b"
        replayed(exp)

    def test_twice_changes_nothing_and_one_comes_back_as_it_was(self):
        exp = memory(["a", "b"])
        exp.record(["a"], [1.0])
        exp.retire("a")
        before = state(exp)
        exp.retire("a")
        exp.add_arm("b")
        assert state(exp) == before
        exp.add_arm("a")
        assert exp.arms == ("a", "b")
        assert exp.quantile("a") == 1.0

    def test_what_is_under_way_can_be_told(self):
        exp = memory()
        trial = exp.ask()
        exp.retire(trial.arm)
        assert exp.tell(trial, 1.0) == "told"

    def test_all_retired(self):
        exp = memory(["a", "b"])
        exp.retire("a")
        exp.retire("b")
        with pytest.raises(ParameterError, match="Every arm is retired"):
            exp.ask()
        assert exp.leader().arm is None
        repr(exp)
        exp.add_arm("b")
        assert exp.ask().arm == "b"


def truth(exp):
    """Return what is known, apart from how it came to be known."""
    apart = ("n", "at", "epochs", "leaders", "counts")
    return {name: value for name, value in state(exp).items() if name not in apart}


class TestCorrect:
    @pytest.mark.parametrize("many", [2_000, 1])
    @pytest.mark.parametrize("policy", [None, "ucb1", "acp-ucb1", "quantile-imed"])
    def test_the_state_is_that_of_an_experiment_told_right(self, monkeypatch, policy, many):
        """Event by event, and in bulk."""
        Clock().set(monkeypatch)
        monkeypatch.setattr(replay, "MANY", many)
        wrong, right = memory(policy=policy), memory(policy=policy)
        values = np.random.default_rng(0).normal(size=60).round(1)
        trials = [wrong.ask(among=arm) for arm in "abc" * 20]
        for i, trial in enumerate(trials):
            wrong.tell(trial, 99.0 if i in (3, 30) else values[i])
            right.tell(right.ask(among=trial.arm), values[i])
        wrong.correct(trials[3], 7.0)
        wrong.correct(trials[3].id, values[3])
        wrong.correct(trials[30], values[30])
        assert truth(wrong) == truth(right)
        assert wrong.ask().arm == right.ask().arm
        assert wrong.counts() == right.counts()
        replayed(wrong)

    def test_to_a_failure_and_back(self):
        exp = memory(quantile=0.5)
        trial = exp.ask()
        exp.tell(trial, failed=True)
        assert exp.quantile("a") == np.inf
        exp.correct(trial, 5.0)
        assert (exp.quantile("a"), exp.counts()["failed"]) == (5.0, 0)
        exp.correct(trial, at_least=7.0)
        assert exp.counts()["at_least"] == 1
        assert [e.extra["was"] for e in events(exp) if e.kind == Kind.CORRECTED] == [[5, 0.0]] * 2

    def test_a_retry_of_the_first_value_or_of_the_right_one_is_known(self):
        exp = memory()
        trial = exp.ask()
        exp.tell(trial, 1.0)
        exp.correct(trial, 2.0)
        assert exp.tell(trial, 1.0) == exp.tell(trial, 2.0) == "again"
        assert exp.quantile("a") == 2.0

    def test_only_what_was_told_and_only_to_what_can_be(self):
        exp = memory(policy="ucb1")
        trial = exp.ask()
        before = state(exp)
        with pytest.raises(UnknownNameError, match="nothing to correct"):
            exp.correct(trial, 1.0)
        exp.tell(trial, 1.0)
        with pytest.raises(ValueError, match="needs the value"):
            exp.correct(trial, failed=True)
        with pytest.raises(ParameterError, match="one of"):
            exp.correct(trial)
        assert before["n"] == state(exp)["n"][:0] + before["n"]

    def test_an_ask_in_the_same_commit_sees_it(self):
        """Threads share commits: the ask behind a correction is chosen by what is then known."""
        exp = memory(["a", "b"], quantile=0.5)
        trials = [exp.ask(among=arm) for arm in "ab" * 20]
        exp.tell_many([(t, 1.0 if t.arm == "a" else 2.0) for t in trials])
        wrong, asked = exp.ask(among="a"), []
        exp.tell(wrong, 1.0)
        operations = []
        exp._perform, perform = lambda op, **_: operations.append(op), exp._perform
        for trial in trials:
            if trial.arm == "a":
                exp.correct(trial, 50.0)
        exp.ask()
        exp._perform = perform
        exp._session.run(operations, durable=True)
        asked = events(exp)[-1]
        assert asked.kind == Kind.ASKED
        replayed(exp)


def test_notes_are_kept_and_change_nothing():
    exp = memory()
    exp.tell(exp.ask(), 1.0)
    before = truth(exp)
    exp.note("Schöne Grüße\n\0")
    assert truth(exp) == before
    assert events(exp)[-1].extra == {"text": "Schöne Grüße\n\0"}
    for bad in ("", None, 5, "x" * 10_001):
        with pytest.raises(ParameterError, match="A note must be"):
            exp.note(bad)


def test_an_event_says_when_another_arm_leads():
    exp = memory(["a", "b"], quantile=0.5)
    for arm, value in [("a", 5.0), ("b", 9.0), ("b", 1.0), ("b", 1.0), ("a", 0.0), ("a", 0.0)]:
        exp.tell(arm=arm, value=value)
    leaders = [event.arm for event in events(exp) if event.kind == Kind.LEADER]
    assert leaders == [0, 1, 0]
    assert all(one != other for one, other in pairwise(leaders))
    exp.record(["b"], [7.0], by="eu")
    assert events(exp)[-1][:4] == (Kind.LEADER, 0, 1, 1)
    assert bulk.COMPILE > 0
