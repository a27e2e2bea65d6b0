"""Section 4.3.2, and the same with formulas that are not the paper's."""

import numpy as np
import pytest

from reproductions.claims import trade_off
from reproductions.claims.cases import FIGURE_1, FIGURE_3, Gaussians, Mismatch, at_level
from reproductions.claims.trade_off import suprema
from upperhand.paper.claim import Verdict
from upperhand.theory import gaussian

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_section_4_3_2():
    claims = trade_off.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 5 + [FAILS, HOLDS, HOLDS]
    assert claims[0].numbers == {"instances": "62 of 62", "κ₀ on Figure 1": "1"}
    assert claims[1].numbers["instances"].endswith("the paper's own 12 of 12")
    assert int(claims[3].numbers["of which with a third best arm"]) > 0
    assert claims[7].numbers["Figure 1, D_A and D_M"] == "0.0304 and 0.0126"
    assert claims[7].numbers["Figure 1, over points"] == "0.0304 and 0.0126"
    assert float(claims[7].numbers["with a third best arm, which the formulas exclude"]) > 1e-4


@pytest.mark.parametrize(
    ("place", "name", "change"),
    [
        (0, "kappa_0", lambda kappa: kappa * 4),
        (1, "acp_shortfall", lambda d: d + 1e-9),
        (1, "mean_shortfall", lambda d: d + 1e-9),
        (3, "worst_acp_shortfall", lambda d: d + 1e-9),
        (3, "worst_mean_shortfall", lambda d: d + 1e-9),
        (7, "average_acp_shortfall", lambda d: d * 1.001),
        (7, "average_mean_shortfall", lambda d: d * 1.001),
    ],
)
def test_section_4_3_2_fed_with_the_opposite(monkeypatch, place, name, change):
    altered(monkeypatch, gaussian, name, change)
    assert trade_off.claims(SMALL)[place].verdict is FAILS


def test_both_integrals_count(monkeypatch):
    with monkeypatch.context() as patch:
        altered(patch, gaussian, "average_shortfall", lambda d: d * 1.001)
        assert trade_off.claims(SMALL)[7].verdict is FAILS
    altered(monkeypatch, Mismatch, "shortfalls", lambda d: d * 1.001)
    assert trade_off.claims(SMALL)[7].verdict is FAILS


def test_the_condition_on_the_papers_arms():
    """δ_μ = δ_σ on Figure 1: met from a = 2 on, between α = 0.05 and 0.04."""
    figure_1 = trade_off._on_the_papers_arms("Figure 1", FIGURE_1, [0.04, 0.05])
    assert figure_1.verdict is FAILS
    assert figure_1.numbers["α = 0.05"] == "2 δ_μ = 0.2000, a δ_σ = 0.1960"
    assert trade_off._on_the_papers_arms("Figure 1", FIGURE_1, [0.04]).verdict is HOLDS
    assert trade_off._on_the_papers_arms("Figure 3", FIGURE_3, [0.2]).verdict is FAILS


def test_suprema_without_the_papers_condition():
    """A third arm rules the middle of the path; the suprema are still those of the two ends."""
    case = at_level(Gaussians(np.array([1.0, 0.0, 0.9]), np.array([0.1, 1.1, 0.5])), 0.1)
    assert case.targets == (1, 0)
    assert not case.is_two_arm
    stated, found = suprema(case)
    assert stated == pytest.approx(found)
    assert stated == pytest.approx([1.0, 0.6448536])
