"""The logarithmic constants where both objectives choose the same arm."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from upperhand.errors import ParameterError
from upperhand.theory.assumption_1 import gaussian_constants
from upperhand.theory.gaussian import (
    acp_gap,
    gamma_acp,
    gamma_ucb,
    gap_ratio,
    has_smaller_acp_constant,
    least_gap_ratio,
)
from upperhand.theory.theorem_1 import b_0, leading_pulls

from .instances import PROPERTY

positive = st.floats(1e-3, 1e3)


def test_by_hand():
    assert acp_gap(0.25, 2, 1.5, 1.0) == 1.25
    assert acp_gap([0.25, 0.5], 2, 1.0, [1.5, 0.5]).tolist() == [-0.75, 1.5]
    assert gamma_acp(3, 0.5) == 144
    assert gamma_ucb(0.5, 0.25) == 1024
    assert gamma_ucb(0.5, 100) == 8
    assert gap_ratio(0.5, 0.25) == 2
    assert least_gap_ratio(4, 0.5, 0.25) == 1  # 8 / √max{64, ½}
    assert least_gap_ratio(4, 0.5, 4) == pytest.approx(8 / math.sqrt(128))


@PROPERTY
@given(b=positive, gap=positive, n=st.integers(2, 10**9))
def test_gamma_is_the_constant_of_theorem_1(b, gap, n):
    assert gamma_acp(b, gap) * math.log(n) == pytest.approx(leading_pulls(n, b, gap))


@PROPERTY
@given(b=positive, tail_gap=positive, sd=positive, mean_gap=positive)
def test_the_condition_is_one_on_the_gap_ratio(b, tail_gap, sd, mean_gap):
    """Equation 20 ⇔ r_j > 2b / √max{256 σ², 8 Δ²}; apart from ties, which rounding may break."""
    ratio, least = gap_ratio(tail_gap, mean_gap), least_gap_ratio(b, sd, mean_gap)
    assume(abs(ratio / least - 1) > 1e-9)
    found = has_smaller_acp_constant(b, tail_gap, sd, mean_gap)
    assert found == (ratio > least)
    assert found == (4 * b**2 / tail_gap**2 < max(256 * sd**2 / mean_gap**2, 8))


@PROPERTY
@given(mu=st.floats(-1, 1), mu_best=st.floats(-1, 1), sd=positive, sd_best=positive)
def test_the_gap_is_that_of_the_endpoints(mu, mu_best, sd, sd_best):
    """Equation 16."""
    direct = (mu_best + 1.5 * sd_best) - (mu + 1.5 * sd)
    assert acp_gap(mu_best - mu, 1.5, sd_best, sd) == pytest.approx(direct, abs=1e-9)


@pytest.mark.parametrize(
    ("mean_gap", "wider", "ratio", "least"),
    [(0.001, 0.1, 165.5, 91.5), (0.01, 1, 165.5, 334), (0.001, 0.05, 83.2, 84.4)],
)
def test_with_an_admissible_b(mean_gap, wider, ratio, least):
    """Catalogue, claim 8: σ_j = 1, σ_A = 1 + wider, α = 0.1, a window that is a point, r = Δ/4."""
    a = NormalDist().inv_cdf(0.95)
    gap = acp_gap(mean_gap, a, 1 + wider, 1.0)
    found = gaussian_constants([1, 1 + wider], (0.1, 0.1), r_y=gap / 4, r_s=gap / 4)
    b = b_0(found.f_min, found.g_min)
    assert gap_ratio(gap, mean_gap) == pytest.approx(ratio, rel=2e-3)
    assert least_gap_ratio(b, 1.0, mean_gap) == pytest.approx(least, rel=2e-3)
    assert has_smaller_acp_constant(b, gap, 1.0, mean_gap) == (ratio > least)


def test_at_b_1_it_is_nearly_always_true():
    """Catalogue, claim 8: but b = 1 is not admissible there."""
    rng = np.random.default_rng(0)
    mean_gap, sd = rng.uniform(0.01, 1, 1000), rng.uniform(0.05, 1, 1000)
    assert np.all(has_smaller_acp_constant(1, mean_gap * 2, sd, mean_gap)[sd > 0.1])


def test_arrays_and_scalars():
    table = has_smaller_acp_constant([[1.0], [100.0]], 0.5, [0.1, 0.2, 0.3], 0.5)
    assert table.shape == (2, 3)
    for scalar in (gamma_acp(1, 1), gamma_ucb(1, 1), gap_ratio(1, 1), least_gap_ratio(1, 1, 1)):
        assert isinstance(scalar, float)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_out_of_range(bad):
    for call, name in (
        (lambda: gamma_acp(bad, 1), "b"),
        (lambda: gamma_acp(1, [1, bad]), "acp_gap"),
        (lambda: gamma_ucb(bad, 1), "sd"),
        (lambda: gamma_ucb(1, bad), "mean_gap"),
        (lambda: gap_ratio(bad, 1), "acp_gap"),
        (lambda: least_gap_ratio(1, 1, bad), "mean_gap"),
        (lambda: has_smaller_acp_constant(1, bad, 1, 1), "acp_gap"),
        (lambda: acp_gap(0.1, bad, 1, 1), "a"),
        (lambda: acp_gap(0.1, 1, bad, 1), "sd_best"),
    ):
        with pytest.raises(ParameterError, match=f"^{name} must be"):
            call()
