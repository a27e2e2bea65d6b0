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
from upperhand.paper import claims
from upperhand.paper.claims import Difference, Verdict, halves, pace, transfer_cost, worst
from upperhand.paper.experiments import ACP, LEVELS, MEAN_BASED, METRICS, ROBUSTNESS, Size

pytestmark = pytest.mark.compiled  # millions of rounds
HOLDS, NOTE, UNDECIDED, FAILS = Verdict


@pytest.fixture(scope="module")
def metric_runs():
    return METRICS.run(Size(20))["Gaussian"]


@pytest.fixture(scope="module")
def level_runs():
    return LEVELS.run(Size(30))["Gaussian"]


@pytest.fixture(scope="module")
def family_runs():
    return ROBUSTNESS.run(Size(20, 3000))


def metric_claims(runs):
    return claims.metric_claims({"Gaussian": runs})


def level_claims(runs):
    return claims.level_claims({"Gaussian": runs})


def swapped(runs):
    """Return the runs with the pulls of the two policies exchanged."""
    return replace(runs, pulls={ACP: runs.pulls[MEAN_BASED], MEAN_BASED: runs.pulls[ACP]})


def verdicts(found):
    return [claim.verdict for claim in found]


def test_metric_claims(metric_runs):
    values, best, acp_order, mean_order, transfer = metric_claims(metric_runs)

    assert values.numbers == {"arm 1": "0.18224", "arm 2": "0.24673", "arm 3": "0.17159"}
    assert verdicts([values, best, acp_order, mean_order]) == [HOLDS] * 4
    assert transfer.verdict is NOTE  # both policies still explore at round 10,000


def test_metric_claims_fed_with_the_opposite(metric_runs):
    values, best, acp_order, mean_order, transfer = metric_claims(swapped(metric_runs))
    assert verdicts([values, best]) == [HOLDS] * 2  # about the arms, not the policies
    assert verdicts([acp_order, mean_order, transfer]) == [FAILS] * 3
    assert "−" in acp_order.numbers["ACP regret, UCB1 minus ACP-UCB1"]

    other = replace(metric_runs, arms=metric_runs.arms[::-1])
    assert verdicts(metric_claims(other)[:2]) == [FAILS] * 2


def test_numbers_are_paired_differences(metric_runs):
    regret = metric_runs.regret(uh.UpperTail(0.1))
    paired = regret["UCB1"].final - regret["ACP-UCB1"].final
    half = 2.093024 * paired.std(ddof=1) / np.sqrt(20)  # t quantile of 19 degrees, from a table

    written = metric_claims(metric_runs)[2].numbers["ACP regret, UCB1 minus ACP-UCB1"]
    assert written == f"{paired.mean():.1f} ± {half:.1f}"


def test_level_claims(level_runs):
    found = level_claims(level_runs)

    assert verdicts(found) == [HOLDS] * 4
    assert len(found[1].numbers) == len(found[2].numbers) == 6  # at every α
    assert found[3].numbers["UCB1, α = 0.05 to α = 0.30"] == "ratio 11.3"


def test_level_claims_fed_with_the_opposite(level_runs):
    pulls = dict.fromkeys(level_runs.pulls, level_runs.pulls[MEAN_BASED])
    pulls[MEAN_BASED] = level_runs.pulls["ACP-UCB1, α = 0.10"]
    _, acp_order, mean_order, *_ = level_claims(replace(level_runs, pulls=pulls))
    assert verdicts([acp_order, mean_order]) == [FAILS] * 2

    equal = replace(level_runs, arms=(uh.Normal(0.1, 0.1),) * 3)  # no gaps: no rise, no order
    assert verdicts(level_claims(equal)) == [FAILS] * 4


def test_figure_2_at_the_level_of_figure_1_shows_the_same_runs(metric_runs, level_runs):
    for mine, same in ((ACP, "ACP-UCB1, α = 0.10"), (MEAN_BASED, MEAN_BASED)):
        assert np.array_equal(metric_runs.pulls[mine], level_runs.pulls[same][:20])


