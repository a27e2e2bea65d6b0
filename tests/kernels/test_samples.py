"""Ranks and interpolated quantiles: exact ranks wherever a plain ceil errs, NumPy's quantiles."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import sorted_samples
from upperhand._kernels.samples import interpolated_quantile, rank, whole_below

from ..looping import for_each
from ..reference import exact_rank
from ..tables import TABLES, draw
from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=500)

# A level p = k/1000 and the three others that a policy computes from it, in floats as it does and
# as numerators over 2000.
FORMS = {
    "p": (lambda p: p, lambda k: 2 * k),
    "1-p": (lambda p: 1 - p, lambda k: 2000 - 2 * k),
    "p/2": (lambda p: p / 2, lambda k: k),
    "1-p/2": (lambda p: 1 - p / 2, lambda k: 2000 - k),
}
every_form = for_each("level, numerator", FORMS.values())


def whole_rank(numerator, denominator, m):
    """Return the smallest k ≥ 1 with k/m ≥ numerator/denominator, in whole numbers."""
    return max(1, -((-numerator * m) // denominator))


def make_rank(rank):
    def one_rank(level, m):
        return rank(level, m)

    return one_rank


def make_first_wrong(rank):
    def first_wrong(levels, numerators, denominator, most):
        """Return the first (level, m ≤ most) at which `rank` errs, or (0, 0)."""
        for i in range(len(levels)):
            for m in range(1, most + 1):
                exact = max(1, (numerators[i] * m + denominator - 1) // denominator)
                if rank(levels[i], m) != exact:
                    return levels[i], m
        return 0.0, 0

    return first_wrong


@pytest.mark.compiled
@every_form
def test_exact_for_a_thousand_levels_and_ten_thousand_sizes(level, numerator):
    thousandths = range(1, 1000)
    levels = np.array([level(k / 1000) for k in thousandths])
    numerators = np.array([numerator(k) for k in thousandths])
    first_wrong = closure(make_first_wrong, rank, compiled=True)
    assert first_wrong(levels, numerators, 2000, 10_000) == (0, 0)


@for_each("m", [10**6, 999_983, 10**7, 10**7 - 1, 9_999_000, 10**8, 10**9])
@every_form
def test_exact_for_large_samples(level, numerator, m):
    for k in range(1, 1000):
        assert rank(level(k / 1000), m) == whole_rank(numerator(k), 2000, m)


def test_the_whole_number_formula_is_the_fraction():
    for k, m in [(1, 1), (7, 100), (140, 100), (999, 10_000), (1, 2000), (1, 2001), (1333, 9_999)]:
        assert whole_rank(k, 2000, m) == exact_rank(Fraction(k, 2000), m)


@worlds
@pytest.mark.parametrize(
    ("level", "exact", "m"),
    [
        (0.14 / 2, "0.07", 100),
        (1 - 0.7, "0.3", 10),
        (1 - 0.18, "0.82", 150),
        (1 - 0.059, "0.941", 1000),
    ],
)
def test_where_a_plain_ceil_errs(level, exact, m, compiled):
    right = exact_rank(Fraction(exact), m)
    assert math.ceil(level * m) == right + 1
    assert closure(make_rank, rank, compiled=compiled)(level, m) == right


@PROPERTY
@given(
    st.integers(1, 6).flatmap(lambda d: st.tuples(st.integers(1, 10**d - 1), st.just(10**d))),
    st.integers(1, 10**7),
)
def test_exact_for_levels_of_six_decimals(decimal, m):
    level = Fraction(*decimal)
    assert rank(float(level), m) == exact_rank(level, m)
    assert rank(1 - float(level) / 2, m) == exact_rank(1 - level / 2, m)


def test_a_level_that_has_wandered_for_four_thousand_steps():
    """Steps of 0.0018 up and 0.0082 down leave it a whole number of ten-thousandths, on paper.

    In floats it has drifted by 2e-14, so without the absolute slack most of these ranks are wrong.
    """
    rng = np.random.default_rng(0)
    level, parts, unforgiving = 0.18, 1800, 0
    for _ in range(4000):
        missed = parts > 200 and rng.random() < parts / 10_000
        level += 0.01 * (0.18 - missed)
        parts += -82 if missed else 18
        assert rank(1 - level, 10_000) == 10_000 - parts
        unforgiving += math.ceil((1 - level) * 10_000 * (1 - 2.0**-50)) != 10_000 - parts
    assert unforgiving > 2000


@PROPERTY
@given(st.floats(0, 1), st.integers(1, 10**9))
def test_between_1_and_the_size(level, m):
    assert 1 <= rank(level, m) <= m


@PROPERTY
@given(st.floats(0, 1), st.integers(1, 10**6))
def test_the_slack_is_far_less_than_a_rank(level, m):
    k, exact = rank(level, m), Fraction(level) * m
    assert k >= exact - Fraction(1, 10**8)
    assert k == 1 or k - 1 < exact


@pytest.mark.parametrize("m", [1, 2, 100, 10**7])
def test_the_ends(m):
    assert rank(0.0, m) == 1
    assert rank(1.0, m) == m
    assert rank(math.nextafter(1.0, 0.0), m) == m


@for_each("m", [1, 2, 3, 7, 20, 50, 100, 150, 200, 1000, 20_000])
def test_whole_below_is_an_exact_floor(m):
    for k in range(1, 1000):
        assert whole_below(k / 1000, m) == k * m // 1000


LEVELS = [1e-9, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1 - 0.07 / 2, 1 - 1e-9]


@for_each("kind", TABLES)
def test_they_are_numpys(kind):
    values = draw(kind, 1, 150)[0]
    samples = sorted_samples.empty(1, 0)
    for m, value in enumerate(values, start=1):
        if sorted_samples.full(samples, 0):
            samples = sorted_samples.grown(samples)
        sorted_samples.insert(samples, 0, float(value))
        for level in LEVELS:
            found = interpolated_quantile(samples, 0, 0, level)
            assert found == np.quantile(values[:m], level), (m, level)
