"""The settings are the appendix's, written out here once more from the paper."""

import re
from dataclasses import replace

import pytest
from scipy import stats

import upperhand as uh
from upperhand.paper import families, levels, metrics
from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.conditions import Timed
from upperhand.paper.experiment import Size
from upperhand.paper.reading import HOW_TO_READ
from upperhand.paper.registry import EXPERIMENTS
from upperhand.paper.settings import GAUSSIAN_ARMS, acp_ucb1

PAPERS = {"metrics": 60, "levels": 30, "families": 30}


def test_policies_and_sizes():
    assert acp_ucb1(0.1) == uh.ACPUCB1()  # the library's defaults are the paper's
    assert {name: e.replications for name, e in EXPERIMENTS.items()} == PAPERS
    assert list(EXPERIMENTS) == list(PAPERS)  # in the paper's order
    assert Size(60, 10_000, 0) == metrics.PAPER_SIZE


def test_arms():
    assert (uh.Normal(0.10, 0.05), uh.Normal(0, 0.15), uh.Normal(0.04, 0.08)) == GAUSSIAN_ARMS
    assert levels.ALPHAS == (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)
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
    } == families.FAMILIES


def test_acp_values_by_scipy():
    for arm in GAUSSIAN_ARMS:
        expected = stats.norm(arm.loc, arm.scale).ppf(0.95)
        assert abs(uh.UpperTail(0.1).value(arm) - expected) < 1e-12


def conditions(**changes):
    given = {"replications": PAPERS, "horizon": 10_000, "seed": 0, "cores": 2, "seconds": 3.0}
    return Timed(**given | changes)


def test_the_papers_size_has_no_departures():
    assert conditions().departures == []
    assert conditions().command == "upperhand paper --seed 0"
    assert conditions().provenance["wall time"] == (
        "the paper: about 7 minutes on 24 cores; here: 3.0 s on 2 cores, without starting Python"
    )


def test_other_sizes_are_said_and_repeated_by_the_command():
    small = conditions(replications={"levels": 5}, horizon=500, seed=7)

    assert small.departures == [
        "500 rounds instead of 10,000",
        "5 replications instead of 30 (levels)",
    ]
    command = "upperhand paper --only levels --replications 5 --horizon 500 --seed 7"
    assert small.command == command
    assert small.wall_time == "3.0 s on 2 cores, without starting Python"


def test_part_of_the_paper_has_no_running_time_to_compare():
    part = conditions(replications={"metrics": 60})
    assert part.departures == []
    assert "the paper" not in part.wall_time


@pytest.mark.parametrize(
    ("replications", "horizon", "verdict"),
    [
        (60, 10_000, Verdict.FAILS),
        (61, 20_000, Verdict.FAILS),
        (59, 10_000, Verdict.UNDECIDED),
        (60, 9_999, Verdict.UNDECIDED),
    ],
)
def test_a_run_below_the_papers_size_does_not_refute(replications, horizon, verdict):
    found = [
        Claim("a", "", {}, Verdict.FAILS),
        Claim("b", "", {}, Verdict.FAILS, exact=True),  # the arms decide, not the run
        Claim("c", "", {}, Verdict.NOTE),
        Claim("d", "", {}, Verdict.HOLDS),
    ]
    experiment = replace(EXPERIMENTS["metrics"], claims=lambda _: found)
    judged = experiment.judge(None, Size(replications, horizon))

    assert [c.verdict for c in judged] == [verdict, Verdict.FAILS, Verdict.NOTE, Verdict.HOLDS]


def test_what_true_values_decide_is_marked():
    runs = metrics.run(Size(2, 20)), levels.run(Size(2, 20)), families.run(Size(2, 20))
    marks = [
        [c.exact for c in experiment.claims(played)]
        for experiment, played in zip(EXPERIMENTS.values(), runs, strict=True)
    ]
    assert marks == [[True] * 2 + [False] * 3, [True] + [False] * 3, [True] + [False] * 3]


def test_captions_say_what_the_run_was():
    for experiment in EXPERIMENTS.values():
        small = "smaller than the markers" if experiment.number == 2 else "narrower than the lines"
        several, single = experiment.caption(4, 1000), experiment.caption(1, 1)
        end = f"may be {small}, are 95 % intervals of the mean. 4 replications of 1,000 rounds."
        assert several.endswith(end)
        assert single.endswith(". 1 replication of 1 round.")
        assert not re.search("bands|bars|95 %", single, re.I)
    assert "UCB1 is simulated once" in EXPERIMENTS["levels"].drawn


def test_the_reader_is_told_that_the_figures_share_their_rewards():
    told = dict(HOW_TO_READ)["Common rewards."]
    assert "its runs at α = 0.10 are runs of Figure 1" in told
    assert "the three families of Figure 3 are drawn from the same streams" in told


def test_each_experiment_runs_the_policies_that_it_names():
    runs = {"": metrics.run(Size(1, 6))}, {"": levels.run(Size(1, 6))}, families.run(Size(1, 6))
    for experiment, named in zip(EXPERIMENTS.values(), runs, strict=True):
        for played in named.values():
            assert played.policies == experiment.policies
