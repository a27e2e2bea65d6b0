"""How an experiment went: shares and quantiles at points, by the definitions of the report."""

import numpy as np
import pytest

from upperhand.live import Experiment
from upperhand.live.history import POINTS, history
from upperhand.live.opening import stored
from upperhand.live.replay import Replay


def played(rounds, **settings):
    rng = np.random.default_rng(3)
    given = {"quantile": 0.8, "direction": "minimize", "seed": 0, **settings}
    exp = Experiment("x", ["a", "b"], **given)
    for round_ in range(rounds):
        arm, value = "ab"[rng.integers(2)], rng.gamma(2.0, 10.0)
        if round_ % 17 == 16:
            exp.tell(arm=arm, failed=True)
        elif round_ % 13 == 12:
            exp.tell(arm=arm, at_least=value)
        else:
            exp.tell(arm=arm, value=value)
    return exp, exp.storage.log("x")


@pytest.mark.parametrize("options", [{}, {"window": 40}], ids=["all", "window"])
def test_each_point_is_what_the_report_said_then(options):
    exp, log = played(90, **options)
    events, settings = log.read(), stored(log)
    found = history(settings, events)
    assert found.told.tolist() == list(range(1, 91))
    machine = Replay(settings).state(log)
    assert found.arms == tuple(machine.arms)
    for report, line, interval in zip(exp.report(), found.quantiles, found.confidence, strict=True):
        assert line[-1] == report.quantile
        assert interval == report.confidence
    half = Experiment("half", ["a", "b"], quantile=0.8, direction="minimize", seed=0, **options)
    outcomes = [events.event(i) for i in range(len(events.n)) if events.kind[i] in (4, 5, 6)]
    for event in outcomes[:45]:
        how = {4: {"value": event.value}, 5: {"failed": True}, 6: {"at_least": event.value}}
        half.tell(arm="ab"[event.arm], **how[event.kind])
    assert [r.quantile for r in half.report()] == found.quantiles[:, 44].tolist()


def test_shares_are_those_of_the_latest_outcomes():
    exp = Experiment("x", ["a", "b"], quantile=0.5, direction="maximize", seed=0)
    exp.record(["a"] * 30 + ["b"] * 30, list(range(60)))
    log = exp.storage.log("x")
    found = history(stored(log), log.read())
    assert found.counts[:, [29, 34]].tolist() == [[30, 30], [0, 5]]
    assert found.shares[:, 29].tolist() == [1.0, 0.0]
    assert found.shares[:, 34].tolist() == [0.5, 0.5]  # of the last ten
    assert found.shares[:, -1].tolist() == [0.0, 1.0]
    np.testing.assert_allclose(found.shares.sum(axis=0), 1.0)
    assert np.isnan(found.quantiles[1, :30]).all()


def test_never_more_points_than_a_page_can_show():
    exp = Experiment("x", ["a", "b"], quantile=0.5, direction="maximize", seed=0)
    exp.record(["a", "b"] * 1500, list(range(3000)))
    log = exp.storage.log("x")
    found = history(stored(log), log.read())
    assert len(found.told) == POINTS
    assert (found.told[0], found.told[-1]) == (1, 3000)
    assert found.quantiles[:, -1].tolist() == [r.quantile for r in exp.report()]


def test_segments_and_an_experiment_without_outcomes():
    exp = Experiment("x", ["a", "b"], quantile=0.5, direction="maximize", seed=0)
    log = exp.storage.log("x")
    assert history(stored(log), log.read()).told.tolist() == []
    exp.tell(arm="a", value=1.0)
    exp.tell(arm="b", value=2.0, by="eu")
    found = history(stored(log), log.read(), segment=1)
    assert found.told.tolist() == [1]
    assert np.isnan(found.quantiles[0, 0])
    assert found.quantiles[1, 0] == 2.0


def test_a_correction_counts_from_the_beginning():
    exp = Experiment("x", ["a", "b"], quantile=0.5, direction="maximize", seed=0)
    trial = exp.ask()
    exp.tell(trial, 1.0)
    exp.tell(arm=trial.arm, value=5.0)
    exp.correct(trial, 9.0)
    log = exp.storage.log("x")
    found = history(stored(log), log.read())
    assert found.quantiles[found.arms.index(trial.arm)].tolist() == [9.0, 5.0]


def test_a_duration_is_not_below_0():
    exp = Experiment("x", ["a", "b"], quantile=0.1, direction="minimize", duration="ms", seed=0)
    exp.record(["a", "b"] * 5, np.arange(1.0, 11.0).tolist())
    log = exp.storage.log("x")
    assert [low for low, _ in history(stored(log), log.read()).confidence] == [0.0, 0.0]
