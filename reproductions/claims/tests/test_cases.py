"""The cases that the chapters share, against numbers from a table and by hand."""

import numpy as np
import pytest

import upperhand as uh
from reproductions.claims.cases import (
    FIGURE_1,
    LEVEL,
    LEVELS,
    RADIUS,
    STANDARD,
    at_level,
    densities,
    figure_1_constants,
    lower_ends,
    mismatch,
    papers_cases,
    same_law,
    uniform_constants,
    upper_ends,
)


def test_the_standard_law():
    """z_{0.95}, z_{0.975} and φ(0), φ(1)."""
    assert upper_ends(STANDARD, [0.1, 0.05]) == pytest.approx([1.6448536270, 1.9599639845])
    assert lower_ends(STANDARD, 0.05) == pytest.approx([-1.9599639845])
    assert densities(STANDARD, [0.0, 1.0]) == pytest.approx([0.3989422804, 0.2419707245])


def test_the_law_of_an_arm():
    law = same_law(uh.Normal(0.10, 0.05))
    assert (law.mean, law.stdev) == (0.10, 0.05)
    assert upper_ends(law, 0.1) == pytest.approx([0.18224], abs=5e-6)


def test_the_constants():
    """f = 1 on [0, 1], and g = 2 from −1/4 to 1/4, where a score quantile and its radius lie."""
    local = uniform_constants()
    assert (local.f_min, local.g_min) == pytest.approx((1, 2))
    assert local.r_y == local.r_s == RADIUS
    assert (LEVELS[1] - LEVEL) / 2 + RADIUS < 1 / 4


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


def test_the_radii_of_figure_1_are_a_quarter_of_the_widest_gap():
    """The gap of N(0.04, 0.08²) to N(0, 0.15²) at 0.95: 0.07 · 1.6448536 − 0.04."""
    local = figure_1_constants()
    assert local.r_y == local.r_s == pytest.approx((0.07 * 1.6448536269514722 - 0.04) / 4)
