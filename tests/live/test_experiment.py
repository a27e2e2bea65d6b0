"""Asks and tells of an experiment: ids, answers, retries, leases, batches."""

import numpy as np
import pandas
import pytest

import upperhand as uh
from upperhand.errors import ConflictError, ParameterError, RewardError, UnknownNameError
from upperhand.live import Experiment
from upperhand.live.log.event import Kind

from .opened import Clock, again, assert_equal, events, machine, memory, opened, state


@pytest.fixture
def clock(monkeypatch):
    return Clock().set(monkeypatch)


class TestAsk:
    @pytest.mark.usefixtures("clock")
    def test_a_trial_says_all_that_is_needed(self):
        trial = memory(lease=30).ask()
        assert trial.arm == "a"
        assert trial.id == "1.1.0"
        assert (trial.at, trial.deadline) == (1000.0, 1030.0)
        assert (trial.propensity, trial.how, trial.by) == (1.0, "deterministic", "")

    def test_ids_differ_between_asks_openings_and_segments(self):
        exp = memory()
        other = again(exp)
        ids = [each.ask(by=by).id for _ in range(5) for each in (exp, other) for by in (None, "eu")]
        assert len(set(ids)) == len(ids)
        assert {each.split(".")[0] for each in ids} == {"1", "2"}

    def test_a_burst_spreads(self):
        assert [trial.arm for trial in memory().ask_many(6)] == list("abcabc")

    def test_many_are_one_by_one_in_one_commit(self):
        one, other = memory(), memory()
        many = one.ask_many(7, among=["a", "c"], by="eu")
        singly = [other.ask(among=["a", "c"], by="eu") for _ in range(7)]
        assert [(t.id, t.arm, t.by) for t in many] == [(t.id, t.arm, t.by) for t in singly]

    @pytest.mark.parametrize("policy", ["ucb-cp", "quantile-ts"])
    def test_the_propensity_of_random_choices_is_estimated_by_repeating_them(self, policy):
        """200 asks: how often a is chosen differs from the sum of its probabilities by chance.

        That has a standard deviation of 7.1 at most, and of estimating them of 0.9; a choice counts
        itself, 1/65 too much. Six deviations and 3: missed with a probability below 1e-8.
        """
        exp = memory(["a", "b"], policy=policy, draws=64, seed=4)
        exp.record(["a", "b"] * 15, np.random.default_rng(0).normal(size=30))
        trials = []
        for _ in range(200):
            trials.append(exp.ask())
            exp.release(trials[-1])
        for trial in trials:
            assert trial.how == "monte-carlo"
            assert trial.propensity * 65 == pytest.approx(round(trial.propensity * 65))
            assert 1 / 65 <= trial.propensity <= 1.0
        chances = [t.propensity if t.arm == "a" else 1 - t.propensity for t in trials]
        assert abs(sum(t.arm == "a" for t in trials) - sum(chances)) < 46
        assert len({t.propensity for t in trials}) > 3

    def test_without_draws_it_is_said_not_to_be_computed(self):
        trial = memory(policy="quantile-ts", draws=0).ask()
        assert (trial.propensity, trial.how) == (0.0, "not computed")

    def test_the_log_has_what_an_analysis_needs(self):
        exp = memory(policy="quantile-ts", draws=8)
        trial = exp.ask(among=["c", "a"], key="ann", by="eu")
        asked = events(exp)[-1]
        assert (asked.kind, asked.segment, asked.value) == (Kind.ASKED, 1, trial.propensity)
        assert asked.extra["among"] == [0, 2]
        assert asked.extra["draws"] == 8
        opened_by = next(e for e in events(exp) if e.kind == Kind.OPENED)
        assert opened_by.extra["upperhand"] == uh.__version__
        created = events(exp)[0].extra["settings"]
        assert created["policy"]["name"] == "Quantile-TS"
        assert created["seed"] == "1"

    def test_a_default_is_not_needed_while_the_store_answers(self):
        exp = memory()
        trial = exp.ask(default="c", timeout=30)
        assert (trial.arm, trial.how) == ("a", "deterministic")
        assert exp.tell(trial, 1.0, timeout=30) == "told"
        exp.close()


