"""Exact ranks and order statistics, from lists."""

import math
from collections.abc import Sequence
from fractions import Fraction

# The adaptive level α_{j,s} has been through floats: α + η (α − err) is the double next to 0.101,
# not 0.101, and twenty more steps leave it a few more units off in the last place. Where the level
# that is meant makes (1 − level) m whole, its double makes it a hair more or less, and an exact
# comparison of the double would pick the rank by the sign of a rounding error. So the definition
# is an exact rational comparison that forgives 1e-9 of a rank: above what those errors add up to in
# thousands of steps (some 1e-17 a step, times m), far below the distance of any product that is not
# meant to be whole. It is rational, so that it does not depend on how a product was rounded.
SLACK = Fraction(1, 10**9)


def exact_rank(level: Fraction, m: int, slack: Fraction = Fraction(0)) -> int:
    """Return the smallest k ≥ 1 with k/m ≥ level, up to the slack."""
    return max(1, math.ceil(level * m - slack))


def order_statistic(values: Sequence[float], k: int) -> float:
    """Return x_(k)."""
    return sorted(values)[k - 1]


def quantile(values: Sequence[float], level: str | Fraction) -> float:
    """Return the smallest value whose share of values at or below it is at least the level."""
    return order_statistic(values, exact_rank(Fraction(level), len(values)))
