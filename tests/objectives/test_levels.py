"""Levels in words: those of the best of N are known again, and no others are taken for them."""

from decimal import Decimal, getcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

import upperhand as uh
from upperhand.objectives import MOST, best_of_at, level_name


@given(st.integers(2, MOST))
def test_every_n_is_known_again(n):
    best, lowest = uh.BestOf(n), uh.BestOf(n).for_costs()
    assert best_of_at(best.tau) == best_of_at(2 ** (-1 / n)) == best
    assert best_of_at(lowest.tau, minimize=True) == lowest
    assert best_of_at(1 - 2 ** (-1 / n), minimize=True) == lowest  # its last digits differ


@given(st.integers(2, MOST))
def test_the_other_end_is_the_worst_of_n(n):
    assert best_of_at(uh.BestOf(n).tau, minimize=True) is None
    assert best_of_at(uh.BestOf(n).for_costs().tau) is None


@given(st.integers(1, 99_999), st.booleans())
def test_round_levels_are_no_best_of_n(hundred_thousandth, minimize):
    tau = hundred_thousandth / 100_000
    assert best_of_at(tau, minimize=minimize) is None
    assert level_name(tau, minimize=minimize) == uh.Quantile(tau).label


@pytest.mark.parametrize("n", [2, 8, 69, 512, 10_000, MOST])
def test_the_digits_that_are_written(n):
    """By decimal arithmetic; two digits of what is beyond the level are enough."""
    getcontext().prec = 40
    percent = 100 * Decimal(2) ** (Decimal(-1) / n)
    for tau, exact, minimize in (
        (uh.BestOf(n).tau, percent, False),
        (uh.BestOf(n).for_costs().tau, 100 - percent, True),
    ):
        level, _, name = level_name(tau, minimize=minimize)[1:].partition(" ")
        error = abs(Decimal(level) - exact)
        assert error <= Decimal("0.05") * (100 - percent)
        assert name == f"({'lowest' if minimize else 'best'} of {n:,})"


def test_the_median_has_a_name():
    assert level_name(0.5) == level_name(0.5, minimize=True) == "p50"
    assert level_name(0.29) == "p29"
