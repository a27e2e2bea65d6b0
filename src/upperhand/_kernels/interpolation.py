"""Quantiles between order statistics, as `numpy.quantile` has them; the paper's have none."""

from .compile import kernel
from .sorted_samples import SortedSamples, value_at


@kernel
def interpolated_quantile(samples: SortedSamples, arm: int, cursor: int, level: float) -> float:
    """Return the value at place 1 + (m−1)·level of m sorted ones, on the line between two of them.

    It is reckoned from the nearer of the two, as NumPy does, and so is NumPy's to the bit. The two
    are looked up by `cursor` and the one after it.
    """
    m = int(samples.size[arm])
    place = (m - 1) * level
    below = int(place)
    part = place - below
    left = value_at(samples, arm, cursor, below + 1)
    right = value_at(samples, arm, cursor + 1, min(below + 2, m))
    step = right - left
    return left + step * part if part < 0.5 else right - step * (1.0 - part)
