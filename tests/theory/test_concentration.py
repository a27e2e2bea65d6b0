"""Lemmas 1 to 3: their formulas, their domains, and their claims on the uniform distribution.

On Uniform(0, 1) densities are 1, so the bounds are not vacuous. With α = 0.5 the central interval
is [¼, ¾], the score is |Y − ½| − ¼, and c(β) = (1 − β)/2 − ¼.
"""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from upperhand._kernels.samples import rank
from upperhand.distributions import Exponential, Normal, SkewedStudentT, StudentT, Uniform
from upperhand.errors import ParameterError
from upperhand.theory import population
from upperhand.theory.assumption_1 import local_constants
from upperhand.theory.theorem_1 import (
    correction_error,
    quantile_error,
    reward_quantile_tail,
    score_quantile_tail,
    score_shift,
)

from .instances import PROPERTY

CLAIM_15 = {"f_min": 1, "g_min": 2, "r_y": 0.2449, "r_s": 0.2449}
WINDOW = (0.49, 0.51)


def worst_correction_errors(rng, m, runs, alpha=0.5, window=WINDOW):
    """Return sup_β |ĉ(β) − c(β)| over the window, for samples of m uniform rewards.

    ĉ(β) is the k-th smallest score, k = ⌈(1 − β) m⌉, while 1 − β is in ((k−1)/m, k/m]. There c is a
    line, so the sup over that part is at one of its two ends.
    """
    ordered = np.sort(rng.random((runs, m)), axis=1)
    low = ordered[:, [rank(alpha / 2, m) - 1]]
    high = ordered[:, [rank(1 - alpha / 2, m) - 1]]
    scores = np.sort(np.maximum(low - ordered, ordered - high), axis=1)
    first, last = 1 - window[1], 1 - window[0]
    worst = np.zeros(runs)
    for k in range(rank(first, m), rank(last, m) + 1):
        for coverage in (max((k - 1) / m, first), min(k / m, last)):
            worst = np.maximum(worst, np.abs(scores[:, k - 1] - (coverage / 2 - 0.25)))
    return worst


class TestLemma1:
    def test_by_hand(self):
        assert quantile_error(0.01, 0.5, 0.1) == 0.02
        assert quantile_error([0.01, 0.04], 0.5, 0.1).tolist() == [0.02, 0.08]
        assert isinstance(quantile_error(0.01, 0.5, 0.1), float)

    @staticmethod
    def random_steps(rng, arm):
        """Return places of atoms and the sums of their masses: a rough copy of the arm."""
        m = int(rng.integers(5, 300))
        places = np.sort(arm.quantile(rng.random(m)) + rng.normal(0, 0.02))
        sums = np.cumsum(rng.dirichlet(np.full(m, rng.choice([0.5, 5, 500]))))
        return places, np.minimum(sums, 1)

    @pytest.mark.parametrize(
        "arm", [Uniform(0, 1), Normal(0, 0.3), Exponential(0.4), StudentT(0, 0.3, 3)], ids=repr
    )
    def test_random_distribution_functions(self, arm):
        """sup |Ĝ − G| of a step function is at a step, just before it or on it."""
        rng = np.random.default_rng(0)
        tried, closest = 0, 0.0
        for _ in range(300):
            gamma = float(rng.uniform(0.2, 0.8))
            q, r = arm.quantile(gamma), float(rng.uniform(0.05, 0.2))
            g_0 = float(arm.pdf(np.linspace(q - r, q + r, 201)).min())  # these have one hump
            places, sums = self.random_steps(rng, arm)
            before = np.concatenate([[0.0], sums[:-1]])
            true = arm.cdf(places)
            distance = float(max(np.abs(sums - true).max(), np.abs(before - true).max()))
            if g_0 > 0 and distance < g_0 * r:
                estimate = places[np.searchsorted(sums, gamma)]
                share = abs(estimate - q) / quantile_error(distance, g_0, r)
                tried, closest = tried + 1, max(closest, share)
        assert tried > 20
        assert 0.3 < closest <= 1

    def test_the_correction_moves_no_faster(self):
        """Catalogue, claim 10: |c(β) − c(α)| ≤ |β − α| / g_min on the window."""
        alpha, window = 0.3, (0.2, 0.45)
        beta = np.linspace(*window, 101)
        for arm in (Normal(0, 2), Exponential(1), SkewedStudentT(0, 1, 5, 0.6)):
            g_min = local_constants([arm], alpha, window, r_y=0.05, r_s=0.01).g_min
            bound = correction_error(beta, alpha, g_min)
            assert np.all(np.abs(population.correction(arm, alpha, beta)) <= bound + 1e-15)
        assert correction_error(0.25, 0.5, 2) == 0.125

    def test_out_of_range(self):
        with pytest.raises(ParameterError, match=r"Lemma 1 needs sup .* < g₀ r = 0.05; got 0.06"):
            quantile_error([0.01, 0.06], 0.5, 0.1)
        with pytest.raises(ParameterError, match=r"got 0.25"):  # where the lemma can fail
            quantile_error(0.25, 0.5, 0.5)
        for bad in ((0, 0.5, 0.1), (0.01, 0, 0.1), (0.01, 0.5, 0), (math.nan, 0.5, 0.1)):
            with pytest.raises(ParameterError):
                quantile_error(*bad)
        with pytest.raises(
            ParameterError, match=r"beta must be (?:a )?finite numbers? > 0 and < 1"
        ):
            correction_error(1, 0.5, 2)


