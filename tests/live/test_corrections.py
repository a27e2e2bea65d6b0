"""Corrections, notes and who leads: events that are no asks and no outcomes."""

import numpy as np
import pytest

from upperhand.errors import ParameterError, UnknownNameError
from upperhand.live import replay
from upperhand.live.decide import Ask, Correct
from upperhand.live.log.event import Kind
from upperhand.live.outcomes import Outcome
from upperhand.live.trial import parse_id

from .opened import Clock, events, memory, replayed, state, truth


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
        with pytest.raises(UnknownNameError, match="nothing to correct"):
            exp.correct(trial, 1.0)
        exp.tell(trial, 1.0)
        before = state(exp)
        with pytest.raises(ValueError, match="needs the value"):
            exp.correct(trial, failed=True)
        with pytest.raises(ParameterError, match="one of"):
            exp.correct(trial)
        assert state(exp) == before

    def test_an_ask_in_the_same_commit_sees_it(self):
        """Threads share commits: the ask behind a correction is chosen by what is then known."""
        exp = memory(["a", "b"], quantile=0.5)
        trials = [exp.ask(among=arm) for arm in "ab" * 20]
        exp.tell_many([(t, 1.0 if t.arm == "a" else 2.0) for t in trials])
        worse = Outcome(Kind.TOLD, 50.0)
        jobs = [[Correct(parse_id(trial.id), worse)] for trial in trials if trial.arm == "a"]
        with exp._look():  # so that all gather in one commit
            jobs = [exp._engine.submit(job, durable=True) for job in (*jobs, [Ask()])]
        assert jobs[-1].wait(60)
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
