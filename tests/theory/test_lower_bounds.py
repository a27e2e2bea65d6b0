"""What no policy can beat: divergences by hand, and the infimum that the bounds rest on."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    LogNormal,
    Normal,
    StudentT,
    Uniform,
)
from upperhand.errors import AssumptionError, ParameterError
from upperhand.objectives import Mean, Quantile
from upperhand.theory.lower_bounds import (
    bernoulli_kl,
    gaussian_quantile_divergence,
    gaussian_quantile_pulls,
    gaussian_quantile_regret,
    mean_pulls,
    mean_regret,
    quantile_pulls,
    quantile_regret,
)

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

    @pytest.mark.parametrize(
        ("p", "q", "divergence"),
        [(0.1, 0.378391, 0.2), (0.5, 0.787088, 0.2), (0.9, 0.994489, 0.2), (0.1, 0.519475, 0.4)],
    )
    def test_the_values_of_the_catalogue(self, p, q, divergence):
        """Section A5: the indices of Bernoulli KL-UCB, solved for the divergence."""
        assert bernoulli_kl(p, q) == pytest.approx(divergence, abs=2e-5)

    @PROPERTY
    @given(p=st.floats(0, 1), q=st.floats(1e-6, 1 - 1e-6))
    def test_pinsker_and_its_converse(self, p, q):
        """2 (p − q)² ≤ kl ≤ (p − q)² / (q (1 − q)), up to rounding."""
        square, found = (p - q) ** 2, bernoulli_kl(p, q)
        assert 2 * square - 1e-12 <= found <= square / (q * (1 - q)) + 1e-12
        assert found >= 0

    @pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
    def test_near_its_zero(self, q):
        """kl(q + d, q) ≈ d² / (2 q (1 − q)), whatever the sign of d."""
        for d in (1e-5, -1e-5, 2.0**-30):
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

    @pytest.mark.parametrize("bad", [0, 1, math.nan, "0.5"])
    def test_a_level_is_between_0_and_1(self, bad):
        for function in (quantile_pulls, quantile_regret):
            with pytest.raises(ParameterError, match="tau must be a finite number > 0 and < 1"):
                function(PAPER, bad)

    def test_the_infimum(self):
        """The law on 0, 1, 2, 3, 4 with masses m, τ = 0.7 and u* = 2, where F(2) = 0.9.

        A law m' beats u* if less than τ of it is at or below 2. Of all of them, found by SLSQP, the
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

    def test_no_other_law_is_nearer(self):
        """Random laws that beat u*: none is nearer than kl(F(u*), τ)."""
        rng = np.random.default_rng(0)
        masses = np.array([0.2, 0.3, 0.4, 0.06, 0.04])
        least = bernoulli_kl(0.9, 0.7)
        for _ in range(500):
            other = rng.dirichlet(rng.uniform(0.5, 20) * masses + 0.1)
            low, high = other[:3] / other[:3].sum(), other[3:] / other[3:].sum()
            share = 0.7 * (1 - rng.random() ** 3)
            other = np.concatenate([share * low, (1 - share) * high])
            with np.errstate(divide="ignore"):
                assert np.sum(masses * np.log(masses / other)) >= least


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
        """The nearest Gaussian law with the mean μ + Δ: its variance is σ² + Δ²."""
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
        """No Bernoulli law has a mean above 1: nothing needs to be explored."""
        assert mean_pulls([Bernoulli(1), Bernoulli(0.5)]).tolist() == [0, 0]
        assert mean_pulls([Bernoulli(0), Bernoulli(0)]).tolist() == [0, 0]
        assert mean_regret([Bernoulli(1), Bernoulli(0.5)]) == 0

    def test_equal_means(self):
        assert mean_pulls([Normal(1, 2), Normal(1, 3)]).tolist() == [0, 0]

    @pytest.mark.parametrize(
        "arms",
        [
            [Normal(0, 1), StudentT(0, 1, 3)],
            [Bernoulli(0.5), Normal(0, 1)],
            [Exponential(1)],
            [LogNormal(0, 40), LogNormal(0, 50)],
        ],
        ids=["t", "mixed", "exponential", "no finite mean"],
    )
    def test_other_laws(self, arms):
        names = ", ".join(sorted({type(arm).__name__ for arm in arms}))
        for function in (mean_pulls, mean_regret):
            with pytest.raises(AssumptionError, match=f"all Normal or all Bernoulli; got {names}"):
                function(arms)

    def test_the_variance_is_known_or_not(self):
        with pytest.raises(ParameterError, match="variance must be one of 'known', 'unknown'; got"):
            mean_pulls(PAPER, variance="guessed")


def test_no_arms():
    for call in (
        lambda: quantile_pulls([], 0.5),
        lambda: quantile_regret([], 0.5),
        lambda: mean_pulls([]),
        lambda: mean_regret([]),
    ):
        with pytest.raises(ParameterError):
            call()


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
    @pytest.mark.parametrize(
        ("a", "z", "value"),
        [
            (6.6448536269514727, 1.6448536269514727, 0.805142149728427),
            (11.6448536269514727, 1.6448536269514727, 1.33275433036893),
            (1.6449536269514727, 1.6448536269514727, 2.1250187159011e-9),
            (-1.1448536269514727, -1.6448536269514727, 0.073879320803437),
            (1.3551463730485273, -1.6448536269514727, 2.8507109798856),
            (0.3, 0.0, 0.043088848120526),
            (3.5, 3.0, 0.018214163610124),
        ],
    )
    def test_values_of_mpmath(self, a, z, value):
        """The least of ln r + (1 + (a − zr)²)/(2r²) − ½ over r, by search with 30 digits."""
        assert gaussian_quantile_divergence(a, z) == pytest.approx(value, rel=1e-8)

    def test_the_infimum(self):
        """Of all Gaussian laws with the quantile u*, the nearest, by its mean and its sd."""
        mu, sigma, u, z = 0.3, 0.7, 2.5, 1.2

        def divergence(sd):
            mean = u - z * sd
            return math.log(sd / sigma) + (sigma**2 + (mu - mean) ** 2) / (2 * sd**2) - 0.5

        found = optimize.minimize_scalar(divergence, bounds=(0.05, 20), method="bounded")
        assert gaussian_quantile_divergence((u - mu) / sigma, z) == pytest.approx(found.fun)

    def test_the_papers_arms_and_arms_far_apart(self):
        """At n = 10⁴: 9.6 instead of 33.4 for all laws, and 126 with 11.4 and 6.9 pulls."""
        assert gaussian_quantile_regret(PAPER, 0.95) * LOG == pytest.approx(9.649, abs=1e-3)
        far = [Normal(5, 1), Normal(10, 1), Normal(0, 1)]
        assert gaussian_quantile_pulls(far, 0.95) * LOG == pytest.approx([11.44, 0, 6.91], abs=0.01)
        assert gaussian_quantile_regret(far, 0.95) * LOG == pytest.approx(126.3, abs=0.05)
        known = gaussian_quantile_pulls(far, 0.95, variance="known")
        assert known == pytest.approx([1 / 12.5, 0, 1 / 50])

    @PROPERTY
    @given(normals, st.floats(0.05, 0.95))
    def test_a_smaller_class_asks_for_less(self, arms, tau):
        """Known sd ≤ unknown sd ≤ all laws, for each arm that is clearly not best."""
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

    def test_other_laws(self):
        arms = [Normal(0, 1), Uniform(0, 1)]
        for function in (gaussian_quantile_pulls, gaussian_quantile_regret):
            with pytest.raises(AssumptionError, match="for Gaussian arms; got Uniform"):
                function(arms, 0.9)
