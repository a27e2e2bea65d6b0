"""The paper's claims at a reduced size, and the same claims fed with the opposite.

Seeds are fixed, so nothing here fails by chance. For a seed drawn at random: over 12 other seeds,
each number that decides a verdict kept at least four of its standard deviations from its threshold
(the closest is the thin margin at α = 0.30, which is why that test runs at the paper's own size),
so one failure has a chance below 1e-4, and any in this file below 1e-3.
"""

from dataclasses import replace

import numpy as np
import pytest

import upperhand as uh
from upperhand.paper import families, levels, metrics
from upperhand.paper.claim import Verdict, worst
from upperhand.paper.experiment import Size
from upperhand.paper.paired import Difference, halves, pace, transfer_cost, transfer_verdict
from upperhand.paper.settings import ACP, MEAN_BASED

HOLDS, NOTE, _, FAILS = Verdict


@pytest.fixture(scope="module")
def metric_runs():
    return metrics.run(Size(replications=20))


@pytest.fixture(scope="module")
def level_runs():
    return levels.run()


@pytest.fixture(scope="module")
def family_runs():
    return families.run(Size(replications=20, horizon=3000))


def swapped(runs):
    """Return the runs with the pulls of the two policies exchanged."""
    return replace(runs, pulls={ACP: runs.pulls[MEAN_BASED], MEAN_BASED: runs.pulls[ACP]})


def verdicts(claims):
    return [claim.verdict for claim in claims]


def test_metric_claims(metric_runs):
    values, best, acp_order, mean_order, transfer = metrics.claims(metric_runs)

    assert values.numbers == {"arm 1": "0.18224", "arm 2": "0.24673", "arm 3": "0.17159"}
    assert verdicts([values, best, acp_order, mean_order]) == [HOLDS] * 4
    assert transfer.verdict is NOTE  # both policies still explore at round 10,000


def test_metric_claims_fed_with_the_opposite(metric_runs):
    values, best, acp_order, mean_order, transfer = metrics.claims(swapped(metric_runs))
    assert verdicts([values, best]) == [HOLDS] * 2  # about the arms, not the policies
    assert verdicts([acp_order, mean_order, transfer]) == [FAILS] * 3
    assert "−" in acp_order.numbers["ACP regret, UCB1 minus ACP-UCB1"]

    other = replace(metric_runs, arms=metric_runs.arms[::-1])
    assert verdicts(metrics.claims(other)[:2]) == [FAILS] * 2


def test_numbers_are_paired_differences(metric_runs):
    regret = metric_runs.regret(uh.UpperTail(0.1))
    paired = regret["UCB1"].final - regret["ACP-UCB1"].final
    half = 2.093024 * paired.std(ddof=1) / np.sqrt(20)  # t quantile of 19 degrees, from a table

    written = metrics.claims(metric_runs)[2].numbers["ACP regret, UCB1 minus ACP-UCB1"]
    assert written == f"{paired.mean():.1f} ± {half:.1f}"


def test_level_claims(level_runs):
    claims = levels.claims(level_runs)

    assert verdicts(claims) == [HOLDS] * 4
    assert len(claims[1].numbers) == len(claims[2].numbers) == 6  # at every α
    assert claims[3].numbers["UCB1, α = 0.05 to α = 0.30"] == "ratio 11.3"


def test_level_claims_fed_with_the_opposite(level_runs):
    pulls = dict.fromkeys(level_runs.pulls, level_runs.pulls[MEAN_BASED])
    pulls[MEAN_BASED] = level_runs.pulls["ACP-UCB1, α = 0.10"]
    _, acp_order, mean_order, *_ = levels.claims(replace(level_runs, pulls=pulls))
    assert verdicts([acp_order, mean_order]) == [FAILS] * 2

    equal = replace(level_runs, arms=(uh.Normal(0.1, 0.1),) * 3)  # no gaps: no rise, no order
    assert verdicts(levels.claims(equal)) == [FAILS] * 4


def test_figure_2_at_the_level_of_figure_1_shows_the_same_runs(metric_runs, level_runs):
    for mine, same in ((ACP, "ACP-UCB1, α = 0.10"), (MEAN_BASED, MEAN_BASED)):
        assert np.array_equal(metric_runs.pulls[mine], level_runs.pulls[same][:20])


