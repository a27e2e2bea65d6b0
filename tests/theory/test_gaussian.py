"""Section 4.3 for Gaussian arms: closed forms against a grid of κ, quadrature and simulations."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import integrate

import upperhand as uh
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import leading_pulls
from upperhand.theory.gaussian import (
    acp_gap,
    acp_shortfall,
    average_acp_shortfall,
    average_mean_shortfall,
    average_shortfall,
    envelope,
    gamma_acp,
    gamma_ucb,
    gap_ratio,
    has_smaller_acp_constant,
    is_acp_minimax,
    is_two_arm_envelope,
    kappa_0,
    leading_term,
    least_gap_ratio,
    mean_shortfall,
    path_end,
    shortfalls,
    targets,
    transfer_error,
    utilities,
    utility_regret,
    worst_acp_shortfall,
    worst_mean_shortfall,
    worst_shortfall,
)

from .instances import G3, PROPERTY, SWEEP, grid, instances, mismatches, z

positive = st.floats(1e-3, 1e3)


# --- the path (section 4.3.1) --------------------------------------------------------------------


class TestPath:
    def test_where_it_ends(self):
        for alpha in (*SWEEP, 1e-6, 0.5, 0.999):
            assert path_end(alpha) == pytest.approx(z(alpha), rel=1e-9)
        for bad in (0, 1, -0.1, math.nan, "0.1"):
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
            AssumptionError, match="The mean-optimal arm must be unique; arms 0 and"
        ):
            targets([0.1, 0.1, 0.0], [1, 2, 3], 5)
        with pytest.raises(AssumptionError, match=r"The ACP-optimal arm .* arms 1 and 2 tie"):
            targets([1, 0, 0], [0, 2, 2], 5)

    def test_numbers_out_of_range(self):
        for means, sds in (([0.1], [1, 2]), ([], []), ([[0.1]], [[1]]), (0.1, 1)):
            with pytest.raises(ParameterError, match="must be one number an arm; got"):
                utilities(means, sds, 1)
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
            for bad in (3, -1):
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

    def test_the_papers_arms(self):
        """Catalogue, claim 7: true for the Gaussian instance, at every level of the sweep."""
        for alpha in SWEEP:
            assert is_two_arm_envelope(*G3, z(alpha))
            assert envelope(*G3, z(alpha)).arms.tolist() == [0, 1]

    def test_ties_up_to_rounding(self):
        """.1 + .05κ, .15κ and .05 + .1κ meet at κ = 1; .71κ and −.09 + .74κ at κ = 3 = a."""
        found = envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)
        assert found.kinks == pytest.approx([0, 1])
        assert found.arms.tolist() == [0, 1]
        assert is_two_arm_envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)
        assert envelope([0, -0.09, 0.01], [0.71, 0.74, 0], 3).arms.tolist() == [2, 0]


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

            def lost(k, g=arm):
                return max(m + k * s for m, s in zip(means, sds, strict=True)) - (
                    means[g] + k * sds[g]
                )

            area, _ = integrate.quad(lost, 0, a, points=kinks or None)
            assert average_shortfall(means, sds, arm, a) == pytest.approx(area / a, abs=1e-9)


# --- two arms (section 4.3.2) --------------------------------------------------------------------


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
    assert not is_acp_minimax(2.0, 0.5, 0.5)  # it is strict
    assert is_acp_minimax(2.0, 0.5, math.nextafter(0.5, 1))


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


def test_arrays_and_scalars_of_two_arms():
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


# --- one arm for both objectives (section 4.3.3) -------------------------------------------------


def test_constants_by_hand():
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


def test_arrays_and_scalars_of_constants():
    table = has_smaller_acp_constant([[1.0], [100.0]], 0.5, [0.1, 0.2, 0.3], 0.5)
    assert table.shape == (2, 3)
    for scalar in (gamma_acp(1, 1), gamma_ucb(1, 1), gap_ratio(1, 1), least_gap_ratio(1, 1, 1)):
        assert isinstance(scalar, float)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_constants_out_of_range(bad):
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


# --- Proposition 1 -------------------------------------------------------------------------------


MEANS, SDS = G3
KAPPA = np.linspace(0, 1.6448536269514722, 12)


@st.composite
def played(draw):
    """Return means, sds and pull counts of some arms."""
    count = draw(st.integers(1, 5))
    numbers = st.integers(-100, 100).map(lambda k: k / 50)
    means = draw(st.lists(numbers, min_size=count, max_size=count))
    sds = [abs(x) for x in draw(st.lists(numbers, min_size=count, max_size=count))]
    return means, sds, draw(st.lists(st.integers(0, 10_000), min_size=count, max_size=count))


def test_it_is_the_regret_of_runs():
    arms = [uh.Normal(mu, sd) for mu, sd in zip(MEANS, SDS, strict=True)]
    runs = uh.simulate(arms, [uh.ACPUCB1(), uh.UCB1()], horizon=400, replications=5, seed=1)
    for name, pulls in runs.pulls.items():
        found = utility_regret(pulls, MEANS, SDS, KAPPA)
        assert found.shape == (*pulls.shape[:2], len(KAPPA))
        for place, kappa in enumerate(KAPPA):
            curve = runs.regret(uh.Utility(kappa))[name]
            assert found[..., place].mean(axis=0) == pytest.approx(curve.mean, rel=1e-12, abs=1e-12)
            assert utility_regret(pulls, MEANS, SDS, kappa) == pytest.approx(found[..., place])


def test_it_is_the_sum_over_the_rounds():
    """Equation 8, round by round, for one trajectory."""
    table = np.random.default_rng(0).normal(np.array(MEANS)[:, None], 0.1, (3, 300))
    trajectory = uh.play(uh.ACPUCB1(), table)
    pulls = np.bincount(trajectory.arms, minlength=3)
    for kappa in KAPPA:
        values = [mu + kappa * sd for mu, sd in zip(MEANS, SDS, strict=True)]
        brute = sum(max(values) - values[arm] for arm in trajectory.arms)
        assert utility_regret(pulls, MEANS, SDS, kappa) == pytest.approx(brute)


@PROPERTY
@given(played(), st.floats(0.1, 4))
def test_the_leading_term_errs_by_no_more_than_the_proof_says(instance, a):
    """|R − D_g(κ) n| ≤ 2 D_max Σ_{h≠g} T_h: an identity of each run, for every g and κ."""
    means, sds, pulls = instance
    kappa, values = grid(means, sds, a, 101)
    regret = utility_regret(pulls, means, sds, kappa)
    d_max = (values.max(axis=1)[:, None] - values).max()
    for arm in range(len(means)):
        leading = leading_term(sum(pulls), means, sds, arm, kappa)
        bound = transfer_error(pulls, means, sds, arm, a)
        assert np.all(np.abs(regret - leading) <= bound + 1e-9)
        assert bound == pytest.approx(2 * d_max * (sum(pulls) - pulls[arm]))


def test_leading_terms_of_the_paper():
    """Catalogue, claim 19: D_M(a) n = 645 and δ_μ n = 1000 at n = 10⁴."""
    a = 1.6448536269514722
    assert leading_term(10_000, MEANS, SDS, 0, a) == pytest.approx(645, abs=0.5)
    assert leading_term(10_000, MEANS, SDS, 1, 0) == pytest.approx(1000)
    assert leading_term(10_000, MEANS, SDS, 1, a) == 0
    assert isinstance(leading_term(10_000, MEANS, SDS, 1, 0), float)
    assert leading_term([[10], [20]], MEANS, SDS, 1, [0.0, 0.5]).shape == (2, 2)


def test_a_table_of_kappa():
    pulls = np.arange(15).reshape(5, 3)
    for shape in ((3, 4), (2, 2), (4, 3)):
        kappa = np.linspace(0, 2, shape[0] * shape[1]).reshape(shape)
        found = utility_regret(pulls, MEANS, SDS, kappa)
        assert found.shape == (5, *shape)
        for place in np.ndindex(shape):
            single = utility_regret(pulls, MEANS, SDS, kappa[place])
            assert found[(slice(None), *place)] == pytest.approx(single)


def test_refused_pulls():
    for pulls in ([1, 2], [[1, 2]], 3):
        with pytest.raises(ParameterError, match="pulls must have 3 arms along the last axis; got"):
            utility_regret(pulls, MEANS, SDS, 0)
        with pytest.raises(ParameterError, match="pulls must have 3 arms along the last axis; got"):
            transfer_error(pulls, MEANS, SDS, 0, 1)
    with pytest.raises(ParameterError, match=r"pulls must be (?:a )?finite numbers? ≥ 0"):
        utility_regret([1, 2, -1], MEANS, SDS, 0)
    with pytest.raises(ParameterError, match="a must be a finite number > 0"):
        transfer_error([1, 2, 3], MEANS, SDS, 0, 0)
