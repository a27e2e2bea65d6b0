"""Two arms that mean and tail disagree on: the closed forms against the path itself."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory.gaussian import (
    acp_shortfall,
    average_acp_shortfall,
    average_mean_shortfall,
    average_shortfall,
    envelope,
    is_acp_minimax,
    kappa_0,
    mean_shortfall,
    shortfalls,
    targets,
    worst_acp_shortfall,
    worst_mean_shortfall,
    worst_shortfall,
)

from .instances import (
    G3,
    PROPERTY,
    ROBUST,
    SWEEP,
    mismatches,
    z,
)


@PROPERTY
@given(mismatches(), st.floats(-1, 1), st.floats(0, 1))
def test_two_arms(mismatch, mu, sigma):
    """The formulas for K arms and those in δ_μ and δ_σ: arm 0 is M, arm 1 is A."""
    a, delta_mu, delta_sigma = mismatch
    means, sds = [mu, mu - delta_mu], [sigma, sigma + delta_sigma]
    kappa = np.linspace(0, a, 41)
    d_mean, d_acp = shortfalls(means, sds, kappa).T
    close = {"rel": 1e-9, "abs": 1e-12}
    assert acp_shortfall(kappa, delta_mu, delta_sigma) == pytest.approx(d_acp, **close)
    assert mean_shortfall(kappa, delta_mu, delta_sigma) == pytest.approx(d_mean, **close)
    for worst, average, arm in (
        (worst_acp_shortfall(delta_mu), average_acp_shortfall, 1),
        (worst_mean_shortfall(a, delta_mu, delta_sigma), average_mean_shortfall, 0),
    ):
        assert worst == pytest.approx(worst_shortfall(means, sds, arm, a), **close)
        exact = average_shortfall(means, sds, arm, a)
        assert average(a, delta_mu, delta_sigma) == pytest.approx(exact, rel=1e-6, abs=1e-12)


@PROPERTY
@given(mismatches())
def test_the_preference_switches_at_kappa_0(mismatch):
    a, delta_mu, delta_sigma = mismatch
    switch = kappa_0(delta_mu, delta_sigma)
    assert 0 < switch < a
    assert delta_mu == pytest.approx(switch * delta_sigma)  # v_M = v_A
    means, sds = [delta_mu, 0.0], [0.5, 0.5 + delta_sigma]
    assert targets(means, sds, switch * 0.999).acp == 0
    assert targets(means, sds, switch * 1.001).acp == 1
    assert envelope(means, sds, a).kinks == pytest.approx([0, switch])


@PROPERTY
@given(mismatches())
def test_minimax(mismatch):
    """Equation 15: 2 δ_μ < a δ_σ if and only if sup D_A < sup D_M, on a grid of κ."""
    a, delta_mu, delta_sigma = mismatch
    assume(abs(2 * delta_mu - a * delta_sigma) > 1e-9)
    kappa = np.linspace(0, a, 301)
    d_acp = np.maximum(delta_mu - kappa * delta_sigma, 0).max()
    d_mean = np.maximum(kappa * delta_sigma - delta_mu, 0).max()
    found = is_acp_minimax(a, delta_mu, delta_sigma)
    assert found == (2 * delta_mu < a * delta_sigma) == (d_acp < d_mean)


def test_minimax_is_strict():
    assert not is_acp_minimax(2.0, 0.5, 0.5)
    assert is_acp_minimax(2.0, 0.5, math.nextafter(0.5, 1))


def test_the_papers_averages():
    """Catalogue, claim 6: 0.0304 and 0.0126 at α = 0.1, where δ_μ = δ_σ = 0.1."""
    a = z(0.1)
    assert average_acp_shortfall(a, 0.1, 0.1) == pytest.approx(0.0304, abs=5e-5)
    assert average_mean_shortfall(a, 0.1, 0.1) == pytest.approx(0.0126, abs=5e-5)
    assert average_shortfall(*G3, 1, a) == pytest.approx(average_acp_shortfall(a, 0.1, 0.1))
    assert average_shortfall(*G3, 0, a) == pytest.approx(average_mean_shortfall(a, 0.1, 0.1))
    assert worst_shortfall(*G3, 1, a) == pytest.approx(0.1)
    assert worst_shortfall(*G3, 0, a) == pytest.approx(0.0644854, abs=5e-8)


@pytest.mark.parametrize("alpha", SWEEP)
def test_the_headline_instance_is_not_minimax(alpha):
    """Catalogue, section 2, item 19: 0.2 against 0.104 to 0.196."""
    assert not is_acp_minimax(z(alpha), 0.1, 0.15 - 0.05)
    assert worst_shortfall(*G3, 1, z(alpha)) > worst_shortfall(*G3, 0, z(alpha))


def test_the_robustness_instance_is():
    """Catalogue, section 2, item 19: 0.16 < 0.181; and the factor 2 / 1.96 of section 4.3.2."""
    assert is_acp_minimax(z(0.1), 0.08, 0.16 - 0.05)
    assert worst_shortfall(*ROBUST, 1, z(0.1)) < worst_shortfall(*ROBUST, 0, z(0.1))
    assert z(0.1) * 0.11 == pytest.approx(0.181, abs=5e-4)
    assert is_acp_minimax(z(0.05), 0.1, 0.10205)
    assert not is_acp_minimax(z(0.05), 0.1, 0.10203)


def test_the_edge_of_the_sweep():
    """Catalogue, section 2, item 20: κ₀ = 1, so α must be below 2 (1 − Φ(1)) = 0.3173."""
    edge = 2 * (1 - NormalDist().cdf(1))
    assert edge == pytest.approx(0.3173, abs=5e-5)
    assert kappa_0(0.1, 0.15 - 0.05) == pytest.approx(1)
    assert targets(*G3, z(edge - 1e-4)) == (1, 0)
    assert targets(*G3, z(edge + 1e-4)) == (0, 0)
    assert worst_mean_shortfall(z(0.3), 0.1, 0.1) == pytest.approx(0.0036, abs=5e-5)


def test_where_the_objectives_agree_there_is_no_comparison():
    for function in (
        worst_mean_shortfall,
        average_acp_shortfall,
        average_mean_shortfall,
        is_acp_minimax,
    ):
        for delta_mu in (0.2, 0.3):
            with pytest.raises(AssumptionError, match="The objectives must disagree"):
                function(2.0, delta_mu, 0.1)
        for bad in (0, -0.1, math.nan):
            with pytest.raises(ParameterError, match="delta_mu must be"):
                function(2.0, bad, 0.1)
            with pytest.raises(ParameterError, match="delta_sigma must be"):
                function(2.0, 0.1, bad)
    with pytest.raises(ParameterError, match=r"kappa must be (?:a )?finite numbers? ≥ 0"):
        acp_shortfall(-0.1, 0.1, 0.1)


def test_arrays_and_scalars():
    a, delta_mu = np.array([[1.5], [2.0]]), np.array([0.1, 0.05, 0.02])
    assert is_acp_minimax(a, delta_mu, 0.1).tolist() == [[False, True, True]] * 2
    assert average_acp_shortfall(a, delta_mu, 0.1).shape == (2, 3)
    assert acp_shortfall([0.0, 1.0], 0.1, 0.1).tolist() == [0.1, 0.0]
    for scalar in (
        kappa_0(0.1, 0.1),
        acp_shortfall(0, 0.1, 0.1),
        mean_shortfall(0, 0.1, 0.1),
        worst_acp_shortfall(0.1),
        worst_mean_shortfall(2, 0.1, 0.1),
        average_acp_shortfall(2, 0.1, 0.1),
        average_mean_shortfall(2, 0.1, 0.1),
        worst_shortfall(*G3, 0, 1),
        average_shortfall(*G3, 0, 1),
    ):
        assert isinstance(scalar, float)
