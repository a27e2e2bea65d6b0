"""Objectives of the mean and the standard deviation."""

import math

import pytest

from upperhand.distributions import Bernoulli, LogNormal, Normal, Uniform
from upperhand.objectives import Mean, MeanVariance, Utility


@pytest.mark.parametrize(
    ("objective", "value", "label"),
    [
        (Mean(), 1.0, "mean"),
        (Utility(0), 1.0, "mean + 0 sd"),
        (Utility(3), 1.0 + math.sqrt(3), "mean + 3 sd"),
        (MeanVariance(0), -1 / 3, "mean-variance (ρ=0)"),
        (MeanVariance(0.5), 0.5 - 1 / 3, "mean-variance (ρ=0.5)"),
        (MeanVariance(-1), -1 - 1 / 3, "mean-variance (ρ=-1)"),
    ],
    ids=str,
)
def test_value_and_label(objective, value, label):
    assert objective.value(Uniform(0, 2)) == pytest.approx(value)
    assert objective.label == label


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(("loc", "scale"), [(0.10, 0.05), (0.0, 0.15), (-3.0, 20.0)])
def test_the_mean_variance_of_a_normal_law_is_its_formula(rho, loc, scale):
    assert MeanVariance(rho).value(Normal(loc, scale)) == rho * loc - scale * scale


def test_the_mean_variance_of_a_coin_by_hand():
    assert MeanVariance(1).value(Bernoulli(0.25)) == pytest.approx(0.25 - 0.25 * 0.75)


def test_rho_moves_the_best_arm_from_the_calmest_to_the_best_on_average():
    arms = [Normal(0.10, 0.05), Normal(0.00, 0.01), Normal(0.2, 0.5)]
    assert [MeanVariance(rho).best(arms) for rho in (0, 1, 3)] == [1, 0, 2]


def test_a_variance_that_no_double_can_hold_is_no_value():
    assert MeanVariance(1).value(LogNormal(0, 1e3)) != MeanVariance(1).value(Normal(0, 1))
    assert not math.isfinite(MeanVariance(1).value(LogNormal(0, 1e3)))
    assert MeanVariance(1).value(Normal(0, 1e200)) == -math.inf