def test_one_level_that_fails_fails_the_claim(level_runs):
    name = "ACP-UCB1, α = 0.20"
    pulls = level_runs.pulls | {name: np.roll(level_runs.pulls[name], 1, axis=2)}
    claims = levels.claims(replace(level_runs, pulls=pulls))

    assert claims[1].verdict is FAILS


def test_rises():
    assert levels.rise_verdict(np.array([1.0, 1.5, 2.1])) is HOLDS
    assert levels.rise_verdict(np.array([1.0, 1.5, 1.9])) is NOTE
    assert levels.rise_verdict(np.array([1.0, 1.5, 1.4])) is FAILS


def test_family_claims(family_runs):
    claims = families.claims(family_runs)

    assert verdicts(claims) == [HOLDS] * 4
    assert all("ratio" in number for number in claims[1].numbers.values())


def test_family_claims_fed_with_the_opposite(family_runs):
    opposite = {family: swapped(runs) for family, runs in family_runs.items()}
    assert verdicts(families.claims(opposite)) == [HOLDS, FAILS, FAILS, FAILS]

    one = family_runs | {"Student-t": swapped(family_runs["Student-t"])}
    assert verdicts(families.claims(one)) == [HOLDS, FAILS, FAILS, FAILS]

    same_best = replace(family_runs["Gaussian"], arms=tuple(uh.Normal(m, 0.1) for m in (3, 2, 1)))
    assert families.claims(family_runs | {"Gaussian": same_best})[0].verdict is FAILS


def test_substance_and_learning():
    sure, unsure, opposite = Difference(9, 1), Difference(1, 2), Difference(-9, 1)
    assert families.substance_verdict(sure, 2.5) is HOLDS
    assert families.substance_verdict(sure, 1.5) is NOTE
    assert families.substance_verdict(unsure, 2.5) is NOTE
    assert families.substance_verdict(opposite, 0.5) is FAILS
    assert families.learning_verdict(Difference(0.9, 0.1), Difference(0.1, 0.1)) is HOLDS
    assert families.learning_verdict(Difference(0.55, 0.1), Difference(0.1, 0.1)) is NOTE
    assert families.learning_verdict(Difference(0.9, 0.1), Difference(0.7, 0.1)) is FAILS


def test_a_difference_of_one_replication_is_never_sure():
    assert Difference(5.0, float("nan")).verdict is NOTE
    assert Difference(0.0, 0.0).verdict is FAILS
    assert worst([HOLDS, FAILS, NOTE]) is FAILS


def test_transfer_verdicts():
    assert transfer_verdict([1.0, 0.9], [0.10, 0.15], 0.08) is HOLDS
    assert transfer_verdict([1.0, 0.9], [0.10, 0.17], 0.08) is NOTE
    assert transfer_verdict([1.0, 0.7], [0.10, 0.15], 0.08) is FAILS
    assert transfer_verdict([1.4, 1.0], [0.10, 0.15], 0.08) is FAILS
    assert transfer_verdict([1.0, 1.0], [0.10, 0.65], 0.08) is FAILS


@pytest.mark.parametrize(
    ("counts", "ratio"),
    [
        (lambda t: (t, 0 * t), 1.0),  # the wrong arm for ever: linear
        (lambda t: (t // 2, t - t // 2), 1.0),
        (lambda t: (np.minimum(t, 50), np.maximum(t - 50, 0)), 0.0),  # never again after half-time
    ],
)
def test_growth_of_known_pulls(metric_runs, counts, ratio):
    rounds = np.arange(1, 101)
    pulls = np.stack([np.stack(counts(rounds), axis=1)] * 3)
    arms = (uh.Normal(0, 1), uh.Normal(1, 1))
    runs = replace(
        metric_runs, arms=arms, rounds=rounds, horizon=100, replications=3, pulls={ACP: pulls}
    )

    assert pace(runs, ACP, uh.Mean()).ratio == pytest.approx(ratio)
    assert halves(runs, ACP).last.sum(axis=1) == pytest.approx(np.ones(3))


def test_arms_with_one_favourite_have_no_transfer_cost(metric_runs):
    arms = (uh.Normal(3, 1), uh.Normal(2, 1), uh.Normal(1, 1))
    assert transfer_cost(replace(metric_runs, arms=arms), 0.1).verdict is FAILS
