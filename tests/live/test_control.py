"""Steering an experiment: candidates, segments, keys, pins, arms."""

import math

import pytest

from upperhand.errors import ParameterError, UnknownNameError
from upperhand.live.verify import contents

from .opened import Clock, events, machine, memory, replayed, state


class TestAmong:
    def test_only_these(self):
        exp = memory(policy="kl-qucb:plus=true")
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
        assert [exp.quantile(a, by="region=eu") for a in "abc"] == [
            alone.quantile(a) for a in "abc"
        ]
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

    def test_the_latest_arm_counts(self):
        exp = memory()
        assert exp.ask(key="ann").arm == "a"
        assert exp.ask(key="ann", among=["b", "c"]).arm == "b"
        assert exp.ask(key="ann").arm == "b"
        replayed(exp)

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
        exp.record(["b"] * 60, [2.0] * 60)
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
