"""Sums, products and quotients with what their roundings lose: a pair of doubles, 106 bits.

D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B, and T. J. Dekker,
"A floating-point technique for extending the available precision", Numerische Mathematik
18:224–242, 1971: the error of a rounded sum or product is itself a double, and can be computed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

HALF = 134217729.0  # 2²⁷ + 1: a product with it cuts a double in two halves of 26 bits


class CompensatedSums(NamedTuple):
    """A sum for each of K arms: the double next to it, and what that one lacks."""

    rounded: NDArray[np.float64]  # (K,)
    lost: NDArray[np.float64]  # (K,)


def no_sums(arms: int) -> CompensatedSums:
    """Return sums of nothing."""
    return CompensatedSums(rounded=np.zeros(arms), lost=np.zeros(arms))


@kernel
def add(sums: CompensatedSums, arm: int, value: float, rest: float) -> tuple[float, float]:
    """Add value + rest, the rest small against the value; return the sum, rounded, and the error.

    With its sign turned a value is taken out again: a 10¹² that comes and goes leaves no trace.
    Numbers with few digits, such as 0/1 or prices, are summed without any error.
    """
    rounded, error = two_sum(float(sums.rounded[arm]), value)
    rounded, lost = two_sum(rounded, float(sums.lost[arm]) + (error + rest))
    sums.rounded[arm], sums.lost[arm] = rounded, lost
    return rounded, lost


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b, rounded, and the error."""
    rounded = a + b
    arrived = rounded - a
    return rounded, (a - (rounded - arrived)) + (b - arrived)


@kernel
def halves(a: float) -> tuple[float, float]:
    """Return a as the sum of two doubles of 26 bits each."""
    scaled = a * HALF
    high = scaled - (scaled - a)
    return high, a - high


@kernel
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a · b, rounded, and the error."""
    rounded = a * b
    a_high, a_low = halves(a)
    b_high, b_low = halves(b)
    error = rounded - a_high * b_high - a_low * b_high - a_high * b_low
    return rounded, a_low * b_low - error


@kernel
def two_quotient(a: float, rest: float, n: int) -> tuple[float, float]:
    """Return (a + rest) / n, rounded, and the error; the rest is small against a, n below 2²⁷."""
    rounded = a / n
    high, low = halves(rounded)
    return rounded, (((a - high * n) - low * n) + rest) / n
