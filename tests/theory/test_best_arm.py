"""The least number of samples: closed cases, twins, and a test that nearly needs no more."""

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
    LogNormal,
    Mixture,
    Normal,
    StudentT,
    Uniform,
)
from upperhand.errors import ParameterError
from upperhand.theory.lower_bounds import bernoulli_kl, characteristic_time, identification_bound

from ..reference import best_arm as naive
from .instances import PAPER, PROPERTY

PHI = NormalDist().cdf

small = st.lists(st.integers(0, 6), min_size=1, max_size=8)
finite = st.lists(small, min_size=2, max_size=4)
levels = st.integers(1, 15).map(lambda k: Fraction(k, 16))  # whose sums are exact in doubles
steps = st.integers(0, 6).map(lambda k: Fraction(k, 16))
TIED = [Normal(0.5, 2), Normal(0.5, 2), Normal(0, 1)]


def time_of(arms, tau, epsilon=0.0):
    return characteristic_time(arms, tau, epsilon)[0]


class TestClosedCases:
    @pytest.mark.parametrize("gap", [0.01, 0.5, 2])
    def test_two_arms_mirrored_at_the_median(self, gap):
        """Half of the samples each, and u half-way: T* = 1 / kl(Φ(gap/2), ½)."""
        arms = [Normal(-gap / 2, 1), Normal(gap / 2, 1)]
        time, shares = characteristic_time(arms, 0.5)
        assert time == pytest.approx(1 / bernoulli_kl(PHI(gap / 2), 0.5), rel=1e-9)
        assert shares == pytest.approx([0.5, 0.5], abs=1e-5)

    def test_arms_far_apart(self):
        """Two thresholds decide, one beyond each arm: ln 2 from the one arm or from the other."""
        assert time_of([Normal(0, 1), Normal(50, 1)], 0.5) == pytest.approx(2 / math.log(2))

    @pytest.mark.parametrize("tau", [0.1, 0.5, 0.95])
    @pytest.mark.parametrize("value", [0, 1])
    def test_certain_rewards(self, tau, value):
        """A reward at each end: −1/ln(1−τ−ε) samples of 1, −1/ln τ of 0, or of a second 1.

        Such arms are not tied: no law near them has another quantile.
        """
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


