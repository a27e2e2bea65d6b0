"""Section 4.3.3, and the same with constants that are not the paper's."""

import math

import pytest

from reproductions.claims import constants
from reproductions.claims.constants import admitted, gap_verdict
from upperhand.paper.claim import Verdict
from upperhand.theory import gaussian, theorem_1

from .opposites import SMALL, altered, verdicts, wrong_quantiles

HOLDS, NOTE, _, FAILS = Verdict


def test_section_4_3_3():
    claims = constants.claims(SMALL)

    assert verdicts(claims) == [HOLDS, HOLDS, NOTE, HOLDS, NOTE]
    assert claims[3].numbers["disagreements"] == "0"
    assert claims[4].numbers == {
        "Δ_μ = 0.001 σ_j, σ_A − σ_j = 0.1 σ_j": "r_j = 165.5 > 90.8",
        "Δ_μ = 0.01 σ_j, σ_A − σ_j = 1 σ_j": "r_j = 165.5 ≤ 222.7",
        "Δ_μ = 0.001 σ_j, σ_A − σ_j = 0.05 σ_j": "r_j = 83.2 ≤ 84.2",
        "largest Δ_μ at which it can be met, whatever σ_A": "0.0085 σ_j, at σ_A − σ_j = 1.8 σ_j",
    }


@pytest.mark.parametrize(
    ("place", "name", "change"),
    [
        (1, "acp_gap", lambda gap: gap + 1e-9),
        (3, "gap_ratio", lambda ratio: ratio * 1.1),
        (3, "gamma_acp", lambda gamma: gamma * 1.1),
        (3, "least_gap_ratio", lambda ratio: ratio * 1.1),
    ],
)
def test_section_4_3_3_fed_with_the_opposite(monkeypatch, place, name, change):
    altered(monkeypatch, gaussian, name, change)
    assert constants.claims(SMALL)[place].verdict is FAILS


def test_a_wrong_quantile_does_not_cancel(monkeypatch):
    wrong_quantiles(monkeypatch, 1.1)
    assert constants._gaps(SMALL).verdict is FAILS


def test_gaps():
    assert gap_verdict(0.2) is HOLDS
    assert gap_verdict(0.0083) is NOTE
    assert gap_verdict(0.0) is FAILS


def test_a_smaller_b_would_meet_the_condition(monkeypatch):
    """At b = 1, as in the experiments, it is met almost everywhere; the theorem is silent there."""
    altered(monkeypatch, theorem_1, "b_0", lambda _: 1.0)
    assert constants._admissible_b().verdict is HOLDS


def test_a_b_without_bound_never_meets_it(monkeypatch):
    altered(monkeypatch, theorem_1, "b_0", lambda _: 1e300)
    assert constants._admissible_b().verdict is FAILS


def test_what_is_admitted():
    """By hand: r = Δ/4 with Δ = 0.001 + 0.1 a, and b_0 = 64 · 1.1 / φ(a + r / 1.1)."""
    a, gap = 1.6448536269514722, 0.001 + 0.1 * 1.6448536269514722
    phi = math.exp(-((a + gap / 4 / 1.1) ** 2) / 2) / math.sqrt(2 * math.pi)
    ratio, needed = admitted(0.001, 0.1)

    assert ratio == pytest.approx(gap / 0.001)
    assert needed == pytest.approx(2 * 64 * 1.1 / phi / 16)
    assert admitted(7.0, 0.1)[1] == math.inf  # radii beyond the support of the scores
