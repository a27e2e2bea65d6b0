"""Statistics of replications: against definitions, a root finder, and how often they cover."""

import math
import statistics

import numpy as np
import pytest
from scipy import optimize, stats

from upperhand.simulation.statistics import (
    Moments,
    best_shares,
    estimate,
    mean_interval,
    paired_ratio,
    recorded,
    share_interval,
    slopes,
    standard_error,
    wilson_interval,
)

SKEWED = np.random.default_rng(1).lognormal(size=(12, 4))


def corrected(mu, samples):
    """Return Hall's corrected ratio of one sample, as the paper writes it."""
    n, gamma = len(samples), stats.skew(samples, bias=False)
    t = (np.mean(samples) - mu) / np.std(samples, ddof=1)
    return math.sqrt(n) * (t + gamma * t**2 / 3 + gamma**2 * t**3 / 27 + gamma / (6 * n))


def slow_interval(samples):
    """Return the interval with the ends where the ratios are Student's quantiles."""
    n, mean, sd = len(samples), np.mean(samples), np.std(samples, ddof=1)
    t = stats.t.ppf(0.975, n - 1)
    far = 20 * sd  # well beyond both ends
    low, high = (
        optimize.brentq(lambda mu, end=end: corrected(mu, samples) - end, mean - far, mean + far)
        for end in (t, -t)
    )
    half = t * sd / math.sqrt(n)
    return min(low, mean - half), max(high, mean + half)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_ends_are_where_the_corrected_ratio_is_students_quantile(sign):
    samples = sign * SKEWED
    expected = np.array([slow_interval(column) for column in samples.T]).T

    assert np.array(mean_interval(samples)) == pytest.approx(expected, rel=1e-9)
    assert mean_interval(samples[:, 0]) == pytest.approx(tuple(expected[:, 0]), rel=1e-9)


@pytest.mark.parametrize("samples", [[1.0, 9.0], [1.0, 2.0, 3.0], [-4.0, -1.0, 0.0, 1.0, 4.0]])
def test_without_skewness_it_is_students(samples):
    error = stats.sem(samples)
    expected = stats.t.interval(0.95, len(samples) - 1, np.mean(samples), error)

    assert mean_interval(np.array(samples)) == pytest.approx(expected)
    assert standard_error(np.array(samples)) == pytest.approx(error)


def test_samples_that_agree_and_a_single_one():
    assert mean_interval(np.full(5, 3.0)) == (3.0, 3.0)
    assert np.isnan(mean_interval(np.array([3.0]))).all()
    low, high = mean_interval(np.array([[1.0, 2.0]] * 4))
    assert (low.tolist(), high.tolist()) == ([1.0, 2.0], [1.0, 2.0])


def test_units_and_signs_change_nothing():
    low, high = mean_interval(SKEWED)
    flipped = mean_interval(-SKEWED)
    scaled = mean_interval(1e-9 * SKEWED + 5e-9)

    assert np.array(flipped) == pytest.approx(-np.array([high, low]))
    assert np.array(scaled) == pytest.approx(1e-9 * np.array([low, high]) + 5e-9)


def test_it_covers_the_mean_of_a_skewed_law():
    """60 values of a lognormal law: Student's interval holds its mean in 90 % of the cases.

    Of 8,000 intervals; four standard errors of a share of 93 % are 1.1 % (p = 3e-5).
    """
    samples = np.random.default_rng(2).lognormal(sigma=1.2, size=(60, 8000))
    truth = math.exp(1.2**2 / 2)
    (low, high), half = mean_interval(samples), stats.t.ppf(0.975, 59) * standard_error(samples)
    students = np.mean(np.abs(samples.mean(axis=0) - truth) <= half)

    assert students < 0.90
    assert np.mean((low <= truth) & (truth <= high)) > 0.93 - 0.011


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
    value, se, *_ = estimate(np.array(Y) - np.array(X))
    differences = [y - x for y, x in zip(Y, X, strict=True)]

    assert value == pytest.approx(statistics.fmean(differences))
    assert se == pytest.approx(statistics.stdev(differences) / 2)
    unpaired = math.sqrt((statistics.variance(Y) + statistics.variance(X)) / 4)
    assert se < unpaired  # what is random to both has gone


def test_the_same_rewards_leave_no_error():
    x = np.array(X)

    assert paired_ratio(x / 4, x) == (0.25, 0.0, 0.25, 0.25)


def test_ratio_by_the_delta_method():
    """The variance of ȳ/x̄ from the covariance matrix, the gradient being (1/x̄, −ȳ/x̄²)."""
    value, se, *_ = paired_ratio(*arrays(Y, X))
    mean_y, mean_x = statistics.fmean(Y), statistics.fmean(X)
    gradient = np.array([1 / mean_x, -mean_y / mean_x**2])

    assert value == pytest.approx(mean_y / mean_x)
    assert se == pytest.approx(math.sqrt(gradient @ np.cov(Y, X) @ gradient / 4))


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


def test_recorded_rounds_rise_to_the_horizon_in_even_steps():
    for horizon in (1, 2, 9, 10_000, 1_000_000):
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


def test_the_interval_of_a_share_is_clopper_and_pearsons():
    for count, total in [(0, 1), (0, 60), (3, 60), (59, 60), (60, 60)]:
        exact = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
        assert share_interval(count, total) == pytest.approx((exact.low, exact.high), rel=1e-9)


def test_the_interval_of_a_share_covers():
    """Of Binomial(60, p) it holds p with probability near 95 %, here summed over the counts."""
    ends = [wilson_interval(count, 60) for count in range(61)]
    for p in (0.5, 0.7, 0.9):
        law = [math.comb(60, count) * p**count * (1 - p) ** (60 - count) for count in range(61)]
        held = sum(c for c, (low, high) in zip(law, ends, strict=True) if low <= p <= high)
        assert 0.93 < held < 0.97
    assert ends[60][0] < 0.95
    assert ends[60][1] == 1.0
    assert ends[0][0] == 0.0


def test_moments_are_those_of_the_sample():
    sample = np.random.default_rng(0).lognormal(0, 1, (50, 3))
    moments = Moments((3,))
    for each in sample:
        moments.add(each)
    assert np.allclose(moments.mean, sample.mean(axis=0), rtol=1e-12)
    assert np.allclose(moments.error, standard_error(sample), rtol=1e-12)
    one = Moments((1,))
    one.add(np.array([2.0]))
    assert one.mean == [2.0]
    assert np.isnan(one.error).all()
