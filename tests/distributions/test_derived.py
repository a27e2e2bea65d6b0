"""Mixtures: moments by hand, and lower inverses over atoms and flat parts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from upperhand.distributions import Bernoulli, Empirical, Mixture, Normal, StudentT, Uniform
from upperhand.errors import ParameterError

TWO_BUMPS = Mixture([Normal(-2, 0.5), Normal(3, 1)], [0.25, 0.75])
GAP = Mixture([Uniform(0, 1), Uniform(2, 3)], [0.5, 0.5])


def test_moments_by_hand():
    assert TWO_BUMPS.mean == pytest.approx(0.25 * -2 + 0.75 * 3)
    second = 0.25 * (4 + 0.25) + 0.75 * (9 + 1)
    assert TWO_BUMPS.sd == pytest.approx(math.sqrt(second - 1.75**2))


def test_moments_that_do_not_exist():
    cauchy, heavy = StudentT(0, 1, 1), StudentT(0, 1, 2)
    assert math.isnan(Mixture([cauchy, Normal(0, 1)], [0.5, 0.5]).mean)
    assert math.isnan(Mixture([cauchy, Normal(0, 1)], [0.5, 0.5]).sd)
    assert Mixture([heavy, Normal(4, 1)], [0.5, 0.5]).mean == 2
    assert Mixture([heavy, Normal(4, 1)], [0.5, 0.5]).sd == math.inf


def test_quantiles_agree_with_a_root_finder():
    for p in (1e-300, 1e-20, 0.001, 0.1, 0.25, 0.5, 0.95, 0.999, 1 - 1e-12):

        def log_excess(x, p=p):
            return math.log(TWO_BUMPS.cdf(x)) - math.log(p)

        root = optimize.brentq(log_excess, -34.2, 12, xtol=1e-14, rtol=1e-14)
        assert TWO_BUMPS.quantile(p) == pytest.approx(root, rel=1e-12 + 1e-16 / (1 - p))


def test_quantiles_on_both_sides_of_a_flat_part():
    below, at, above = GAP.quantile([0.4, 0.5, 0.6])
    assert (below, at) == (0.8, 1.0)
    assert above == pytest.approx(2.2, rel=1e-15)


def test_a_flat_part_whose_level_is_rounded():
    # 0.1 + 0.7 is slightly below 0.8 in doubles; the 80% quantile must not jump over the gap.
    arm = Mixture([Uniform(0, 1), Uniform(2, 3), Uniform(9, 10)], [0.1, 0.7, 0.2])
    assert arm.quantile(0.8) == pytest.approx(3, rel=1e-14)


def test_an_atom_at_zero_inside_a_density():
    arm = Mixture([Normal(0, 1), Empirical([0])], [0.5, 0.5])
    assert arm.quantile([0.26, 0.3, 0.5, 0.75]).tolist() == [0, 0, 0, 0]
    assert arm.quantile(0.25) == pytest.approx(0, abs=1e-15)
    assert arm.quantile(0.2) == pytest.approx(Normal(0, 1).quantile(0.4))


@given(
    shares=st.lists(st.integers(1, 50), min_size=1, max_size=6),
    step=st.integers(1, 6),
)
def test_quantiles_at_the_steps_of_atoms_are_exact(shares, step):
    total, step = sum(shares), min(step, len(shares))
    arm = Mixture(
        [Empirical([value]) for value in range(len(shares))], [share / total for share in shares]
    )
    level = float(Fraction(sum(shares[:step]), total))
    assert arm.quantile(level) == step - 1


@given(
    p=st.floats(0, 1),
    weight=st.floats(0.01, 0.99),
    chance=st.floats(0, 1),
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
)
def test_it_is_the_lower_inverse(p, weight, chance, low, width):
    arm = Mixture([Uniform(low, low + width), Bernoulli(chance)], [weight, 1 - weight])
    x = arm.quantile(p)
    assert arm.cdf(x) >= p * (1 - 1e-14)
    if p > 0:
        assert arm.cdf(x - 1e-9 * (1 + abs(x))) < p


def test_one_component_changes_nothing():
    arm = Mixture([Normal(1, 2)], [1])
    p = np.linspace(0, 1, 101)
    np.testing.assert_allclose(arm.quantile(p), Normal(1, 2).quantile(p), rtol=1e-14)
    assert (arm.mean, arm.sd) == (1, 2)


def test_mixtures_of_mixtures():
    nested = Mixture([GAP, Uniform(0, 1)], [0.5, 0.5])
    flat = Mixture([Uniform(0, 1), Uniform(2, 3)], [0.75, 0.25])
    p = np.linspace(0.01, 0.99, 99)
    np.testing.assert_allclose(nested.quantile(p), flat.quantile(p), rtol=1e-12)


def test_weights_a_rounding_off_one_are_kept_but_count_as_if_they_summed_to_one():
    for error in (5e-10, -5e-10):
        arm = Mixture([Normal(3, 1), Normal(3, 1)], [0.5 + error, 0.5])
        assert list(arm.weights) == [0.5 + error, 0.5]
        assert arm.cdf(math.inf) == 1
        assert arm.mean == pytest.approx(3, rel=1e-14)


@pytest.mark.parametrize(
    ("components", "weights", "message"),
    [
        ([], [], r"components must be a list of Distributions; got \[\]"),
        ([1], [1], r"components must be a list of Distributions; got \[1\]"),
        (Normal(0, 1), [1], "components must be a list of Distributions; got Normal"),
        ([Normal(0, 1)], [0.5, 0.5], r"weights must be 1 numbers, one a component; got \[0.5, 0.5"),
        ([Normal(0, 1)] * 2, [0.5, 0.6], r"weights must be positive and sum to 1; got \[0.5, 0.6"),
        ([Normal(0, 1)] * 2, [1.5, -0.5], "weights must be positive and sum to 1"),
        ([Normal(0, 1)] * 2, [1, 0], "weights must be positive and sum to 1"),
        ([Normal(0, 1)] * 2, [1, math.nan], "weights must be a number or an array of numbers"),
        ([Normal(0, 1)], None, "weights must be a number or an array of numbers; got None"),
    ],
)
def test_bad_mixtures_are_refused(components, weights, message):
    with pytest.raises(ParameterError, match=message):
        Mixture(components, weights)


def test_an_outlier_does_not_carry_a_quantile_over_an_atom():
    """0.15 + 0.1 + 0.2 + 0.1 + 0.1 is not quite 0.65, on a range of 1e10: the answer is 3."""
    places = (-1e10, -8, -2, 9, 3, -5, 4)
    atoms = [Empirical([place]) for place in places]
    assert Mixture(atoms, [0.15, 0.1, 0.1, 0.2, 0.1, 0.2, 0.15]).quantile(0.65) == 3
