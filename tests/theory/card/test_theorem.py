"""Theorem 1 on the card: never the theorem's constants for the settings, nor the reverse."""

import math

import pytest

import upperhand as uh
from upperhand.errors import AssumptionError
from upperhand.theory import theorem_1
from upperhand.theory.card import no_adaptation_part, theorem_part

HEADLINE = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
UNIFORM = [uh.Uniform(0, 1), uh.Uniform(0.9796, 1.9796)]


@pytest.fixture(scope="module")
def part():
    return theorem_part(HEADLINE, uh.ACPUCB1(0.1), 10_000, None, None)


def test_the_papers_arms(part):
    """The appendix's constants: f_min = φ(z_max + r/.05)/.15, g_min the double; b_0 = 64/f_min."""
    appendix = part["constants"]["appendix"]
    assert appendix["r_y"] == appendix["r_s"] == pytest.approx(0.07513975 / 4)
    assert appendix["f_min"] == pytest.approx(2.968e-4, rel=1e-3)
    assert appendix["g_min"] == pytest.approx(2 * appendix["f_min"])
    assert part["needs"]["appendix"]["b"] == pytest.approx(64 / appendix["f_min"])
    assert part["needs"]["appendix"]["horizon"] == pytest.approx(3.538e15, rel=1e-3)
    assert part["trivial_regret"] == pytest.approx(751.3975)


def test_each_reading_asks_for_less(part):
    """The proof takes f at the nominal quantiles only: there √128 / g_min decides."""
    asked = [part["needs"][source]["b"] for source in ("appendix", "best", "proof")]
    assert asked == sorted(asked, reverse=True)
    assert asked[2] == pytest.approx(math.sqrt(128) / part["constants"]["best"]["g_min"])


def test_pulls_and_regret_by_the_theorems_formula(part):
    needs, gaps = part["needs"]["best"], uh.UpperTail(0.1).gaps(HEADLINE)
    assert needs["pulls"][1] is None
    pulled = [pulls * gap for pulls, gap in zip(needs["pulls"], gaps, strict=True) if pulls]
    assert sum(pulled) == pytest.approx(needs["regret"])
    assert needs["regret"] == pytest.approx(theorem_1.regret_bound(10_000, needs["b"], gaps))


def test_radii_too_small_for_the_formula():
    """With radii below Δ/4 the initial pulls alone may exceed it."""
    part = theorem_part(HEADLINE, uh.ACPUCB1(0.1), 10_000, 0.001, 0.001)
    assert part["needs"]["best"]["regret"] is None
    assert part["needs"]["best"]["pulls"] == [None] * 3


def test_without_adaptation():
    """The least density within r of the p95 is at its far end, of the arm with the widest law."""
    part = no_adaptation_part(HEADLINE, 0.1, None)
    radius = 0.07513975 / 4
    densities = [arm.pdf(arm.quantile(0.95) + radius) for arm in HEADLINE]
    assert part["f_min"] == pytest.approx(min(densities), rel=1e-6)
    assert part["b"] == pytest.approx(math.sqrt(8) / min(densities), rel=1e-6)
    assert part["horizon"] == theorem_1.smallest_horizon(3, part["b"], part["r_y"] / 2)
    assert part["init"] == theorem_1.s_loc(part["horizon"], part["b"], part["r_y"] / 2)


def test_without_adaptation_one_density_is_enough():
    """Exponential arms have none below 0, which is within the radius of the lower quantiles."""
    arms = [uh.Exponential(1), uh.Exponential(2)]
    assert no_adaptation_part(arms, 0.1, None)["b"] > 0
    with pytest.raises(AssumptionError, match=r"\(a\) fails.* Theorem 1 needs radii of at least"):
        theorem_part(arms, uh.ACPUCB1(0.1), 10_000, None, None)


def test_the_settings_are_the_policys(part):
    assert part["settings"] == {"b": 1.0, "lam": 1.0, "init": 2, "horizon": 10_000}
    assert [each["holds"] for each in part["conditions"]] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert part["logarithmic_constants"] == []


def test_a_bound_that_any_policy_meets_is_empty(part):
    """n · max Δ is 751.4 at n = 10⁴; where the formula is below it, the bound says something."""
    assert all(needs["empty"] for needs in part["needs"].values())
    policy = uh.ACPUCB1(0.5, level_min=0.49, level_max=0.51)
    for n, empty in ((10**4, True), (10**9, False)):
        needs = theorem_part(UNIFORM, policy, n, None, None)["needs"]["best"]
        assert needs["empty"] == (needs["regret"] > n * 0.9796) == empty


def test_settings_that_the_theorem_covers():
    policy = uh.ACPUCB1(0.5, b=64, level_min=0.49, level_max=0.51, init=222_246)
    part = theorem_part(UNIFORM, policy, 450_000, None, None)
    assert all(each["holds"] for each in part["conditions"])
    assert list(part["constants"]) == ["best"]
    assert part["needs"]["best"]["init"] == policy.init


def test_radii_of_ones_own():
    policy = uh.ACPUCB1(0.1, level_min=0.05, level_max=0.2)
    part = theorem_part(HEADLINE, policy, 10_000, 0.01, 0.02)
    for constants in part["constants"].values():
        assert (constants["r_y"], constants["r_s"]) == (0.01, 0.02)
    assert part["window"] == [0.05, 0.2]
    assert part["conditions"][2]["holds"] is False


def test_without_a_bonus_there_is_nothing_to_hold_against_the_theorem():
    assert theorem_part(HEADLINE, uh.ACPUCB1(0.1, b=0), 10_000, None, None)["conditions"] == []


def test_one_arm_for_both_objectives():
    """γ^UCB = max{256 · 1/1, 8}; r = 1 + a(2 − 1); γ^ACP = 4 b_0²/(1 + a)²."""
    policy = uh.ACPUCB1(0.1, level_min=0.05, level_max=0.15)
    part = theorem_part([uh.Normal(0, 1), uh.Normal(1, 2)], policy, 10_000, None, None)
    (constants,) = part["logarithmic_constants"]
    b = part["needs"]["best"]["b"]
    assert constants["arm"] == 0
    assert constants["gamma_ucb"] == 256
    assert constants["gap_ratio"] == pytest.approx(2.6448536)
    assert constants["gamma_acp"] == pytest.approx(4 * b * b / 2.6448536**2)
    assert constants["least_gap_ratio"] == pytest.approx(b / 8)
