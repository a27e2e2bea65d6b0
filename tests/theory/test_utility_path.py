"""The utility path: every closed form against a grid of κ, and against quadrature."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import integrate

from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory.utility_path import (
    acp_shortfall,
    average_acp_shortfall,
    average_mean_shortfall,
    average_shortfall,
    envelope,
    is_acp_minimax,
    is_two_arm_envelope,
    kappa_0,
    mean_shortfall,
    path_end,
    shortfalls,
    targets,
    unique_best,
    utilities,
    worst_acp_shortfall,
    worst_mean_shortfall,
    worst_shortfall,
)

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)

G3 = [0.10, 0.00, 0.04], [0.05, 0.15, 0.08]
ROBUST = [0.08, 0.00, 0.03], [0.05, 0.16, 0.08]
SWEEP = [0.30, 0.25, 0.20, 0.15, 0.10, 0.05]

hundredths = st.integers(-100, 100).map(lambda k: k / 100)
sds_of = st.integers(0, 100).map(lambda k: k / 100)
ends = st.floats(0.1, 4)


def z(alpha):
    return NormalDist().inv_cdf(1 - alpha / 2)


@st.composite
def instances(draw):
    """Return means, standard deviations and a; hundredths make ties and parallel lines common."""
    count = draw(st.integers(1, 6))
    arms = st.lists(hundredths, min_size=count, max_size=count)
    return draw(arms), draw(st.lists(sds_of, min_size=count, max_size=count)), draw(ends)


@st.composite
def mismatches(draw):
    """Return a, δ_μ and δ_σ with 0 < δ_μ < a δ_σ."""
    a, delta_sigma = draw(ends), draw(st.floats(0.01, 5))
    return a, draw(st.floats(0.001, 0.999)) * a * delta_sigma, delta_sigma


def grid(means, sds, a, points=501):
    """Return κ and v_j(κ), arms along the last axis, by plain arithmetic."""
    kappa = np.linspace(0, a, points)
    return kappa, np.array([[m + k * s for m, s in zip(means, sds, strict=True)] for k in kappa])


class TestPath:
    @pytest.mark.parametrize("alpha", [*SWEEP, 1e-6, 0.5, 0.999])
    def test_where_it_ends(self, alpha):
        assert path_end(alpha) == pytest.approx(z(alpha), rel=1e-9)

    @pytest.mark.parametrize("bad", [0, 1, -0.1, math.nan, "0.1"])
    def test_no_level(self, bad):
        with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and < 1"):
            path_end(bad)

    @PROPERTY
    @given(instances())
    def test_utilities_and_shortfalls(self, instance):
        means, sds, a = instance
        kappa, values = grid(means, sds, a, 50)
        assert utilities(means, sds, kappa) == pytest.approx(values)
        gaps = shortfalls(means, sds, kappa)
        assert gaps == pytest.approx(values.max(axis=1)[:, None] - values)
        assert np.all(gaps >= 0)
        assert np.all(gaps.min(axis=1) == 0)

    def test_shapes(self):
        assert utilities(*G3, 1.5).tolist() == pytest.approx([0.175, 0.225, 0.16])
        assert shortfalls(*G3, 0).tolist() == pytest.approx([0, 0.1, 0.06])
        assert shortfalls(*G3, np.zeros((4, 0, 5))).shape == (4, 0, 5, 3)
        table = shortfalls(*G3, [[0.5, 1.0, 1.5]])
        assert table.shape == (1, 3, 3)
        assert table[0, 2].tolist() == shortfalls(*G3, 1.5).tolist()

    def test_the_targets(self):
        assert targets(*G3, z(0.1)) == (1, 0)
        assert targets(*G3, 0.99) == (0, 0)
        assert targets([0.3, 0.1], [2, 1], 1) == (0, 0)

    def test_the_targets_must_be_unique(self):
        with pytest.raises(
            AssumptionError, match="The mean-optimal arm must be unique; arms 1 and"
        ):
            targets([0.1, 0.1, 0.0], [1, 2, 3], 5)
        with pytest.raises(AssumptionError, match=r"The ACP-optimal arm .* arms 2 and 3 share"):
            targets([1, 0, 0], [0, 2, 2], 5)
        assert unique_best("best", np.array([1.0, 3.0, 2.0])) == 1

    @pytest.mark.parametrize(
        ("means", "sds"),
        [([0.1], [1, 2]), ([], []), ([[0.1]], [[1]]), (0.1, 1)],
        ids=["lengths", "none", "table", "scalar"],
    )
    def test_one_number_an_arm(self, means, sds):
        with pytest.raises(ParameterError, match="means and sds must be one number an arm; got"):
            utilities(means, sds, 1)

    def test_numbers_out_of_range(self):
        with pytest.raises(
            ParameterError, match=r"sds must be (?:a )?finite numbers? ≥ 0; got -1.0 as sds\[1\]"
        ):
            shortfalls([0, 1], [1, -1], 0)
        with pytest.raises(ParameterError, match="means must be"):
            shortfalls([0, math.nan], [1, 1], 0)
        for function in (envelope, is_two_arm_envelope, targets):
            with pytest.raises(ParameterError, match="a must be a finite number > 0"):
                function(*G3, 0)
        for function in (worst_shortfall, average_shortfall):
            with pytest.raises(ParameterError, match="a must be a finite number > 0"):
                function(*G3, 0, -1)

    @pytest.mark.parametrize("function", [worst_shortfall, average_shortfall])
    @pytest.mark.parametrize("bad", [3, -1])
    def test_an_arm_that_there_is_not(self, function, bad):
        with pytest.raises(ParameterError, match="arm"):
            function(*G3, bad, 1.0)


class TestEnvelope:
    @PROPERTY
    @given(instances())
    @example(([0.0, 0.0], [1.0, 1.0], 1.0))
    @example(([0.1, 0.07, 0.04], [0.05, 0.08, 0.11], 2.0))  # three lines through one point
    @example(([0.1, 0.0], [0.0, 0.1], 1.0))  # they cross at κ = a
    def test_against_a_grid(self, instance):
        means, sds, a = instance
        kinks, arms = envelope(means, sds, a)
        assert kinks[0] == 0
        assert np.all(np.diff(kinks) > 0)
        assert kinks[-1] < a
        assert np.all(np.diff(np.array(sds)[arms]) > 0)
        kappa, values = grid(means, sds, a)
        on_it = arms[np.searchsorted(kinks, kappa, side="right") - 1]
        found = np.take_along_axis(values, on_it[:, None], axis=1)[:, 0]
        assert found == pytest.approx(values.max(axis=1), abs=1e-12)

    @PROPERTY
    @given(instances())
    def test_two_arms_against_a_grid(self, instance):
        """Unless the third arm rises by less than the grid can tell, or lines cross at κ = a."""
        means, sds, a = instance
        _, values = grid(means, sds, a)
        last = values[-1] > values[-1].max() - 1e-9
        assume(len(set(np.array(sds)[last])) == 1)
        mean_best = max(range(len(means)), key=lambda j: (means[j], sds[j]))
        acp_best = int(np.lexsort((-np.array(sds), values[-1]))[-1])
        excess = (values.max(axis=1) - values[:, [mean_best, acp_best]].max(axis=1)).max()
        assume(excess < 1e-12 or excess > 1e-9)
        assert is_two_arm_envelope(means, sds, a) == (excess < 1e-12)

    def test_a_third_arm_in_the_middle(self):
        """1 and 0.7 + 0.5 κ meet at κ = 0.6, and 0.7 + 0.5 κ and κ at κ = 1.4."""
        means, sds = [1.0, 0.7, 0.0], [0.0, 0.5, 1.0]
        kinks, arms = envelope(means, sds, 2.0)
        assert arms.tolist() == [0, 1, 2]
        assert kinks == pytest.approx([0, 0.6, 1.4])
        assert not is_two_arm_envelope(means, sds, 2.0)
        assert is_two_arm_envelope(means, sds, 1.4)
        assert is_two_arm_envelope(means, sds, 0.5)

    def test_lines_through_one_point(self):
        """0.3 + 0.1 κ, 0.2 + 0.2 κ and 0.1 + 0.3 κ meet at κ = 1, up to rounding."""
        for means in ([0.3, 0.2, 0.1], [0.7, 0.6, 0.5], [1.1, 1.0, 0.9]):
            assert is_two_arm_envelope(means, [0.1, 0.2, 0.3], 2.0)

    @pytest.mark.parametrize("alpha", SWEEP)
    def test_the_papers_arms(self, alpha):
        """Catalogue, claim 7: true for the Gaussian instance, at every level of the sweep."""
        assert is_two_arm_envelope(*G3, z(alpha))
        assert envelope(*G3, z(alpha)).arms.tolist() == [0, 1]


class TestShortfalls:
    @PROPERTY
    @given(instances())
    def test_the_worst_is_at_an_end(self, instance):
        means, sds, a = instance
        _, values = grid(means, sds, a, 301)
        for arm in range(len(means)):
            worst = (values.max(axis=1) - values[:, arm]).max()
            assert worst_shortfall(means, sds, arm, a) == pytest.approx(worst, abs=1e-12)

    @PROPERTY
    @given(instances())
    def test_the_average_by_quadrature(self, instance):
        means, sds, a = instance
        kinks = envelope(means, sds, a).kinks[1:].tolist()
        for arm in range(len(means)):
            area, _ = integrate.quad(
                lambda k, g=arm: (
                    max(m + k * s for m, s in zip(means, sds, strict=True))
                    - (means[g] + k * sds[g])
                ),
                0,
                a,
                points=kinks or None,
            )
            assert average_shortfall(means, sds, arm, a) == pytest.approx(area / a, abs=1e-9)

    @PROPERTY
    @given(mismatches(), st.floats(-1, 1), st.floats(0, 1))
    def test_two_arms(self, mismatch, mu, sigma):
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
    def test_the_preference_switches_at_kappa_0(self, mismatch):
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
    def test_minimax(self, mismatch):
        """Equation 15: 2 δ_μ < a δ_σ if and only if sup D_A < sup D_M, on a grid of κ."""
        a, delta_mu, delta_sigma = mismatch
        assume(abs(2 * delta_mu - a * delta_sigma) > 1e-9)
        kappa = np.linspace(0, a, 301)
        d_acp = np.maximum(delta_mu - kappa * delta_sigma, 0).max()
        d_mean = np.maximum(kappa * delta_sigma - delta_mu, 0).max()
        found = is_acp_minimax(a, delta_mu, delta_sigma)
        assert found == (2 * delta_mu < a * delta_sigma) == (d_acp < d_mean)

    def test_minimax_is_strict(self):
        assert not is_acp_minimax(2.0, 0.5, 0.5)
        assert is_acp_minimax(2.0, 0.5, math.nextafter(0.5, 1))

    def test_the_papers_averages(self):
        """Catalogue, claim 6: 0.0304 and 0.0126 at α = 0.1, where δ_μ = δ_σ = 0.1."""
        a = z(0.1)
        assert average_acp_shortfall(a, 0.1, 0.1) == pytest.approx(0.0304, abs=5e-5)
        assert average_mean_shortfall(a, 0.1, 0.1) == pytest.approx(0.0126, abs=5e-5)
        assert average_shortfall(*G3, 1, a) == pytest.approx(average_acp_shortfall(a, 0.1, 0.1))
        assert average_shortfall(*G3, 0, a) == pytest.approx(average_mean_shortfall(a, 0.1, 0.1))
        assert worst_shortfall(*G3, 1, a) == pytest.approx(0.1)
        assert worst_shortfall(*G3, 0, a) == pytest.approx(0.0644854, abs=5e-8)

    @pytest.mark.parametrize("alpha", SWEEP)
    def test_the_headline_instance_is_not_minimax(self, alpha):
        """Catalogue, section 2, item 19: 0.2 against 0.104 to 0.196."""
        assert not is_acp_minimax(z(alpha), 0.1, 0.15 - 0.05)
        assert worst_shortfall(*G3, 1, z(alpha)) > worst_shortfall(*G3, 0, z(alpha))

    def test_the_robustness_instance_is(self):
        """Catalogue, section 2, item 19: 0.16 < 0.181; and the factor 2 / 1.96 of section 4.3.2."""
        assert is_acp_minimax(z(0.1), 0.08, 0.16 - 0.05)
        assert worst_shortfall(*ROBUST, 1, z(0.1)) < worst_shortfall(*ROBUST, 0, z(0.1))
        assert z(0.1) * 0.11 == pytest.approx(0.181, abs=5e-4)
        assert is_acp_minimax(z(0.05), 0.1, 0.10205)
        assert not is_acp_minimax(z(0.05), 0.1, 0.10203)

    def test_the_edge_of_the_sweep(self):
        """Catalogue, section 2, item 20: κ₀ = 1, so α must be below 2 (1 − Φ(1)) = 0.3173."""
        edge = 2 * (1 - NormalDist().cdf(1))
        assert edge == pytest.approx(0.3173, abs=5e-5)
        assert kappa_0(0.1, 0.15 - 0.05) == pytest.approx(1)
        assert targets(*G3, z(edge - 1e-4)) == (1, 0)
        assert targets(*G3, z(edge + 1e-4)) == (0, 0)
        assert worst_mean_shortfall(z(0.3), 0.1, 0.1) == pytest.approx(0.0036, abs=5e-5)

    def test_where_the_objectives_agree_there_is_no_comparison(self):
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

    def test_arrays_and_scalars(self):
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


def test_three_lines_through_one_point():
    """All of .1 + .05κ, .15κ and .05 + .1κ meet at κ = 1, up to rounding."""
    found = envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)
    assert found.kinks == pytest.approx([0, 1])
    assert found.arms.tolist() == [0, 1]
    assert is_two_arm_envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)


def test_a_tie_at_the_end_is_no_kink():
    """Lines 0 + .71κ and −.09 + .74κ meet at κ = 3 = a, up to rounding."""
    assert envelope([0, -0.09, 0.01], [0.71, 0.74, 0], 3).arms.tolist() == [2, 0]