def test_one_level_that_fails_fails_the_claim(level_runs):
    name = "ACP-UCB1, α = 0.20"
    pulls = level_runs.pulls | {name: np.roll(level_runs.pulls[name], 1, axis=2)}
    found = level_claims(replace(level_runs, pulls=pulls))

    assert found[1].verdict is FAILS


def test_rises():
    assert claims.rise_verdict(np.array([1.0, 1.5, 2.1])) is HOLDS
    assert claims.rise_verdict(np.array([1.0, 1.5, 1.9])) is NOTE
    assert claims.rise_verdict(np.array([1.0, 1.5, 1.4])) is FAILS


def test_family_claims(family_runs):
    found = claims.family_claims(family_runs)

    assert verdicts(found) == [HOLDS] * 4
    assert all("ratio" in number for number in found[1].numbers.values())


def test_family_claims_fed_with_the_opposite(family_runs):
    opposite = {family: swapped(runs) for family, runs in family_runs.items()}
    assert verdicts(claims.family_claims(opposite)) == [HOLDS, FAILS, FAILS, FAILS]

    one = family_runs | {"Student-t": swapped(family_runs["Student-t"])}
    assert verdicts(claims.family_claims(one)) == [HOLDS, FAILS, FAILS, FAILS]

    same_best = replace(family_runs["Gaussian"], arms=tuple(uh.Normal(m, 0.1) for m in (3, 2, 1)))
    assert claims.family_claims(family_runs | {"Gaussian": same_best})[0].verdict is FAILS


def test_substance_and_learning():
    sure, unsure, opposite = Difference(9, 1), Difference(1, 2), Difference(-9, 1)
    assert claims.substance_verdict(sure, 2.5) is HOLDS
    assert claims.substance_verdict(sure, 1.5) is NOTE
    assert claims.substance_verdict(unsure, 2.5) is NOTE
    assert claims.substance_verdict(opposite, 0.5) is FAILS
    assert claims.learning_verdict(Difference(0.9, 0.1), Difference(0.1, 0.1)) is HOLDS
    assert claims.learning_verdict(Difference(0.55, 0.1), Difference(0.1, 0.1)) is NOTE
    assert claims.learning_verdict(Difference(0.9, 0.1), Difference(0.7, 0.1)) is FAILS


def test_a_difference_of_one_replication_is_never_sure():
    assert Difference(5.0, float("nan")).verdict is NOTE
    assert Difference(0.0, 0.0).verdict is FAILS
    assert worst([HOLDS, FAILS, NOTE]) is FAILS


def test_transfer_verdicts():
    assert claims.transfer_verdict([1.0, 0.9], [0.10, 0.15], 0.08) is HOLDS
    assert claims.transfer_verdict([1.0, 0.9], [0.10, 0.17], 0.08) is NOTE
    assert claims.transfer_verdict([1.0, 0.7], [0.10, 0.15], 0.08) is FAILS
    assert claims.transfer_verdict([1.4, 1.0], [0.10, 0.15], 0.08) is FAILS
    assert claims.transfer_verdict([1.0, 1.0], [0.10, 0.65], 0.08) is FAILS


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
    assert halves(runs, ACP)[1].sum(axis=1) == pytest.approx(np.ones(3))


def test_arms_with_one_favourite_have_no_transfer_cost(metric_runs):
    arms = (uh.Normal(3, 1), uh.Normal(2, 1), uh.Normal(1, 1))
    assert transfer_cost(replace(metric_runs, arms=arms), 0.1).verdict is FAILS


@pytest.mark.parametrize(
    ("size", "verdict"),
    [
        (Size(60), FAILS),
        (Size(61, 20_000), FAILS),
        (Size(59), UNDECIDED),
        (Size(60, 9_999), UNDECIDED),
    ],
)
def test_a_run_below_the_papers_size_does_not_refute(metric_runs, size, verdict):
    """What the true values of the arms decide is decided by any run."""
    other = replace(swapped(metric_runs), arms=metric_runs.arms[::-1])
    found = claims.claims_of(METRICS, {"Gaussian": other}, size)
    assert verdicts(found)[:2] == [FAILS] * 2
    assert verdict in verdicts(found)[2:]
    assert {FAILS, UNDECIDED} - {verdict} not in verdicts(found)[2:]
