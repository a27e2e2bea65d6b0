"""E[(x − Y)₊] of every law: against quadrature, by hand, against draws, and at the ends."""

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
LAWS = CONTINUOUS + DISCRETE + MIXED
every_law = pytest.mark.parametrize("law", LAWS, ids=repr)


# --- against quadrature -----------------------------------------------------------------------


def by_quadrature(law, level):
    """Return ∫ (x − F⁻¹(p)) dp over p < level with x = F⁻¹(level), by p = level·e^{−v}."""
    x = law.quantile(level)

    def short(v):
        return (x - law.quantile(level * math.exp(-v))) * math.exp(-v)

    cuts = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 400]
    pieces = [integrate.quad(short, *ends, epsabs=0, limit=200) for ends in pairwise(cuts)]
    return level * sum(value for value, _ in pieces)


@pytest.mark.parametrize("level", [1e-4, 0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("law", CONTINUOUS, ids=repr)
def test_it_is_the_integral_that_it_claims_to_be(law, level):
    found = law.shortfall(law.quantile(level))
    assert found == pytest.approx(by_quadrature(law, level), rel=1e-10, abs=0)


@pytest.mark.parametrize(
    ("law", "twin"),
    [
        (Normal(0.1, 0.05), ScipyDistribution("norm", (0.1, 0.05))),
        (StudentT(0, 2, 1.1), ScipyDistribution("t", (1.1, 0, 2))),
        (Uniform(0, 4), ScipyDistribution("uniform", (0, 4))),
        (Exponential(2), ScipyDistribution("expon", (0, 2))),
        (LogNormal(0, 1), ScipyDistribution("lognorm", (1,))),
    ],
    ids=repr,
)
def test_what_scipy_laws_integrate_is_the_closed_form(law, twin):
    x = [*law.quantile([1e-9, 1e-4, 0.1, 0.5, 0.99]), 1e3, 1e9]
    np.testing.assert_allclose(twin.shortfall(x), law.shortfall(x), rtol=1e-11)


@pytest.mark.parametrize("loc", [0, -3, 0.1])
@pytest.mark.parametrize(
    ("name", "args"),
    [("binom", (10, 0.3)), ("poisson", (400,)), ("dlaplace", (0.5,)), ("randint", (-3, 4000))],
)
def test_a_discrete_law_of_scipy_sums_its_atoms(name, args, loc):
    law = ScipyDistribution(name, args, {"loc": loc})
    atoms = np.arange(-200, 5000)
    masses = getattr(stats, name)(*args).pmf(atoms)
    for x in [*law.quantile([1e-4, 0.3, 0.9]), *(law.quantile([0.3, 0.9]) + 0.4), 4600.0]:
        by_hand = math.fsum(np.maximum(x - (loc + atoms), 0) * masses)
        assert law.shortfall(x) == pytest.approx(by_hand, rel=1e-11, abs=1e-15)


# --- against values known otherwise -----------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "x", "value"),
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
def test_known_values_also_far_in_the_tail(law, x, value):
    assert law.shortfall(x) == pytest.approx(value, rel=1e-12, abs=0)


def test_student_t_with_two_degrees_of_freedom_in_closed_form():
    x = np.array([-1e6, -1000.0, -3.0, 0.0, 2.0, 1e6])
    exact = np.where(x < 0, 1 / (np.sqrt(2 + x * x) - x), (x + np.sqrt(2 + x * x)) / 2)
    np.testing.assert_allclose(StudentT(0, 1, 2).shortfall(x), exact, rtol=1e-14)


def test_a_skewed_student_t_without_skew_is_student_t_with_variance_1():
    x = np.linspace(-9, 9, 37)
    plain = StudentT(0.5, 2 * math.sqrt(3 / 5), 5).shortfall(x)
    np.testing.assert_allclose(SkewedStudentT(0.5, 2, 5, 0).shortfall(x), plain, rtol=1e-13)


def test_by_hand():
    assert Bernoulli(0.25).shortfall([-1, 0, 0.5, 1, 3]).tolist() == [0, 0, 0.375, 0.75, 2.75]
    assert Uniform(0, 2).shortfall([-1, 0, 1, 2, 3]).tolist() == [0, 0, 0.25, 1, 2]
    assert Empirical([4, 1, 2, 1]).shortfall([1, 2, 3, 10]).tolist() == [0, 0.5, 1.25, 8]
    halves = Mixture([Uniform(0, 2), Bernoulli(0.25)], [0.5, 0.5])
    assert halves.shortfall([1, 3]).tolist() == [0.5, 2.375]


def test_values_far_from_0_do_not_cancel():
    assert Empirical([1e9, 1e9 + 2]).shortfall(1e9 + 1) == 0.5


@pytest.mark.parametrize("law", [law for law in LAWS if not isinstance(law, Mixture)], ids=repr)
def test_a_mixture_of_one_is_its_component(law):
    x = law.quantile([0.001, 0.2, 0.5, 0.9])
    assert Mixture([law], [1]).shortfall(x).tolist() == law.shortfall(x).tolist()


@pytest.mark.parametrize(
    "law", [law for law in LAWS if math.isfinite(law.sd) and law.sd < 100], ids=repr
)
def test_draws_fall_short_by_that_much(law):
    # A true value fails with probability 1e-6 (5 standard errors); the seed is fixed.
    draws = law.sample(np.random.default_rng(20240602), 100_000)
    for x in law.quantile([0.2, 0.7]):
        short = np.maximum(x - draws, 0)
        error = 5 * short.std() / math.sqrt(short.size)
        assert law.shortfall(x) == pytest.approx(short.mean(), abs=error + 1e-15)


# --- the shape of it --------------------------------------------------------------------------


@every_law
def test_it_is_convex_and_rises_from_nothing_with_the_slope_f(law):
    low, high = law.quantile([0.01, 0.99])
    x = np.linspace(low, high + law.cdf(low), 101)  # beyond `low` also where that is the only atom
    slopes = np.diff(law.shortfall(x)) / np.diff(x)
    slack = 1e-9
    assert np.all(slopes >= law.cdf(x[:-1]) - slack)
    assert np.all(slopes <= law.cdf(x[1:]) + slack)


@every_law
def test_far_above_all_rewards_only_the_mean_counts(law):
    if math.isfinite(law.sd):
        x = law.mean + 1e5 * law.sd + 1e3
        assert law.shortfall(x) == pytest.approx(x - law.mean, rel=1e-9)


@every_law
def test_at_the_ends_of_the_line(law):
    assert law.shortfall([-math.inf, math.inf]).tolist() == [0, math.inf]


@every_law
def test_a_scalar_gives_a_float_and_an_array_an_array(law):
    for scalar in (0.5, 1, np.float64(0.5), np.array(0.5), math.inf):
        assert type(law.shortfall(scalar)) is float
    assert law.shortfall([0.2, 0.5]).tolist() == [law.shortfall(0.2), law.shortfall(0.5)]
    assert law.shortfall(np.full((2, 3), 0.5)).shape == (2, 3)
    assert law.shortfall(np.array([])).shape == (0,)


@pytest.mark.parametrize("x", ["0.5", None, True, math.nan, 1j])
def test_points_that_are_no_numbers_are_refused(x):
    with pytest.raises(ParameterError, match="must be a number or an array of numbers; got"):
        Normal(0, 1).shortfall(x)


# --- laws that have none, or hardly -----------------------------------------------------------


@pytest.mark.parametrize(
    "law",
    [
        StudentT(0, 1, 1),
        StudentT(7, 2, 0.5),
        ScipyDistribution("cauchy"),
        ScipyDistribution("skewcauchy", (0.5,)),
        ScipyDistribution("t", (0.5,)),
        ScipyDistribution("levy_l"),
        Mixture([Normal(0, 1), StudentT(0, 1, 1)], [0.9, 0.1]),
    ],
    ids=repr,
)
def test_a_lower_tail_without_a_mean_falls_short_without_bound(law):
    assert law.shortfall([-3.0, 0.0, 3.0]).tolist() == [math.inf] * 3


def test_an_upper_tail_without_a_mean_does_not_matter():
    assert ScipyDistribution("pareto", (0.5,)).shortfall(4) == pytest.approx(1, rel=1e-12)  # (√x − 1)²
    assert math.isnan(ScipyDistribution("landau").mean)
    assert 0 < ScipyDistribution("landau").shortfall(0) < 1


def test_where_scipy_cannot_compute_it_the_message_says_what_to_do(monkeypatch):
    def slow_to_converge(law, p):  # as SciPy 1.17 does for levy_stable(1.5, 0.3), after 14 s
        raise RuntimeError("Failed to converge after 100 iterations.")

    monkeypatch.setattr(ScipyDistribution, "_quantile", slow_to_converge)
    with pytest.raises(ParameterError, match=r"no quantiles of norm\(0, 2\) .* into an Empirical"):
        ScipyDistribution("norm", (0, 2)).shortfall(0)


def test_more_atoms_than_can_be_summed_are_refused(monkeypatch):
    monkeypatch.setattr(numerics, "MOST_ATOMS", 10_000)
    assert ScipyDistribution("randint", (0, 5000)).shortfall(4000) == pytest.approx(4001 * 4000 / 2 / 5000)
    with pytest.raises(ParameterError, match="more than 10000 of them below 400000; sample the la"):
        ScipyDistribution("randint", (0, 10**9)).shortfall(400_000)


@dataclass(frozen=True)
class Ramp(Distribution):
    """A law of one's own that brings no `_shortfall`: F(x) = x² on [0, 1]."""

    family = "ramp"
    mean = 2 / 3
    sd = math.sqrt(1 / 18)

    def _quantile(self, p):
        return np.sqrt(p)

    def _cdf(self, x):
        return np.clip(x, 0, 1) ** 2

    def _sample(self, rng, shape):
        return np.sqrt(rng.random(shape))


def test_a_law_of_ones_own_need_not_know():
    x = np.array([-1.0, 1e-3, 0.5, 1.0, 3.0])
    exact = np.where(x <= 1, np.maximum(x, 0) ** 3 / 3, x - 2 / 3)
    np.testing.assert_allclose(Ramp().shortfall(x), exact, rtol=1e-12)


EXTREME = [
    Normal(1e308, 1e308),
    Normal(0, 5e-324),
    StudentT(0, 1e308, 3),
    StudentT(1e308, 5e-324, 3),
    StudentT(0, 1, 1 + 1e-12),
    SkewedStudentT(1e308, 1e308, 2.0000001, -0.9),
    SkewedStudentT(0, 5e-324, 5, 0.5),
    Uniform(0, 1.7e308),
    Uniform(0, 5e-324),
    Exponential(1e308),
    Exponential(5e-324),
    LogNormal(0, 400),
    LogNormal(0, 1e200),
    LogNormal(1e308, 1e-308),
    Pareto(1e308, 1e-308),
    Pareto(5e-324, 3),
    Empirical([-1.7e308, 1.7e308]),
    Mixture([Normal(1e308, 1e308), LogNormal(0, 400)], [0.5, 0.5]),
]


@pytest.mark.parametrize("law", EXTREME, ids=repr)
def test_extreme_settings_give_infinities_but_neither_errors_nor_warnings(law):
    # A warning fails the test: see filterwarnings in pyproject.toml.
    points = [-math.inf, -1.7e308, -1.0, 0.0, 1e-300, 1.0, 1.7e308, math.inf]
    values = law.shortfall(points)
    assert not np.isnan(values).any()
    assert np.all(values >= 0)
