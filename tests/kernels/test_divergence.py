"""The divergence between coins and its inverse: against 50 digits, published values and bounds."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels.special import bernoulli_kl, kl_upper
from upperhand.theory import lower_bounds

from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=500)

# Chances that are hard in different ways: anywhere, close to 0, close to 1.
chances = (
    st.floats(1e-3, 1 - 1e-3)
    | st.floats(-30, -1).map(lambda e: 10**e)
    | st.floats(-15, -1).map(lambda e: 1 - 10**e)
)
budgets = st.floats(-18, 3).map(lambda e: 10**e)
ENDS = [0.0, 5e-324, 1e-300, 1e-9, 0.25, 0.5, 0.75, 1 - 2**-53, 1.0]


def make_apply(function):
    def apply(left, right, out):
        for i in range(len(left)):
            out[i] = function(left[i], right[i])

    return apply


def exact_kl(p, q):
    """Return kl(p, q) of two doubles strictly between 0 and 1, to 50 digits or so."""
    with localcontext(prec=120):
        p, q = Decimal(p), Decimal(q)
        return p * (p / q).ln() + (1 - p) * ((1 - p) / (1 - q)).ln()


@PROPERTY
@given(chances, chances)
def test_the_divergence_against_decimals(p, q):
    """To rounding of the larger of its two terms, which are of opposite signs."""
    error = abs(Decimal(bernoulli_kl(p, q)) - exact_kl(p, q))
    assert error <= Decimal("4e-16") * (exact_kl(p, q) + Decimal(abs(p - q)))


@pytest.mark.parametrize("p", [0.5, 0.1, 0.9, 1e-6])
def test_close_chances_keep_their_digits(p):
    """kl(p, p + h) ≈ h² / (2 p (1−p)): a plain formula is all noise long before h = 1e-9 p."""
    for h in (1e-4 * p, 1e-6 * p, 1e-9 * p):
        assert bernoulli_kl(p, p + h) == pytest.approx(float(exact_kl(p, p + h)), rel=1e-6)


def test_the_ends_of_the_divergence():
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2), rel=1e-15)
    assert bernoulli_kl(1.0, 0.95) == pytest.approx(-math.log(0.95), rel=1e-15)
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == bernoulli_kl(0.3, 0.3) == 0.0
    assert bernoulli_kl(0.3, 0.0) == bernoulli_kl(0.3, 1.0) == math.inf
    assert bernoulli_kl(0.0, 1.0) == bernoulli_kl(1.0, 0.0) == math.inf


@PROPERTY
@given(chances, chances)
def test_it_is_the_divergence_of_the_theory(p, q):
    assert bernoulli_kl(p, q) == pytest.approx(float(lower_bounds.bernoulli_kl(p, q)), rel=1e-12)
    assert bernoulli_kl(p, q) >= 0.0


@pytest.mark.parametrize(
    ("p", "budget", "upper"),
    [
        (0.1, 0.2, 0.378391),
        (0.5, 0.2, 0.787088),
        (0.9, 0.2, 0.994489),
        (0.1, 0.4, 0.519475),
        (0.9, 0.9, 0.999995),
    ],
)
def test_the_published_values(p, budget, upper):
    """Of the doctests of klucbBern in SMPyBandits, whose digits are cut off, not rounded."""
    assert math.floor(kl_upper(p, budget) * 1e6) / 1e6 == upper


@PROPERTY
@given(chances, budgets)
def test_the_upper_end_spends_the_budget_to_rounding(p, budget):
    """Two parts in 10¹⁵ less do not exceed the budget, and two more do, in 50 digits."""
    q = kl_upper(p, budget)
    below, above = q * (1 - 2e-15), q * (1 + 2e-15)
    assert p <= q <= 1.0
    assert below <= p or exact_kl(p, below) <= Decimal(budget)
    assert above >= 1 or exact_kl(p, above) >= Decimal(budget)


def test_the_ends_of_the_upper_end():
    for p in ENDS:
        assert kl_upper(p, 0.0) == p
        assert kl_upper(p, math.inf) == 1.0
        assert kl_upper(p, 1e6) == 1.0
    assert kl_upper(0.0, 1e-12) == pytest.approx(1e-12, rel=1e-11)  # 1 − e^(−d)
    assert kl_upper(0.0, math.log(2)) == 0.5
    assert kl_upper(1.0, 1e-12) == 1.0
    assert kl_upper(1 - 2**-53, 1e-12) <= 1.0


@pytest.mark.parametrize("p", ENDS)
def test_no_budget_is_too_small_or_too_large(p):
    for exponent in range(-290, 290, 7):
        assert p <= kl_upper(p, 10.0**exponent) <= 1.0


@PROPERTY
@given(chances, budgets, st.floats(1.001, 10.0))
def test_more_budget_reaches_further(p, budget, factor):
    assert kl_upper(p, factor * budget) >= kl_upper(p, budget)


@PROPERTY
@given(chances, budgets)
def test_never_above_pinsker(p, budget):
    assert kl_upper(p, budget) <= (p + math.sqrt(budget / 2)) * (1 + 1e-15)


@pytest.mark.parametrize("function", [bernoulli_kl, kl_upper])
def test_compiled_is_interpreted(function):
    rng = np.random.default_rng(0)
    left = np.concatenate([rng.random(3000), 10 ** rng.uniform(-20, 0, 1000), ENDS])
    right = np.concatenate([rng.random(3000), 10 ** rng.uniform(-18, 0, 1000), ENDS[::-1]])
    found = {}
    for compiled in (True, False):
        found[compiled] = np.empty(len(left))
        apply = closure(make_apply, function, compiled=compiled)
        lists = (left, right) if compiled else (left.tolist(), right.tolist())
        apply(*lists, found[compiled])
    assert found[True].tolist() == found[False].tolist()


@worlds
def test_it_ends_where_rounding_rules(compiled):
    """Budgets so small that q − p is a rounding error, and chances a rounding error below 1."""
    apply, out = closure(make_apply, kl_upper, compiled=compiled), np.empty(2000)
    rng = np.random.default_rng(1)
    p = 1 - 2.0 ** -rng.integers(1, 54, 2000)
    apply(p, 10 ** rng.uniform(-40, 2, 2000), out)
    assert np.all((p <= out) & (out <= 1))
