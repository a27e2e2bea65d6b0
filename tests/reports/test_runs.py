"""Reports of runs: searches with their lower bounds, simulations, and studies of calibrators."""

import math

import numpy as np
import pytest

import upperhand as uh
from tests.simulation.stopping import Bands
from upperhand.comparison.result import samples_bound
from upperhand.reports.markdown import Note, Table, to_html, to_markdown, to_text
from upperhand.reports.runs import (
    calibration_report,
    identification_report,
    simulation_report,
)
from upperhand.simulation.runs import summarise
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


def test_text(found):
    bounds = {"Bands": 12.5, "high": math.inf, "Uniform": math.nan}
    lines = to_text(identification_report(found, bounds)).splitlines()
    assert lines[3].split() == ["arm", "distribution", "p50", "p90"]
    assert lines[5].split()[-2:] == ["*best*", "3.2816"]
    assert lines[6].endswith("*best*")
    rows = {line.split()[0]: line.split()[1] for line in lines[9:12]}
    assert rows == {"Bands": "12.5", "high": "∞", "Uniform": "—"}
    assert "fixed budget has no lower bound" in " ".join(lines[12:])


def test_other_forms_say_the_same(found):
    page = identification_report(found, dict.fromkeys(POLICIES, 12.5))
    for text in (to_markdown(page), to_html(page)):
        assert "lower bound" in text
        assert "12.5" in text


def test_notes_are_in_the_report():
    tied = uh.identify([uh.Normal(0, 1)] * 2, Bands(0.5), cap=50, replications=2, seed=0)
    text = to_text(identification_report(tied, {"Bands": math.inf}))
    assert "Arms 0, 1 tie exactly" in text
    assert "Undecided runs" in text


def test_the_scores_are_those_of_the_study():
    study = uh.calibrate(np.arange(60.0) % 7, methods=["aci", "dtaci"], alpha=0.2, window=25)
    report = calibration_report(study)
    table = report.blocks[0]

    assert isinstance(table, Table)
    assert report.title == study.title
    assert list(table.rows) == study.rows()
    text = to_text(report)
    assert "25 values in a row" in text
    assert "ends at 0.1 and 0.9," in text


def test_notes_stand_out():
    study = uh.calibrate(100 * (np.arange(60.0) % 7), np.zeros(60), methods="decaying-steps")
    report = calibration_report(study)
    assert report.blocks[-len(study.notes) :] == tuple(map(Note, study.notes))
    assert "Set decaying-steps:eta=300." in to_text(report)


def test_one_replication_has_no_standard_error():
    runs = uh.simulate(ARMS, [uh.UCB1()], 50, 1, seed=0)
    text = to_text(simulation_report(summarise(runs, uh.UpperTail(0.1))))
    assert "±" not in text
    assert [line.split()[0] for line in text.splitlines()[4:7]] == ["0", "1", "2"]  # the arms
    assert "Regret of one replication" in text
