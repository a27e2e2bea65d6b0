"""The population endpoint of laws with atoms, against exact enumeration."""

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
import scipy.stats

from upperhand.distributions import Bernoulli, Empirical, Mixture, from_scipy
from upperhand.theory.population import correction, q_high, q_low, score_cdf


class TestAtoms:
    """The obvious twin: score every atom with exact fractions and add up their masses."""

    @staticmethod
    def quantile(atoms, level):
        """Return the least value whose mass, with all below it, reaches the level."""
        ordered = sorted(atoms)
        sums = accumulate(mass for _, mass in ordered)
        return next(y for (y, _), total in zip(ordered, sums, strict=True) if total >= level)

    def correction(self, atoms, alpha, beta):
        low, high = self.quantile(atoms, alpha / 2), self.quantile(atoms, 1 - alpha / 2)
        scores = [(max(low - y, y - high), mass) for y, mass in atoms]
        return self.quantile(scores, 1 - beta)

    def check(self, law, atoms, alpha, betas):
        found = correction(law, float(alpha), [float(beta) for beta in betas])
        exact = [float(self.correction(atoms, alpha, beta)) for beta in betas]
        assert found == pytest.approx(exact, abs=1e-12), (law, alpha, betas)

    def test_samples_at_dyadic_levels(self):
        """Sizes and levels whose quotients are doubles: nothing is ever rounded."""
        rng = np.random.default_rng(0)
        for _ in range(100):
            m = int(2 ** rng.integers(0, 6))
            values = [Fraction(int(x), 8) for x in rng.integers(-40, 40, m)]
            levels = [Fraction(int(k), 64) for k in rng.integers(1, 64, 9)]
            atoms = [(x, Fraction(1, m)) for x in values]
            self.check(Empirical([float(x) for x in values]), atoms, levels[0], levels)

    def test_samples_at_decimal_levels(self):
        """Levels such as 0.2 of 20 values: what is meant is 4 of them, to the last digit."""
        rng = np.random.default_rng(1)
        for _ in range(150):
            m = int(rng.integers(1, 40))
            values = [Fraction(int(x), 10) for x in rng.integers(-30, 30, m)]
            levels = [Fraction(int(k), 100) for k in rng.integers(1, 100, 9)]
            atoms = [(x, Fraction(1, m)) for x in values]
            self.check(Empirical([float(x) for x in values]), atoms, levels[0], levels)

    @pytest.mark.parametrize("percent", [1, 10, 30, 50, 57, 90, 95, 99])
    def test_bernoulli_arms(self, percent):
        p = Fraction(percent, 100)
        levels = [Fraction(k, 100) for k in range(1, 100)]
        for alpha in levels[::7]:
            self.check(Bernoulli(percent / 100), [(0, 1 - p), (1, p)], alpha, levels)

    def test_binomial_arms(self):
        """B(10, ½): masses are dyadic, and SciPy's are right to the last bits."""
        law = from_scipy(scipy.stats.binom(10, 0.5))
        atoms = [(k, Fraction(math.comb(10, k), 1024)) for k in range(11)]
        levels = [Fraction(2 * k + 1, 128) for k in range(63)]
        for alpha in levels[::9]:
            self.check(law, atoms, alpha, levels)

    def test_its_score_law(self):
        """Steps at the atoms' own scores, however the doubles are rounded."""
        values = [Fraction(k, 10) for k in (-7, -2, 1, 1, 3, 4, 6, 9, 12, 31)]
        law = Empirical([float(x) for x in values])
        for alpha in (0.2, 0.5, 0.6):
            low, high = Fraction(q_low(law, alpha)), Fraction(q_high(law, alpha))
            exact = sorted(max(low - y, y - high) for y in map(Fraction, law.data))
            for z in exact:
                share = sum(other <= z + Fraction(1, 10**12) for other in exact) / 10
                assert score_cdf(law, alpha, float(z)) == pytest.approx(share, abs=1e-15)
                fewer = sum(other <= z - Fraction(1, 10**6) for other in exact) / 10
                assert score_cdf(law, alpha, float(z) - 1e-6) == pytest.approx(fewer, abs=1e-15)


def test_an_outlier_does_not_carry_a_correction_over_an_atom():
    """By exact brute force: G(0) is 5/7 here, a hair below 1 − 2/7 in doubles; and so on."""
    assert correction(Empirical([-3e11, -4, -3, -2, 0, 2, 4]), 0.3, 2 / 7) == 0
    spread = [Empirical([place]) for place in (1e10, -9, -4, 0)]
    assert correction(Mixture(spread, [0.35, 0.15, 0.3, 0.2]), 0.7, 0.5) == 0
    spread = [Empirical([place]) for place in (-1e10, 0, 2, 4, -1, -6)]
    assert correction(Mixture(spread, [0.15, 0.15, 0.1, 0.1, 0.3, 0.2]), 0.5, 0.7) == -1


def test_a_correction_within_rounding_of_0_is_0():
    """Both values of the arm have the score 0, and the slack around atoms must not show."""
    assert correction(Bernoulli(0.3), 0.1, 0.9) == 0
