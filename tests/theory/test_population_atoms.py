"""The population endpoint of laws with atoms, against exact enumeration."""

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
import scipy.stats

from upperhand.distributions import Bernoulli, Empirical, Mixture, Normal, Uniform, from_scipy
from upperhand.theory.population import (
    correction,
    interval,
    q_high,
    q_low,
    score_cdf,
    score_support,
)


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


def covered(law, atoms, alpha, beta):
    """Return the exact mass of C(β), whose two doubles are fractions like any others."""
    lower, upper = map(Fraction, interval(law, float(alpha), float(beta)))
    return sum(mass for y, mass in atoms if lower <= y <= upper)


def test_the_interval_holds_the_atom_that_it_needs():
    """By hand: P(Y = 0) is 0.97, so that 0.99 needs the atom 1 as well."""
    assert interval(Bernoulli(0.03), 0.1, 0.01) == (-1, 1)


@pytest.mark.parametrize("tries", [400, pytest.param(5_000, marks=pytest.mark.slow)])
def test_intervals_of_samples_cover(tries):
    """P(C(β)) ≥ 1 − β, exactly, for the decimal β that is written; tied values and far ones too."""
    rng = np.random.default_rng(9)
    for _ in range(tries):
        m, unit = int(rng.integers(1, 60)), 10.0 ** rng.integers(-3, 4)
        places = int(rng.integers(0, 3))
        values = np.round(rng.normal(rng.choice([0, 100]), 3, m), places) * unit
        alpha, beta = (Fraction(int(k), 1000) for k in rng.integers(1, 1000, 2))
        atoms = [(Fraction(y), Fraction(1, m)) for y in values]
        assert covered(Empirical(values), atoms, alpha, beta) >= 1 - beta, (values, alpha, beta)


def test_intervals_of_mixtures_of_atoms_cover():
    rng = np.random.default_rng(10)
    for _ in range(100):
        places = [Fraction(int(k), 8) for k in rng.choice(np.arange(-40, 40), 5, replace=False)]
        weights = [Fraction(int(k), 64) for k in rng.multinomial(59, [0.2] * 5) + 1]
        law = Mixture([Empirical([float(y)]) for y in places], [float(w) for w in weights])
        alpha, beta = (Fraction(int(k), 128) for k in rng.integers(1, 128, 2))
        assert covered(law, list(zip(places, weights, strict=True)), alpha, beta) >= 1 - beta


def test_an_atom_in_the_middle_of_the_interval_counts():
    """The score of the middle atom is z_min; 0.3 − 0.1 and 0.5 − 0.3 are not the same double."""
    law = Empirical([0.1, 0.3, 0.5])
    for z in (0.1 - 0.3, 0.3 - 0.5, (0.1 - 0.5) / 2):
        assert score_cdf(law, 0.1, z) == pytest.approx(1 / 3)
    lower, upper = interval(law, 0.1, 0.7)
    assert lower <= 0.3 <= upper


def test_scores_start_at_the_mass_nearest_the_middle():
    """By hand: no mass in the middle, so that nothing has the score z_min."""
    assert score_support(Bernoulli(0.5), 0.1) == (0, 0)
    assert score_support(Empirical([0, 1, 5, 6]), 0.1) == (-1, 0)
    assert score_support(Empirical([0, 2, 5, 6]), 0.1) == (-2, 0)
    humps = Mixture([Uniform(0, 1), Uniform(4, 5)], [0.5, 0.5])  # qˡᵒʷ = 0.1, and the gap at 1
    assert score_support(humps, 0.1) == pytest.approx((-0.9, 0.1))
    assert score_support(Mixture([Normal(-9, 1), Normal(9, 1)], [0.5, 0.5]), 0.1).lower < -10
