"""Section 4.3.2, and the same with formulas that are not the paper's."""

from dataclasses import replace

import numpy as np
import pytest
from upperhand.paper.statements.mismatches import (
    Mismatch,
    at_level,
    mismatch,
    papers_cases,
    suprema,
)

from upperhand.paper.claim import Verdict
from upperhand.paper.settings import ACP, MEAN_BASED
from upperhand.paper.statements import proposition, trade_off
from upperhand.paper.statements.evidence import FIGURE_1, Instance
from upperhand.paper.statements.trade_off import endpoint_verdict
from upperhand.theory import two_arms, utility_path

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, FAILS = Verdict


def test_section_4_3_2():
    claims = trade_off.claims(SMALL)

    assert verdicts(claims) == [HOLDS, HOLDS, NOTE, HOLDS, HOLDS, FAILS, HOLDS, HOLDS]
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
    altered(monkeypatch, two_arms, name, change)
    assert trade_off.claims(SMALL)[place].verdict is FAILS


def test_both_integrals_count(monkeypatch):
    with monkeypatch.context() as patch:
        altered(patch, utility_path, "average_shortfall", lambda d: d * 1.001)
        assert trade_off.claims(SMALL)[7].verdict is FAILS
    altered(monkeypatch, Mismatch, "shortfalls", lambda d: d * 1.001)
    assert trade_off.claims(SMALL)[7].verdict is FAILS


def test_endpoints_of_swapped_policies_fail():
    runs = proposition.figure_1(SMALL)
    swapped = replace(runs, pulls={ACP: runs.pulls[MEAN_BASED], MEAN_BASED: runs.pulls[ACP]})
    assert trade_off._endpoints(runs).verdict is NOTE
    assert trade_off._endpoints(swapped).verdict is FAILS


def test_endpoint_verdicts():
    assert endpoint_verdict(0.9, 1.2) is HOLDS
    assert endpoint_verdict(0.9, 1.6) is NOTE
    assert endpoint_verdict(0.7, 1.2) is FAILS
    assert endpoint_verdict(1.4, 1.2) is FAILS


def test_mismatches_are_what_they_say():
    """Figure 1 at α = 0.1: M is the first arm, A the second, δ_μ = δ_σ = 0.1."""
    case = at_level(FIGURE_1, 0.1)
    assert case.a == pytest.approx(1.6448536)
    assert case.targets == (1, 0)
    assert case.deltas == pytest.approx((0.1, 0.1))
    assert case.is_two_arm
    assert case.shortfalls(np.array([0.0, 1.0, case.a])) == pytest.approx(
        np.array([[0.1, 0, 0], [0, 0, 0.06448536]]), abs=1e-8
    )
    assert len(list(papers_cases())) == 12


def test_random_mismatches_have_two_targets():
    rng = np.random.default_rng(3)
    assert all(len(set(mismatch(rng).targets)) == 2 for _ in range(50))


def test_suprema_without_the_papers_condition():
    """A third arm rules the middle of the path; the suprema are still those of the two ends."""
    case = at_level(Instance(np.array([1.0, 0.0, 0.9]), np.array([0.1, 1.1, 0.5])), 0.1)
    assert case.targets == (1, 0)
    assert not case.is_two_arm
    stated, found = suprema(case)
    assert stated == pytest.approx(found)
    assert stated == pytest.approx([1.0, 0.6448536])