class TestTell:
    def test_an_arm_needs_no_keyword(self):
        exp = memory(["a", "b", 0.5, 1])
        for arm in ("a", 0.5, 1, "b"):
            assert exp.tell(arm, 2.0) == "told"
        assert [exp.pulls(arm) for arm in exp.arms] == [1, 1, 1, 1]
        assert exp.tell("a", failed=True, by="eu") == "told"
        assert exp.pulls("a", by="eu") == 1
        with pytest.raises(UnknownNameError, match=r"Unknown trial or arm 'c'\. Known: a, b, 0.5"):
            exp.tell("c", 1.0)

    def test_a_name_that_may_be_an_id_is_refused(self):
        exp = memory(["1.0.0", "1.2.0", "1.2.1"])
        exp.ask_many(2)
        with pytest.raises(ParameterError, match=r"tell\(arm='1.2.1', …\) or tell\(trial='1.2.1'"):
            exp.tell("1.2.1", 0.5)
        assert len(exp) == 0
        exp.tell(arm="1.2.1", value=0.5)
        exp.tell(trial="1.2.1", value=0.7)
        assert (exp.pulls("1.2.0"), exp.pulls("1.2.1")) == (1, 1)

    def test_by_trial_and_by_id(self):
        exp = memory()
        one, other = exp.ask_many(2)
        assert exp.tell(one, 3.0) == exp.tell(other.id, 4.0) == "told"
        assert [exp.quantile(arm) for arm in "ab"] == [3.0, 4.0]
        assert len(exp) == 2

    def test_the_same_again_changes_nothing(self):
        exp = memory()
        for how in ({"value": 3.0}, {"failed": True}, {"at_least": 5.0}):
            trial = exp.ask()
            assert exp.tell(trial, **how) == "told"
            before = state(exp)
            assert exp.tell(trial, **how) == exp.tell(trial.id, **how) == "again"
            assert again(exp).tell(trial.id, **how) == "again"
            assert state(exp) == before

    @pytest.mark.parametrize("second", [{"value": 4.0}, {"failed": True}, {"at_least": 3.0}])
    def test_another_outcome_is_refused(self, second):
        exp = memory()
        trial = exp.ask()
        exp.tell(trial, 3.0)
        before = state(exp)
        with pytest.raises(ConflictError, match=r"told before: 3, and now .* correct\(trial"):
            exp.tell(trial, **second)
        assert state(exp) == before
        assert exp.tell(trial, 3) == "again"

    def test_a_late_one_counts_and_is_flagged(self, clock):
        exp = memory(lease=10)
        first, second, third = exp.ask_many(3)
        clock.now += 10
        assert exp.tell(first, 1.0) == "told"  # on the dot
        clock.now += 0.5
        assert exp.tell(second, 2.0) == "late"  # nothing happened since it expired
        exp.ask()
        assert exp.tell(third, 3.0) == "late"
        assert exp.tell(third, 3.0) == "again"
        counts = exp.counts()
        assert (counts["expired"], counts["late"], counts["outcomes"]) == (2, 2, 3)
        assert exp.quantile("c") == 3.0
        assert "2 asks expired without an outcome, 2 of them told late" in repr(exp)

    def test_what_was_given_back_can_still_be_told(self):
        exp = memory()
        trial = exp.ask()
        exp.release(trial)
        exp.release(trial.id)  # no harm
        assert exp.counts()["given_back"] == 1
        assert exp.counts()["pending"] == 0
        assert exp.tell(trial, 2.0) == "late"

    def test_an_ask_that_a_power_cut_lost(self):
        exp = memory()
        exp.ask()
        other = again(exp)
        assert other.tell("1.2.2", 5.0) == "lost"
        assert other.tell("1.2.2", 5.0) == "again"
        assert other.counts()["lost"] == 1
        assert exp.quantile("c") == 5.0
        assert "1 outcome came of asks that a power cut had lost" in repr(exp)

    @pytest.mark.parametrize(
        "name", ["1.2.0", "1.7.1", "2.1.0", "9.1.0", "1.1.1", "1.1.0.1", "1.1.7"]
    )
    def test_an_id_that_nobody_gave_is_refused(self, name):
        """Our own opening knows all its asks, and the arm and segment of each."""
        exp = memory()
        exp.ask()
        before = state(exp)
        with pytest.raises(UnknownNameError, match="No trial has the id"):
            exp.tell(name, 1.0)
        assert state(exp) == before

    def test_without_an_ask(self):
        exp = memory()
        assert exp.tell(arm="b", value=2.0, by="eu") == "told"
        assert exp.tell(arm="b", value=2.0, by="eu") == "told"  # no retry: another outcome
        assert exp.pulls("b", by="eu") == 2
        assert exp.pulls("b") == 0

    def test_failed_is_the_worst_there_is(self):
        for direction, worst in (("minimize", np.inf), ("maximize", -np.inf)):
            exp = memory(direction=direction, quantile=0.5)
            exp.record(["a", "a"], [1e150, -1e150])
            for _ in range(3):
                exp.tell(arm="a", failed=True)
            assert exp.quantile("a") == worst
            assert exp.counts()["failed"] == 3

    def test_at_least_is_no_more_than_that(self):
        exp = memory(quantile=0.5)
        exp.record(["a"] * 3, [1.0, 2.0, 9.0])
        exp.tell(arm="a", at_least=1.5)  # its share goes to 2 and 9: F(2) = 1/4 + 3/8
        exp.tell(arm="a", at_least=1.5)
        assert exp.quantile("a") == 2.0
        assert exp.report()[0].at_least == 2
        assert exp.quantile_interval("a", 0.5).upper == np.inf

    @pytest.mark.parametrize("how", [{"failed": True}, {"at_least": 1.0}])
    @pytest.mark.parametrize("policy", ["ucb1", "thompson-sampling:model=gaussian", "ucb-cp"])
    def test_policies_that_need_values_refuse_it_plainly(self, policy, how):
        exp = memory(policy=policy)
        trial = exp.ask()
        before = state(exp)
        with pytest.raises(RewardError, match="needs the value of every outcome"):
            exp.tell(trial, **how)
        with pytest.raises(RewardError, match="needs the value"):
            exp.tell(arm="a", by="a new segment", **how)
        assert state(exp) == before
        assert exp.tell(trial, 1.0) == "told"


