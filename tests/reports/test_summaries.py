"""The tables of results: searches with lower bounds, simulations, studies of calibrators."""

import math

import numpy as np
import pytest

import upperhand as uh
from tests.simulation.stopping import Bands
from upperhand.comparison.result import samples_bound
from upperhand.theory.lower_bounds import identification_bound

ARMS = [uh.Normal(0.0, 1.0), uh.Normal(2.0, 1.0), uh.Normal(1.0, 2.0)]
POLICIES = {
    "Bands": Bands(0.5, delta=0.1),
    "high": Bands(0.9, delta=0.1),
    "Uniform": uh.UniformSampling(0.5, budget=30),
}


@pytest.fixture(scope="module")
def found():
    return uh.identify(ARMS, POLICIES, cap=3000, replications=5, seed=0)


def test_bounds_are_those_of_the_policies_settings(found):
    bounds = {name: samples_bound(found, name) for name in POLICIES}
    assert bounds["Bands"] == identification_bound(ARMS, 0.5, 0.1)
    assert bounds["high"] == identification_bound(ARMS, 0.9, 0.1)
    assert math.isnan(bounds["Uniform"])
    assert bounds["Bands"] < found["Bands"].mean


def test_the_bound_of_costs_is_that_of_negated_costs():
    costs = [uh.Normal(-arm.loc, arm.scale) for arm in ARMS]
    policies = Bands(0.2, epsilon=0.1)
    found = uh.identify(costs, policies, cap=10, replications=1, seed=0, direction="minimize")
    expected = identification_bound(ARMS, 0.8, 0.05, 0.1)
    assert samples_bound(found, "Bands") == pytest.approx(expected, rel=1e-9)


def test_a_search_has_lower_bounds_and_the_values_of_arms(found):
    lines = repr(found).splitlines()
    assert lines[0] == "3 arms, 5 replications of at most 3,000 pulls, seed 0"
    assert lines[2].startswith("policy   lower bound")
    notes = found.summary().notes
    assert notes[0] == "Arms by p50, the highest first: 1 (2), 2 (1), 0 (0)."
    assert notes[1] == "Arms by p90, the highest first: 2 (3.5631), 1 (3.2816), 0 (1.2816)."
    assert notes[3].endswith("of every policy with fixed confidence, by δ = 0.1 and ε = 0.")
    frame = found.summary().to_frame()
    assert frame.lower_bound[0] == samples_bound(found, "Bands")


def test_ties_and_undecided_runs_are_noted():
    arms = {"a": uh.Normal(0, 1), "b": uh.Normal(0, 1)}
    text = repr(uh.identify(arms, Bands(0.5), cap=50, replications=2, seed=0))
    assert "Arms a, b tie exactly" in text
    assert "Undecided runs" in text


def test_the_scores_are_those_of_the_study():
    study = uh.calibrate(np.arange(60.0) % 7, methods=["aci", "dtaci"], alpha=0.2, window=25)
    summary = study.summary()
    assert summary.title == "2 methods on 59 values, 80 % wanted, forecast: " + study.forecast
    assert summary.rows[0][:2] == ("ACI", f"{study.scores['ACI'].coverage:.3f}")
    assert summary.to_frame().coverage[0] == study.scores["ACI"].coverage
    assert "25 values in a row" in repr(study)
    assert "ends at 0.1 and 0.9," in repr(study)


def test_notes_of_a_study_are_at_the_end():
    study = uh.calibrate(100 * (np.arange(60.0) % 7), np.zeros(60), methods="decaying-steps")
    assert study.summary().notes[-len(study.notes) :] == study.notes
    assert "Set decaying-steps:eta=300." in study.notes[0]


def test_one_replication_has_no_standard_error():
    text = repr(uh.simulate(ARMS, [uh.UCB1()], 50, 1, seed=0))
    assert "±" not in text
    assert "Regret of one replication" in text


def test_arms_of_costs_start_with_the_lowest():
    costs = {"eu": uh.Uniform(0, 30), "us": uh.Uniform(10, 20)}
    runs = uh.simulate(costs, "ucb1", 20, 2, seed=0, best_of=8, direction="minimize")
    notes = runs.summary().notes
    assert notes[0] == "Arms by lowest of 8, the lowest first: eu (2.4899), us (10.83)."
    assert notes[1] == "Arms by mean, the lowest first: eu (15), us (15)."


def test_of_many_arms_the_best_are_shown():
    runs = uh.simulate([uh.Normal(j, 1) for j in range(20)], "ucb1", 40, 2, seed=0)
    head, note = runs.summary().header, runs.summary().notes[0]
    assert head == ("policy", "regret, mean")
    assert note.startswith("Arms by mean, the highest first: 19 (19), 18 (18), ")
    assert note.endswith("12 (12), ….")
