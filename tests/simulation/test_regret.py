"""Regret curves from pull counts, by hand and against SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from upperhand.distributions import Normal
from upperhand.objectives import LowerTail, Mean, Quantile, UpperTail, Utility
from upperhand.policies import ACPUCB1, UCB1
from upperhand.simulation.runs import half_width, regret_curve
from upperhand.simulation.simulate import simulate
from upperhand.simulation.statistics import mean_interval, standard_error

ROUNDS = np.array([2, 4])
PULLS = np.array([[[1, 1], [1, 3]], [[2, 0], [3, 1]], [[1, 1], [2, 2]]])  # (R, G, K) = (3, 2, 2)
GAPS = np.array([0.5, 0.0])


def test_by_hand():
    curve = regret_curve(ROUNDS, PULLS, GAPS)
    assert curve.rounds.tolist() == [2, 4]
    assert curve.final.tolist() == [0.5, 1.5, 1.0]
    assert curve.mean == pytest.approx([2 / 3, 1.0])
    assert curve.se == pytest.approx(0.5 / math.sqrt(3))
    # the 0.975 quantile of Student's t with two degrees of freedom is 4.302653 (any table)
    half = 4.302653 * 0.5 / math.sqrt(3)
    ends = mean_interval(curve.final)  # the three regrets there are not skewed
    assert ends == pytest.approx((1 - half, 1 + half), rel=1e-6)
    # In 4 rounds nobody gains, and nobody loses more than 4 · 0.5.
    assert (curve.low[1], curve.high[1]) == (0.0, 2.0)
    assert (curve.low[0], curve.high[0]) == mean_interval(np.array([0.5, 1.0, 0.5]), 0.0, 1.0)


def test_one_replication_has_no_band():
    curve = regret_curve(ROUNDS, PULLS[:1], GAPS)
    assert curve.mean.tolist() == [0.5, 0.5]
    assert np.isnan([curve.low, curve.high]).all()
    assert math.isnan(curve.se)


@pytest.mark.parametrize("n", [2, 5, 60])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_the_band_is_students(n, confidence):
    samples = np.random.default_rng(0).normal(size=(n, 3))
    low, high = stats.t.interval(confidence, n - 1, samples.mean(axis=0), stats.sem(samples))
    assert half_width(samples, confidence) == pytest.approx((high - low) / 2)
    assert standard_error(samples) == pytest.approx(stats.sem(samples))


def test_the_band_covers():
    """Of 4000 bands for a mean of 8 normals, 95 % hold it to 4 standard errors (p = 6e-5)."""
    samples = np.random.default_rng(0).normal(size=(8, 4000))
    covered = np.abs(samples.mean(axis=0)) <= half_width(samples)
    assert abs(covered.mean() - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 4000)


class TestOfRuns:
    @pytest.fixture(scope="class")
    @classmethod
    def runs(cls):
        arms = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]
        policies = {"ACP": ACPUCB1(), "mean": UCB1()}
        return simulate(arms, policies, 1500, 30, seed=0, progress=False)

    @pytest.mark.parametrize(
        "objective", [UpperTail(0.1), LowerTail(0.1), Mean(), Quantile(0.9), Utility(1.5)], ids=str
    )
    def test_it_is_the_sum_of_gaps(self, runs, objective):
        gaps = objective.gaps(runs.arms)
        for name, curve in runs.regret(objective).items():
            final = (runs.pulls[name][:, -1] * gaps).sum(axis=1)
            assert curve.final == pytest.approx(final, rel=1e-12)
            assert curve.rounds is runs.rounds
            assert np.all(np.diff(curve.mean) >= -1e-9)
            assert np.all((curve.low <= curve.mean) & (curve.mean <= curve.high))

    def test_each_policy_wins_under_its_own_objective(self, runs):
        tail, mean = runs.regret(UpperTail(0.1)), runs.regret(Mean())
        assert tail["ACP"].high[-1] < tail["mean"].low[-1]
        assert mean["mean"].high[-1] < mean["ACP"].low[-1]
