"""Theorems Q1 to Q7 as numbers: exact references, values of mpmath, what bounds must do.

Two arms on atoms have one threshold only: the worse one pays 0 with probability p and else 2, the
best one 0 with probability q and else 1. So the best τ-quantile is 1, for q < τ < p, and each u
between 0 and 1 has F_j(u−) = p and F_1(u−) = q.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import upperhand as uh
from upperhand._kernels.special import bernoulli_kl
from upperhand.comparison.instances import INSTANCES
from upperhand.distributions import Empirical, Mixture, Normal, Uniform
from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import binomial_sums, quantile_policies, quantile_regret
from upperhand.theory.lower_bounds import quantile_pulls
from upperhand.theory.quantile_policies import (
    asymptotic_pulls,
    delayed_pulls,
    frugal_closed_form,
    frugal_pulls,
    hedged_pulls,
    imed_lattice_pulls,
    kl_qucb_closed_form,
    kl_qucb_plus_closed_form,
    kl_qucb_plus_pulls,
    kl_qucb_pulls,
    quantile_ts_closed_form,
    quantile_ts_pulls,
)

from ..reference import theorems as naive
from .instances import PAPER, PROPERTY

SUMS = (kl_qucb_pulls, kl_qucb_plus_pulls, quantile_ts_pulls)
CLOSED = (kl_qucb_closed_form, kl_qucb_plus_closed_form, quantile_ts_closed_form)
FEWER = settings(PROPERTY, max_examples=15)
ADDED = 1e-6  # what is added for terms that are left out, at most

levels = st.tuples(st.integers(0, 99), st.integers(1, 99), st.integers(1, 100))
levels = levels.filter(lambda each: each[0] < each[1] < each[2])  # q < τ < p, in percent


def two_atoms(p, q):
    """Return the two arms, for p and q in percent."""
    return [Empirical([0.0] * p + [2.0] * (100 - p)), Empirical([0.0] * q + [1.0] * (100 - q))]


def exact(percent):
    return Fraction(percent, 100)


class TestReferences:
    """The sums are those of whole numbers; never below by more than rounding."""

    @PROPERTY
    @given(st.integers(1, 14), levels)
    def test_sums(self, n, level):
        q, tau, p = level
        arms, exactly = two_atoms(p, q), (n, exact(tau), exact(p), exact(q))
        for found, expected in (
            (kl_qucb_pulls(arms, tau / 100, n), naive.kl_qucb(*exactly)),
            (kl_qucb_plus_pulls(arms, tau / 100, n), naive.kl_qucb_plus(*exactly)),
            (hedged_pulls(arms, tau / 100, n, math.log(5)), naive.kl_qucb_plus(*exactly, trust=5)),
            (
                frugal_pulls(arms, tau / 100, n, 3, trust=math.log(5), horizon=9),
                naive.kl_qucb_plus(*exactly, trust=5, charged=6, times=2),
            ),
            (frugal_pulls(arms, tau / 100, n, 4), naive.kl_qucb_plus(*exactly, charged=8)),
            (
                delayed_pulls(arms, tau / 100, n, 2, evidence="seen"),
                naive.kl_qucb(*exactly, late=2),
            ),
        ):
            assert -1e-9 < found[0] - float(expected) < ADDED
            assert found[1] == math.inf

    @PROPERTY
    @given(st.integers(1, 14), levels)
    def test_thompson(self, n, level):
        """Of the sum and the closed form, whichever is smaller, or better than both."""
        q, tau, p = level
        arms = two_atoms(p, q)
        found = quantile_ts_pulls(arms, tau / 100, n)[0]
        expected = float(naive.quantile_ts(n, exact(tau), exact(p), exact(q)))
        assert found < min(expected, quantile_ts_closed_form(arms, tau / 100, n)[0]) + ADDED
        if found < expected - 1e-9:  # then rounds were counted for the pulls from some s on
            assert found > expected - n * 0.2

    @PROPERTY
    @given(st.integers(1, 14), levels, st.integers(0, 100))
    def test_imed_on_a_lattice(self, n, level, atom):
        """The worse arm pays 1, and so u*, with a probability of its own."""
        q, tau, p = level
        closed = min(100, p + atom)
        values = [0.0] * p + [1.0] * (closed - p) + [2.0] * (100 - closed)
        arms = [Empirical(values), two_atoms(p, q)[1]]
        found = imed_lattice_pulls(arms, tau / 100, n)
        expected = naive.imed_lattice(n, exact(tau), exact(p), exact(closed), exact(q))
        assert -1e-9 < found[0] - float(expected) < ADDED


# Python's mpmath 1.4.1 with 30 digits, term by term as the statements are written: binomial masses
# by recurrence, kl by its logarithms, sums over all s ≤ n and all counts. λ = 2 and D = 3.
PINNED = {  # n, τ, and p and q in percent
    (300, 0.95, 99, 85): {
        "Q1": 224.0284265324, "Q2": 206.7261114757, "Q3": 220.9397436282,
        "Q5": 899.131036681, "Q7": 313.8394304808, "Q7, seen": 312.4127198584,
    },
    (500, 0.5, 70, 35): {
        "Q1": 87.98144264657, "Q2": 164.4140775731, "Q3": 88.70337355086,
        "Q5": 909.0474641376, "Q7": 164.0306482183, "Q7, seen": 148.2111819952,
    },
    (400, 0.9, 100, 80): {
        "Q1": 69.83802480905, "Q2": 268.7403258893, "Q5": 1439.436311507,
        "Q7": 75.92847184559, "Q7, seen": 72.83802480905,
    },
    (400, 0.3, 45, 20): {
        "Q1": 143.8677553321, "Q2": 339.7705817627, "Q3": 145.3081038471,
        "Q5": 1691.924121164, "Q7": 291.8750090334, "Q7, seen": 245.7575742247,
    },
}  # fmt: skip


@pytest.mark.parametrize(("setting", "values"), PINNED.items(), ids=map(str, PINNED))
def test_values_of_mpmath(setting, values):
    """For closed forms mpmath has the best r to all digits, and here it is one of many."""
    n, tau, p, q = setting
    arms = two_atoms(p, q)
    found = {
        "Q1": kl_qucb_pulls(arms, tau, n),
        "Q2": kl_qucb_plus_pulls(arms, tau, n),
        "Q3": quantile_ts_pulls(arms, tau, n),
        "Q5": hedged_pulls(arms, tau, n, 2.0),
        "Q7": delayed_pulls(arms, tau, n, 3),
        "Q7, seen": delayed_pulls(arms, tau, n, 3, evidence="seen"),
    }
    for name, value in values.items():
        assert found[name][0] == pytest.approx(value, abs=ADDED), name
    for form, value in zip(CLOSED, CLOSED_PINNED[setting], strict=True):
        assert value * (1 - 1e-12) <= form(arms, tau, n)[0] <= value * 1.001


CLOSED_PINNED = {
    (300, 0.95, 99, 85): (750.447284233, 1276.579131856, 817.5760490656),
    (500, 0.5, 70, 35): (315.9582902486, 1245.289596947, 401.8000325338),
    (400, 0.9, 100, 80): (106.0314915123, 1394.855923122, 205.0314915123),
    (400, 0.3, 45, 20): (539.9124235463, 3480.615192887, 688.2336346656),
}


NORMALS, UNIFORMS = [Normal(0, 1), Normal(1.5, 1)], [Uniform(0, 1), Uniform(0.4, 1.4)]


@pytest.mark.parametrize(
    ("arms", "tau", "first"),
    [
        (INSTANCES["far-apart"].arms, 0.95, (181, 92.5, 200)),
        (UNIFORMS, 0.5, (70, 116, 84)),
        (NORMALS, 0.75, (66, 68, 69)),
        (PAPER, 0.95, (565, 2000, 636)),
    ],
    ids=["far-apart", "uniform", "normal", "headline"],
)
def test_known_instances(arms, tau, first):
    """Bounds at n = 10⁴ that were minimised over a few u: a finer search has them, or less."""
    for bound, value in zip(SUMS, first, strict=True):
        pulls = bound(arms, tau, 10_000)
        assert 0.9 * value <= pulls[np.isfinite(pulls)].max() <= value


class TestWhatBoundsDo:
    @FEWER
    @given(st.integers(2, 3000), levels)
    def test_they_fall_with_the_gap_and_rise_with_n(self, n, level):
        q, tau, p = level
        assume(q > 0 and p < 100)
        for bound in (*SUMS, *CLOSED):
            here = bound(two_atoms(p, q), tau / 100, n)[0]
            assert bound(two_atoms(p + 1, q), tau / 100, n)[0] <= here * (1 + 1e-6)
            assert bound(two_atoms(p, q - 1), tau / 100, n)[0] <= here * (1 + 1e-6)
            assert bound(two_atoms(p, q), tau / 100, n + 1)[0] >= here * (1 - 1e-6)

    @PROPERTY
    @given(st.integers(1, 5000), levels)
    def test_closed_forms_are_larger(self, n, level):
        q, tau, p = level
        arms = two_atoms(p, q)
        for closed, bound in zip(CLOSED, SUMS, strict=True):
            assert closed(arms, tau / 100, n)[0] >= bound(arms, tau / 100, n)[0] - ADDED

    @FEWER
    @given(
        st.integers(1, 3000),
        st.floats(0.3, 0.99),
        st.lists(st.integers(1, 30), min_size=1, max_size=2),
    )
    def test_gaussian_arms(self, n, tau, gaps):
        """Thresholds are many, and not all: up to one percent."""
        arms = [Normal(0, 1), *(Normal(-gap / 10, 1) for gap in gaps)]
        further = [Normal(0.1, 1), *arms[1:]]
        for bound, closed in zip(SUMS, CLOSED, strict=True):
            pulls = bound(arms, tau, n)
            assert pulls[0] == math.inf
            assert np.all(pulls[1:] >= 1)
            assert np.all(closed(arms, tau, n)[1:] >= pulls[1:] - ADDED)
            assert np.all(bound(further, tau, n)[1:] <= pulls[1:] * 1.01)
            assert np.all(bound(arms, tau, n + n // 10 + 1)[1:] >= pulls[1:] / 1.01)

    @FEWER
    @given(st.integers(1, 2000), levels, st.integers(1, 50), st.floats(0, 3))
    def test_what_a_charge_costs(self, n, level, frugal, trust):
        """The closed form is that of Theorem Q2, and M times the last term of (1')."""
        q, tau, p = level
        arms, tau, q = two_atoms(p, q), tau / 100, q / 100
        found = frugal_pulls(arms, tau, n, frugal)[0]
        assert kl_qucb_plus_pulls(arms, tau, n)[0] - ADDED <= found
        assert found <= frugal_pulls(arms, tau, n, frugal, trust=trust)[0] + ADDED
        assert found <= frugal_pulls(arms, tau, n, frugal, horizon=10)[0] + ADDED
        closed = frugal_closed_form(arms, tau, n, frugal)[0]
        assert found <= closed + ADDED
        x, rho = math.exp(-bernoulli_kl(tau, q)), q * (1 - tau) / (tau * (1 - q))
        last = min((1 - tau) * x / (1 - x) ** 2 + x / (1 - x), x / ((1 - x) * (1 - rho)))
        added = closed - kl_qucb_plus_closed_form(arms, tau, n)[0]
        assert added == pytest.approx(2 * frugal * last)
        assert frugal_pulls(arms, tau, n, 0, trust=trust) == pytest.approx(
            hedged_pulls(arms, tau, n, trust)
        )

    @FEWER
    @given(st.integers(1, 2000), levels)
    def test_what_hedging_and_delay_cost(self, n, level):
        q, tau, p = level
        arms, tau = two_atoms(p, q), tau / 100
        own, plus = kl_qucb_pulls(arms, tau, n), kl_qucb_plus_pulls(arms, tau, n)
        assert hedged_pulls(arms, tau, n, 0.0).tolist() == plus.tolist()
        assert hedged_pulls(arms, tau, n, 0.0, plus=False).tolist() == own.tolist()
        assert delayed_pulls(arms, tau, n, 0, plus=True).tolist() == plus.tolist()
        assert plus[0] + 4 - ADDED <= delayed_pulls(arms, tau, n, 4, plus=True)[0]
        for evidence in ("asked", "seen"):
            assert delayed_pulls(arms, tau, n, 0, evidence=evidence).tolist() == own.tolist()
        seen, asked = (delayed_pulls(arms, tau, n, 4, evidence=e)[0] for e in ("seen", "asked"))
        assert own[0] + 4 - ADDED <= seen <= asked + ADDED
        assert plus[0] <= hedged_pulls(arms, tau, n, 0.5)[0] <= plus[0] * math.exp(0.5) + ADDED

    def test_delay_as_it_is_stated_for_large_delays(self):
        """1 + D + ln n/kl(r, τ) + (D+1)/(e^(kl(r, p)) − 1) + the second sum, r = 0.97."""
        arms, n, late = two_atoms(99, 85), 5000, 20
        kl = [naive_kl(0.97, 0.95), naive_kl(0.97, 0.99)]
        best = 2 + late + math.log(n) / kl[0] + (late + 1) / math.expm1(kl[1])
        second = kl_qucb_pulls(arms, 0.95, n)[0] - 1  # with the first sum, which is positive
        assert delayed_pulls(arms, 0.95, n, late, evidence="seen")[0] <= best + second

    @pytest.mark.parametrize("bound", SUMS)
    def test_what_is_left_out_is_added(self, monkeypatch, bound):
        """Sums that end early are larger, not smaller, and not by more than the closed form."""
        arms, n = two_atoms(99, 90), 1000
        whole = bound(arms, 0.95, n)[0]
        for error, most in ((1.0, 2**15), (1e-7, 200), (1e-7, 48)):
            monkeypatch.setattr(binomial_sums, "ERROR", error)
            monkeypatch.setattr(binomial_sums, "MOST_TERMS", most)
            early = bound(arms, 0.95, n)[0]
            assert whole - 1e-9 <= early <= CLOSED[SUMS.index(bound)](arms, 0.95, n)[0] + ADDED


def naive_kl(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


class TestAssumption:
    @pytest.mark.parametrize("bound", [*SUMS, *CLOSED, imed_lattice_pulls])
    def test_an_exact_tie(self, bound):
        """95 % of the first arm's counts are 0 or 1, and the best p95 is 2: Q_j⁺ = u*."""
        with pytest.raises(AssumptionError, match=r"arm 0, Empirical\(100 values from 0 to 2\)"):
            bound(INSTANCES["exact-tie"].arms, 0.95, 1000)
        assert np.isfinite(bound(INSTANCES["ties"].arms, 0.95, 1000)).tolist() == [
            True,
            False,
            True,
        ]

    def test_an_arm_that_is_flat_at_the_level(self):
        """Half on [0, 1], half on [3, 4]: the median is 1, the upper one 3."""
        flat = Mixture([Uniform(0, 1), Uniform(3, 4)], [0.5, 0.5])
        for low, high in ((1, 3), (2, 4)):  # medians 2 and 3: not above 3
            with pytest.raises(AssumptionError, match="arm 1, Mixture"):
                kl_qucb_pulls([Uniform(low, high), flat], 0.5, 100)
        assert kl_qucb_pulls([Uniform(3, 4), flat], 0.5, 100)[1] < 100

    def test_costs_of_a_flat_arm(self):
        """Its lower median is the lowest cost, its upper one is not: no bound either way."""
        flat = Mixture([Uniform(0, 1), Uniform(3, 4)], [0.5, 0.5])
        with pytest.raises(AssumptionError, match="arm 1, Uniform"):
            kl_qucb_pulls([flat, Uniform(1, 3)], 0.5, 100, minimize=True)
        counts = [Empirical([0, 1, 3, 4]), Empirical([1, 2, 2, 3])]  # the upper ones: 3 and 2
        with pytest.raises(AssumptionError, match="arm 0, Empirical"):
            kl_qucb_pulls(counts, 0.5, 100, minimize=True)

    def test_mass_just_below(self):
        with pytest.raises(AssumptionError, match=r"without mass just below .* arm 0, Uniform"):
            imed_lattice_pulls(UNIFORMS, 0.5, 100)

    def test_hardly_a_gap(self):
        with pytest.raises(AssumptionError, match="no bound for arm 0"):
            kl_qucb_pulls([Normal(0, 1), Normal(1e-13, 1)], 0.9, 100)


def test_several_best_arms():
    """The one that is seldom below a threshold counts."""
    wide, narrow = Uniform(-3, 5), Uniform(0.9, 1.1)
    arms = [Normal(-1, 0.5), narrow, wide]
    both = kl_qucb_pulls(arms, 0.5, 1000)
    assert both.tolist()[1:] == [math.inf, math.inf]
    alone = [kl_qucb_pulls([arms[0], best], 0.5, 1000)[0] for best in (narrow, wide)]
    assert both[0] <= min(alone) * 1.01
    assert min(alone) == alone[0]
    assert kl_qucb_pulls([Normal(0, 1)] * 2, 0.5, 10).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("bound", [*SUMS, *CLOSED])
def test_costs_are_negated_rewards(bound):
    costs = [Normal(-arm.loc, arm.scale) for arm in PAPER]
    found = bound(costs, 0.05, 2000, minimize=True)
    assert found == pytest.approx(bound(PAPER, 0.95, 2000), rel=1e-6)
    counts = [Empirical([-2.0] * 1 + [0.0] * 99), Empirical([-1.0] * 15 + [0.0] * 85)]
    found = bound(counts, 0.05, 300, minimize=True)
    assert found == pytest.approx(bound(two_atoms(99, 85), 0.95, 300), rel=1e-9)


class TestConstants:
    def test_they_are_those_of_the_lower_bound(self):
        """Without atoms at u*, F_j(u*−) = F_j(u*)."""
        for arms in (PAPER, INSTANCES["far-apart"].arms):
            found = asymptotic_pulls(arms, 0.95)
            below = np.isfinite(found)
            assert found[below] == pytest.approx(quantile_pulls(arms, 0.95)[below], rel=1e-9)

    def test_an_atom_at_the_best_quantile(self):
        """Counts 0, 1, 2: the best p95 is 2, and 96 % of the first arm's are below it."""
        found = asymptotic_pulls(INSTANCES["ties"].arms, 0.95)
        assert found[[0, 2]] == pytest.approx(
            [1 / naive_kl(0.96, 0.95), 1 / naive_kl(0.97, 0.95)], rel=1e-9
        )
        assert np.all(found > quantile_pulls(INSTANCES["ties"].arms, 0.95))

    def test_bounds_grow_like_them(self):
        """At n = 10⁶ and 10⁹, for arms on two atoms, where p is F_j(u*−): the slope in ln n."""
        arms = two_atoms(99, 85)
        for bound in (kl_qucb_pulls, quantile_ts_pulls):
            low, high = (bound(arms, 0.95, n)[0] for n in (10**6, 10**9))
            slope = (high - low) / math.log(10**3)
            assert slope == pytest.approx(1 / naive_kl(0.99, 0.95), rel=0.05)


def test_bad_values():
    for bound in (*SUMS, *CLOSED):
        for n in (0, -1, 2.5):
            with pytest.raises(ParameterError, match="n must be a whole number, 1 or more; got"):
                bound(PAPER, 0.95, n)
        with pytest.raises(ParameterError, match="tau must be a finite number > 0 and < 1; got 1"):
            bound(PAPER, 1, 100)
        with pytest.raises(ParameterError, match="one arm or more; got none"):
            bound([], 0.5, 100)
    with pytest.raises(ParameterError, match="trust must be a finite number ≥ 0 and ≤ 20; got -1"):
        hedged_pulls(PAPER, 0.95, 100, -1)
    with pytest.raises(ParameterError, match="late must be a whole number, 0 or more; got -1"):
        delayed_pulls(PAPER, 0.95, 100, -1)
    with pytest.raises(ParameterError, match="evidence must be one of 'asked', 'seen'"):
        delayed_pulls(PAPER, 0.95, 100, 1, evidence="all")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tau", [1e-12, 1e-6, 1 - 1e-6, 1 - 1e-9])
def test_levels_far_out(tau):
    """Nothing overflows; all rounds may be needed, and the bounds say so."""
    for bound in (*SUMS, *CLOSED):
        pulls = bound([Normal(0, 1), Normal(1, 1)], tau, 300)
        assert 300 < pulls[0] < math.inf


# --- which theorem covers a policy ---------------------------------------------------------------

COVERED = {
    uh.KLQUCB(0.95): ("Theorem Q1", quantile_policies.kl_qucb_pulls),
    uh.KLQUCB(0.95, plus=True): ("Theorem Q2", quantile_policies.kl_qucb_plus_pulls),
    uh.QuantileIMED(0.95): ("Theorem Q2", quantile_policies.kl_qucb_plus_pulls),
    uh.QuantileTS(0.95): ("Theorem Q3", quantile_policies.quantile_ts_pulls),
}
FAR = [uh.Normal(0, 1), uh.Normal(3, 1)]
LATTICE = [uh.Empirical([0] * 60 + [1] * 30 + [2] * 10), uh.Empirical([0] * 20 + [1] * 80)]


@pytest.mark.parametrize("policy", COVERED, ids=str)
def test_each_policy_has_its_theorem(policy):
    name, bound = COVERED[policy]
    assert quantile_policies.theorem(policy) == name
    assert policy in quantile_policies.covered(0.95).values()
    stated = bound(PAPER, 0.95, 5000)
    assert quantile_policies.pulls(policy, PAPER, 5000).tolist() == stated.tolist()
    # The p95s are 0.1 + 1.6449 · 0.05, 1.6449 · 0.15 and 0.04 + 1.6449 · 0.08.
    gaps = np.array([1.6448536 * 0.10 - 0.1, 0, 1.6448536 * 0.07 - 0.04])
    total = np.sum(gaps[[0, 2]] * stated[[0, 2]])
    assert quantile_policies.regret(policy, PAPER, 5000) == pytest.approx(total, rel=1e-6)
    assert total > quantile_regret(PAPER, 0.95) * np.log(5000)


@pytest.mark.parametrize(
    ("policy", "plus"),
    [
        (uh.KLQUCB(0.95, trust=1.5), False),
        (uh.KLQUCB(0.95, plus=True, trust=1.5), True),
        (uh.QuantileIMED(0.95, trust=1.5), True),
    ],
    ids=["KL-QUCB", "KL-QUCB+", "IMED"],
)
def test_with_trust_it_is_theorem_q5(policy, plus):
    assert quantile_policies.theorem(policy) == "Theorem Q5"
    found, stated = (
        quantile_policies.pulls(policy, FAR, 2000),
        quantile_policies.hedged_pulls(FAR, 0.95, 2000, 1.5, plus=plus),
    )
    assert found.tolist() == stated.tolist()
    assert found[0] > quantile_policies.pulls(policy.replace(trust=0.0), FAR, 2000)[0]


def test_nothing_is_pulled_more_often_than_there_are_rounds():
    close = [uh.Normal(0, 1), uh.Normal(0.001, 1)]
    assert quantile_policies.kl_qucb_pulls(close, 0.95, 100)[0] > 100
    assert quantile_policies.pulls(uh.KLQUCB(0.95), close, 100).tolist() == [100, np.inf]


def test_imed_has_the_better_of_two_bounds():
    """Of counts 0, 1 and 2 at the median: 0 and 1, and 90 % of the first arm's are up to 1."""
    general, lattice = (
        bound(LATTICE, 0.5, 1000)[0]
        for bound in (quantile_policies.kl_qucb_plus_pulls, quantile_policies.imed_lattice_pulls)
    )
    assert lattice < general
    assert quantile_policies.pulls(uh.QuantileIMED(0.5), LATTICE, 1000)[0] == lattice
    assert quantile_policies.pulls(uh.KLQUCB(0.5, plus=True), LATTICE, 1000)[0] == general


def test_a_curve():
    policy, rounds = uh.KLQUCB(0.95), [[100, 10], [1, 100]]
    curve = quantile_policies.regret_curve(policy, PAPER, rounds)
    assert curve.shape == (2, 2)
    assert curve[0, 0] == curve[1, 1] == quantile_policies.regret(policy, PAPER, 100)
    assert curve[0, 0] > curve[0, 1] > curve[1, 0] > 0
    with pytest.raises(ParameterError, match="rounds must be whole numbers; got"):
        quantile_policies.regret_curve(policy, PAPER, [1.5])


def test_costs_whose_upper_quantile_is_as_low():
    """Costs 0 and 2, half each: the lower median is 0, the upper one 2, as of the other arm.

    The policy estimates the upper one, so it cannot tell the second arm from the first.
    """
    arms = [uh.Empirical([0, 2]), uh.Empirical([2])]
    with pytest.raises(AssumptionError, match=r"arm 1, Empirical.*: its costs have an upper 0.5-q"):
        quantile_policies.regret(uh.KLQUCB(0.5), arms, 100, minimize=True)


def test_policies_without_a_theorem():
    assert quantile_policies.theorem(uh.ACPUCB1(0.1)) is None
    for call in (quantile_policies.pulls, quantile_policies.regret, quantile_policies.regret_curve):
        with pytest.raises(AssumptionError, match=r"no bound of ours on the regret of UCB1\("):
            call(uh.UCB1(), PAPER, 100)
        with pytest.raises(ParameterError, match="policy must be one such as"):
            call("KLQUCB", PAPER, 100)


def test_policies_with_a_sketch_have_no_theorem():
    for policy in (
        uh.KLQUCB(sketch=64),
        uh.QuantileIMED(sketch=64, trust=3),
        uh.QuantileTS(sketch=64),
    ):
        assert quantile_policies.theorem(policy) is None
        with pytest.raises(ParameterError, match="that keep all rewards; got sketch=64"):
            quantile_policies.pulls(policy, PAPER, 100)


def test_pulls_of_each_arm():
    """By hand: p50s 0, 2 and 1, so 2 · 3 + 1 · 5."""
    assert quantile_policies.regret(uh.KLQUCB(0.5), [uh.Normal(0, 1)] * 2, 100) == 0.0
    arms = [uh.Normal(0, 1), uh.Normal(2, 1), uh.Normal(1, 1)]
    assert quantile_policies.regret_of([3, np.inf, 5], arms, 0.5) == pytest.approx(11)
    with pytest.raises(ParameterError, match=r"pulls must be one number an arm; got \[3, 5\]"):
        quantile_policies.regret_of([3, 5], arms, 0.5)
