"""One contract for every distribution, and each family against `scipy.stats` or by hand."""

import json
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from upperhand import distributions
from upperhand.distributions import (
    Bernoulli,
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
    from_spec,
)
from upperhand.errors import ParameterError

from ..looping import for_each

# Each family beside the same distribution of SciPy.
TWINS = [
    (Normal(0.1, 0.05), stats.norm(0.1, 0.05)),
    (Normal(-3, 20), stats.norm(-3, 20)),
    (StudentT(0.03, 0.08, 3), stats.t(3, 0.03, 0.08)),
    (StudentT(0, 1, 2.5), stats.t(2.5)),
    (StudentT(0, 2, 40), stats.t(40, 0, 2)),
    (Uniform(-1, 3), stats.uniform(-1, 4)),
    (Exponential(2), stats.expon(scale=2)),
    (LogNormal(0.2, 0.7), stats.lognorm(0.7, scale=math.exp(0.2))),
    (ScipyDistribution("gamma", (2,), {"scale": 3}), stats.gamma(2, scale=3)),
]
CONTINUOUS = [
    *(arm for arm, _ in TWINS),
    Pareto(2, 3),
    SkewedStudentT(0, 0.16, 5, 0.6),
    SkewedStudentT(1, 2, 2.1, -0.9),
    Mixture([Normal(0, 1), Uniform(3, 4)], [0.25, 0.75]),
]
DISCRETE = [
    Bernoulli(0.3),
    Bernoulli(0.9),
    Empirical([3, 1, 2, 2, 5]),
    ScipyDistribution("binom", (10, 0.3)),
    Mixture([Bernoulli(0.5), Empirical([-1, 0.5])], [0.1, 0.9]),
]
EVERY = CONTINUOUS + DISCRETE
LEVELS = np.concatenate([10.0 ** -np.arange(300, 2, -9), np.linspace(0.01, 0.99, 99), [1 - 1e-12]])
FAR = LEVELS[LEVELS > 1e-200]  # below, SciPy's own t.ppf has the wrong sign

continuous = for_each("arm", CONTINUOUS)
discrete = for_each("arm", DISCRETE)
every = for_each("arm", EVERY)


