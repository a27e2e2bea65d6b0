"""The side conditions of Theorem 1: each turns at its own threshold, and no other one does."""

import math

import pytest

from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory.assumption_1 import LocalConstants
from upperhand.theory.theorem_1 import b_0, s_loc, side_conditions

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
    assert [(x.has, x.needs) for x in found] == [
        (0.125, 0.125),
        (32, 32),
        (0.25, 0.25),
        (0.25, 0.25),
        (2, 2),
        (6, 6),
    ]
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


def test_the_settings_of_the_papers_experiments_are_outside_the_theorem():
    """b = λ = 1, 2 initial pulls, n = 10⁴, with the constants of catalogue, section 2, item 12."""
    constants = LocalConstants(2.968e-4, 7.98, 5.936e-4, 0.01878, 0.01878)
    gaps = [0.06449, 0.0, 0.07514]
    found = side_conditions(gaps, constants, b=1, lam=1, init=2, horizon=10_000)
    assert [x.holds for x in found] == failing(B, LAMBDA, R_Y, R_S, INIT, HORIZON)
    wider = constants._replace(r_y=0.019, r_s=0.019)
    found = side_conditions(gaps, wider, b=1, lam=1, init=2, horizon=10_000)
    assert [x.holds for x in found] == failing(B, LAMBDA, INIT, HORIZON)


def test_one_arm():
    """Nothing is behind the best arm, so nothing is asked of the radii."""
    found = side_conditions([0.0], CONSTANTS, **SETTINGS)
    assert [x.holds for x in found] == [True] * 6


def test_refused():
    with pytest.raises(AssumptionError, match="needs one best arm"):
        verdicts([0.0, 0.0, 1.0])
    with pytest.raises(ParameterError, match="lam must be a finite number ≥ 0"):
        verdicts(lam=-1)
    with pytest.raises(ParameterError, match="b must be a finite number > 0"):
        verdicts(b=0)
    with pytest.raises(ParameterError, match="horizon must be a whole number"):
        verdicts(horizon=6.0)