class TestRecord:
    def test_columns_of_a_frame(self):
        frame = pandas.DataFrame(
            {"arm": ["b", "a", "b"], "ms": [3, 1, 2], "when": ["2020-01-01", "2020-01-02", None]},
            index=[7, 7, 3],
        )
        exp = memory(["a", "b"])
        assert exp.record(frame["arm"], frame["ms"], by=frame["arm"]) == 3
        assert exp.pulls("b", by="b") == 2
        when = pandas.to_datetime(frame["when"])
        past = when[:2]
        for at in (past, past.dt.tz_localize("UTC"), past.to_numpy(), [1577836800, 1577923200]):
            exp.record(["a", "b"], [1.0, 2.0], at=at)
            assert exp.to_frame()["told"].tail(2).dt.day.tolist() == [1, 2]
        for at in (when, [np.inf] * 3, ["2020"] * 3, [True] * 3):
            with pytest.raises(ParameterError, match="at must be times of the past"):
                exp.record(frame["arm"], frame["ms"], at=at)
        with pytest.raises(ParameterError, match="as many times as arms; got 2 and 3"):
            exp.record(frame["arm"], frame["ms"], at=[1, 2])

    def test_what_is_too_old_for_the_window_is_forgotten(self, monkeypatch):
        clock = Clock(10_000.0).set(monkeypatch)
        exp = memory(["a"], window="10m")
        exp.record(["a"] * 3, [1.0, 3.0, 2.0], at=[9_000.0, 9_500.0, 9_900.0])
        assert (exp.pulls("a"), exp.quantile("a")) == (3, 3.0)
        assert machine(exp).learners[0].remembered == 2
        clock.now += 200  # the next event shows that the outcome of 9,500 is too old
        exp.ask()
        assert exp.quantile("a") == 2.0
        assert_equal(machine(exp), machine(again(exp)))


def test_a_frame_has_a_row_for_each_trial_and_each_outcome_without_an_ask():
    exp = memory([1, "b"])
    trials = exp.ask_many(2)
    trials[0].tell(5.0)
    exp.correct(trials[0], 6.0)
    exp.tell(arm="b", at_least=2.0, by="eu")
    found = exp.to_frame()
    assert found["trial"].tolist()[:2] == [trial.id for trial in trials]
    assert found["arm"].tolist() == [1, "b", "b"]
    assert found["value"].fillna(-1).tolist() == [6.0, -1.0, 2.0]
    assert found["outcome"].isna().tolist() == [False, True, False]
    assert found["asked"].isna().tolist() == [False, False, True]
    assert found["segment"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("quantile", "direction", "best"),
    [(0.95, "minimize", "steady"), (0.95, "maximize", "wild"),
     (0.05, "minimize", "wild"), (0.05, "maximize", "steady")],
)  # fmt: skip
def test_level_and_direction_are_independent(quantile, direction, best):
    """Normal, both of mean 0, spread 0.1 against 2: levels at ±1.64 spreads differ by 3.1.

    700 rounds; that the other arm gets half of them has a probability below 1e-6.
    """
    rng = np.random.default_rng(0)
    exp = memory(["wild", "steady"], quantile=quantile, direction=direction)
    for _ in range(700):
        trial = exp.ask()
        exp.tell(trial, rng.normal(0.0, 0.1 if trial.arm == "steady" else 2.0))
    assert exp.pulls(best) > 500
    assert exp.best().arm == exp.leader().arm == best


def test_the_readme_example_on_a_file(tmp_path):
    path = tmp_path / "bandits.db"
    with Experiment("m", ["s", "l"], quantile=0.9, direction="minimize", storage=path) as exp:
        trials = [exp.ask() for _ in range(4)]
        exp.tell_many([(trial, float(i)) for i, trial in enumerate(trials)])
        before = state(exp)
    with Experiment("m", storage=path) as exp:
        assert state(exp) == before
        assert_equal(machine(exp), machine(opened(exp.storage, "m")))
        assert exp.ask().id.startswith("2.")
