"""The divergence to the nearest Gaussian with a given quantile."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand._kernels.gaussian_evidence import enough, gaussian_divergence

from ..reference import shapes

Z95 = NormalDist().inv_cdf(0.95)


@pytest.mark.parametrize(
    ("a", "z", "expected"),
    [
        (0.5, 1.0, 0.0),
        (1.0, 1.0, 0.0),
        (2.0, 0.0, math.log(5) / 2),  # ½ ln(1 + a²): the classical one, for means
        (Z95 + 5, Z95, 0.80514214972842717),
        (Z95 + 10, Z95, 1.3327543303689299),
    ],
)
def test_known_values(a, z, expected):
    """The last two by mpmath with 40 digits: the root of the derivative of the divergence in r."""
    assert gaussian_divergence(a, z) == pytest.approx(expected, rel=1e-13)


@given(st.floats(-8, 8), st.floats(0, 1e4))
def test_equal_to_a_search(z, above):
    found = gaussian_divergence(z + above, z)
    assert found == pytest.approx(shapes.gaussian_divergence(z + above, z), rel=1e-9, abs=1e-12)


@given(st.floats(-8, 8), st.floats(0, 50), st.floats(0, 50))
def test_it_grows_with_the_distance(z, one, other):
    near, far = sorted((one, other))
    assert gaussian_divergence(z + near, z) <= gaussian_divergence(z + far, z) + 1e-12


def test_far_away_is_a_number():
    """From 10⁵ standard deviations on it grows as ln a, to nine digits."""
    near = gaussian_divergence(1e5, Z95)
    for a in (1e90, 1e160, 1e300):
        assert gaussian_divergence(a, Z95) == pytest.approx(near + math.log(a / 1e5), rel=1e-9)


@pytest.mark.parametrize(
    ("tau", "seen", "t", "arms", "expected"),
    [
        (0.8, 9, 10**6, 3, False),
        (0.8, 10, 10**6, 3, True),  # 0.2 · 10 = 2, though 1 − 0.8 is a hair less than 0.2
        (0.95, 39, 10**6, 3, False),
        (0.95, 40, 10**6, 3, True),
        (0.95, 10, 300, 3, True),  # a tenth of 100 rounds an arm
        (0.95, 10, 301, 3, False),
        (0.5, 2, 3, 3, False),
    ],
)
def test_enough(tau, seen, t, arms, expected):
    assert enough(tau, seen, t, arms) is expected