class TestTwins:
    @PROPERTY
    @given(finite, levels, steps)
    def test_finite_laws(self, arms, tau, epsilon):
        """Equal to a linear programme over exact counts, and the shares attain it."""
        assume(tau + epsilon < 1)
        times = {
            h: naive.answer_time(arms, h, tau, epsilon)
            for h in naive.right_answers(arms, tau, epsilon)
        }
        laws = [Empirical(arm) for arm in arms]
        time, shares = characteristic_time(laws, float(tau), float(epsilon))
        assert time == pytest.approx(min(times.values()), rel=1e-9)
        assert shares.sum() == pytest.approx(1)
        if time < math.inf:
            got = max(naive.evidence(arms, h, shares, tau, epsilon) for h in times)
            assert got == pytest.approx(1 / time, rel=1e-9)

    @PROPERTY
    @given(finite, levels, st.integers(0, 2**32))
    def test_no_other_shares_do_better(self, arms, tau, seed):
        laws = [Empirical(arm) for arm in arms]
        time = time_of(laws, float(tau))
        right = naive.right_answers(arms, tau, Fraction(0))
        for shares in np.random.default_rng(seed).dirichlet(np.ones(len(arms)), 20):
            for h in right:
                assert naive.evidence(arms, h, shares, tau, Fraction(0)) <= (1 + 1e-9) / time

    @pytest.mark.parametrize("epsilon", [0, 0.02])
    @pytest.mark.parametrize(
        "normals",
        [[(0, 1), (1, 2)], [(0, 1), (1, 1), (0.5, 3)], [(0.1, 0.05), (0, 0.15), (0.04, 0.08)]],
        ids=["two", "three", "paper"],
    )
    def test_all_shares_and_thresholds_on_a_grid(self, normals, epsilon):
        """Brute force: shares in steps of 1/80, 400 thresholds. Near the top it is flat."""
        tau, laws = 0.9, [NormalDist(*each) for each in normals]
        values = [law.inv_cdf(tau) for law in laws]
        right = [h for h, law in enumerate(laws) if law.inv_cdf(tau + epsilon) >= max(values)]
        places = np.linspace(min(values), max(law.inv_cdf(tau + epsilon) for law in laws), 400)
        cdfs = np.array([[law.cdf(u) for u in places] for law in laws])
        up = bernoulli_kl(np.maximum(cdfs, tau), tau)
        down = bernoulli_kl(np.minimum(cdfs, tau + epsilon), tau + epsilon)
        best = 0.0
        for parts in itertools.product(range(81), repeat=len(laws)):
            if sum(parts) == 80:
                w = np.array(parts)[:, None] / 80
                for h in right:
                    both = np.delete(w * up, h, axis=0) + w[h] * down[h]
                    best = max(best, both.min())
        time = time_of([Normal(*each) for each in normals], tau, epsilon)
        assert 0.97 / time <= best <= 1.001 / time

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
        """Two laws on 0…4 and u = 2: the nearest pair in which h is wrong, found by SLSQP."""
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
        """10⁴ equally likely quantiles of a law are nearly the law itself."""
        mixed = Mixture([Normal(0, 1), Normal(2, 0.5)], [0.6, 0.4])
        fine = (np.arange(10_000) + 0.5) / 10_000
        sampled = [Empirical(law.quantile(fine)) for law in (mixed, Normal(0.5, 1))]
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
        """Half at 0 and half at 2: laws however near have a median of 2, above the best one."""
        assert time_of([Empirical([0, 2]), Empirical([1])], 0.5) == math.inf
        assert time_of([Empirical([0, 2]), Empirical([1])], 0.4) < math.inf

    @pytest.mark.parametrize("arm", [StudentT(0, 1, 3), LogNormal(0, 1), Uniform(2, 3)], ids=repr)
    def test_equal_laws(self, arm):
        assert time_of([arm, arm, Normal(-9, 1)], 0.8) == math.inf
        assert time_of([arm, arm, Normal(-9, 1)], 0.8, 0.01) < math.inf


class TestBound:
    @pytest.mark.parametrize("delta", [1e-9, 0.05, 0.3])
    def test_one_right_answer(self, delta):
        expected = time_of(PAPER, 0.95) * bernoulli_kl(delta, 1 - delta)
        assert identification_bound(PAPER, 0.95, delta) == pytest.approx(expected)
        assert identification_bound(PAPER, 0.95, delta, 0.001) < expected

    def test_guessing(self):
        assert identification_bound(PAPER, 0.95, 0.5) == 0
        assert identification_bound(PAPER, 0.95, 0.9) == 0

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

    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("tau", 0, "> 0 and < 1"),
            ("tau", 1, "> 0 and < 1"),
            ("delta", 0, "> 0 and < 1"),
            ("delta", 1, "> 0 and < 1"),
            ("epsilon", -0.01, "≥ 0"),
            ("epsilon", 0.25, "≥ 0 and < 0.25"),
        ],
    )
    def test_levels(self, name, value, allowed):
        given = {"tau": 0.75, "delta": 0.05, "epsilon": 0.0} | {name: value}
        with pytest.raises(ParameterError, match=f"{name} must be a finite number .*; got {value}"):
            identification_bound(PAPER, **given)
        with pytest.raises(ParameterError, match=allowed):
            identification_bound(PAPER, **given)

    def test_a_level_that_rounds_to_1(self):
        epsilon = math.nextafter(0.25, 0)
        assert 0.75 + epsilon == 1
        assert 0 < time_of(PAPER, 0.75, epsilon) < time_of(PAPER, 0.75, 0.24)
