"""Equation (15): the condition, and instances that meet it."""

import numpy as np
import pytest
from upperhand.paper.statements.mismatches import at_level, mismatch, papers_cases

from upperhand.paper.claim import Verdict
from upperhand.paper.statements import minimax
from upperhand.paper.statements.evidence import FIGURE_1, FIGURE_3
from upperhand.theory import two_arms

from .opposites import altered, verdicts

HOLDS, NOTE, FAILS = Verdict


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(0)
    return [*papers_cases(), *(mismatch(rng) for _ in range(40))]


def test_equation_15(cases):
    condition, figure_1, figure_3 = minimax.claims(cases)

    assert verdicts([condition, figure_1, figure_3]) == [HOLDS, FAILS, HOLDS]
    assert condition.numbers["2 / z_{0.975}"] == "1.0204"
    assert condition.numbers["agreeing"].startswith("52 of 52, true on ")
    assert figure_1.numbers["α = 0.05"] == "2 δ_μ = 0.2000, a δ_σ = 0.1960"
    assert figure_1.numbers["α = 0.30"] == "2 δ_μ = 0.2000, a δ_σ = 0.1036"
    assert figure_1.numbers["levels at which it is true"] == "0 of 6"
    assert figure_3.numbers == {
        "α = 0.10": "2 δ_μ = 0.1600, a δ_σ = 0.1809",
        "levels at which it is true": "1 of 1",
    }


def test_the_condition_fed_with_the_opposite(monkeypatch, cases):
    altered(monkeypatch, two_arms, "is_acp_minimax", np.logical_not)
    assert verdicts(minimax.claims(cases)) == [FAILS, HOLDS, FAILS]


def test_a_factor_that_the_paper_does_not_state(monkeypatch, cases):
    monkeypatch.setattr(minimax, "STATED_FACTOR", 1.03)
    assert minimax._minimax(cases).verdict is FAILS


def test_other_levels_would_meet_it():
    assert minimax._on_the_papers_arms("Figure 1", FIGURE_1, [0.04]).verdict is HOLDS
    assert minimax._on_the_papers_arms("Figure 1", FIGURE_1, [0.04, 0.05]).verdict is FAILS
    assert minimax._on_the_papers_arms("Figure 3", FIGURE_3, [0.2]).verdict is FAILS
    assert at_level(FIGURE_1, 0.04).a > 2  # δ_μ = δ_σ: met from a = 2 on
