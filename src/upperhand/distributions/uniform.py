"""The uniform law on an interval."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class Uniform(Distribution):
    """The uniform law on [low, high], low < high; their difference must be finite too.

    >>> Uniform(low=0, high=2).quantile(0.95)
    1.9
    """

    family: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        low = checks.real("low", self.low)
        high = checks.real("high", self.high, above=low)
        checks.real("high − low", high - low)
        self._settle(low=low, high=high)

    @property
    def mean(self) -> float:
        """The mean, the middle of the interval."""
        return self.low / 2.0 + self.high / 2.0

    @property
    def sd(self) -> float:
        """The standard deviation, (high − low)/√12."""
        return (self.high - self.low) / math.sqrt(12.0)

    @property
    def magnitude(self) -> float:
        """The larger end."""
        return max(abs(self.low), abs(self.high))

    def _quantile(self, p: Array) -> Array:
        return (1.0 - p) * self.low + p * self.high  # exact at both ends

    def _cdf(self, x: Array) -> Array:
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)

    def _sf(self, x: Array) -> Array:
        return np.clip((self.high - x) / (self.high - self.low), 0.0, 1.0)

    def _pdf(self, x: Array) -> Array:
        inside = (x >= self.low) & (x <= self.high)
        return np.where(inside, 1.0 / (self.high - self.low), 0.0)

    def _shortfall(self, x: Array) -> Array:
        """Return half the share below x times its width, and all of what x is above `high`."""
        width = np.clip(x, self.low, self.high) - self.low
        return self._cdf(x) * width / 2.0 + np.maximum(x - self.high, 0.0)

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return rng.uniform(self.low, self.high, shape)
