"""The mean-based benchmark: what would make the paper's two sentences hold."""

import numpy as np
import pytest

from reproductions.claims import benchmark
from reproductions.claims.benchmark import (
    benchmark_verdict,
    bonus_ratios,
    implied_pulls,
    implied_verdict,
)
from upperhand.paper.claim import Verdict
from upperhand.theory import gaussian

HOLDS, NOTE, _, FAILS = Verdict


def test_the_bound_per_arm_is_half_of_what_the_display_implies_at_worst():
    claim = benchmark.per_arm_bound()
    assert claim.verdict is NOTE
    assert claim.numbers == {"sum over maximum, largest": "2.000", "at Δ_μ": "5.66 σ_j"}


def test_the_sum_would_be_implied(monkeypatch):
    monkeypatch.setattr(gaussian, "gamma_ucb", lambda _, gaps: 256 / gaps**2 + 8)
    assert benchmark.per_arm_bound().verdict is HOLDS
    monkeypatch.setattr(gaussian, "gamma_ucb", lambda _, gaps: 0 * gaps + 8)
    assert benchmark.per_arm_bound().verdict is FAILS


def test_what_the_display_implies():
    assert implied_pulls(2.0) == pytest.approx(256 / 4 + 8)
    assert implied_verdict(1.0) is HOLDS
    assert implied_verdict(2.0) is NOTE
    assert implied_verdict(2.1) is FAILS


def test_the_two_policies_are_not_the_same():
    claim = benchmark.same_benchmark()
    assert claim.verdict is FAILS
    assert claim.numbers == {
        "sd 0.05": "0.141",
        "sd 0.15": "0.424",
        "sd 0.08": "0.226",
        "sd √(1/8) = 0.354, on no arm": "1.000",
        "least pulls of each arm": "74 against 1",
    }


def test_bonuses():
    """√(16 σ²) / √2 = √8 σ, but for ln(n − 1) against ln n."""
    assert bonus_ratios(np.array([0.1, 1.0])) == pytest.approx([0.282843, 2.828427], rel=1e-4)
    assert benchmark_verdict(np.array([0.96, 1.04])) is HOLDS
    assert benchmark_verdict(np.array([0.94, 1.0])) is FAILS
    assert benchmark_verdict(np.array([1.0, 1.06])) is FAILS
