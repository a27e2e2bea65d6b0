"""The Pareto law, against SciPy and in exact fractions where SciPy loses digits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from upperhand.distributions import Pareto

LEVELS = np.array([1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9])


@pytest.mark.parametrize(("scale", "shape"), [(1, 1.1), (2, 3), (0.1, 0.5), (1e6, 4)])
def test_it_is_scipys(scale, shape):
    law, twin = Pareto(scale, shape), stats.pareto(shape, scale=scale)
    x = twin.ppf(LEVELS[1:])

    np.testing.assert_allclose(law.quantile(LEVELS), twin.ppf(LEVELS), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(x), twin.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(law.sf(x), twin.sf(x), rtol=1e-12)
    np.testing.assert_allclose(law.pdf(x), twin.pdf(x), rtol=1e-12)
    assert law.mean == pytest.approx(twin.mean(), rel=1e-14)
    assert law.sd == pytest.approx(twin.std(), rel=1e-14)


@pytest.mark.parametrize("over", [2.0**-52, 2.0**-30, 0.25, 3.0, 2.0**40])
@pytest.mark.parametrize("shape", [1, 2, 5])
def test_near_the_low_end_and_far_out(shape, over):
    left = 1 / (1 + Fraction(over)) ** shape  # of the mass beyond x = 1 + over

    assert Pareto(1, shape).cdf(1 + over) == pytest.approx(float(1 - left), rel=1e-14)
    assert Pareto(1, shape).sf(1 + over) == pytest.approx(float(left), rel=1e-13)


@pytest.mark.parametrize(
    ("shape", "mean", "sd"),
    [(0.5, math.inf, math.inf), (1, math.inf, math.inf), (1.5, 6, math.inf), (2, 4, math.inf)],
)
def test_moments_that_are_infinite(shape, mean, sd):
    assert (Pareto(2, shape).mean, Pareto(2, shape).sd) == (mean, sd)


def test_nothing_lies_below_the_scale():
    law = Pareto(2, 3)
    assert law.cdf([-1, 0, 1.9, 2]).tolist() == [*law.pdf([-1, 0, 1.9]).tolist(), 0]
    assert law.sf([-1, 2]).tolist() == [1, 1]
    assert law.pdf(2) == 1.5
    assert law.sample(np.random.default_rng(0), 1000).min() >= 2


def test_the_maximum_of_many_draws_is_a_frechet_law():
    """F^n at scale·(n y)^{1/shape} is e^{−1/y} but for 1/n: the tail is the one that it claims."""
    n = 10**9
    x = (n * np.array([0.5, 1.0, 3.0])) ** (1 / 1.1)
    np.testing.assert_allclose(
        np.exp(n * np.log1p(-Pareto(1, 1.1).sf(x))), np.exp([-2, -1, -1 / 3]), rtol=1e-6
    )