class TestLemma2:
    def test_by_hand(self):
        """2 exp(−2 · 100 · 0.1² · 0.5²) = 2 e^−½."""
        assert reward_quantile_tail(100, 0.1, f_min=0.5, r_y=0.1) == pytest.approx(2 * 0.6065306597)

    @PROPERTY
    @given(
        m=st.integers(1, 2000),
        tau=st.floats(0.05, 0.95),
        share=st.floats(0.01, 1),
    )
    def test_the_exact_probability_is_below(self, m, tau, share):
        """An order statistic of uniforms is a Beta variable: nothing is left to chance."""
        r_y = min(tau, 1 - tau)
        epsilon, k = share * r_y, rank(tau, m)
        order = scipy.stats.beta(k, m + 1 - k)
        exact = order.cdf(tau - epsilon) + order.sf(tau + epsilon)
        assert exact <= reward_quantile_tail(m, epsilon, f_min=1, r_y=r_y) + 1e-12

    def test_it_is_not_far_above(self):
        """Hoeffding's inequality is sharp at the median: the exponent cannot be 3 m ε² f²."""
        m, epsilon = 400, 0.1
        exact = 2 * scipy.stats.beta(200, 201).sf(0.5 + epsilon)
        bound = reward_quantile_tail(m, epsilon, f_min=1, r_y=0.5)
        assert bound == pytest.approx(2 * math.exp(-8))
        assert exact > 2 * (bound / 2) ** 1.5

    def test_arrays(self):
        table = reward_quantile_tail([[10], [1000]], [0.01, 0.1, 0.2], f_min=1, r_y=0.2)
        assert table.shape == (2, 3)
        assert table[1, 2] == reward_quantile_tail(1000, 0.2, f_min=1, r_y=0.2)
        assert isinstance(reward_quantile_tail(10, 0.1, f_min=1, r_y=0.2), float)

    def test_out_of_range(self):
        with pytest.raises(ParameterError, match=r"epsilon must be at most r_y = 0.2; got 0.21"):
            reward_quantile_tail(10, [0.1, 0.21], f_min=1, r_y=0.2)
        for m, epsilon, f_min, r_y in (
            (0, 0.1, 1, 1),
            (1, 0, 1, 1),
            (1, 0.1, 0, 1),
            (1, 0.1, 1, 0),
        ):
            with pytest.raises(ParameterError):
                reward_quantile_tail(m, epsilon, f_min=f_min, r_y=r_y)


