"""Binomial draws against their law: exact in distribution, equal in both worlds."""

import math

import numpy as np
import pytest
from scipy import stats

from upperhand._kernels import special as sampler
from upperhand._kernels.special import FEW, TABLE, binomial, binomial_once, tabulate

from .closures import closure, worlds

CHANCES = (0.001, 0.05, 0.15, 0.475, 0.5, 0.85, 0.95, 0.995)
TRIALS = (1, 2, 7, 60, 150, 299, 300, 301, 2_000, 40_000, 3_000_000)


def make_draws(binomial, tabulate):
    def draws(rng, n, p, sums, out):
        tabulate(sums, n, p)
        for i in range(len(out)):
            out[i] = binomial(rng, n, p, sums)

    return draws


def drawn(n, p, count, *, seed=0, compiled=True):
    out = np.empty(count, np.int64)
    draws = closure(make_draws, binomial, tabulate, compiled=compiled)
    draws(np.random.default_rng(seed), n, p, np.empty(TABLE), out)
    return out


@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("n", TRIALS)
def test_the_law(n, p):
    """χ² over cells of about 2 % each; 88 tests at 10⁻⁶ each: a false alarm in 11,000 suites."""
    found = drawn(n, p, 100_000)
    law = stats.binom(n, p)
    assert found.min() >= 0
    assert found.max() <= n
    edges = np.unique([-1, *law.ppf(np.arange(0.02, 1, 0.02)), n])
    expected = np.diff(law.cdf(edges)) * len(found)
    counts = np.histogram(found, bins=edges + 0.5)[0]
    seldom = expected < 5
    assert counts[seldom].sum() <= 60
    if (~seldom).sum() > 1:
        scale = counts[~seldom].sum() / expected[~seldom].sum()
        assert stats.chisquare(counts[~seldom], scale * expected[~seldom]).pvalue > 1e-6


@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("n", TRIALS)
def test_both_worlds_are_equal(n, p):
    assert drawn(n, p, 400).tolist() == drawn(n, p, 400, compiled=False).tolist()


def make_single_draws(binomial_once):
    def draws(rng, n, p, out):
        for i in range(len(out)):
            out[i] = binomial_once(rng, n, p)

    return draws


@worlds
@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("n", [0, *TRIALS])
def test_a_single_draw_is_that_with_the_table(n, p, compiled):
    out = np.empty(300, np.int64)
    draws = closure(make_single_draws, binomial_once, compiled=compiled)
    draws(np.random.default_rng(4), n, p, out)
    assert out.tolist() == drawn(n, p, 300, seed=4).tolist()


@worlds
def test_no_trials(compiled):
    assert drawn(0, 0.3, 5, compiled=compiled).tolist() == [0] * 5


def test_far_tails_are_reached():
    """10⁶ draws of a law with 8 · 10⁻⁴ beyond each end: counts within 5 standard deviations."""
    for n, p in ((200, 0.5), (5_000, 0.95)):
        law = stats.binom(n, p)
        low, high = law.ppf(8e-4), law.ppf(1 - 8e-4)
        found = drawn(n, p, 1_000_000)
        for share, expected in (
            ((found < low).mean(), law.cdf(low - 1)),
            ((found > high).mean(), law.sf(high)),
        ):
            assert abs(share - expected) < 5 * math.sqrt(expected / 1e6)


@pytest.mark.parametrize("p", [0.05, 0.4, 0.5, 0.95])
def test_tabulate(p):
    rare, sums = min(p, 1 - p), np.empty(TABLE)
    for n in (0, 1, 2, 10, math.ceil(FEW / rare) - 1):
        tabulate(sums, n, p)
        np.testing.assert_allclose(sums, stats.binom.cdf(np.arange(TABLE), n, rare), rtol=1e-13)


def test_the_table_is_long_enough():
    """What lies beyond it is less than the least step between uniform numbers."""
    for p in (1e-6, 0.01, 0.3, 0.5):
        assert stats.binom.sf(TABLE - 2, math.ceil(FEW / p) - 1, p) < 2.0**-53


@pytest.mark.parametrize("k", [0, 1, 5, 14, 15, 16, 40, 1_000, 10**6])
def test_log_factorial(k):
    exact = math.lgamma(k + 1)
    assert sampler._log_factorial(k) == pytest.approx(exact, rel=1e-15, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "p"), [(31, 0.5), (75, 0.2), (320, 0.05), (320, 0.5), (1_500, 0.01), (20_000, 0.05)]
)
def test_the_quick_decision_is_the_exact_one(n, p):
    """Around ln P(k) − ln P(m) itself the decision changes, and nowhere else."""
    law, mode = stats.binom(n, p), int((n + 1) * p)
    for k in range(max(0, mode - 60), min(n, mode + 60) + 1):
        exact = law.logpmf(k) - law.logpmf(mode)
        for step in (1e-6, 1e-3, 0.1, 1.0):
            assert sampler._reaches(n, p, k, exact - step)
            assert not sampler._reaches(n, p, k, exact + step)
