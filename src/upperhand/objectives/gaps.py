"""Gaps between arms, and the one rule of what counts as a tie."""

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-13  # of a value: 0.3 and 0.1 + 0.2 are the same mean


def gaps_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each arm's value falls short of the best one; rounding is no gap."""
    gaps = values.max() - values
    return np.where(gaps > ROUNDING * np.abs(values).max(), gaps, 0.0)
