"""What no policy can beat: divergences by hand, infima by search, samples by references."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize

from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    StudentT,
    Uniform,
)
from upperhand.errors import AssumptionError, ParameterError
from upperhand.objectives import Mean, Quantile
from upperhand.theory.lower_bounds import (
    bernoulli_kl,
    characteristic_time,
    gaussian_quantile_divergence,
    gaussian_quantile_pulls,
    gaussian_quantile_regret,
    identification_bound,
    mean_pulls,
    mean_regret,
    quantile_pulls,
    quantile_regret,
)

from ..reference import best_arm as naive
from .instances import PAPER, PROPERTY

LOG = math.log(10_000)

hundredths = st.integers(-200, 200).map(lambda k: k / 100)
normals = st.lists(
    st.builds(Normal, hundredths, st.integers(5, 300).map(lambda k: k / 100)),
    min_size=1,
    max_size=5,
)


class TestDivergence:
    def test_by_hand(self):
        """kl(½, ¼) = ½ ln 2 + ½ ln ⅔."""
        assert bernoulli_kl(0.5, 0.25) == pytest.approx(math.log(4 / 3) / 2)
        assert bernoulli_kl(0.25, 0.5) == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
        assert bernoulli_kl(0, 0.25) == pytest.approx(math.log(4 / 3))
        assert bernoulli_kl(1, 0.25) == pytest.approx(math.log(4))
        assert bernoulli_kl(0.3, 0.3) == 0

    def test_near_its_zero(self):
        """kl(q + d, q) ≈ d² / (2 q (1 − q)), whatever the sign of d."""
        for q, d in itertools.product((0.05, 0.5, 0.95), (1e-5, -1e-5, 2.0**-30)):
            p = q + d
            exact = (p - q) ** 2 / (2 * q * (1 - q))
            assert bernoulli_kl(p, q) == pytest.approx(exact, rel=1e-3)

    def test_arrays_and_refusals(self):
        assert bernoulli_kl([[0.1], [0.2]], [0.3, 0.4, 0.5]).shape == (2, 3)
        assert isinstance(bernoulli_kl(0.1, 0.2), float)
        for p, q, message in (
            (1.1, 0.5, r"p must be (?:a )?finite numbers? ≥ 0 and ≤ 1"),
            (0.5, 0, r"q must be (?:a )?finite numbers? > 0 and < 1"),
            (0.5, 1, r"q must be (?:a )?finite numbers? > 0 and < 1"),
            (math.nan, 0.5, "p must be a number"),
        ):
            with pytest.raises(ParameterError, match=message):
                bernoulli_kl(p, q)


class TestQuantiles:
    def test_the_papers_arms(self):
        """Catalogue, section C9: about 210 and 265 pulls at n = 10⁴, and a regret of 33.4."""
        pulls = quantile_pulls(PAPER, 0.95) * LOG
        assert pulls[1] == 0
        assert sorted(pulls[[0, 2]]) == pytest.approx([210, 265], abs=1)
        assert quantile_regret(PAPER, 0.95) * LOG == pytest.approx(33.4, abs=0.05)

    def test_by_hand(self):
        """Uniform(0, 2) has the median 1, which tops Uniform(0, 1) wholly: kl(1, ½) = ln 2."""
        arms = [Uniform(0, 1), Uniform(0, 2), Uniform(0, 1.5)]
        divergence = 2 / 3 * math.log(4 / 3) + 1 / 3 * math.log(2 / 3)
        assert quantile_pulls(arms, 0.5) == pytest.approx([1 / math.log(2), 0, 1 / divergence])
        regret = 0.5 / math.log(2) + 0.25 / divergence
        assert quantile_regret(arms, 0.5) == pytest.approx(regret)

    @PROPERTY
    @given(normals, st.floats(0.05, 0.95))
    def test_an_increasing_map_changes_nothing(self, arms, tau):
        """exp of a normal reward is a log-normal one: ranks are the same, so are the pulls."""
        values = [arm.quantile(tau) for arm in arms]
        assume(all(v == max(values) or v < max(values) - 1e-3 for v in values))
        images = [LogNormal(arm.loc, arm.scale) for arm in arms]
        assert quantile_pulls(images, tau) == pytest.approx(quantile_pulls(arms, tau), rel=1e-6)

    @PROPERTY
    @given(normals, st.floats(0.05, 0.95))
    def test_the_regret_is_the_sum_over_arms(self, arms, tau):
        values = [arm.quantile(tau) for arm in arms]
        pulls = quantile_pulls(arms, tau)
        total = sum((max(values) - v) * x for v, x in zip(values, pulls, strict=True) if x)
        assert quantile_regret(arms, tau) == pytest.approx(total)

    def test_ties_and_infinities(self):
        assert quantile_pulls([Normal(0, 1), Normal(0, 1)], 0.9).tolist() == [0, 0]
        assert quantile_regret([Normal(0, 1)], 0.9) == 0
        # Half of the mass at 0 and half at 1: the median is 0, and [0, 0.5] holds no more mass.
        arms = [Empirical([0, 1]), Empirical([0.5])]
        assert quantile_pulls(arms, 0.5).tolist() == [math.inf, 0]
        assert quantile_regret(arms, 0.5) == math.inf

    def test_atoms(self):
        """F(u*) counts the atom at u*: kl(1, 0.6) for Bernoulli(0.3) against Bernoulli(0.5)."""
        arms = [Bernoulli(0.3), Bernoulli(0.5)]
        assert quantile_pulls(arms, 0.6) == pytest.approx([1 / math.log(1 / 0.6), 0])
        assert quantile_pulls(arms, 0.4).tolist() == [0, 0]

    def test_the_infimum(self):
        """On 0, 1, 2, 3, 4 with masses m, τ = 0.7 and u* = 2, where F(2) = 0.9.

        Masses m' beat u* if less than τ of it is at or below 2. Of all of them, found by SLSQP, the
        nearest one, in Σ m ln(m / m'), scales the two sides of u* and is kl(0.9, 0.7) away.
        """
        masses, tau = np.array([0.2, 0.3, 0.4, 0.06, 0.04]), 0.7
        arms = [
            Empirical(np.repeat(np.arange(5), (masses * 100).round().astype(int))),
            Normal(2, 1),
        ]
        best = arms[1].quantile(tau)
        assert 2 < best < 3
        found = optimize.minimize(
            lambda other: np.sum(masses * np.log(masses / other)),
            x0=np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda other: other.sum() - 1},
                {"type": "ineq", "fun": lambda other: tau - other[:3].sum()},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert found.success
        assert 1 / found.fun == pytest.approx(quantile_pulls(arms, tau)[0], rel=1e-6)
        two_pieces = masses * np.where(np.arange(5) <= 2, 0.7 / 0.9, 0.3 / 0.1)
        assert found.x == pytest.approx(two_pieces, abs=1e-5)


class TestMeans:
    def test_gaussian_arms_by_hand(self):
        """2 σ² / Δ² = 2 · 0.15² / 0.1² = 4.5 and 2 · 0.08² / 0.06²; 2 / ln(1 + Δ² / σ²)."""
        assert mean_pulls(PAPER) == pytest.approx([0, 4.5, 3.5555555556])
        assert mean_regret(PAPER) == pytest.approx(0.45 + 0.06 * 3.5555555556)
        unknown = [0, 2 / math.log(1 + 4 / 9), 2 / math.log(1 + 9 / 16)]
        assert mean_pulls(PAPER, variance="unknown") == pytest.approx(unknown)
        regret = 0.1 * unknown[1] + 0.06 * unknown[2]
        assert mean_regret(PAPER, variance="unknown") == pytest.approx(regret)

    @PROPERTY
    @given(normals)
    def test_not_knowing_the_variance_costs_more(self, arms):
        known, unknown = mean_pulls(arms), mean_pulls(arms, variance="unknown")
        assert np.all(known <= unknown * (1 + 1e-12))
        assert np.array_equal(known == 0, unknown == 0)

    def test_the_infimum_for_gaussian_arms(self):
        """The nearest Gaussian with the mean μ + Δ: its variance is σ² + Δ²."""
        sigma, gap = 0.8, 0.5

        def divergence(variance):
            return 0.5 * (math.log(variance / sigma**2) + (sigma**2 + gap**2) / variance - 1)

        found = optimize.minimize_scalar(divergence, bounds=(0.1, 5), method="bounded")
        arms = [Normal(0, sigma), Normal(gap, 1)]
        assert 1 / found.fun == pytest.approx(mean_pulls(arms, variance="unknown")[0], rel=1e-6)
        assert 1 / divergence(sigma**2) == pytest.approx(mean_pulls(arms)[0])

    def test_bernoulli_arms(self):
        arms = [Bernoulli(0.5), Bernoulli(0.25), Bernoulli(0.0)]
        expected = [0, 1 / bernoulli_kl(0.25, 0.5), 1 / math.log(2)]
        assert mean_pulls(arms) == pytest.approx(expected)
        assert mean_pulls(arms, variance="unknown") == pytest.approx(expected)
        assert mean_regret(arms) == pytest.approx(0.25 * expected[1] + 0.5 * expected[2])

    def test_what_pays_always_cannot_be_beaten(self):
        """No Bernoulli arm has a mean above 1: nothing needs to be explored."""
        assert mean_pulls([Bernoulli(1), Bernoulli(0.5)]).tolist() == [0, 0]
        assert mean_pulls([Bernoulli(0), Bernoulli(0)]).tolist() == [0, 0]
        assert mean_regret([Bernoulli(1), Bernoulli(0.5)]) == 0

        assert mean_pulls([Normal(1, 2), Normal(1, 3)]).tolist() == [0, 0]

    def test_other_arms(self):
        for arms in (
            [Normal(0, 1), StudentT(0, 1, 3)],
            [Bernoulli(0.5), Normal(0, 1)],
            [Exponential(1)],
            [LogNormal(0, 40), LogNormal(0, 50)],
        ):
            names = ", ".join(sorted({type(arm).__name__ for arm in arms}))
            for function in (mean_pulls, mean_regret):
                with pytest.raises(
                    AssumptionError, match=f"all Normal or all Bernoulli; got {names}"
                ):
                    function(arms)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="variance must be one of 'known', 'unknown'; got"):
        mean_pulls(PAPER, variance="guessed")
    for function in (quantile_pulls, quantile_regret):
        for bad in (0, 1, math.nan, "0.5"):
            with pytest.raises(ParameterError, match="tau must be a finite number > 0 and < 1"):
                function(PAPER, bad)
        with pytest.raises(ParameterError, match="one arm or more; got none"):
            function([], 0.5)
    for function in (mean_pulls, mean_regret):
        with pytest.raises(ParameterError, match="one arm or more; got none"):
            function([])


def test_rounding_is_no_gap():
    """0.3 and 0.1 + 0.2 are one mean, and one quantile."""
    arms = [Normal(0.3, 1), Normal(0.1 + 0.2, 1)]
    assert mean_regret(arms) == quantile_regret(arms, 0.95) == 0.0
    assert Mean().gaps(arms).tolist() == [0.0, 0.0]
    assert Mean().best(arms) == 0


def test_bounds_of_costs_are_those_of_the_negated_rewards():
    normal = [Normal(0.3, 1), Normal(0, 2), Normal(0.1, 0.5)]
    counts = [Empirical([1, 2, 2, 3, 9]), Empirical([4, 5, 6, 6, 6]), Empirical([1, 2, 3, 7, 8])]
    negated = [Normal(-arm.loc, arm.scale) for arm in normal]
    swapped = [Bernoulli(0.8), Bernoulli(0.5)]
    bits = [Bernoulli(0.2), Bernoulli(0.5)]
    for bound in (quantile_pulls, quantile_regret):
        found = bound(normal, 0.9, minimize=True)
        np.testing.assert_allclose(found, bound(negated, 0.1), rtol=1e-9)
    for bound in (mean_pulls, mean_regret):
        for variance in ("known", "unknown"):
            found = bound(normal, variance=variance, minimize=True)
            np.testing.assert_allclose(found, bound(negated, variance=variance), rtol=1e-12)
        np.testing.assert_allclose(bound(bits, minimize=True), bound(swapped), rtol=1e-12)
    # p60s 2, 6, 3; shares at 2 or more: 4/5, 1, 4/5
    assert quantile_pulls(counts, 0.6, minimize=True) == pytest.approx(
        [0, 1 / bernoulli_kl(1, 0.4), 1 / bernoulli_kl(4 / 5, 0.4)]
    )


class TestGaussianQuantiles:
    def test_values_of_mpmath(self):
        """The least of ln r + (1 + (a − zr)²)/(2r²) − ½ over r, by search with 30 digits."""
        for a, z, value in (
            (6.6448536269514727, 1.6448536269514727, 0.805142149728427),
            (11.6448536269514727, 1.6448536269514727, 1.33275433036893),
            (1.6449536269514727, 1.6448536269514727, 2.1250187159011e-9),
            (-1.1448536269514727, -1.6448536269514727, 0.073879320803437),
            (1.3551463730485273, -1.6448536269514727, 2.8507109798856),
            (0.3, 0.0, 0.043088848120526),
            (3.5, 3.0, 0.018214163610124),
        ):
            assert gaussian_quantile_divergence(a, z) == pytest.approx(value, rel=1e-8)

    def test_the_infimum(self):
        """Of all Gaussians with the quantile u*, the nearest, by its mean and its sd."""
        mu, sigma, u, z = 0.3, 0.7, 2.5, 1.2

        def divergence(sd):
            mean = u - z * sd
            return math.log(sd / sigma) + (sigma**2 + (mu - mean) ** 2) / (2 * sd**2) - 0.5

        found = optimize.minimize_scalar(divergence, bounds=(0.05, 20), method="bounded")
        assert gaussian_quantile_divergence((u - mu) / sigma, z) == pytest.approx(found.fun)

    def test_the_papers_arms_and_arms_far_apart(self):
        """At n = 10⁴: 9.6, where the class of all needs 33.4; and 126 with 11.4 and 6.9 pulls."""
        assert gaussian_quantile_regret(PAPER, 0.95) * LOG == pytest.approx(9.649, abs=1e-3)
        far = [Normal(5, 1), Normal(10, 1), Normal(0, 1)]
        assert gaussian_quantile_pulls(far, 0.95) * LOG == pytest.approx([11.44, 0, 6.91], abs=0.01)
        assert gaussian_quantile_regret(far, 0.95) * LOG == pytest.approx(126.3, abs=0.05)
        known = gaussian_quantile_pulls(far, 0.95, variance="known")
        assert known == pytest.approx([1 / 12.5, 0, 1 / 50])

    @PROPERTY
    @given(normals, st.floats(0.05, 0.95))
    def test_a_smaller_class_asks_for_less(self, arms, tau):
        """Known sd ≤ unknown sd ≤ all distributions, for each arm that is clearly not best."""
        gaps = Quantile(tau).gaps(arms)
        assume(np.all((gaps == 0) | (gaps > 1e-6)))
        known = gaussian_quantile_pulls(arms, tau, variance="known")
        unknown, everything = gaussian_quantile_pulls(arms, tau), quantile_pulls(arms, tau)
        assert np.all(known <= unknown * (1 + 1e-9))
        assert np.all(unknown <= everything * (1 + 1e-6))
        assert np.array_equal(gaps == 0, unknown == 0)
        costs = [Normal(-arm.loc, arm.scale) for arm in arms]
        mirrored = gaussian_quantile_pulls(costs, 1 - tau, minimize=True)
        assert mirrored == pytest.approx(unknown, rel=1e-6)

    def test_arms_that_are_not_gaussian(self):
        arms = [Normal(0, 1), Uniform(0, 1)]
        for function in (gaussian_quantile_pulls, gaussian_quantile_regret):
            with pytest.raises(AssumptionError, match="for Gaussian arms; got Uniform"):
                function(arms, 0.9)


# --- samples that identification needs -----------------------------------------------------------

PHI = NormalDist().cdf
FEWER = settings(PROPERTY, max_examples=25)

small = st.lists(st.integers(0, 6), min_size=1, max_size=8)
finite = st.lists(small, min_size=2, max_size=4)
levels = st.integers(1, 15).map(lambda k: Fraction(k, 16))  # whose sums are exact in doubles
steps = st.integers(0, 6).map(lambda k: Fraction(k, 16))
TIED = [Normal(0.5, 2), Normal(0.5, 2), Normal(0, 1)]


def time_of(arms, tau, epsilon=0.0):
    return characteristic_time(arms, tau, epsilon)[0]


class TestClosedCases:
    def test_two_arms_mirrored_at_the_median(self):
        """Half of the samples each, and u half-way: T* = 1 / kl(Φ(gap/2), ½)."""
        for gap in (0.01, 0.5, 2):
            time, shares = characteristic_time([Normal(-gap / 2, 1), Normal(gap / 2, 1)], 0.5)
            assert time == pytest.approx(1 / bernoulli_kl(PHI(gap / 2), 0.5), rel=1e-9)
            assert shares == pytest.approx([0.5, 0.5], abs=1e-5)

    def test_arms_far_apart(self):
        """Two thresholds decide, one beyond each arm: ln 2 from the one arm or from the other."""
        assert time_of([Normal(0, 1), Normal(50, 1)], 0.5) == pytest.approx(2 / math.log(2))

    def test_certain_rewards(self):
        """A reward at each end: −1/ln(1−τ−ε) samples of 1, −1/ln τ of 0, or of a second 1.

        Such arms are not tied: no distribution near them has another quantile.
        """
        for tau, value in itertools.product((0.1, 0.5, 0.95), (0, 1)):
            time, shares = characteristic_time([Empirical([1]), Empirical([value])], tau, 0.02)
            needed = [-1 / math.log(1 - tau - 0.02), -1 / math.log(tau)]
            assert time == pytest.approx(sum(needed))
            assert shares * time == pytest.approx(needed)

    def test_coins(self):
        """τ = 0.6: u < 0 asks for n_h ≥ 1/ln 2.5; 0 ≤ u < 1 for .0204 n_h + .0217 n_a ≥ 1."""
        time, shares = characteristic_time([Bernoulli(0.3), Bernoulli(0.5)], 0.6)
        leader = 1 / math.log(2.5)
        rival = (1 - leader * bernoulli_kl(0.5, 0.6)) / bernoulli_kl(0.7, 0.6)
        assert time == pytest.approx(leader + rival)
        assert shares * time == pytest.approx([rival, leader])

    @pytest.mark.parametrize("tau", [0.3, 0.9])
    def test_near_arms_are_as_gaussian_means(self, tau):
        """T* → 2 (σ_1 + σ_2)² / gap² with σ = √(τ(1−τ)) / f(q), shares as the σ."""
        z = NormalDist().inv_cdf(tau)
        arms = [Normal(-z, 1), Normal(1e-4 - 3 * z, 3)]
        sigmas = np.array([1, 3]) * math.sqrt(tau * (1 - tau)) / NormalDist().pdf(z)
        time, shares = characteristic_time(arms, tau)
        assert time == pytest.approx(2 * sum(sigmas) ** 2 / 1e-8, rel=1e-3)
        assert shares == pytest.approx(sigmas / sum(sigmas), rel=1e-2)

    def test_near_equal_rivals(self):
        """K − 1 equal Gaussian rivals: T* = 2 σ² (1 + √(K−1))² / gap², 1/(1+√(K−1)) is h's."""
        time, shares = characteristic_time(
            [Normal(0, 1), Normal(1e-4, 1), *[Normal(0, 1)] * 3], 0.5
        )
        assert time == pytest.approx(2 * (math.pi / 2) * 9 / 1e-8, rel=1e-3)
        assert shares == pytest.approx([1 / 6, 1 / 3, 1 / 6, 1 / 6, 1 / 6], rel=1e-2)


class TestReferences:
    @FEWER
    @given(finite, levels, steps)
    def test_finite_arms(self, arms, tau, epsilon):
        """Equal to a linear programme over exact counts, and the shares attain it."""
        assume(tau + epsilon < 1)
        times = {
            h: naive.answer_time(arms, h, tau, epsilon)
            for h in naive.right_answers(arms, tau, epsilon)
        }
        finite = [Empirical(arm) for arm in arms]
        time, shares = characteristic_time(finite, float(tau), float(epsilon))
        assert time == pytest.approx(min(times.values()), rel=1e-9)
        assert shares.sum() == pytest.approx(1)
        if time < math.inf:
            got = max(naive.evidence(arms, h, shares, tau, epsilon) for h in times)
            assert got == pytest.approx(1 / time, rel=1e-9)

    @FEWER
    @given(finite, levels, st.integers(0, 2**32))
    def test_no_other_shares_do_better(self, arms, tau, seed):
        time = time_of([Empirical(arm) for arm in arms], float(tau))
        right = naive.right_answers(arms, tau, Fraction(0))
        for shares in np.random.default_rng(seed).dirichlet(np.ones(len(arms)), 20):
            for h in right:
                assert naive.evidence(arms, h, shares, tau, Fraction(0)) <= (1 + 1e-9) / time

    @pytest.mark.parametrize(
        ("tau", "arms"),
        [
            (0.125, [Normal(0.05, 1), Normal(0.8, 1), Normal(1.05, 1)]),
            (0.135, [Normal(0.418, 1.464), Normal(2.041, 0.774)]),
            (0.9, [Normal(k / 10, 1 + k / 10) for k in range(10)]),
        ],
        ids=["three", "two", "ten"],
    )
    def test_fine_thresholds(self, tau, arms):
        """The answer is the last arm: the convex programme in n_h, by SciPy, over 20,001 u.

        Thresholds that are refined in the wrong places leave it off by 10⁻⁵.
        """
        level = tau + 0.01
        places = np.linspace(arms[0].quantile(tau), arms[-1].quantile(level), 20_001)[:, None]
        down = bernoulli_kl(np.minimum(arms[-1].cdf(places), level), level)
        up = np.hstack([bernoulli_kl(np.maximum(arm.cdf(places), tau), tau) for arm in arms[:-1]])
        free = up <= 0
        lowest = (1 / np.where(free, down, np.inf).min(axis=0)).max()

        def total(leader):
            rivals = np.where(free, 0, (1 - leader * down) / np.where(free, 1, up))
            return leader + rivals.max(axis=0).sum()

        found = optimize.minimize_scalar(
            total, bounds=(lowest, 9 * lowest), method="bounded", options={"xatol": 1e-7 * lowest}
        )
        assert time_of(arms, tau, 0.01) == pytest.approx(found.fun, rel=1e-6)

    def test_the_infimum(self):
        """Two arms on 0…4 and u = 2: the nearest pair in which h is wrong, found by SLSQP."""
        masses = np.array([[0.1, 0.2, 0.3, 0.25, 0.15], [0.3, 0.3, 0.3, 0.06, 0.04]])
        shares, tau, level = np.array([[0.4], [0.6]]), 0.7, 0.75

        def divergence(flat):
            return float(np.sum(shares * masses * np.log(masses / flat.reshape(2, 5))))

        found = optimize.minimize(
            divergence,
            np.full(10, 0.2),
            bounds=[(1e-6, 1)] * 10,
            constraints=[
                {"type": "eq", "fun": lambda flat: flat.reshape(2, 5).sum(axis=1) - 1},
                {"type": "ineq", "fun": lambda flat: flat[:3].sum() - level},
                {"type": "ineq", "fun": lambda flat: tau - flat[5:8].sum()},
            ],
            options={"ftol": 1e-12, "maxiter": 500},
        )
        expected = 0.4 * bernoulli_kl(0.6, level) + 0.6 * bernoulli_kl(0.9, tau)
        assert found.success
        assert found.fun == pytest.approx(expected, rel=1e-5)


class TestShape:
    @settings(PROPERTY, max_examples=20)
    @given(st.lists(st.integers(-50, 50), min_size=2, max_size=4, unique=True), st.floats(0.1, 0.9))
    def test_an_increasing_map_changes_nothing(self, places, tau):
        """exp of a normal reward is a log-normal one; twice a reward plus 3 is of another scale."""
        arms = [Normal(k / 20, 1) for k in places]
        time, shares = characteristic_time(arms, tau, 0.01)
        for images in (
            [LogNormal(k / 20, 1) for k in places],
            [Normal(k / 10 + 3, 2) for k in places],
        ):
            same, weights = characteristic_time(images, tau, 0.01)
            assert same == pytest.approx(time, rel=1e-6)
            assert weights == pytest.approx(shares, abs=1e-3)

    def test_the_order_of_the_arms(self):
        _, shares = characteristic_time(PAPER, 0.95)
        _, turned = characteristic_time(PAPER[::-1], 0.95)
        assert turned == pytest.approx(shares[::-1])

    @pytest.mark.parametrize(
        "arms",
        [PAPER, [Bernoulli(0.1), Bernoulli(0.4), Uniform(-1, 0.5)], TIED],
        ids=["normal", "atoms", "tied"],
    )
    def test_tolerance_helps(self, arms):
        times = [time_of(arms, 0.7, epsilon) for epsilon in (0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.29)]
        assert sorted(times, reverse=True) == times
        assert times[-1] < times[0]

    def test_near_arms_and_more_arms_need_more(self):
        times = [time_of([Normal(0, 1), StudentT(gap, 1, 3)], 0.6) for gap in (1, 0.3, 0.1, 0.02)]
        assert sorted(times) == times
        assert time_of(PAPER, 0.95) > max(time_of(PAPER[:2], 0.95), time_of(PAPER[1:], 0.95))

    def test_mixtures_and_fine_atoms(self):
        """10⁴ equally likely quantiles are nearly the distribution itself."""
        mixed = Mixture([Normal(0, 1), Normal(2, 0.5)], [0.6, 0.4])
        fine = (np.arange(10_000) + 0.5) / 10_000
        sampled = [Empirical(arm.quantile(fine)) for arm in (mixed, Normal(0.5, 1))]
        assert time_of(sampled, 0.8) == pytest.approx(
            time_of([mixed, Normal(0.5, 1)], 0.8), rel=2e-3
        )
        half = Mixture([Uniform(0, 1), Empirical([0.5])], [0.5, 0.5])
        assert 0 < time_of([half, Uniform(0, 1.2)], 0.5) < math.inf


class TestTies:
    def test_no_number_of_samples(self):
        time, shares = characteristic_time(TIED, 0.5)
        assert time == math.inf
        assert shares == pytest.approx([1 / 3] * 3)
        assert identification_bound(TIED, 0.5, 0.05) == math.inf
        assert identification_bound(TIED, 0.5, 0.34) == 0  # a rule may guess: two are right

    def test_a_flat_cdf_ties_too(self):
        """Half at 0 and half at 2: arbitrarily near arms have a median of 2, above the best."""
        assert time_of([Empirical([0, 2]), Empirical([1])], 0.5) == math.inf
        assert time_of([Empirical([0, 2]), Empirical([1])], 0.4) < math.inf

    def test_equal_arms(self):
        for arm in (StudentT(0, 1, 3), LogNormal(0, 1), Uniform(2, 3)):
            assert time_of([arm, arm, Normal(-9, 1)], 0.8) == math.inf
            assert time_of([arm, arm, Normal(-9, 1)], 0.8, 0.01) < math.inf


class TestBound:
    def test_one_right_answer(self):
        for delta in (1e-9, 0.05, 0.3):
            expected = time_of(PAPER, 0.95) * bernoulli_kl(delta, 1 - delta)
            assert identification_bound(PAPER, 0.95, delta) == pytest.approx(expected)
            assert identification_bound(PAPER, 0.95, delta, 0.001) < expected
        for delta in (0.5, 0.9):  # a guess is good enough
            assert identification_bound(PAPER, 0.95, delta) == 0

    @pytest.mark.parametrize("delta", [1e-4, 0.05, 0.2])
    def test_two_right_answers(self, delta):
        """The least of max_h T_h kl(p_h, δ) on a grid of p_1 + p_2 = 1 − δ; 1 if all are right."""
        coins = [Bernoulli(0.5), Bernoulli(0.48)]  # at τ = 0.6 both are worth 1
        for arms, total in (([*coins, Bernoulli(0.2)], 1 - delta), (coins, 1.0)):
            values = [[0] * (100 - k) + [1] * k for k in (50, 48, 20)[: len(arms)]]
            first, second = (
                naive.answer_time(values, h, Fraction(3, 5), Fraction(0)) for h in (0, 1)
            )
            p = np.linspace(0, total, 4001)
            needs = [
                time * bernoulli_kl(np.clip(chance, delta, 1), delta)
                for time, chance in ((first, p), (second, total - p))
            ]
            least = np.maximum(*needs).min()
            found = identification_bound(arms, 0.6, delta)
            assert found == pytest.approx(least, rel=2e-3)
            assert found < min(first, second) * math.log(1 / delta)

    def test_a_test_that_needs_little_more(self):
        """Wald's test between the arms and the nearest instance, at its thresholds ± ln(1/δ).

        u = 0; P(Y ≤ 0) is Φ(∓½) for the arms, and ½ for both in the other instance. The test errs
        with probability δ = 5 % at most on either, so it needs the bound, and overshoots by some
        9 %. The intervals are of 4.5 standard errors, 2.3 % of the bound: P(failure) < 10⁻⁴. Were
        the bound larger by an eighth, or smaller by a twentieth, this would fail.
        """
        delta, runs, rounds = 0.05, 20_000, 400
        bound = identification_bound([Normal(0.5, 1), Normal(-0.5, 1)], 0.5, delta)
        shares = np.tile([PHI(-0.5), PHI(0.5)], rounds // 2)
        rng = np.random.default_rng(7)
        for chances, wrong in ((shares, -1), (np.full(rounds, 0.5), 1)):
            hits = rng.random((runs, rounds)) < chances
            says = np.log(np.where(hits, shares, 1 - shares) / 0.5).cumsum(axis=1)
            over = np.abs(says) >= math.log(1 / delta)
            assert over.any(axis=1).all()
            last = over.argmax(axis=1)
            errors = np.mean(np.sign(says[np.arange(runs), last]) == wrong)
            assert errors <= delta + 4.5 * math.sqrt(delta / runs)
            if wrong == -1:
                error = 4.5 * np.std(last) / math.sqrt(runs)
                assert bound - error <= np.mean(last + 1) <= 1.1 * bound + error


class TestRefusals:
    def test_one_arm(self):
        for function in (
            lambda arms: characteristic_time(arms, 0.5),
            lambda arms: identification_bound(arms, 0.5, 0.05),
        ):
            with pytest.raises(ParameterError, match="two arms or more; got one"):
                function([Normal(0, 1)])
            with pytest.raises(ParameterError, match="one arm or more; got none"):
                function([])

    def test_levels(self):
        for name, value, allowed in (
            ("tau", 0, "> 0 and < 1"),
            ("tau", 1, "> 0 and < 1"),
            ("delta", 0, "> 0 and < 1"),
            ("delta", 1, "> 0 and < 1"),
            ("epsilon", -0.01, "≥ 0"),
            ("epsilon", 0.25, "≥ 0 and < 0.25"),
        ):
            levels = {"tau": 0.75, "delta": 0.05, "epsilon": 0.0} | {name: value}
            said = f"{name} must be a finite number {allowed}.*; got {value}"
            with pytest.raises(ParameterError, match=said):
                identification_bound(PAPER, **levels)

    def test_a_level_that_rounds_to_1(self):
        epsilon = math.nextafter(0.25, 0)
        assert 0.75 + epsilon == 1
        assert 0 < time_of(PAPER, 0.75, epsilon) < time_of(PAPER, 0.75, 0.24)
