"""Windows of binomial distributions: ends by counting, expectations in whole numbers."""

from fractions import Fraction

import numpy as np
import pytest

from upperhand._kernels.samples import rank, whole_below
from upperhand.theory.binomial_sums import (
    at_level,
    below_level,
    evidence_of,
    expectations,
    reach,
    reached,
    window,
)

from ..reference import theorems as naive

SIZES = np.arange(1, 60)


@pytest.mark.parametrize("tau", [0.5, 0.95, 0.07, 0.001, 1e-12, 0.999])
def test_ranks_are_those_of_the_policies_and_windows_reach_far_enough(tau):
    sizes = np.arange(1, 500)
    assert at_level(tau, sizes).tolist() == [rank(tau, int(s)) for s in sizes]
    assert below_level(tau, sizes).tolist() == [whole_below(tau, int(s)) for s in sizes]
    for exponent in (0.0, 0.7, 20.0, 60.0):
        for s, found in zip(SIZES, reach(tau, SIZES, exponent), strict=True):
            counts, below = np.arange(s + 1), whole_below(tau, int(s))
            within = (counts <= below) | (evidence_of(counts, np.full(s + 1, s), tau) <= exponent)
            assert found == counts[within].max()


@pytest.mark.parametrize(
    ("tau", "p"), [("0.5", "0.8"), ("0.95", "1"), ("0.3", "0.25"), ("0.9", "0"), ("0.9", "0.2")]
)
def test_expectations(tau, p):
    """Of c² over all counts; for p > τ the window goes down from the largest."""
    level, chance = Fraction(tau), Fraction(p)
    from_above = chance > level
    sizes = np.arange(1, 13)
    within = window(float(level), sizes, 0 * sizes, sizes, from_above=from_above)
    found = expectations(within, within.c.astype(float) ** 2, np.array([float(chance)]))
    exact = [float(naive.mean(int(s), chance, lambda _, c: Fraction(c * c))) for s in sizes]
    assert found[:, 0] == pytest.approx(exact, rel=1e-12)
    for s, row, counts in zip(sizes, reached(within), within.c, strict=True):
        width = int(s) + 1
        exact = [float(naive.reached(int(s), int(c), level)) for c in counts[:width]]
        assert row[:width] == pytest.approx(exact, rel=1e-12)
