"""What a simulation says, in plain numbers."""

import json

import numpy as np
import pytest

import upperhand as uh
from upperhand.distributions import from_spec
from upperhand.distributions.registry import parse_arm
from upperhand.reports.markdown import to_text
from upperhand.reports.runs import simulation_report
from upperhand.simulation.runs import summarise


@pytest.fixture(scope="module")
def runs():
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15)]
    return uh.simulate(arms, [uh.ACPUCB1(), uh.UCB1()], horizon=300, replications=5, seed=1)


def test_arms_and_the_best_of_them(runs):
    summary = summarise(runs, uh.UpperTail(0.1))

    assert summary["best"] == {"tail": 1, "mean": 0}
    assert [arm["mean"] for arm in summary["arms"]] == [0.10, 0.00]
    assert summary["arms"][1]["tail"] == runs.arms[1].quantile(0.95)


@pytest.mark.parametrize("minimize", [False, True])
def test_all_arms_that_tie_are_best(minimize):
    """A gamma law with mean 3 · 0.1 and the exponential with mean 0.3 differ by rounding alone."""
    gamma = parse_arm("scipy:gamma,3,0,0.1")
    arms = [uh.Exponential(0.3), uh.Bernoulli(0.4 if minimize else 0.2), gamma]
    runs = uh.simulate(arms, uh.UCB1(), 20, 2, seed=0, minimize=minimize)
    summary = summarise(runs, uh.UpperTail(0.1))

    assert gamma.mean != arms[0].mean
    assert summary["all_best"]["mean"] == [0, 2]
    assert summary["best"]["mean"] == 0
    rows = to_text(simulation_report(summary)).splitlines()
    marks = [row.rstrip().endswith("*best*") for row in rows[4:7]]
    assert marks == [True, False, True]


def test_regret_and_pulls_are_those_of_the_runs(runs):
    for entry in summarise(runs, uh.UpperTail(0.1))["policies"]:
        curve = runs.regret(uh.Mean())[entry["name"]]
        assert entry["regret"]["mean"] == {"mean": curve.final.mean(), "se": curve.se}
        np.testing.assert_allclose(sum(entry["pulls"]), 300)


def test_the_curves_are_computed_once_for_each_objective(runs, monkeypatch):
    asked, regret = [], uh.Runs.regret

    def counted(self, objective):
        asked.append(objective)
        return regret(self, objective)

    monkeypatch.setattr(uh.Runs, "regret", counted)
    summarise(runs, uh.UpperTail(0.1))
    assert asked == [uh.UpperTail(0.1), uh.Mean()]


def test_an_objective_is_defined_if_every_arm_has_a_value():
    cauchy = uh.StudentT(0, 1, 1)
    assert uh.Mean().is_defined([uh.Normal(0, 1)])
    assert not uh.Mean().is_defined([uh.Normal(0, 1), cauchy])
    assert uh.UpperTail(0.1).is_defined([cauchy])


def test_data_stand_in_the_summary_once():
    arms = [uh.Empirical(range(3000)), uh.Normal(0, 1)]
    runs = uh.simulate(arms, uh.UCB1(), horizon=50, replications=2, seed=0)
    arm = summarise(runs, uh.UpperTail(0.1))["arms"][0]

    assert arm["law"] == "Empirical(3,000 values from 0 to 2999)"
    assert from_spec(arm["spec"]) == arms[0]


def test_the_lower_tail(runs):
    summary = summarise(runs, uh.LowerTail(0.1))

    assert summary["best"]["tail"] == 0
    assert summary["arms"][0]["tail"] == runs.arms[0].quantile(0.05)


def test_an_arm_without_a_mean_leaves_the_mean_out():
    arms = [uh.StudentT(0, 1, 1), uh.Normal(0, 1)]
    runs = uh.simulate(arms, uh.ACPUCB1(), horizon=50, replications=1, seed=0)
    summary = summarise(runs, uh.UpperTail(0.1))

    assert summary["best"] == {"tail": 0}
    assert summary["arms"][0]["mean"] is None
    assert list(summary["policies"][0]["regret"]) == ["tail"]
    assert summary["policies"][0]["regret"]["tail"]["se"] is None
    json.dumps(summary, allow_nan=False)
