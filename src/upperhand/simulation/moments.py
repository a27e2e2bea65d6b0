"""Mean, spread and skewness of replications that come one by one and are not kept.

T. B. Terriberry's update of Welford's sums to the third moment. Replications are added in their
order, one at a time, so the numbers do not depend on how they were cut into blocks.
"""

import numpy as np
from numpy.typing import NDArray

from .intervals import adjusted_skewness, corrected_interval

Array = NDArray[np.float64]


class Moments:
    """What is known of the mean, elementwise, of the arrays that were added."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = 0
        self.mean, self._squares, self._cubes = np.zeros((3, *shape))

    def add(self, sample: Array) -> None:
        """Add a replication."""
        before, self.count = self.count, self.count + 1
        apart = sample - self.mean
        step = apart / self.count
        product = apart * step * before
        self.mean += step
        self._cubes += product * step * (self.count - 2) - 3 * step * self._squares
        self._squares += product

    @property
    def error(self) -> Array:
        """The standard error of the mean; NaN for one replication."""
        if self.count < 2:
            return np.full(self.mean.shape, np.nan)
        return np.asarray(np.sqrt(self._squares / (self.count - 1) / self.count))

    def interval(self, least: float, most: float | Array) -> tuple[Array, Array]:
        """Return the 95 % interval of the mean, as `mean_interval` does."""
        second, third = self._squares / self.count, self._cubes / self.count
        skew = adjusted_skewness(self.count, second, third)
        return corrected_interval(self.count, self.mean, self.error, skew, least, most)