# --- functions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("arm", "twin"), TWINS, ids=[repr(arm) for arm, _ in TWINS])
def test_it_agrees_with_scipy_also_far_in_the_tails(arm, twin):
    np.testing.assert_allclose(arm.quantile(FAR), twin.ppf(FAR), rtol=1e-12, atol=1e-15)
    x = np.concatenate([twin.ppf(FAR), [-1e3, -1.0, 0.0, 1.0, 1e3]])
    np.testing.assert_allclose(arm.cdf(x), twin.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(arm.pdf(x), twin.pdf(x), rtol=1e-11, atol=1e-300)
    x = np.concatenate([twin.isf(FAR), [-1e3, -1.0, 0.0, 1.0, 1e3]])
    np.testing.assert_allclose(arm.sf(x), twin.sf(x), rtol=1e-11)
    assert arm.mean == pytest.approx(twin.mean(), rel=1e-14)
    assert arm.sd == pytest.approx(twin.std(), rel=1e-14)


@every
def test_the_contract(arm):
    x = arm.quantile([0.0001, 0.1, 0.3, 0.5, 0.9, 0.9999])
    x = np.concatenate([x, x - 0.25, x + 0.25])
    np.testing.assert_allclose(arm.sf(x), 1 - arm.cdf(x), atol=1e-15)
    assert np.all(np.diff(arm.quantile(np.linspace(0, 1, 1001))) >= 0)
    levels = np.array([0.2, 0.5])
    for method in [arm.quantile, arm.cdf, arm.shortfall] + [arm.pdf] * arm.has_density:
        for scalar in (0.5, 1, np.float64(0.5), np.array(0.5)):
            assert type(method(scalar)) is float
        assert method(levels).tolist() == [method(0.2), method(0.5)]
        assert method(np.full((2, 3), 0.5)).shape == (2, 3)
        assert method(np.array([])).shape == (0,)
    assert levels.tolist() == [0.2, 0.5]
    for p in (-0.1, 1.1, math.nan, [0.5, math.nan], math.inf):
        with pytest.raises(ParameterError, match=r"p must (lie in \[0, 1\]|be a number)"):
            arm.quantile(p)
    for size, shape in ((5, (5,)), ((2, 3), (2, 3)), (0, (0,)), ((), ())):
        drawn = arm.sample(size, np.random.default_rng(1))
        assert isinstance(drawn, np.ndarray)
        assert (drawn.dtype, drawn.shape) == (np.float64, shape)
    first, second = (arm.sample(50, np.random.default_rng(7)) for _ in range(2))
    assert first.tolist() == second.tolist()


@every
def test_it_can_be_stored_and_rebuilt_but_not_changed(arm):
    spec = arm.spec()
    again = from_spec(json.loads(json.dumps(spec)))
    assert again == arm
    assert hash(again) == hash(arm)
    assert again.spec() == spec
    assert spec["family"] == arm.family
    assert eval(repr(arm), vars(distributions)) == arm  # noqa: S307
    assert pickle.loads(pickle.dumps(arm)) == arm  # noqa: S301
    for name in {*spec, "another"} - {"family"}:
        with pytest.raises(FrozenInstanceError):
            setattr(arm, name, 1)


@continuous
def test_density_cdf_and_quantile_go_together(arm):
    # Cut at quantiles, so that no peak is missed; the tails beyond the last cut are left out.
    cuts = arm.quantile([1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12])

    def integral(f):
        pieces = [integrate.quad(f, a, b, limit=200, epsabs=1e-11) for a, b in pairwise(cuts)]
        return sum(value for value, _ in pieces)

    assert integral(arm.pdf) == pytest.approx(1, abs=1e-8)
    centred = integral(lambda x: (x - arm.mean) * arm.pdf(x))
    # The heaviest tail, df = 2.1, has about 2e-7 standard deviations of its mean beyond the cuts.
    assert centred == pytest.approx(0, abs=1e-6 * arm.sd)
    levels = LEVELS[LEVELS > 1e-100]
    absolute = 1e-15 if isinstance(arm, Uniform | Pareto) else 0  # no double is nearer the low end
    np.testing.assert_allclose(arm.cdf(arm.quantile(levels)), levels, rtol=1e-11, atol=absolute)


@given(p=st.floats(1e-9, 1 - 1e-9))
def test_the_quantile_undoes_the_cdf(p):
    for arm in CONTINUOUS:
        x = arm.quantile(p)
        slope = arm.pdf(x)
        if slope > 0:  # a difference of 1e-15 in level is this much in x
            assert arm.quantile(arm.cdf(x)) == pytest.approx(
                x, rel=1e-12, abs=1e-14 + 4e-15 / slope
            )


@given(p=st.floats(0, 1))
def test_the_quantile_of_atoms_is_the_lower_inverse(p):
    for arm in DISCRETE:
        x = arm.quantile(p)
        assert arm.cdf(x) >= p - 1e-9
        assert arm.cdf(math.nextafter(x, -math.inf)) <= p + 1e-9


@discrete
def test_atoms_have_no_density(arm):
    assert not arm.has_density
    with pytest.raises(ParameterError, match="no density; use cdf or quantile"):
        arm.pdf(0.5)


ENDS = [
    (Normal(0, 1), -math.inf, math.inf),
    (StudentT(0, 1, 3), -math.inf, math.inf),
    (StudentT(0, 1, 1), -math.inf, math.inf),
    (SkewedStudentT(0, 1, 5, 0.6), -math.inf, math.inf),
    (Uniform(-0.9, 0.2), -0.9, 0.2),  # −0.9 + (0.2 − −0.9) is not 0.2
    (Exponential(2), 0, math.inf),
    (LogNormal(0, 1), 0, math.inf),
    (Pareto(0.7, 1.1), 0.7, math.inf),
    (Bernoulli(0.3), 0, 1),
    (Bernoulli(0), 0, 0),
    (Bernoulli(1), 1, 1),
    (Empirical([3, 1, 2]), 1, 3),
    (Mixture([Normal(0, 1), Exponential(1)], [0.5, 0.5]), -math.inf, math.inf),
    (Mixture([Normal(0, 1), Uniform(0, 1)], [0.5, 0.5]), -math.inf, math.inf),
    (Mixture([Uniform(0, 1), Bernoulli(0.5)], [0.5, 0.5]), 0, 1),
    (ScipyDistribution("binom", (10, 0.3)), 0, 10),
    (ScipyDistribution("gamma", (2,)), 0, math.inf),
]


def test_levels_0_and_1_give_the_ends_of_the_support():
    for arm, low, high in ENDS:
        assert (arm.quantile(0), arm.quantile(1)) == (low, high), arm
        assert (arm.cdf(-math.inf), arm.cdf(math.inf)) == (0, 1), arm
        assert not arm.has_density or arm.pdf([-math.inf, math.inf]).tolist() == [0, 0], arm


def test_the_place_of_a_bad_value_is_named():
    arm, many = Normal(0, 1), np.full(3000, 0.5)
    many[77] = 1.5
    with pytest.raises(ParameterError, match=r"^p must lie in \[0, 1\]; got 1\.5 as p\[77\]\.$"):
        arm.quantile(many)
    with pytest.raises(ParameterError, match=r"got nan as x\[1, 0\]\.$"):
        arm.cdf([[0, 1], [math.nan, 1]])
    with pytest.raises(ParameterError, match=r"^p must lie in \[0, 1\]; got 1\.5\.$"):
        arm.quantile(1.5)
    for x in ("0.5", None, True, math.nan, [[1], [1, 2]], 1j):
        for method in (arm.cdf, arm.pdf, arm.quantile, arm.shortfall):
            with pytest.raises(ParameterError, match="must be a number or an array of numbers"):
                method(x)


# --- drawing -----------------------------------------------------------------------------------


@continuous
def test_samples_follow_the_distribution(arm):
    # A true one fails with probability 1e-4; the seed is fixed, so that it cannot fail by chance.
    drawn = arm.sample(20_000, np.random.default_rng(20240601))
    assert stats.kstest(drawn, arm.cdf).pvalue > 1e-4


@discrete
def test_samples_of_atoms_follow_the_distribution(arm):
    drawn = arm.sample(20_000, np.random.default_rng(20240601))
    atoms = np.unique(arm.quantile(np.linspace(0, 1, 2001)))
    masses = np.diff(arm.cdf(atoms), prepend=0)
    counts, expected = np.array([(drawn == atom).sum() for atom in atoms]), masses * drawn.size
    often = expected > 5  # rarer atoms are pooled, as the chi-square test requires
    observed = [*counts[often], drawn.size - counts[often].sum()]
    wanted = [*expected[often], drawn.size - expected[often].sum()]
    if wanted[-1] < 1e-6:
        observed, wanted = observed[:-1], wanted[:-1]
    wanted = np.array(wanted) * sum(observed) / sum(wanted)
    assert stats.chisquare(observed, wanted).pvalue > 1e-4


def test_a_sample_has_a_size_and_a_seed():
    drawn = Normal(0, 1).sample(3, seed=5)
    assert drawn.tolist() == Normal(0, 1).sample(3, np.random.default_rng(5)).tolist()
    assert drawn.tolist() != Normal(0, 1).sample(3).tolist()
    for seed in (-1, "0", np.random.RandomState(1)):
        with pytest.raises(ParameterError, match="seed must be a whole number"):
            Normal(0, 1).sample(3, seed)
    with pytest.raises(ParameterError, match=r"The size comes first: sample\(100, seed=0\)"):
        Normal(0, 1).sample(np.random.default_rng(1), 3)
    for size in (-1, 2.0, (2, -1), None):
        with pytest.raises(ParameterError, match="size must be a whole number, 0 or more"):
            Normal(0, 1).sample(size, np.random.default_rng(1))


# --- settings ----------------------------------------------------------------------------------


def test_they_differ_by_family_and_by_settings():
    assert len(set(EVERY)) == len(EVERY)
    assert Normal(0, 1) != Normal(0, 2)
    assert StudentT(0, 1, 3) != SkewedStudentT(0, 1, 3, 0)
    assert Empirical([1, 2]) == Empirical((2.0, 1.0))
    assert repr(Normal(0.1, np.float64(0.05))) == "Normal(loc=0.1, scale=0.05)"
    assert repr(StudentT(0, 1, 3)) == "StudentT(loc=0.0, scale=1.0, df=3.0)"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Normal(math.nan, 1), "loc must be a finite number; got nan"),
        (lambda: Normal("0", 1), "loc must be a finite number; got '0'"),
        (lambda: Normal(0, 0), "scale must be a finite number > 0; got 0"),
        (lambda: StudentT(0, -1, 3), "scale must be a finite number > 0; got -1"),
        (lambda: StudentT(0, 1, 0), "df must be a finite number > 0; got 0"),
        (lambda: StudentT(0, 1, math.inf), "df must be a finite number > 0; got inf"),
        (lambda: SkewedStudentT(0, 0, 5, 0), "scale must be a finite number > 0; got 0"),
        (lambda: SkewedStudentT(0, 1, 2, 0), "df must be a finite number > 2; got 2"),
        (lambda: SkewedStudentT(0, 1, 5, 1), "skew must be a finite number > -1 and < 1; got 1"),
        (lambda: Uniform(1, 1), "high must be a finite number > 1; got 1"),
        (lambda: Uniform(-math.inf, 1), "low must be a finite number; got -inf"),
        (lambda: Uniform(-1.7e308, 1.7e308), "high − low must be a finite number; got inf"),
        (lambda: Exponential(-2), "scale must be a finite number > 0; got -2"),
        (lambda: LogNormal(0, 0), "sigma must be a finite number > 0; got 0"),
        (lambda: Pareto(0, 2), "scale must be a finite number > 0; got 0"),
        (lambda: Pareto(1, -2), "shape must be a finite number > 0; got -2"),
        (lambda: Bernoulli(1.5), "p must be a finite number ≥ 0 and ≤ 1; got 1.5"),
        (lambda: Bernoulli(True), "p must be a finite number"),
    ],
)
def test_settings_out_of_range_are_refused(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


EXTREME = [
    Normal(1e308, 1e308),
    Normal(0, 5e-324),
    StudentT(0, 1e308, 3),
    StudentT(1e308, 5e-324, 3),
    StudentT(0, 1, 1 + 1e-12),
    StudentT(0, 1e-308, 1e-308),
    SkewedStudentT(1e308, 1e308, 2.0000001, -0.9),
    SkewedStudentT(0, 5e-324, 5, 0.5),
    Uniform(0, 1.7e308),
    Uniform(0, 5e-324),
    Exponential(1e308),
    Exponential(5e-324),
    LogNormal(0, 400),
    LogNormal(0, 1e200),
    LogNormal(1e308, 1e-308),
    Pareto(1e308, 1e308),
    Pareto(1e308, 1e-308),
    Pareto(5e-324, 0.1),
    Pareto(5e-324, 3),
    Empirical([-1.7e308, 1.7e308]),
    Mixture([Normal(1e308, 1e308), LogNormal(0, 400)], [0.5, 0.5]),
]


def test_extreme_settings_give_infinities_but_neither_errors_nor_warnings():
    # A warning fails the test: see filterwarnings in pyproject.toml.
    points = [-math.inf, -1.7e308, -1.0, 0.0, 1e-300, 1.0, 1.7e308, math.inf]
    for arm in EXTREME:
        assert not np.isnan(arm.quantile([0, 1e-300, 0.05, 0.5, 0.95, 1])).any(), arm
        assert not np.isnan(arm.cdf(points)).any(), arm
        assert not arm.has_density or not np.isnan(arm.pdf(points)).any(), arm
        assert np.all(arm.shortfall(points) >= 0), arm  # no NaN either
        assert arm.sample(200, np.random.default_rng(1)).shape == (200,)
        if not isinstance(arm, (StudentT, Empirical)):  # these may have no mean
            assert not math.isnan(arm.mean), arm
            assert arm.sd >= 0, arm


# --- single families ---------------------------------------------------------------------------


def test_student_t_in_closed_form():
    x = np.array([-1e80, -1e9, -1.0, -1e-9, 0.0, 1e-9, 1.0])
    exact = [1 / (math.pi * 1e80), 1 / (math.pi * 1e9), 0.25, 0.5 - 1e-9 / math.pi, 0.5]
    exact += [0.5 + 1e-9 / math.pi, 0.75]
    np.testing.assert_allclose(StudentT(0, 1, 1).cdf(x), exact, rtol=2e-16 * 2)
    p = np.array([1e-300, 1e-10, 0.2, 0.8])
    np.testing.assert_allclose(
        StudentT(0, 1, 2).quantile(p), (2 * p - 1) / np.sqrt(2 * p * (1 - p)), rtol=1e-15
    )
    assert np.all(StudentT(0, 1, 3).quantile([0.0, 1e-300, 1e-240]) < -1e70)  # not so in SciPy
    x = np.linspace(-5, 5, 11)
    np.testing.assert_allclose(StudentT(0, 1, 1e12).pdf(x), Normal(0, 1).pdf(x), rtol=1e-9)
    # The arms of the paper's Student-t experiment, from t_3 at 2.353363 and t_5 at 2.015048.
    arms = [StudentT(0.08, 0.05, 3), StudentT(0, 0.16, 3), StudentT(0.03, 0.08, 5)]
    assert [round(arm.quantile(0.95), 6) for arm in arms] == [0.197668, 0.376538, 0.191204]
    for df, mean, sd in ((0.5, math.nan, math.nan), (1, math.nan, math.nan), (1.5, 7, math.inf),
                         (2, 7, math.inf)):  # fmt: skip
        np.testing.assert_equal([StudentT(7, 1, df).mean, StudentT(7, 1, df).sd], [mean, sd])


def test_bernoulli_quantiles_at_the_step_are_exact():
    for k in range(1, 100):
        arm = Bernoulli(k / 100)
        assert arm.quantile((100 - k) / 100) == 0
        assert arm.quantile((100 - k) / 100 + 1e-9) == 1
    assert (Bernoulli(0.3).mean, Bernoulli(0.3).sd) == (0.3, pytest.approx(math.sqrt(0.21)))


def test_log_normal_values_that_no_double_can_hold():
    assert (LogNormal(0, 1e3).mean, LogNormal(0, 1e3).sd) == (math.inf, math.inf)
    assert (LogNormal(0, 1e200).mean, LogNormal(0, 1e200).sd) == (math.inf, math.inf)
    assert LogNormal(0, 1e-200).sd == 1e-200  # although its square is 0
    assert LogNormal(0, 1).pdf([5e-324, 0.0, -1.0]).tolist() == [0, 0, 0]


def test_pareto_is_scipys():
    levels = np.array([1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9])
    for scale, shape in ((1, 1.1), (2, 3), (0.1, 0.5), (1e6, 4)):
        arm, twin = Pareto(scale, shape), stats.pareto(shape, scale=scale)
        x = twin.ppf(levels[1:])
        np.testing.assert_allclose(arm.quantile(levels), twin.ppf(levels), rtol=1e-12)
        for ours, theirs in ((arm.cdf, twin.cdf), (arm.sf, twin.sf), (arm.pdf, twin.pdf)):
            np.testing.assert_allclose(ours(x), theirs(x), rtol=1e-12)
        assert arm.mean == pytest.approx(twin.mean(), rel=1e-14)
        assert arm.sd == pytest.approx(twin.std(), rel=1e-14)


def test_pareto_by_hand_where_scipy_loses_digits():
    for shape, over in product((1, 2, 5), (2.0**-52, 2.0**-30, 0.25, 3.0, 2.0**40)):
        left = 1 / (1 + Fraction(over)) ** shape  # of the mass beyond x = 1 + over
        assert Pareto(1, shape).cdf(1 + over) == pytest.approx(float(1 - left), rel=1e-14)
        assert Pareto(1, shape).sf(1 + over) == pytest.approx(float(left), rel=1e-13)
    for shape, mean in ((0.5, math.inf), (1, math.inf), (1.5, 6), (2, 4)):
        assert (Pareto(2, shape).mean, Pareto(2, shape).sd) == (mean, math.inf)
    arm = Pareto(2, 3)
    assert arm.cdf([-1, 0, 1.9, 2]).tolist() == [*arm.pdf([-1, 0, 1.9]).tolist(), 0]
    assert (arm.sf([-1, 2]).tolist(), arm.pdf(2)) == ([1, 1], 1.5)
    assert arm.sample(1000, np.random.default_rng(0)).min() >= 2
    # The maximum of n draws tends to a Fréchet variable: F^n at (n y)^{1/shape} is e^{−1/y}.
    n, y = 10**9, np.array([0.5, 1.0, 3.0])
    tail = np.exp(n * np.log1p(-Pareto(1, 1.1).sf((n * y) ** (1 / 1.1))))
    np.testing.assert_allclose(tail, np.exp(-1 / y), rtol=1e-6)
