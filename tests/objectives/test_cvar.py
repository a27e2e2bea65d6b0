"""The mean of the worst share of the rewards."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    ScipyDistribution,
    SkewedStudentT,
    StudentT,
    Uniform,
)
from upperhand.errors import ParameterError
from upperhand.objectives import CVaR, LowerTail, Mean, Quantile

LAWS = [
    Normal(0.1, 0.05),
    StudentT(0.03, 0.08, 3),
    StudentT(0, 1, 2.5),
    SkewedStudentT(0, 0.16, 5, 0.6),
    Uniform(-1, 3),
    Exponential(2),
    LogNormal(0.2, 0.7),
    Bernoulli(0.3),
    Empirical([3, 1, 2, 2, 5]),
    Mixture([Normal(0, 1), Uniform(3, 4)], [0.25, 0.75]),
    ScipyDistribution("gamma", (2,), {"scale": 3}),
    ScipyDistribution("binom", (10, 0.3)),
]
every_law = pytest.mark.parametrize("law", LAWS, ids=repr)
ALPHAS = [1e-4, 0.01, 0.05, 0.1, 0.25, 0.5, 0.9, 0.99, 0.9999]


@every_law
def test_at_level_1_it_is_the_mean(law):
    assert CVaR(1).value(law) == law.mean == Mean().value(law)


@every_law
def test_close_to_level_1_it_is_close_to_the_mean(law):
    assert CVaR(1 - 1e-12).value(law) == pytest.approx(law.mean, rel=1e-6, abs=1e-6)


@every_law
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5, 0.9])
def test_it_is_the_mean_quantile_below_the_level(law, alpha):
    """(1/α) ∫₀^α F⁻¹(p) dp, by p = αe^{−v} and the midpoint rule, which needs no smoothness."""
    step = 0.001
    v = step * (np.arange(40_000) + 0.5)
    by_hand = step * np.sum(law.quantile(alpha * np.exp(-v)) * np.exp(-v))
    assert CVaR(alpha).value(law) == pytest.approx(by_hand, rel=1e-3, abs=1e-3)


@every_law
def test_a_larger_share_is_never_worse(law):
    values = np.array([CVaR(alpha).value(law) for alpha in np.linspace(0.001, 1, 100)])
    assert np.all(np.diff(values) >= -1e-13 * np.abs(values[1:]))


@every_law
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5])
def test_it_is_at_most_the_quantile_and_at_most_the_mean(law, alpha):
    assert CVaR(alpha).value(law) <= min(Quantile(alpha).value(law), law.mean) + 1e-12


@pytest.mark.parametrize("alpha", ALPHAS)
def test_laws_in_closed_form(alpha):
    z = stats.norm.ppf(alpha)
    normal = 0.1 - 0.05 * stats.norm.pdf(z) / alpha
    assert CVaR(alpha).value(Normal(0.1, 0.05)) == pytest.approx(normal, rel=1e-12)

    t = stats.t.ppf(alpha, 3)
    student = 2 - 0.5 * (3 + t * t) / 2 * stats.t.pdf(t, 3) / alpha
    assert CVaR(alpha).value(StudentT(2, 0.5, 3)) == pytest.approx(student, rel=1e-12)

    assert CVaR(alpha).value(Uniform(0, 2)) == pytest.approx(alpha, rel=1e-12)

    exponential = 1 + (1 - alpha) * math.log1p(-alpha) / alpha  # which cancels for small levels
    assert CVaR(alpha).value(Exponential(1)) == pytest.approx(exponential, rel=1e-11)


@pytest.mark.parametrize("alpha", [1e-4, 0.05, 0.5])
@pytest.mark.parametrize(
    "law", [SkewedStudentT(0, 0.16, 5, 0.6), LogNormal(0.2, 0.7), LAWS[-2]], ids=repr
)
def test_laws_by_quadrature(law, alpha):
    def worst(v):
        return law.quantile(alpha * math.exp(-v)) * math.exp(-v)

    # The mode of the skewed law, where its halves meet, is at −ln p = ln(α/0.2).
    cuts = [0, max(math.log(alpha / 0.2), 0.1), 2, 5, 10, 20, 60]
    pieces = [integrate.quad(worst, *ends, epsabs=0)[0] for ends in pairwise(cuts)]
    assert CVaR(alpha).value(law) == pytest.approx(sum(pieces), rel=1e-10)


def test_a_coin_by_hand():
    coin = Bernoulli(0.25)
    assert CVaR(0.5).value(coin) == 0
    assert CVaR(0.75).value(coin) == 0
    assert CVaR(0.8).value(coin) == pytest.approx((0.75 * 0 + 0.05 * 1) / 0.8, rel=1e-15)
    assert CVaR(0.1).value(Bernoulli(1)) == 1


def test_data_by_hand():
    data = Empirical([5, 1, 4, 2, 3, 10, 6, 9, 8, 7])
    assert CVaR(0.1).value(data) == 1
    assert CVaR(0.2).value(data) == pytest.approx(1.5, rel=1e-15)
    assert CVaR(0.25).value(data) == pytest.approx((1 + 2 + 0.5 * 3) / 2.5, rel=1e-15)
    assert CVaR(0.05).value(data) == 1  # half of the first value


@every_law
def test_a_mixture_of_one_is_its_component(law):
    assert CVaR(0.1).value(Mixture([law], [1])) == CVaR(0.1).value(law)


def test_shifts_and_scales_pass_through():
    for alpha in (0.05, 0.5):
        unit = CVaR(alpha).value(Normal(0, 1))
        assert CVaR(alpha).value(Normal(7, 100)) == pytest.approx(7 + 100 * unit, rel=1e-14)


def test_the_best_bad_days_are_not_the_best_mean():
    calm, wild = Normal(0.0, 0.01), Normal(0.1, 1)
    assert (CVaR(0.1).best([calm, wild]), Mean().best([calm, wild])) == (0, 1)
    assert CVaR(0.05).value(wild) < LowerTail(0.1).value(wild)


def test_a_mean_is_not_needed_above():
    assert CVaR(0.5).value(ScipyDistribution("pareto", (0.5,))) == pytest.approx(2, rel=1e-12)
    assert CVaR(0.5).value(LogNormal(0, 400)) < 1
    with pytest.raises(ParameterError, match="has no finite CVaR 100 %"):
        CVaR(1).values([LogNormal(0, 400)])


@pytest.mark.parametrize(
    ("alpha", "label"), [(0.1, "CVaR 10 %"), (0.07, "CVaR 7 %"), (0.025, "CVaR 2.5 %")]
)
def test_label(alpha, label):
    assert CVaR(alpha).label == label


@pytest.mark.parametrize("bad", [0, -0.1, 1.0001, 2, math.nan, "0.1", None, True])
def test_a_share_is_above_0_and_at_most_1(bad):
    with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and ≤ 1; got"):
        CVaR(bad)
