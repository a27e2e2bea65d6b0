"""Theorem 1: its constants by hand, its smallest horizon by brute force, its side conditions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory import theorem_1
from upperhand.theory.assumption_1 import LocalConstants
from upperhand.theory.theorem_1 import (
    REMAINDER,
    b_0,
    b_of_the_proof,
    b_without_adaptation,
    lambda_max,
    leading_pulls,
    proof_exponents,
    pull_bound,
    regret_bound,
    rho,
    s_loc,
    side_conditions,
    smallest_horizon,
    unique_gaps,
)

from .instances import PROPERTY

positive = st.floats(1e-6, 1e6)


class TestConstants:
    def test_by_hand(self):
        assert theorem_1.h_min(0.5, 0.25) == 0.25
        assert rho(0.2, 0.5) == 0.1
        assert rho(0.2, 0.05) == 0.05
        assert b_0(0.5, 2.0) == b_0(2.0, 0.5) == 128
        assert lambda_max(128, 0.5) == 16
        assert s_loc(1000, 128, 0.1) == 707355  # 128² / 0.16 = 102 400; times ln 1000 = 6.907755…
        assert s_loc(1, 128, 0.1) == 2
        assert b_without_adaptation(0.5) == 2 * math.sqrt(8)

    @PROPERTY
    @given(horizon=st.integers(1, 10**9), f=positive, g=positive, r_y=positive, r_s=positive)
    def test_the_policy_of_the_theorem_takes_them(self, horizon, f, g, r_y, r_s):
        b = b_0(f, g)
        pulls = s_loc(horizon, b, rho(r_y, r_s))
        if pulls > 2**62:
            return
        policy = theorem_1.admissible_policy(horizon, f_min=f, g_min=g, r_y=r_y, r_s=r_s)
        assert (policy.b, policy.lam, policy.init) == (b, lambda_max(b, g), pulls)

    def test_the_policy_keeps_its_other_settings_and_pulls_twice_at_least(self):
        constants = {"f_min": 1e3, "g_min": 1e3, "r_y": 1, "r_s": 1}
        policy = theorem_1.admissible_policy(2, **constants, alpha=0.2, eta=0)
        assert (policy.alpha, policy.eta, policy.init) == (0.2, 0.0, 2)

    @PROPERTY
    @given(h=positive)
    def test_the_exponents_at_b_0(self, h):
        """Catalogue, claim 17: t^−512, t^−128 and t^−32."""
        assert proof_exponents(b_0(h, h), h, h) == pytest.approx((512, 128, 32))

    @PROPERTY
    @given(f=positive, g=positive)
    def test_the_least_b_of_the_proof(self, f, g):
        b = b_of_the_proof(f, g)
        assert min(proof_exponents(b, f, g)) == pytest.approx(4)
        assert min(proof_exponents(b * 0.999, f, g)) < 4
        assert b <= b_0(f, g)

    @PROPERTY
    @given(b=positive, f=positive, g=positive, log_t=st.floats(0.1, 20), s=st.integers(2, 10**6))
    def test_the_exponents_are_those_of_lemmas_2_and_3(self, b, f, g, log_t, s):
        """The proof takes ε = a/4, a = b √(ln t / s), and m = s: the sample size cancels."""
        square = b * b * log_t / s / 16
        exponents = 2 * s * square * f * f, s * square * g * g / 2, s * square * f * f / 8
        found = [x * log_t for x in proof_exponents(b, f, g)]
        assert found == pytest.approx(exponents, rel=1e-9)

    @PROPERTY
    @given(f=positive)
    def test_without_adaptation_lemma_2_alone_must_reach_4(self, f):
        """After s_loc(n) pulls a ≤ 4ρ ≤ 2 r_y, so ε = a/2: 2 s ε² f² = b² f² ln t / 2 ≥ 4 ln t."""
        assert b_without_adaptation(f) ** 2 * f * f / 2 == pytest.approx(4)


class TestSmallestHorizon:
    @staticmethod
    def enough(n, arms, rate):
        return n >= arms * max(2, math.ceil(rate * math.log(n)))

    def test_against_brute_force(self):
        rng = np.random.default_rng(0)
        for _ in range(400):
            arms, rate = int(rng.integers(1, 8)), float(10 ** rng.uniform(-2, 1.3))
            radius = float(10 ** rng.uniform(-3, 1))
            found = smallest_horizon(arms, 4 * radius * math.sqrt(rate), radius)
            brute = next(n for n in range(1, 10**6) if self.enough(n, arms, rate))
            assert found == brute, (arms, rate)

    @PROPERTY
    @given(arms=st.integers(1, 50), rate=st.floats(1e-3, 1e12))
    def test_enough_there_and_not_just_before(self, arms, rate):
        """And not at twenty places further down, as n − K s_loc(n) might have risen earlier."""
        b = 4 * math.sqrt(rate)
        n = smallest_horizon(arms, b, 1.0)
        assert n >= arms * s_loc(n, b, 1.0)
        for smaller in {n - 1, n - arms, *np.geomspace(1, n - 1, 20).astype(int).tolist()}:
            if 1 <= smaller < n:
                assert smaller < arms * s_loc(smaller, b, 1.0)

    def test_two_pulls_each_at_least(self):
        assert smallest_horizon(1, 1e-6, 1.0) == 2
        assert smallest_horizon(7, 1e-6, 1.0) == 14

    def test_more_pulls_than_can_be_counted(self):
        assert smallest_horizon(2, 1e60, 1e-30) > 1e170
        with pytest.raises(AssumptionError, match="more initial pulls than can be counted"):
            smallest_horizon(2, 1e60, 1e-60)
        with pytest.raises(AssumptionError, match="more initial pulls than can be counted"):
            s_loc(10, 1e300, 1e-300)


class TestBounds:
    @PROPERTY
    @given(
        n=st.integers(1, 10**12),
        b=st.floats(1e-3, 1e6),
        gap=st.floats(1e-6, 1e3),
        slack=st.tuples(st.floats(1, 100), st.floats(1, 100)),
    )
    def test_s_0_is_covered_by_the_leading_term(self, n, b, gap, slack):
        """Catalogue, claim 9: r_y and r_s ≥ Δ/4 give s_0 ≤ (4 b² ln n / Δ² + 1) ∨ 2."""
        radius = rho(slack[0] * gap / 4, slack[1] * gap / 4)
        leading = 4 * b * b * math.log(n) / gap / gap
        assert s_loc(n, b, radius) <= max(leading * (1 + 1e-12) + 1, 2)

    def test_by_hand(self):
        """4 · 2² · ln 100 / 0.5² = 64 ln 100 = 294.73…"""
        assert leading_pulls(100, 2, 0.5) == pytest.approx(64 * 4.605170185988092)
        assert pull_bound(100, 2, 0.5) == pytest.approx(64 * 4.605170185988092 + REMAINDER)
        assert leading_pulls(1, 2, 0.5) == 0

    def test_the_remainder(self):
        """⌈x⌉ ∨ 2 ≤ x + 2. Each of E_1 and E_2 has at most (2 + 2 + 4) t⁻⁴; Σ t² t⁻⁴ = π²/6."""
        t = np.arange(1, 10**6, dtype=float)
        triple = 2 * (2 + 2 + 4) * (np.sum(t**-2) + 1e-6)
        assert pytest.approx(2 + triple, abs=1e-4) == REMAINDER
        x = np.linspace(0, 9, 1001)
        assert np.all(np.maximum(np.ceil(x), 2) <= x + 2)

    @PROPERTY
    @given(
        gaps=st.lists(st.floats(1e-3, 10), min_size=0, max_size=6),
        place=st.integers(0, 6),
        n=st.integers(1, 10**9),
        b=st.floats(0.1, 1e4),
    )
    def test_the_regret_bound_is_the_sum_over_arms(self, gaps, place, n, b):
        every = [*gaps[:place], 0.0, *gaps[place:]]
        total = sum(gap * (4 * b * b * math.log(n) / gap**2 + REMAINDER) for gap in gaps)
        assert regret_bound(n, b, every) == pytest.approx(total)
        assert unique_gaps(every).tolist() == gaps

    def test_arrays_of_horizons_and_gaps(self):
        rounds, gaps = np.array([[10.0], [100.0]]), np.array([0.1, 0.2, 0.4])
        table = pull_bound(rounds, 3, gaps)
        assert table.shape == (2, 3)
        assert table[1, 2] == pull_bound(100, 3, 0.4)
        assert isinstance(pull_bound(100, 3, 0.4), float)
        horizons, gaps = [100, 1000, 10_000], [0.0, 0.5, 0.25]
        each = [regret_bound(n, 2, gaps) for n in horizons]
        assert regret_bound(horizons, 2, gaps).tolist() == each
        assert isinstance(each[0], float)
        assert theorem_1.least_radius(gaps) == 0.125
        assert theorem_1.least_radius([0.0]) == 0

    def test_the_smallest_horizon_may_be_given_back(self):
        """Beyond 2⁶⁴ a whole number is no NumPy integer; it is a horizon all the same."""
        n = smallest_horizon(3, 1e12, 1e-3)
        assert n > 2**64
        assert leading_pulls(n, 1e12, 0.1) == pytest.approx(4e26 * math.log(n))
        assert regret_bound(n, 1e12, [0.0, 0.1]) == pytest.approx(4e25 * math.log(n))

    def test_the_best_arm_must_be_unique(self):
        for gaps in ([0.0, 0.0, 0.1], [0.1, 0.2], [0, 0], []):
            with pytest.raises(AssumptionError, match=r"needs one best arm, with gap 0; got"):
                regret_bound(100, 1, gaps)

    def test_out_of_range(self):
        for call, message in (
            (lambda: b_0(0, 1), "f_min must be a finite number > 0"),
            (lambda: b_0(1, math.inf), "g_min must be a finite number > 0"),
            (lambda: b_of_the_proof(1, -1), "g_min must be a finite number > 0"),
            (lambda: b_without_adaptation(0), "f_min must be a finite number > 0"),
            (lambda: proof_exponents(0, 1, 1), "b must be a finite number > 0"),
            (lambda: lambda_max(-1, 1), "b must be a finite number > 0"),
            (lambda: rho(0, 1), "r_y must be a finite number > 0"),
            (lambda: rho(1, "1"), "r_s must be a finite number > 0"),
            (lambda: s_loc(0, 1, 1), "horizon must be a whole number, 1 or more"),
            (lambda: s_loc(10, 1, 0), "rho must be a finite number > 0"),
            (lambda: smallest_horizon(0, 1, 1), "arms must be a whole number, 1 or more"),
            (lambda: leading_pulls(0, 1, 1), r"horizon must be (?:a )?finite numbers? ≥ 1"),
            (
                lambda: pull_bound(10, 1, [0.1, 0]),
                r"gaps must be (?:a )?finite numbers? > 0; got 0.0 as gaps\[1\]",
            ),
            (lambda: regret_bound(10, 1, [0, -1]), r"gaps must be (?:a )?finite numbers? ≥ 0"),
        ):
            with pytest.raises(ParameterError, match=message):
                call()


# --- side conditions: each turns at its own threshold, and no other one does ----------------------

B, LAMBDA, R_Y, R_S, INIT, HORIZON = range(6)  # the order in which they are reported

# By hand: b_0 = 64 / 512 = 1/8; λ ≤ (1/8) · 1024 / 4 = 32; Δ/4 = 1/4 = r_y = r_s; ρ = 1/8;
# s_0 = ⌈(1/64) ln n / (16/64)⌉ ∨ 2 = ⌈ln n / 16⌉ ∨ 2 = 2 up to n = e³²; K s_0 = 6.
CONSTANTS = LocalConstants(f_min=512, f_max=1e4, g_min=1024, r_y=0.25, r_s=0.25)
SETTINGS = {"b": 0.125, "lam": 32.0, "init": 2, "horizon": 6}
GAPS = [0.5, 0.0, 1.0]


def verdicts(gaps=GAPS, constants=CONSTANTS, **changed):
    return [x.holds for x in side_conditions(gaps, constants, **(SETTINGS | changed))]


def failing(*which):
    return [i not in which for i in range(6)]


def test_all_hold_at_their_thresholds():
    found = side_conditions(GAPS, CONSTANTS, **SETTINGS)
    assert [x.holds for x in found] == [True] * 6
    assert [x.has for x in found] == [x.needs for x in found] == [0.125, 32, 0.25, 0.25, 2, 6]
    assert [x.statement for x in found] == [
        "b ≥ b_0 = 64 / h_min",
        "0 < λ ≤ b g_min / 4",
        "r_y ≥ max Δ_j / 4",
        "r_s ≥ max Δ_j / 4",
        "initial pulls = s_0 = s_loc(n)",
        "n ≥ K s_0",
    ]


def test_each_fails_just_beyond_its_own():
    below = math.nextafter
    assert verdicts(b=below(0.125, 0), lam=1.0) == failing(B)
    assert verdicts(constants=CONSTANTS._replace(f_min=below(512, 0))) == failing(B)
    assert verdicts(constants=CONSTANTS._replace(g_min=below(512, 0)), lam=1.0) == failing(B)
    assert verdicts(lam=below(32, 99)) == failing(LAMBDA)
    assert verdicts(lam=0) == failing(LAMBDA)
    assert verdicts(constants=CONSTANTS._replace(g_min=below(1024, 0))) == failing(LAMBDA)
    assert verdicts(constants=CONSTANTS._replace(r_y=below(0.25, 0))) == failing(R_Y)
    assert verdicts(constants=CONSTANTS._replace(r_s=below(0.25, 0))) == failing(R_S)
    assert verdicts([0.5, 0.0, below(1, 2)]) == failing(R_Y, R_S)
    assert verdicts(init=1) == failing(INIT)
    assert verdicts(init=3) == failing(INIT)
    assert verdicts(horizon=5) == failing(HORIZON)
    assert verdicts([0.5, 0.0, 1.0, 0.1]) == failing(HORIZON)


def test_the_widest_gap_counts_and_all_arms_do():
    found = side_conditions([0.0, 0.2, 0.8, 0.4], CONSTANTS, **SETTINGS)
    assert [x.needs for x in found][R_Y:] == [0.2, 0.2, 2, 8]
    assert verdicts([0.0]) == [True] * 6  # one arm, so nothing is required of the radii


def test_more_than_two_initial_pulls():
    """f = g = 1, r_y = 1 and r_s = 2: b_0 = 64, ρ = 1/2, s_0 = ⌈1024 ln n⌉ = 9432 at n = 10⁴."""
    constants = LocalConstants(1, 1, 1, 1, 2)
    b = b_0(1, 1)
    found = side_conditions([0, 1], constants, b=b, lam=16, init=9432, horizon=10_000)
    assert [x.holds for x in found] == failing(HORIZON)
    assert found[INIT].needs == 9432 == math.ceil(1024 * 9.210340371976184)
    enough = 25_000
    init = s_loc(enough, b, 0.5)
    found = side_conditions([0, 1], constants, b=b, lam=16, init=init, horizon=enough)
    assert all(x.holds for x in found)


def test_refused_settings():
    with pytest.raises(AssumptionError, match="needs one best arm"):
        verdicts([0.0, 0.0, 1.0])
    with pytest.raises(ParameterError, match="lam must be a finite number ≥ 0"):
        verdicts(lam=-1)
    with pytest.raises(ParameterError, match="b must be a finite number > 0"):
        verdicts(b=0)
    with pytest.raises(ParameterError, match="horizon must be a whole number"):
        verdicts(horizon=6.0)
