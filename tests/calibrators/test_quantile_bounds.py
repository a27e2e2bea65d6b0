"""Radii and ranks against published values and against references that compute differently."""

import math
from fractions import Fraction

import numpy as np
import pytest

from reproductions.sequences import beta_binomial_radius
from tests.kernels.closures import closure, worlds
from upperhand.calibrators.quantile_sequence import (
    BetaBinomial,
    beta_binomial,
    beta_binomial_rank,
    dkw_radius,
    lower_rank,
    stitched_radius,
    upper_rank,
)

from ..reference import quantile_bounds as reference

LEVELS = (0.02, 0.1, 0.5, 0.8, 0.95)


@pytest.mark.parametrize(
    ("t", "upper", "lower", "dkw"),
    [(100, 0.05, 0.1105, 0.2802), (1000, 0.0225, 0.0265, 0.1008), (10_000, 0.008, 0.0084, 0.0353)],
)
def test_at_the_settings_of_the_published_comparison(t, upper, lower, dkw):
    """Level 0.95, error 0.05 / 10, tuned to 1000; 0.05 = 1 − p is no bound at all."""
    assert beta_binomial_radius(0.95, t, 0.005, 1000) == pytest.approx(upper, abs=5e-5)
    assert beta_binomial_radius(0.05, t, 0.005, 1000) == pytest.approx(lower, abs=5e-5)
    assert dkw_radius(t, 0.005) == pytest.approx(dkw, abs=5e-5)


def test_values_that_quantilecs_tests():
    """From test/quantile_bai_unittest.cpp of gostevehoward/quantilecs, computed there with R."""
    assert dkw_radius(100, 0.05) == pytest.approx(0.2588138, abs=1e-7)
    assert beta_binomial_radius(0.5, 100, 0.05, 10) == pytest.approx(0.1599309, abs=1e-7)
    assert beta_binomial_radius(0.9, 100, 0.05, 10) == pytest.approx(0.08109037, abs=1e-7)
    assert stitched_radius(0.5, 100, 0.05, 10) == pytest.approx(0.178119, abs=1e-6)
    assert stitched_radius(0.9, 100, 0.05, 10) == pytest.approx(0.0888042, abs=1e-7)


def test_values_that_confseq_tests():
    """From test/uniform_boundaries_unittest.cpp of gostevehoward/confseq."""
    t, t_opt = 625, 625  # v = 100 for p = 0.2
    assert beta_binomial_radius(0.2, t, 0.05, t_opt) * t == pytest.approx(28.41238, abs=1e-5)
    assert beta_binomial_radius(0.2, 2, 0.05, t_opt) * 2 == pytest.approx(2 * 0.8, abs=1e-12)
    found = reference.log_mixture(10, 100, 100, 0.2, 0.8, 0.05)
    assert found == pytest.approx(-0.07134019, abs=1e-8)
    root = reference.log_mixture(28.41238, 100, 100, 0.2, 0.8, 0.05)
    assert root == pytest.approx(math.log(20), abs=1e-5)
    assert reference.stitched(100, 0.05, 10, 3, 1.4, 2) == pytest.approx(64.48755, abs=1e-5)
    assert reference.stitched(100, 0.05, 10, -1, 1.4, 2) == pytest.approx(28.99389, abs=1e-5)


@pytest.mark.parametrize("p", LEVELS)
def test_stitched_against_the_general_boundary(p):
    for t in (1, 7, 100, 999, 1000, 1001, 10**6):
        v, c = p * (1 - p), (1 - 2 * p) / 3
        expected = reference.stitched(v * t, 0.01, v * 1000, c, 1.4, 2.04) / t
        assert stitched_radius(p, t, 0.01, 1000) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("p", LEVELS)
def test_the_radius_solves_the_equation(p):
    v = p * (1 - p)
    for t in (300, 2000, 100_000):
        s = beta_binomial_radius(p, t, 0.01, 500) * t
        found = reference.log_mixture(s, v * t, v * 500, p, 1 - p, 0.01)
        assert found == pytest.approx(math.log(100), abs=1e-8)
        rank = reference.mixture_rank(p, t, 0.01, 500)
        assert upper_rank(p, t, s / t) == rank == math.floor(p * t + s) + 1


def test_ranks_against_fractions():
    rng = np.random.default_rng(1)
    for t in (1, 2, 9, 50, 333):
        for _ in range(50):
            p, radius = rng.uniform(0.01, 0.99), rng.uniform(0, 0.7)
            expected = reference.upper_rank(p, t, radius)
            assert upper_rank(p, t, radius) == expected
            mirrored = reference.upper_rank(Fraction(1) - Fraction(p), t, radius)
            assert lower_rank(p, t, radius) == t + 1 - mirrored


def make_follow(rank):
    def follow(mixture, out):
        known = 1
        for t in range(1, len(out)):
            known = rank(mixture, t, t - 1, known)
            out[t] = known

    return follow


def followed(mixture: BetaBinomial, last: int, *, compiled: bool) -> list[int]:
    """Return the ranks for 0 … last values, each found from the one before."""
    out = np.ones(last + 1, np.int64)
    closure(make_follow, beta_binomial_rank, compiled=compiled)(mixture, out)
    return out.tolist()


@worlds
@pytest.mark.parametrize("t_opt", [1, 30, 1000])
def test_mixture_ranks_against_all_ranks(t_opt, compiled):
    for p in LEVELS:
        found = followed(beta_binomial(p, 0.01, float(t_opt)), 1200, compiled=compiled)
        for t in (*range(1, 20), *range(40, 1201, 58)):
            assert found[t] == reference.mixture_rank(p, t, 0.01, t_opt), t


@pytest.mark.parametrize("p", LEVELS)
def test_from_any_earlier_rank(p):
    """From one value before or from none, by bisection: the same rank, also among a million."""
    mixture = beta_binomial(p, 0.005, 1000.0)
    for t in (0, 1, 77, 5000, 1_000_000):
        plain = beta_binomial_rank(mixture, t, 0, 1)
        for known in (0, t // 2, max(0, t - 1), t):
            start = beta_binomial_rank(mixture, known, 0, 1)
            assert beta_binomial_rank(mixture, t, known, start) == plain
            assert start <= plain <= start + t - known
    assert plain == reference.mixture_rank(p, t, 0.005, 1000)


@pytest.mark.parametrize("delta", [0.49, 0.5, 0.9, 1e-50])
def test_unusual_errors(delta):
    mixture = beta_binomial(0.5, delta, 1000.0)
    assert all(map(math.isfinite, mixture))
    assert 5000 < beta_binomial_rank(mixture, 10_000, 0, 1) < 6000


@pytest.mark.parametrize("cut", [1.0, 0.4])
@pytest.mark.parametrize(("p", "t_min"), [(0.9, 1), (0.95, 50), (0.99, 50), (0.3, 10)])
def test_the_stitched_boundary_by_exact_chances(p, t_min, cut):
    """P(the count ever crosses within 1,500 values) by adding up all paths; δ = 0.2.

    Above ½ the boundary's c is negative, which the general theorem does not speak of. Cut to 0.4 of
    itself it fails.
    """
    chances, missed = np.array([1.0]), 0.0
    for t in range(1, 1501):
        chances = np.append(chances * (1 - p), 0.0) + np.append(0.0, chances * p)
        rank = upper_rank(p, t, cut * stitched_radius(p, t, 0.2, float(t_min)))
        missed += chances[rank:].sum()
        chances[rank:] = 0.0
    assert (missed <= 0.2) == (cut == 1.0)
