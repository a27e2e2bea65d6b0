"""Statistics of replications against their definitions, in plain Python."""

import math
import statistics

import numpy as np
import pytest

from upperhand.simulation.statistics import (
    best_shares,
    estimate,
    mean_interval,
    paired_difference,
    paired_ratio,
    recorded,
    slopes,
)

Y, X = [3.0, 5.0, 4.5, 7.0], [10.0, 12.0, 9.0, 15.0]


def best_share(pulls, gaps):
    return estimate(best_shares(pulls, gaps), 0, 1)


def log_slope(rounds, regrets):
    return estimate(slopes(rounds, regrets))


def arrays(*values):
    return tuple(map(np.array, values))


def test_estimate_is_mean_and_standard_error():
    value, se, *ends = estimate(np.array(Y))

    assert value == pytest.approx(statistics.fmean(Y))
    assert se == pytest.approx(statistics.stdev(Y) / math.sqrt(4))
    assert ends == list(mean_interval(np.array(Y)))
    assert all(map(math.isnan, estimate(np.array([1.0]))[1:]))


def test_differences_are_paired():
    value, se, *_ = paired_difference(*arrays(Y, X))
    differences = [y - x for y, x in zip(Y, X, strict=True)]

    assert value == pytest.approx(statistics.fmean(differences))
    assert se == pytest.approx(statistics.stdev(differences) / 2)
    unpaired = math.sqrt((statistics.variance(Y) + statistics.variance(X)) / 4)
    assert se < unpaired  # what is random to both has gone


def test_the_same_rewards_leave_no_error():
    x = np.array(X)

    assert paired_difference(x - 2.0, x) == (-2.0, 0.0, -2.0, -2.0)
    assert paired_ratio(x / 4, x) == (0.25, 0.0, 0.25, 0.25)


def test_ratio_by_the_delta_method():
    """The variance of ȳ/x̄ from the covariance matrix, the gradient being (1/x̄, −ȳ/x̄²)."""
    value, se, *_ = paired_ratio(*arrays(Y, X))
    mean_y, mean_x = statistics.fmean(Y), statistics.fmean(X)
    gradient = np.array([1 / mean_x, -mean_y / mean_x**2])

    assert value == pytest.approx(mean_y / mean_x)
    assert se == pytest.approx(math.sqrt(gradient @ np.cov(Y, X) @ gradient / 4))


def test_ratio_against_resampling():
    rng = np.random.default_rng(0)
    x = rng.normal(100, 10, 400)
    y = 0.3 * x + rng.normal(0, 5, 400)
    picks = rng.integers(0, 400, (2000, 400))
    resampled = y[picks].mean(axis=1) / x[picks].mean(axis=1)

    assert paired_ratio(y, x).se == pytest.approx(resampled.std(), rel=0.1)


def test_no_regret_to_compare_with():
    assert all(map(math.isnan, paired_ratio(np.array(Y), np.zeros(4))))


def test_shares_of_tied_best_arms_count_together():
    pulls, gaps = np.array([[5, 3, 2], [6, 0, 4]]), np.array([0.0, 0.7, 0.0])
    value, se, *_ = best_share(pulls, gaps)

    assert value == pytest.approx((0.7 + 1.0) / 2)
    assert se == pytest.approx(statistics.stdev([0.7, 1.0]) / math.sqrt(2))
    assert best_share(pulls, np.array([1.0, 0.0, 1.0])).value == pytest.approx((0.3 + 0.0) / 2)


def test_slope_of_a_logarithm_is_its_factor():
    rounds = recorded(100_000)
    regrets = np.array([[c * math.log(t) + 7 for t in rounds] for c in (2.0, 4.0)])
    value, se, *_ = log_slope(rounds, regrets)

    assert value == pytest.approx(3.0)
    assert se == pytest.approx(1.0)  # stdev √2, over √2


def test_slope_is_that_of_the_last_two_decades_only():
    rounds = recorded(10_000)
    late = np.array([[5 * max(math.log(t / 100), 0.0) for t in rounds]])
    early = np.array([[50 * min(math.log(t), math.log(99)) for t in rounds]])

    assert log_slope(rounds, late).value == pytest.approx(5.0)
    assert log_slope(rounds, early).value == pytest.approx(0.0, abs=1e-9)


def test_slope_by_the_textbook():
    rounds = np.array([1, 99, 100, 500, 2000, 10_000])
    regrets = [3.0, 50.0, 60.0, 61.0, 75.0, 90.0]
    x, y = [math.log(t) for t in rounds[2:]], regrets[2:]
    value = log_slope(rounds, np.array([regrets])).value

    assert value == pytest.approx(statistics.linear_regression(x, y).slope)


def test_a_single_round_has_no_slope():
    assert all(map(math.isnan, log_slope(np.array([7]), np.array([[1.0]]))))


@pytest.mark.parametrize("horizon", [1, 2, 9, 10_000, 1_000_000])
def test_recorded_rounds_rise_to_the_horizon_in_even_steps(horizon):
    rounds = recorded(horizon)

    assert (rounds[0], rounds[-1]) == (1, horizon)
    assert np.all(np.diff(rounds) > 0)
    if horizon >= 10_000:
        steps = np.diff(np.log(rounds[rounds > horizon / 100]))
        assert steps.max() < 1.2 * steps.min()


def test_intervals_stay_within_what_can_be():
    pulls = np.array([[99, 1], [100, 0], [60, 40]])
    share = best_share(pulls, np.array([0.0, 1.0]))
    assert 0 <= share.low < share.value < share.high == 1
    ratio = paired_ratio(np.array([0.1, 0.0, 9.0]), np.array([5.0, 6.0, 5.0]))
    assert ratio.low == 0