class TestLemma3:
    def test_by_hand(self):
        """m ε² g² / 2 = 2 and m ε² f² / 8 = ½ for m = 100, ε = 0.1, g = 2, f = 2."""
        found = score_quantile_tail(100, 0.1, f_min=2, g_min=2, r_y=0.2, r_s=0.1)
        assert found == pytest.approx(2 * math.exp(-2) + 4 * math.exp(-0.5))

    @pytest.mark.parametrize(
        ("m", "epsilon", "bound"),
        [(2000, 0.1, 0.328), (4000, 0.12245, 0.0022), (4000, 0.06, 0.66)],
    )
    def test_the_bounds_of_claim_15(self, m, epsilon, bound):
        """Catalogue, section 3.2."""
        found = score_quantile_tail(m, epsilon, **CLAIM_15)
        assert found == pytest.approx(bound, rel=0.02)

    @pytest.mark.parametrize(("m", "epsilon"), [(2000, 0.1), (4000, 0.06)])
    def test_frequencies(self, m, epsilon):
        """60 samples: none in 60 would exceed ε even if the probability were 10⁻⁴ (6·10⁻³)."""
        worst = worst_correction_errors(np.random.default_rng(2), m, 60)
        assert score_quantile_tail(m, epsilon, **CLAIM_15) < 1
        assert np.mean(worst >= epsilon) == 0
        assert 0.001 < worst.max() < 0.06  # what there is to see is far below ε: the bound is loose

    def test_the_sup_over_levels_against_a_dense_grid(self):
        rng = np.random.default_rng(3)
        worst = worst_correction_errors(rng, 150, 20)
        ordered = np.sort(np.random.default_rng(3).random((20, 150)), axis=1)
        low, high = ordered[:, [37]], ordered[:, [112]]  # ⌈37.5⌉ and ⌈112.5⌉
        scores = np.sort(np.maximum(low - ordered, ordered - high), axis=1)
        coverages = np.linspace(0.49, 0.51, 4001)
        ranks = np.ceil(coverages * 150 - 1e-9).astype(int)
        grid = np.abs(scores[:, ranks - 1] - (coverages / 2 - 0.25)).max(axis=1)
        assert worst == pytest.approx(grid, abs=1e-5)

    def test_out_of_range(self):
        """ρ = min{r_s, r_y / 2} = 0.1."""
        for r_y, r_s in ((0.2, 0.5), (0.9, 0.1)):
            assert score_quantile_tail(9, 0.1, f_min=1, g_min=1, r_y=r_y, r_s=r_s) > 0
            with pytest.raises(ParameterError, match=r"epsilon must be at most rho = 0.1; got"):
                score_quantile_tail(9, 0.1001, f_min=1, g_min=1, r_y=r_y, r_s=r_s)
        for name in CLAIM_15:
            with pytest.raises(ParameterError, match=f"{name} must be a finite number > 0"):
                score_quantile_tail(9, 0.1, **(CLAIM_15 | {name: 0}))


class TestPlugIn:
    @PROPERTY
    @given(
        y=st.lists(st.integers(-50, 50), min_size=1),
        ends=st.tuples(*[st.integers(-50, 50)] * 4),
    )
    def test_scores_move_no_more_than_the_ends(self, y, ends):
        """Equation 6, in whole numbers: exact."""
        low, high, other_low, other_high = ends
        moved = np.abs(population.score(y, low, high) - population.score(y, other_low, other_high))
        assert moved.max() <= score_shift(other_low - low, other_high - high)

    def test_by_hand(self):
        assert score_shift(-0.25, 0.125) == 0.25
        assert score_shift([-0.25, 0.0], -0.125).tolist() == [0.25, 0.125]
