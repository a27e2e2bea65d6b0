"""Shares by lot: frequencies, probabilities, and what is refused."""

import math

import pytest

from upperhand.errors import ParameterError, UnknownNameError

from .opened import memory, replayed, state


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
