"""Running sums that values also leave, without drift."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel


class CompensatedSums(NamedTuple):
    """A sum for each of K arms: what a double holds of it, and what the roundings have lost."""

    rounded: NDArray[np.float64]  # (K,)
    lost: NDArray[np.float64]  # (K,)


def no_sums(arms: int) -> CompensatedSums:
    """Return sums of nothing."""
    return CompensatedSums(rounded=np.zeros(arms), lost=np.zeros(arms))


@kernel
def add(sums: CompensatedSums, arm: int, value: float) -> None:
    """Add a value, or with its sign turned take it out again.

    D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B: the error of a
    rounded sum is itself a double, found by five more additions. So a 10¹² that comes and goes
    takes no digits of the rest with it.
    """
    before = float(sums.rounded[arm])
    after = before + value
    arrived = after - before
    sums.rounded[arm] = after
    sums.lost[arm] += (before - (after - arrived)) + (value - arrived)


@kernel
def total(sums: CompensatedSums, arm: int) -> float:
    """Return the sum."""
    return float(sums.rounded[arm]) + float(sums.lost[arm])
