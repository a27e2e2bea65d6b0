"""What an experiment reports of its arms: numbers, tables, the leading arm."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

import upperhand as uh
from upperhand.calibrators.quantile_sequence import central_ranks
from upperhand.errors import ParameterError
from upperhand.live.best import best_of, counted

from .. import reference
from ..looping import for_each
from .opened import again, memory


def told(values, **settings):
    """Return an experiment that was told lists of values of each arm."""
    exp = memory(list(values), **settings)
    for arm, own in values.items():
        exp.record([arm] * len(own), own)
    return exp


def some(arms=3, size=130, seed=0):
    rng = np.random.default_rng(seed)
    return {name: (rng.normal(size=size).round(1) + i).tolist()
            for i, name in zip(range(arms), "abcdef", strict=False)}  # fmt: skip


@for_each("direction", ["minimize", "maximize"])
@for_each("policy", [None, "ucb1", "acp-ucb1", "quantile-ts", "ucb-cp"])
@for_each("level", ["0.9", "0.05", "0.45"])
def test_numbers_are_those_of_the_raw_lists(direction, policy, level):
    """Quantiles, their confidence intervals by order statistics, and the leading arm."""
    values = some()
    exp = told(values, quantile=float(level), direction=direction, policy=policy)
    for arm, own in values.items():
        assert exp.quantile(arm) == reference.quantile(own, level)
        assert exp.pulls(arm) == len(own)
        lower, upper = central_ranks(float(level), 1 - 0.9, len(own))
        found, ranked = exp.quantile_interval(arm, 0.9), sorted(own)
        assert found.lower == (ranked[lower - 1] if lower > 0 else -math.inf)
        assert found.upper == (ranked[upper - 1] if upper <= len(own) else math.inf)
        assert found.lower <= exp.quantile(arm) <= found.upper
    lists = [counted(np.array(own)) for own in values.values()]
    expected = best_of(list(values), lists, float(level), minimize=direction == "minimize")
    assert exp.best() == expected
    leader = exp.leader(0.6)
    assert leader.conclusive == (leader.confidence >= 0.6)
    assert leader.quantile == (None if leader.arm is None else exp.quantile(leader.arm))


class TestLeaders:
    """Who leads is looked at now and then, and stands until the next look."""

    def expected(self, outcomes, level=0.5):
        """Return the leader after these outcomes, and what its confidence was at most since."""
        lists, leader, most = {"a": [], "b": []}, None, 0.0
        looks = {math.ceil(Fraction(21, 20) ** k) for k in range(200)}
        for count, (arm, value) in enumerate(outcomes, 1):
            lists[arm].append(value)
            if count in looks:
                samples = [counted(np.array(each)) for each in lists.values()]
                found = best_of(list(lists), samples, level, minimize=True)
                most = max(most, found.confidence) if found.arm == leader else found.confidence
                leader = found.arm
        return leader, most

    def outcomes(self, size=170, seed=3):
        rng = np.random.default_rng(seed)
        return [(arm, round(float(rng.normal() + 0.5 * (arm == "b")), 1))
                for arm in rng.choice(["a", "b"], size)]  # fmt: skip

    def test_they_are_those_of_the_last_look(self):
        exp, outcomes = memory(["a", "b"], quantile=0.5), self.outcomes()
        for count, (arm, value) in enumerate(outcomes, 1):
            exp.tell(arm=arm, value=value)
            leader = exp.leader()
            assert (leader.arm, leader.confidence) == self.expected(outcomes[:count])
        assert len({self.expected(outcomes[:count]) for count in range(len(outcomes))}) > 8
        other = memory(["a", "b"], quantile=0.5)
        other.record(*zip(*outcomes, strict=True))
        assert other.leader() == exp.leader() == again(exp).leader()

    def test_a_retired_arm_and_a_correction_begin_anew(self):
        exp = memory(["a", "b", "c"], quantile=0.5)
        exp.record(["a", "b", "c"] * 60, [1.0, 2.0, 3.0] * 60)
        assert exp.leader().arm == "a"
        exp.retire("a")
        assert exp.leader().arm == "b"
        trial = exp.ask(among=["c"])
        exp.tell(trial, 9.0)
        exp.correct(trial, -9.0)
        found = exp.best()
        leader = exp.leader()
        assert (leader.arm, leader.confidence) == (found.arm, found.confidence)

    def test_with_a_window_nothing_is_conclusive(self):
        exp = memory(["a", "b"], quantile=0.5, window=500)
        exp.record(["a", "b"] * 200, [1.0, 2.0] * 200)
        leader = exp.leader()
        assert (leader.arm, leader.conclusive, leader.anytime_valid) == ("a", False, False)
        assert leader.confidence > 0.99
        assert "if one looks once" in str(exp)


def test_before_anything_is_told():
    exp = memory()
    assert math.isnan(exp.quantile("a"))
    assert exp.quantile_interval("a") == exp.interval("a") == uh.Interval(-math.inf, math.inf)
    assert exp.leader() == uh.Leader(None, False, 0.0, None, None)
    assert exp.best().arm is None
    assert "No outcomes yet." in repr(exp)
    assert set(exp.counts().values()) == {0}
    assert [report.quantile for report in exp.report()] == [None] * 3


def test_prediction_intervals_hold_what_they_say_they_hold():
    exp = told(some(1), policy="acp-ucb1")
    report = exp.report()[0]
    assert exp.interval("a") == report.prediction
    assert 0 < report.coverage < 1
    with pytest.raises(ParameterError, match="UCB1 keeps no prediction intervals"):
        told(some(1), policy="ucb1").interval("a")


def test_failures_and_cuts_leave_the_interval_open():
    exp = told({"a": list(range(100)), "b": list(range(100))}, quantile=0.5)
    before = exp.quantile_interval("a")
    for _ in range(80):
        exp.tell(arm="a", at_least=10.0)
        exp.tell(arm="b", failed=True)
    assert exp.quantile_interval("a").upper == exp.quantile_interval("b").upper == math.inf
    assert exp.quantile_interval("a").lower == 10.0 < before.lower < 80
    assert exp.leader().confidence < 0.5


def test_cuts_never_make_a_leader_surer():
    """A leader is judged by the worst that its cuts can be, and others by the best."""
    fast, slow = list(range(60)), [v + 40.0 for v in range(60)]
    plain = told({"a": fast, "b": slow}, quantile=0.5).best()
    exp = told({"a": fast, "b": slow}, quantile=0.5)
    for _ in range(10):
        exp.tell(arm="a", at_least=5.0)
    assert plain.arm == exp.best().arm == "a"
    assert exp.best().confidence < plain.confidence


def test_the_table():
    exp = told({"small": [1.0, 2.0], "large": [3.0]}, quantile=0.95)
    exp.ask()
    exp.tell(arm="small", failed=True)
    exp.tell(arm="large", at_least=2.0)
    lines = repr(exp).splitlines()
    assert lines[0] == (
        "Experiment 'checkout': the lowest p95 of 2 arms by frugal KL-QUCB+, "
        "1 ask, 5 outcomes, 1 pending"
    )
    heads = re.split(r"\s{2,}", lines[2].strip())
    assert heads[:7] == ["arm", "pulls", "pending", "share", "failed", "at least", "p95"]
    rows = {line.split()[0]: line.split() for line in lines[3:5]}
    assert rows["small"][1] == "3"
    assert "60.0%" in rows["small"]
    assert "∞" in rows["small"]
    assert "3" in rows["large"]
    assert str(exp) == repr(exp)


def test_in_a_notebook_names_are_no_markup():
    exp = told({"<script>alert(1)</script>": [1.0], "b": [2.0]})
    page = exp._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 3


def test_forgetting_is_said():
    exp = memory(window="10m")
    exp.tell(exp.ask(), 1.0)
    assert "last 600 seconds" in repr(exp)
    assert "does not hold for all times at once" in repr(exp)


def test_many_arms_are_cut_in_the_table_and_not_in_the_report():
    exp = memory([f"arm {i}" for i in range(60)])
    assert "… and 10 more arms" in repr(exp)
    assert len(exp.report()) == 60


def test_looking_changes_nothing():
    exp = told(some())
    before = exp._log.last()
    for look in (repr, len, type(exp).report, type(exp).leader, type(exp).best, type(exp).counts):
        look(exp)
    exp._repr_html_()
    assert exp._log.last() == before
