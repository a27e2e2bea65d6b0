"""Outcomes told or recorded many at a time: all of them, or none."""

import numpy as np
import pytest

from upperhand.errors import ConflictError, ParameterError, RewardError, UnknownNameError

from .opened import machine, memory, state


class TestBatches:
    def test_all_of_it(self):
        exp = memory()
        trials = exp.ask_many(3)
        exp.tell(trials[0], 0.0)
        found = exp.tell_many([(trials[0], 0.0), (trials[1].id, 1.0), (trials[2], 2.0)])
        assert found == ["again", "told", "told"]
        assert len(exp) == 3

    def test_or_nothing(self):
        exp = memory()
        one, other, third = exp.ask_many(3)
        exp.tell(third, 9.0)
        before = state(exp)
        for bad in ((third, 1.0), ("7.7.7", 1.0), (other, "x"), (other, np.nan)):
            with pytest.raises((ConflictError, UnknownNameError, RewardError)):
                exp.tell_many([(one, 1.0), bad])
            assert state(exp) == before
        with pytest.raises(ConflictError):
            exp.tell_many([(one, 1.0), (one, 2.0)])
        assert state(exp) == before

    def test_recorded_data_are_outcomes(self):
        exp, other = memory(), memory()
        assert exp.record(["a", "b", "a"], np.array([3.0, 4.0, 5.0])) == 3
        for arm, value in (("a", 3), ("b", 4), ("a", 5)):
            other.tell(arm=arm, value=value)
        pulls = [machine(each).learners[0].state.pulls.tolist() for each in (exp, other)]
        assert pulls == [[2, 1, 0]] * 2
        assert exp.quantile("a") == other.quantile("a") == 5.0
        with pytest.raises(ParameterError, match="as many values as arms; got 1 and 2"):
            exp.record(["a", "b"], [1.0])

    def test_nothing_to_record(self):
        exp = memory()
        assert exp.record([], []) == 0
        assert exp.tell_many([]) == []
