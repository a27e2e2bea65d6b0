"""The settings are the appendix's, written out here once more from the paper; and the report."""

import re

import pytest
from scipy import stats

import upperhand as uh
from upperhand.comparison.instances import ALPHAS, FAMILIES, GAUSSIAN_ARMS
from upperhand.paper.experiments import EXPERIMENTS, LEVELS, Size, acp_ucb1
from upperhand.paper.run import caption, notice

PAPERS = {"metrics": 60, "levels": 30, "families": 30}


def test_policies_and_sizes():
    assert acp_ucb1(0.1) == uh.ACPUCB1()  # the library's defaults are the paper's
    assert {name: e.replications for name, e in EXPERIMENTS.items()} == PAPERS
    assert list(EXPERIMENTS) == list(PAPERS)  # in the paper's order
    assert Size(60) == (60, 10_000, 0, None, None)


def test_arms():
    assert (uh.Normal(0.10, 0.05), uh.Normal(0, 0.15), uh.Normal(0.04, 0.08)) == GAUSSIAN_ARMS
    assert ALPHAS == (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)
    assert {
        "Gaussian": (uh.Normal(0.08, 0.05), uh.Normal(0, 0.16), uh.Normal(0.03, 0.08)),
        "Student-t": (
            uh.StudentT(0.08, 0.05, 3),
            uh.StudentT(0, 0.16, 3),
            uh.StudentT(0.03, 0.08, 5),
        ),
        "Skewed Student-t": (
            uh.SkewedStudentT(0.08, 0.05, 5, -0.2),
            uh.SkewedStudentT(0, 0.16, 5, 0.6),
            uh.SkewedStudentT(0.03, 0.08, 5, 0.3),
        ),
    } == FAMILIES


def test_acp_values_by_scipy():
    for arm in GAUSSIAN_ARMS:
        expected = stats.norm(arm.loc, arm.scale).ppf(0.95)
        assert abs(uh.UpperTail(0.1).value(arm) - expected) < 1e-12


def test_other_sizes_are_reported():
    papers = [(experiment, Size(experiment.replications)) for experiment in EXPERIMENTS.values()]
    assert notice(papers) == ""

    small = notice([(LEVELS, Size(5, 500))])
    start = "Not the paper's size: 500 rounds instead of 10,000; 5 replications instead of 30 (lev"
    assert small.startswith(start)
    assert "not decided by this run" in small
    assert "not decided by this run" not in notice([(LEVELS, Size(30, 20_000))])


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_captions(experiment):
    narrow = "smaller than the markers" if experiment.number == 2 else "narrower than the lines"
    several, single = caption(experiment, Size(4, 1000)), caption(experiment, Size(1, 1))
    end = f"may be {narrow}, are 95 % intervals of the mean. 4 replications of 1,000 rounds."
    assert several.endswith(end)
    assert single.endswith(". 1 replication of 1 round.")
    assert not re.search("bands|bars|95 %", single, re.I)
