"""E[(x − Y)₊] of every distribution: against quadrature, by hand, against draws, at the ends."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from upperhand.distributions import (
    Bernoulli,
    Distribution,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    Pareto,
    ScipyDistribution,
    SkewedStudentT,
    StudentT,
    Uniform,
    numerics,
)
from upperhand.errors import ParameterError

from ..looping import for_each

CONTINUOUS = [
    Normal(0.1, 0.05),
    Normal(-3, 20),
    StudentT(0.03, 0.08, 3),
    StudentT(0, 1, 1.2),
    StudentT(0, 2, 40),
    SkewedStudentT(0, 0.16, 5, 0.6),
    SkewedStudentT(1, 2, 2.1, -0.9),
    Uniform(-1, 3),
    Exponential(2),
    LogNormal(0.2, 0.7),
    LogNormal(0, 5),
    LogNormal(0, 0.01),
    Pareto(2, 3),
    Pareto(1, 1),
    Pareto(0.1, 0.4),
    ScipyDistribution("gamma", (2,), {"scale": 3}),
    ScipyDistribution("gumbel_l", (1, 2)),
    ScipyDistribution("crystalball", (1, 2.5)),
]
DISCRETE = [
    Bernoulli(0.3),
    Bernoulli(1),
    Empirical([3, 1, 2, 2, 5]),
    ScipyDistribution("binom", (10, 0.3)),
    ScipyDistribution("dlaplace", (0.5,)),
]
MIXED = [
    Mixture([Normal(0, 1), Uniform(3, 4)], [0.25, 0.75]),
    Mixture([Bernoulli(0.5), Exponential(3)], [0.1, 0.9]),
]
EVERY = CONTINUOUS + DISCRETE + MIXED
every = for_each("arm", EVERY)


def by_quadrature(arm, level):
    """Return ∫ (x − F⁻¹(p)) dp over p < level with x = F⁻¹(level), by p = level·e^{−v}."""
    x = arm.quantile(level)

    def short(v):
        return (x - arm.quantile(level * math.exp(-v))) * math.exp(-v)

    cuts = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 400]
    pieces = [integrate.quad(short, *ends, epsabs=0, limit=200) for ends in pairwise(cuts)]
    return level * sum(value for value, _ in pieces)


@for_each("arm", CONTINUOUS)
def test_it_is_the_integral_that_it_claims_to_be(arm):
    for level in (1e-4, 0.1, 0.9):
        found = arm.shortfall(arm.quantile(level))
        assert found == pytest.approx(by_quadrature(arm, level), rel=1e-10, abs=0)


def test_what_is_integrated_for_scipy_is_the_closed_form():
    for arm, twin in (
        (Normal(0.1, 0.05), ScipyDistribution("norm", (0.1, 0.05))),
        (StudentT(0, 2, 1.1), ScipyDistribution("t", (1.1, 0, 2))),
        (Uniform(0, 4), ScipyDistribution("uniform", (0, 4))),
        (Exponential(2), ScipyDistribution("expon", (0, 2))),
        (LogNormal(0, 1), ScipyDistribution("lognorm", (1,))),
    ):
        x = [*arm.quantile([1e-9, 1e-4, 0.1, 0.5, 0.99]), 1e3, 1e9]
        np.testing.assert_allclose(twin.shortfall(x), arm.shortfall(x), rtol=1e-11)


@pytest.mark.parametrize("loc", [0, -3, 0.1])
def test_a_discrete_distribution_of_scipy_sums_its_atoms(loc):
    atoms = np.arange(-200, 5000)
    for name, args in (("binom", (10, 0.3)), ("poisson", (400,)), ("dlaplace", (0.5,)),
                       ("randint", (-3, 4000))):  # fmt: skip
        arm = ScipyDistribution(name, args, {"loc": loc})
        masses = getattr(stats, name)(*args).pmf(atoms)
        for x in [*arm.quantile([1e-4, 0.3, 0.9]), *(arm.quantile([0.3, 0.9]) + 0.4), 4600.0]:
            by_hand = math.fsum(np.maximum(x - (loc + atoms), 0) * masses)
            assert arm.shortfall(x) == pytest.approx(by_hand, rel=1e-11, abs=1e-15)


@pytest.mark.parametrize(
    ("arm", "x", "value"),
    [  # by mpmath with 40 digits, from the closed forms or from the densities
        (Normal(0, 1), -30, 1.6319567340914012e-199),
        (Normal(0, 1), -8, 7.5502624119464989e-17),
        (Normal(0, 1), -1, 0.083315470587686298),
        (Normal(0, 1), 2, 2.0084907026168296),
        (StudentT(0, 1, 3), -1, 0.21799556208845872),
        (StudentT(0, 1, 3), -20, 0.0013721528232474191),
        (StudentT(0, 1, 5), 1.5, 1.5802599269896636),
        (StudentT(0, 1, 40), -5, 1.8447756892193591e-6),
        (LogNormal(0, 1), 1, 0.23842170813487663),
        (LogNormal(0, 1), 0.01, 3.4555750029107636e-9),
        (LogNormal(0, 1), 1e-5, 4.4791830609837279e-37),
        (LogNormal(0, 1), 100, 98.351329822970199),
        (LogNormal(0, 40), 1, 0.49003266481169869),
        (Pareto(1, 1), 2, 1 - math.log(2)),
        (Pareto(2, 2), 8, 4.5),
        (Pareto(1, 3), 0.5, 0),
        (Exponential(1), 1e-8, 4.9999999833333334e-17),
        (Exponential(1), 1, 0.36787944117144232),
        (Exponential(1), 50, 49.0),
    ],
    ids=repr,
)
def test_known_values_also_far_in_the_tail(arm, x, value):
    assert arm.shortfall(x) == pytest.approx(value, rel=1e-12, abs=0)


def test_students_t_in_closed_form():
    x = np.array([-1e6, -1000.0, -3.0, 0.0, 2.0, 1e6])
    exact = np.where(x < 0, 1 / (np.sqrt(2 + x * x) - x), (x + np.sqrt(2 + x * x)) / 2)
    np.testing.assert_allclose(StudentT(0, 1, 2).shortfall(x), exact, rtol=1e-14)
    x = np.linspace(-9, 9, 37)
    plain = StudentT(0.5, 2 * math.sqrt(3 / 5), 5).shortfall(x)
    np.testing.assert_allclose(SkewedStudentT(0.5, 2, 5, 0).shortfall(x), plain, rtol=1e-13)


def test_by_hand():
    assert Bernoulli(0.25).shortfall([-1, 0, 0.5, 1, 3]).tolist() == [0, 0, 0.375, 0.75, 2.75]
    assert Uniform(0, 2).shortfall([-1, 0, 1, 2, 3]).tolist() == [0, 0, 0.25, 1, 2]
    assert Empirical([4, 1, 2, 1]).shortfall([1, 2, 3, 10]).tolist() == [0, 0.5, 1.25, 8]
    halves = Mixture([Uniform(0, 2), Bernoulli(0.25)], [0.5, 0.5])
    assert halves.shortfall([1, 3]).tolist() == [0.5, 2.375]
    assert Empirical([1e9, 1e9 + 2]).shortfall(1e9 + 1) == 0.5  # nothing cancels far from 0


@every
def test_what_every_shortfall_has_in_common(arm):
    low, high = arm.quantile([0.01, 0.99])
    x = np.linspace(low, high + arm.cdf(low), 101)  # beyond `low` also where that is the only atom
    slopes = np.diff(arm.shortfall(x)) / np.diff(x)  # it is convex and rises with the slope F
    assert np.all(slopes >= arm.cdf(x[:-1]) - 1e-9)
    assert np.all(slopes <= arm.cdf(x[1:]) + 1e-9)
    assert arm.shortfall([-math.inf, math.inf]).tolist() == [0, math.inf]
    if math.isfinite(arm.sd):
        x = arm.mean + 1e5 * arm.sd + 1e3  # far above all rewards only the mean counts
        assert arm.shortfall(x) == pytest.approx(x - arm.mean, rel=1e-9)
    if not isinstance(arm, Mixture):
        x = arm.quantile([0.001, 0.2, 0.5, 0.9])
        assert Mixture([arm], [1]).shortfall(x).tolist() == arm.shortfall(x).tolist()
    if arm.sd < 100:  # five standard errors fail with probability 1e-6; the seed is fixed
        drawn = arm.sample(100_000, np.random.default_rng(20240602))
        for x in arm.quantile([0.2, 0.7]):
            short = np.maximum(x - drawn, 0)
            error = 5 * short.std() / math.sqrt(short.size)
            assert arm.shortfall(x) == pytest.approx(short.mean(), abs=error + 1e-15)


# --- without a mean, or not computable -----------------------------------------------------------


def test_a_lower_tail_without_a_mean_falls_short_without_bound():
    for arm in (
        StudentT(0, 1, 1),
        StudentT(7, 2, 0.5),
        ScipyDistribution("cauchy"),
        ScipyDistribution("skewcauchy", (0.5,)),
        ScipyDistribution("t", (0.5,)),
        ScipyDistribution("levy_l"),
        Mixture([Normal(0, 1), StudentT(0, 1, 1)], [0.9, 0.1]),
    ):
        assert arm.shortfall([-3.0, 0.0, 3.0]).tolist() == [math.inf] * 3, arm


def test_an_upper_tail_without_a_mean_does_not_matter():
    pareto, landau = ScipyDistribution("pareto", (0.5,)), ScipyDistribution("landau")
    assert pareto.shortfall(4) == pytest.approx(1, rel=1e-12)  # (√x − 1)²
    assert math.isnan(landau.mean)
    assert 0 < landau.shortfall(0) < 1


def test_where_scipy_cannot_compute_it_the_message_says_what_to_do(monkeypatch):
    def slow_to_converge(arm, p):  # as SciPy 1.17 does for levy_stable(1.5, 0.3), after 14 s
        raise RuntimeError("Failed to converge after 100 iterations.")

    monkeypatch.setattr(ScipyDistribution, "_quantile", slow_to_converge)
    with pytest.raises(ParameterError, match=r"no quantiles of norm\(0, 2\) .* into an Empirical"):
        ScipyDistribution("norm", (0, 2)).shortfall(0)


def test_more_atoms_than_can_be_summed_are_refused(monkeypatch):
    monkeypatch.setattr(numerics, "MOST_ATOMS", 10_000)
    few, many = (ScipyDistribution("randint", (0, n)) for n in (5000, 10**9))
    assert few.shortfall(4000) == pytest.approx(4001 * 4000 / 2 / 5000)
    with pytest.raises(ParameterError, match="more than 10000 of them below 400000; sample the di"):
        many.shortfall(400_000)


@dataclass(frozen=True)
class Ramp(Distribution):
    """A distribution of one's own without `_shortfall`: F(x) = x² on [0, 1]."""

    family = "ramp"
    mean = 2 / 3
    sd = math.sqrt(1 / 18)

    def _quantile(self, p):
        return np.sqrt(p)

    def _cdf(self, x):
        return np.clip(x, 0, 1) ** 2

    def _sample(self, rng, shape):
        return np.sqrt(rng.random(shape))


def test_a_distribution_of_ones_own_inherits_it():
    x = np.array([-1.0, 1e-3, 0.5, 1.0, 3.0])
    exact = np.where(x <= 1, np.maximum(x, 0) ** 3 / 3, x - 2 / 3)
    np.testing.assert_allclose(Ramp().shortfall(x), exact, rtol=1e-12)
