"""The one rule of ties: what rounding makes is no gap, and what it cannot make is one."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

import upperhand as uh
from upperhand.objectives import gaps_of

FAR = 1e12  # its ulp is 1.2e-4


@pytest.mark.parametrize(
    ("law", "twin"),
    [
        (uh.Exponential(0.3), scipy.stats.gamma(1, 0, 0.3)),
        (uh.Exponential(0.7), scipy.stats.weibull_min(1, 0, 0.7)),
        (uh.LogNormal(0.4, 1.3), scipy.stats.lognorm(1.3, 0, math.exp(0.4))),
        (uh.StudentT(-0.3, 0.7, 3.3), scipy.stats.t(3.3, -0.3, 0.7)),
        (uh.Normal(-0.1, 0.7), uh.Mixture([uh.Normal(-0.1, 0.7)] * 2, [0.3, 0.7])),
        (uh.StudentT(-0.1, 0.7, 4), uh.SkewedStudentT(-0.1, 0.7 * math.sqrt(2), 4, 0)),
    ],
)
def test_one_law_written_in_two_ways_ties(law, twin):
    if not isinstance(twin, uh.Distribution):
        twin = uh.from_scipy(twin)
    objectives = [uh.Mean(), uh.CVaR(0.1), *map(uh.Quantile, (0.01, 0.05, 0.5, 0.95, 0.999))]
    for objective in objectives:
        assert objective.gaps([law, twin]).tolist() == [0, 0], objective


def test_equal_means_of_different_laws_tie():
    """3 · 0.1 is 0.30000000000000004."""
    arms = [uh.Exponential(0.3), uh.from_scipy(scipy.stats.gamma(3, 0, 0.1))]
    assert arms[0].mean != arms[1].mean
    assert uh.Mean().gaps(arms).tolist() == [0, 0]
    assert uh.Mean().best(arms) == 0


@pytest.mark.parametrize(("hair", "tie"), [(0.0, True), (1.3e-4, True), (0.01, False)])
def test_far_from_zero_a_tie_is_a_few_ulps(hair, tie):
    """0.01 is ten standard deviations here, which 1e-13 of the value would call a tie."""
    arms = [uh.Normal(FAR, 1e-3), uh.Normal(FAR + hair, 1e-3)]
    for objective in (uh.Mean(), uh.UpperTail(0.1), uh.Utility(1)):
        assert (objective.gaps(arms)[0] == 0) == tie


def test_a_third_arm_ties_nobody():
    assert gaps_of(np.array([0.0, 0.5, -1e16])).tolist() == [0.5, 0, 0.5 + 1e16]


def test_the_terms_of_a_sum_may_cancel():
    """0.3 − 3 · 0.1 and 0.6 − 3 · 0.2 are a hair from 0, and from one another."""
    arms = [uh.Normal(0.3, 0.1), uh.Normal(0.6, 0.2)]
    assert len(set(uh.Utility(-3).values(arms))) == 2
    assert uh.Utility(-3).gaps(arms).tolist() == [0, 0]


def test_against_fractions():
    """The rule, written with exact fractions: a gap is more than 16 ulps of the larger value."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        values = 10.0 ** rng.integers(-3, 4) * (1 + rng.integers(0, 40, 3) * 2.0**-52)
        best = max(map(Fraction, values))
        exact = [best - Fraction(value) for value in values]
        expected = [float(gap) if gap > best / 2**48 else 0.0 for gap in exact]
        assert gaps_of(values).tolist() == expected


def test_arms_are_along_the_last_axis():
    values = np.array([[[1.0, 2.0], [5.0, 4.0]], [[0.1 + 0.2, 0.3], [0.0, 0.0]]])
    assert gaps_of(values).tolist() == [[[1, 0], [0, 1]], [[0, 0], [0, 0]]]


@pytest.mark.parametrize(
    ("objective", "arms"),
    [
        (uh.Mean(), [uh.Empirical([-0.3, 0.1, 0.1, 0.1]), uh.Empirical([-0.6, 0.2, 0.2, 0.2])]),
        (uh.UpperTail(0.1), [uh.Uniform(-0.95, 0.05), uh.Uniform(-9.5, 0.5)]),
    ],
)
def test_values_near_zero_tie_by_what_they_are_summed_from(objective, arms):
    assert objective.gaps(arms).tolist() == [0.0, 0.0]
