"""What Theorem 1 covers, and settings and arms that it would cover."""

import pytest

import upperhand as uh
from reproductions.claims import cases, coverage
from reproductions.claims.cases import figure_1_constants
from reproductions.claims.coverage import controlled_verdict, settings_verdict
from upperhand.paper.claim import Verdict
from upperhand.theory.theorem_1 import s_loc

from .opposites import SMALL, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_the_experiments_are_outside_the_theorem():
    settings, own, per_cent, robustness = coverage.claims(SMALL)

    assert verdicts([settings, own, per_cent, robustness]) == [FAILS, HOLDS, FAILS, FAILS]
    assert "growth" in per_cent.numbers["control, in the paper's unit"]
    assert settings.numbers == {
        "conditions met": "2 of 6; 2 of 6; 2 of 6",
        "b = 1, at least": "2.16e5; 7.64e4; 115",
        "λ = 1, with that b at most": "0.000148; 0.000419; 0.277",
        "n = 10,000, with the least b at least": "3.54e15; 4.18e14; 5.7e8",
        "bound on the pulls of an arm at that n, with the least b": "3.03e14; 3.81e13; 8.69e7",
    }
    assert robustness.numbers["Gaussian"] == "f_min = 0.000502, g_min = 0.001"
    assert robustness.numbers["Student-t"].startswith("Assumption 1 (b) fails for arm 1, StudentT")
    assert robustness.numbers["Student-t"].endswith("a window that ends below 0.422")
    assert robustness.numbers["Skewed Student-t"].startswith("Assumption 1 (b) fails for arm 1")


def test_settings_of_the_theorem_would_be_inside(monkeypatch):
    policy = uh.ACPUCB1(0.1, b=116.0, lam=1.0, init=2)
    monkeypatch.setattr(coverage, "HORIZON", 10**9)
    init = s_loc(10**9, 116.0, figure_1_constants().r_y / 2)
    monkeypatch.setattr(cases, "EXPERIMENTS_POLICY", policy.replace(init=init))

    claim = coverage._settings()
    assert claim.verdict is NOTE  # with the best constants on the narrow window only
    assert claim.numbers["conditions met"] == "4 of 6; 4 of 6; 6 of 6"


def test_settings():
    assert settings_verdict([True, True, True]) is HOLDS
    assert settings_verdict([False, False, True]) is NOTE
    assert settings_verdict([False, False, False]) is FAILS


def test_arms_that_the_theorem_covers(monkeypatch):
    gaussian = {"Gaussian": coverage.FAMILIES["Gaussian"]}
    monkeypatch.setattr(coverage, "FAMILIES", gaussian)
    assert coverage._robustness_arms().verdict is HOLDS


@pytest.mark.parametrize("family", ["Student-t", "Skewed Student-t"])
def test_a_narrower_window_would_do(monkeypatch, family):
    """The level given is where condition (b) starts to hold."""
    arms = coverage.FAMILIES[family]
    level = float(coverage.coverage(arms)[1].rpartition(" ")[2])
    monkeypatch.setattr(coverage, "WINDOW", (1e-4, level - 0.001))
    assert coverage.coverage(arms)[0]
    monkeypatch.setattr(coverage, "WINDOW", (1e-4, level + 0.001))
    assert not coverage.coverage(arms)[0]


def test_a_growth_is_judged_only_if_the_control_passes():
    assert controlled_verdict(8.0, 1.1) is FAILS
    assert controlled_verdict(1.2, 1.1) is HOLDS
    assert controlled_verdict(8.0, 2.0) is NOTE
