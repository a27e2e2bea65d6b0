"""The incomplete beta integral against a binomial sum of 60 digits, and SciPy's."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from upperhand._kernels.special import log_mass, log_mass_above, mass_reaches, stirling_rest

from ..reference.quantile_bounds import exact_log_mass_above
from .closures import closure, worlds

LEVELS = (1e-6, 1e-3, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999)
COUNTS = (1, 2, 5, 17, 100, 700)


@pytest.mark.parametrize("p", LEVELS)
def test_whole_numbers_against_60_digits(p):
    for a, b in itertools.product(COUNTS, COUNTS):
        exact = float(exact_log_mass_above(a, b, p))
        assert log_mass_above(a, b, p) == pytest.approx(exact, rel=1e-13, abs=1e-13), (a, b)


@pytest.mark.parametrize("deviations", [-2, 0, 1, 4, 8])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_many_trials(p, deviations):
    """20,000 of them, around p: `lgamma` alone would leave an error of 10⁻¹¹."""
    n = 20_000
    a = round(n * p + deviations * math.sqrt(n * p * (1 - p)))
    exact = float(exact_log_mass_above(a, n - a, p))
    assert log_mass_above(a, n - a, p) == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("p", LEVELS)
def test_any_numbers_against_scipy(p):
    """Where SciPy's own parts do not cancel or underflow, priors below 1 included.

    With a ≪ 1 nearly all mass may be next to 0, and what is above p loses digits by that much.
    """
    for a, b in itertools.product((1e-7, 1e-3, 0.3, 0.9, 3.7, 40.3), repeat=2):
        mass = special.betaincc(a, b, p)
        expected = math.log(mass) + special.betaln(a, b) - a * math.log(p) - b * math.log1p(-p)
        allowed = 1e-12 * max(1, abs(expected), 1e-3 / mass)
        assert abs(log_mass_above(a, b, p) - expected) <= allowed, (a, b)


@pytest.mark.parametrize("n", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_a_large_prior_has_about_half_its_mass_on_each_side(p, n):
    a, b = n * p, n * (1 - p)
    share = math.exp(log_mass_above(a, b, p) - log_mass(a, b, p))
    assert share == pytest.approx(special.betaincc(a, b, p), rel=1e-11)


@pytest.mark.parametrize("x", [1e-9, 0.01, 0.5, 1.0, 3.3, 15.999, 16.0, 40.0, 1e5])
def test_stirling(x):
    with np.errstate(all="raise"):
        plain = special.gammaln(x) - (x - 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
    assert stirling_rest(x) == pytest.approx(plain, abs=4e-16 * max(10, x * math.log(x + 2)))


def make_apply(log_mass_above, mass_reaches):
    def apply(a, b, p, level, out, reached):
        for i in range(len(a)):
            out[i] = log_mass_above(a[i], b[i], p[i])
            reached[i] = mass_reaches(a[i], b[i], p[i], level[i])

    return apply


@worlds
def test_the_quick_answer_is_the_slow_one(compiled):
    """Levels close to the integral itself: the quick bounds must not decide too early."""
    rng = np.random.default_rng(0)
    count = 5_000 if compiled else 500
    a, b = 10 ** rng.uniform(-1, 4, (2, count))
    p = rng.choice([0.05, 0.5, 0.95], count)
    near = rng.random(count) < 0.8  # the interesting ones: p within some deviations of the mean
    a = np.where(near, (b * p / (1 - p)) * (1 + rng.uniform(-1, 3, count) / np.sqrt(b)), a)
    a = np.maximum(a, 0.05)
    exact = np.array([log_mass_above(*each) for each in zip(a, b, p, strict=True)])
    level = exact + rng.choice([-1, 1], count) * 10 ** rng.uniform(-11, 0, count)
    out, reached = np.empty(count), np.empty(count, np.bool_)
    apply = closure(make_apply, log_mass_above, mass_reaches, compiled=compiled)
    apply(a, b, p, level, out, reached)
    np.testing.assert_allclose(out, exact, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(reached, level < exact)
