"""Special functions of coins against mpmath, SciPy and exact sums."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from scipy.stats import binom

from tests.reference.quantile_bounds import exact_log_mass_above
from upperhand._kernels import special as sampler
from upperhand._kernels.special import (
    FEW,
    TABLE,
    bernoulli_kl,
    binomial,
    binomial_once,
    evidence_above,
    kl_upper,
    log_evidence,
    log_evidences,
    log_joint,
    log_mass,
    log_mass_above,
    log_weights,
    mass_reaches,
    stirling_rest,
    tabulate,
)
from upperhand.theory import lower_bounds

from ..looping import for_each
from ..reference.evidence import exact_evidence
from .closures import closure, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=500)

# Chances that are hard in different ways: anywhere, close to 0, close to 1.
chances = (
    st.floats(1e-3, 1 - 1e-3)
    | st.floats(-30, -1).map(lambda e: 10**e)
    | st.floats(-15, -1).map(lambda e: 1 - 10**e)
)
budgets = st.floats(-18, 3).map(lambda e: 10**e)
ENDS = [0.0, 5e-324, 1e-300, 1e-9, 0.25, 0.5, 0.75, 1 - 2**-53, 1.0]


def make_apply(function):
    def apply(left, right, out):
        for i in range(len(left)):
            out[i] = function(left[i], right[i])

    return apply


def exact_kl(p, q):
    """Return kl(p, q) of two doubles strictly between 0 and 1, to 50 digits or so."""
    with localcontext(prec=120):
        p, q = Decimal(p), Decimal(q)
        return p * (p / q).ln() + (1 - p) * ((1 - p) / (1 - q)).ln()


@PROPERTY
@given(chances, chances)
def test_the_divergence_against_decimals(p, q):
    """To rounding of the larger of its two terms, which are of opposite signs."""
    error = abs(Decimal(bernoulli_kl(p, q)) - exact_kl(p, q))
    assert error <= Decimal("4e-16") * (exact_kl(p, q) + Decimal(abs(p - q)))


@pytest.mark.parametrize("p", [0.5, 0.1, 0.9, 1e-6])
def test_close_chances_keep_their_digits(p):
    """kl(p, p + h) ≈ h² / (2 p (1−p)): a plain formula is all noise long before h = 1e-9 p."""
    for h in (1e-4 * p, 1e-6 * p, 1e-9 * p):
        assert bernoulli_kl(p, p + h) == pytest.approx(float(exact_kl(p, p + h)), rel=1e-6)


def test_the_ends_of_the_divergence():
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2), rel=1e-15)
    assert bernoulli_kl(1.0, 0.95) == pytest.approx(-math.log(0.95), rel=1e-15)
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == bernoulli_kl(0.3, 0.3) == 0.0
    assert bernoulli_kl(0.3, 0.0) == bernoulli_kl(0.3, 1.0) == math.inf
    assert bernoulli_kl(0.0, 1.0) == bernoulli_kl(1.0, 0.0) == math.inf


@PROPERTY
@given(chances, chances)
def test_it_is_the_divergence_of_the_theory(p, q):
    assert bernoulli_kl(p, q) == pytest.approx(float(lower_bounds.bernoulli_kl(p, q)), rel=1e-12)
    assert bernoulli_kl(p, q) >= 0.0


@pytest.mark.parametrize(
    ("p", "budget", "upper"),
    [
        (0.1, 0.2, 0.378391),
        (0.5, 0.2, 0.787088),
        (0.9, 0.2, 0.994489),
        (0.1, 0.4, 0.519475),
        (0.9, 0.9, 0.999995),
    ],
)
def test_the_published_values(p, budget, upper):
    """Of the doctests of klucbBern in SMPyBandits, whose digits are cut off, not rounded."""
    assert math.floor(kl_upper(p, budget) * 1e6) / 1e6 == upper


@PROPERTY
@given(chances, budgets)
def test_the_upper_end_spends_the_budget_to_rounding(p, budget):
    """Two parts in 10¹⁵ less do not exceed the budget, and two more do, in 50 digits."""
    q = kl_upper(p, budget)
    below, above = q * (1 - 2e-15), q * (1 + 2e-15)
    assert p <= q <= 1.0
    assert below <= p or exact_kl(p, below) <= Decimal(budget)
    assert above >= 1 or exact_kl(p, above) >= Decimal(budget)


def test_the_ends_of_the_upper_end():
    for p in ENDS:
        assert kl_upper(p, 0.0) == p
        assert kl_upper(p, math.inf) == 1.0
        assert kl_upper(p, 1e6) == 1.0
    assert kl_upper(0.0, 1e-12) == pytest.approx(1e-12, rel=1e-11)  # 1 − e^(−d)
    assert kl_upper(0.0, math.log(2)) == 0.5
    assert kl_upper(1.0, 1e-12) == 1.0
    assert kl_upper(1 - 2**-53, 1e-12) <= 1.0


@pytest.mark.parametrize("p", ENDS)
def test_no_budget_is_too_small_or_too_large(p):
    for exponent in range(-290, 290, 7):
        assert p <= kl_upper(p, 10.0**exponent) <= 1.0


@PROPERTY
@given(chances, budgets)
def test_never_above_pinsker(p, budget):
    assert kl_upper(p, budget) <= (p + math.sqrt(budget / 2)) * (1 + 1e-15)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [bernoulli_kl, kl_upper])
def test_compiled_is_interpreted(function):
    rng = np.random.default_rng(0)
    left = np.concatenate([rng.random(3000), 10 ** rng.uniform(-20, 0, 1000), ENDS])
    right = np.concatenate([rng.random(3000), 10 ** rng.uniform(-18, 0, 1000), ENDS[::-1]])
    found = {}
    for compiled in (True, False):
        found[compiled] = np.empty(len(left))
        apply = closure(make_apply, function, compiled=compiled)
        lists = (left, right) if compiled else (left.tolist(), right.tolist())
        apply(*lists, found[compiled])
    assert found[True].tolist() == found[False].tolist()


@worlds
def test_it_ends_where_rounding_rules(compiled):
    """Budgets so small that q − p is a rounding error, and chances a rounding error below 1."""
    apply, out = closure(make_apply, kl_upper, compiled=compiled), np.empty(2000)
    rng = np.random.default_rng(1)
    p = 1 - 2.0 ** -rng.integers(1, 54, 2000)
    apply(p, 10 ** rng.uniform(-40, 2, 2000), out)
    assert np.all((p <= out) & (out <= 1))


every_level = for_each(
    "level, epsilon",
    [("0.5", "0"), ("0.05", "0"), ("0.925", "0.025"), ("0.3", "0.1"), ("0.006", "0.004")],
)


@every_level
def test_the_mixture_without_rounding(level, epsilon):
    evidence = evidence_above(float(level), float(epsilon))
    for tosses in (0, 1, 2, 17, 400, 5_000):
        for heads in sorted({0, tosses // 20, tosses // 2, tosses}):
            exact = float(exact_evidence(level, epsilon, heads, tosses).ln())
            found = log_evidence(evidence, heads, tosses)
            assert found == pytest.approx(exact, rel=1e-12, abs=1e-11)


@every_level
def test_it_grows_with_the_heads_and_many_at_once_are_the_same(level, epsilon):
    evidence = evidence_above(float(level), float(epsilon))
    heads = np.arange(301)
    found = log_evidences(evidence, heads, 300)
    assert np.all(np.diff(found) > 0)
    assert found.tolist() == pytest.approx([log_evidence(evidence, k, 300) for k in heads])


@every_level
@for_each("tosses", [1, 7, 60])
def test_at_the_level_its_mean_is_one_and_below_it_is_less(level, epsilon, tosses):
    """The mean over all outcomes, summed: what makes it a (super)martingale."""
    q = float(level)
    evidence = evidence_above(q, float(epsilon))
    values = np.exp(log_evidences(evidence, np.arange(tosses + 1), tosses))
    assert binom.pmf(np.arange(tosses + 1), tosses, q) @ values == pytest.approx(1, rel=1e-10)
    assert binom.pmf(np.arange(tosses + 1), tosses, 0.9 * q) @ values < 1


def test_both_coins():
    exact = (9 * Decimal(7) + (11 + 20 * Decimal(77)) / 9) / 30
    assert log_joint(math.log(7), math.log(11), 9) == pytest.approx(math.log(exact))
    assert log_joint(900.0, 900.0, 1) == pytest.approx(1800 + math.log(20 / 22))


@pytest.mark.parametrize("shares", [1, 2, 9, 99])
def test_the_weights_of_both_coins_sum_to_one(shares):
    """With `shares` pairs that have the first coin in common: what a sum over them begins at."""
    one, other, both = map(math.exp, log_weights(shares))
    assert one + shares * (other + both) == pytest.approx(1)


LEVELS = (1e-6, 1e-3, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999)
COUNTS = (1, 2, 5, 17, 100, 700)


@for_each("p", LEVELS)
def test_whole_numbers_against_60_digits(p):
    for a, b in itertools.product(COUNTS, COUNTS):
        exact = float(exact_log_mass_above(a, b, p))
        assert log_mass_above(a, b, p) == pytest.approx(exact, rel=1e-13, abs=1e-13), (a, b)


@for_each("deviations", [-2, 0, 1, 4, 8])
@for_each("p", [0.05, 0.5, 0.95])
def test_many_trials(p, deviations):
    """20,000 of them, around p: `lgamma` alone would leave an error of 10⁻¹¹."""
    n = 20_000
    a = round(n * p + deviations * math.sqrt(n * p * (1 - p)))
    exact = float(exact_log_mass_above(a, n - a, p))
    assert log_mass_above(a, n - a, p) == pytest.approx(exact, rel=1e-12, abs=1e-12)


@for_each("p", LEVELS)
def test_any_numbers_against_scipy(p):
    """Where SciPy's own parts do not cancel or underflow, priors below 1 included.

    With a ≪ 1 nearly all mass may be next to 0, and what is above p loses digits by that much.
    """
    for a, b in itertools.product((1e-7, 1e-3, 0.3, 0.9, 3.7, 40.3), repeat=2):
        mass = special.betaincc(a, b, p)
        expected = math.log(mass) + special.betaln(a, b) - a * math.log(p) - b * math.log1p(-p)
        allowed = 1e-12 * max(1, abs(expected), 1e-3 / mass)
        assert abs(log_mass_above(a, b, p) - expected) <= allowed, (a, b)


@for_each("n", [1e3, 1e6, 1e9])
@for_each("p", [0.05, 0.5, 0.95])
def test_a_large_prior_has_about_half_its_mass_on_each_side(p, n):
    a, b = n * p, n * (1 - p)
    share = math.exp(log_mass_above(a, b, p) - log_mass(a, b, p))
    assert share == pytest.approx(special.betaincc(a, b, p), rel=1e-11)


@pytest.mark.parametrize("x", [1e-9, 0.01, 0.5, 1.0, 3.3, 15.999, 16.0, 40.0, 1e5])
def test_stirling(x):
    with np.errstate(all="raise"):
        plain = special.gammaln(x) - (x - 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
    assert stirling_rest(x) == pytest.approx(plain, abs=4e-16 * max(10, x * math.log(x + 2)))


def make_reach(log_mass_above, mass_reaches):
    def apply(a, b, p, level, out, reached):
        for i in range(len(a)):
            out[i] = log_mass_above(a[i], b[i], p[i])
            reached[i] = mass_reaches(a[i], b[i], p[i], level[i])

    return apply


@worlds
def test_the_quick_answer_is_the_slow_one(compiled):
    """Levels close to the integral itself: the quick bounds must not decide too early."""
    rng = np.random.default_rng(0)
    count = 5_000 if compiled else 500
    a, b = 10 ** rng.uniform(-1, 4, (2, count))
    p = rng.choice([0.05, 0.5, 0.95], count)
    near = rng.random(count) < 0.8  # the interesting ones: p within some deviations of the mean
    a = np.where(near, (b * p / (1 - p)) * (1 + rng.uniform(-1, 3, count) / np.sqrt(b)), a)
    a = np.maximum(a, 0.05)
    exact = np.array([log_mass_above(*each) for each in zip(a, b, p, strict=True)])
    level = exact + rng.choice([-1, 1], count) * 10 ** rng.uniform(-11, 0, count)
    out, reached = np.empty(count), np.empty(count, np.bool_)
    apply = closure(make_reach, log_mass_above, mass_reaches, compiled=compiled)
    apply(a, b, p, level, out, reached)
    np.testing.assert_allclose(out, exact, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(reached, level < exact)


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


@pytest.mark.compiled
@for_each("p", CHANCES)
@for_each("n", TRIALS)
def test_the_distribution(n, p):
    """χ² over cells of about 2 % each; 88 tests at 10⁻⁶ each: a false alarm in 11,000 suites."""
    found = drawn(n, p, 100_000)
    binomials = stats.binom(n, p)
    assert found.min() >= 0
    assert found.max() <= n
    edges = np.unique([-1, *binomials.ppf(np.arange(0.02, 1, 0.02)), n])
    expected = np.diff(binomials.cdf(edges)) * len(found)
    counts = np.histogram(found, bins=edges + 0.5)[0]
    seldom = expected < 5
    assert counts[seldom].sum() <= 60
    if (~seldom).sum() > 1:
        scale = counts[~seldom].sum() / expected[~seldom].sum()
        assert stats.chisquare(counts[~seldom], scale * expected[~seldom]).pvalue > 1e-6


@pytest.mark.compiled
@for_each("p", CHANCES)
@for_each("n", TRIALS)
def test_both_worlds_are_equal(n, p):
    assert drawn(n, p, 400).tolist() == drawn(n, p, 400, compiled=False).tolist()


def make_single_draws(binomial_once):
    def draws(rng, n, p, out):
        for i in range(len(out)):
            out[i] = binomial_once(rng, n, p)

    return draws


@worlds
@for_each("p", CHANCES)
@for_each("n", [0, *TRIALS])
def test_a_single_draw_is_that_with_the_table(n, p, compiled):
    out = np.empty(300, np.int64)
    draws = closure(make_single_draws, binomial_once, compiled=compiled)
    draws(np.random.default_rng(4), n, p, out)
    assert out.tolist() == drawn(n, p, 300, seed=4).tolist()


@worlds
def test_no_trials(compiled):
    assert drawn(0, 0.3, 5, compiled=compiled).tolist() == [0] * 5


@pytest.mark.compiled
def test_far_tails_are_reached():
    """10⁶ draws with 8 · 10⁻⁴ beyond each end: counts within 5 standard deviations."""
    for n, p in ((200, 0.5), (5_000, 0.95)):
        binomials = stats.binom(n, p)
        low, high = binomials.ppf(8e-4), binomials.ppf(1 - 8e-4)
        found = drawn(n, p, 1_000_000)
        for share, expected in (
            ((found < low).mean(), binomials.cdf(low - 1)),
            ((found > high).mean(), binomials.sf(high)),
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
    binomials, mode = stats.binom(n, p), int((n + 1) * p)
    for k in range(max(0, mode - 60), min(n, mode + 60) + 1):
        exact = binomials.logpmf(k) - binomials.logpmf(mode)
        for step in (1e-6, 1e-3, 0.1, 1.0):
            assert sampler._reaches(n, p, k, exact - step)
            assert not sampler._reaches(n, p, k, exact + step)
