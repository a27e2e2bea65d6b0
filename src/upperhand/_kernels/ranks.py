"""The rank behind every empirical quantile of the library."""

import math

from .compile import kernel

# A nominal level such as 0.07 is not a double, and 0.07 * 100 comes out a hair above 7. The slack
# forgives that hair: far above rounding errors, far below the distance of any other product.
ABSOLUTE_SLACK = 1e-9
RELATIVE_SLACK = 2.0**-50


@kernel
def rank(level: float, m: int) -> int:
    """Return the smallest k ≥ 1 with k/m ≥ level: the paper's Q̂_m(level) is x_(k).

    Exact for levels that people write down (tested against `fractions.Fraction`); never above m
    for levels up to 1.
    """
    return max(1, math.ceil(needed(level, m)))


@kernel
def needed(level: float, total: float) -> float:
    """Return level · total with the slack taken off: what a count or a weight must reach."""
    return level * total * (1.0 - RELATIVE_SLACK) - ABSOLUTE_SLACK


@kernel
def whole_below(level: float, m: int) -> int:
    """Return the largest k with k/m ≤ level, for a level below 1; exact where `rank` is."""
    return m - rank(1.0 - level, m)
