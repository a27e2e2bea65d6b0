"""The Bernoulli law: 1 with probability p, else 0."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class Bernoulli(Distribution):
    """The law on {0, 1} with P(X = 1) = `p`.

    >>> Bernoulli(p=0.3).quantile([0.7, 0.71])
    array([0., 1.])
    """

    family: ClassVar[str] = "bernoulli"
    p: float

    def __post_init__(self) -> None:
        self._settle(p=checks.real("p", self.p, least=0.0, most=1.0))

    @property
    def mean(self) -> float:
        """The mean, p."""
        return self.p

    @property
    def sd(self) -> float:
        """The standard deviation, √(p(1−p))."""
        return math.sqrt(self.p * (1.0 - self.p))

    @property
    def has_density(self) -> bool:
        """False: all the mass is in atoms."""
        return False

    def _quantile(self, p: Array) -> Array:
        # F(0) = 1 − self.p ≥ p, written as a sum: 1 − 0.9 is below 0.1 in doubles, 0.1 + 0.9 is 1.
        zero_reaches = (p + self.p <= 1.0) & (self.p < 1.0)
        return np.where(zero_reaches, 0.0, 1.0)

    def _cdf(self, x: Array) -> Array:
        return np.where(x < 0.0, 0.0, np.where(x < 1.0, 1.0 - self.p, 1.0))

    def _sf(self, x: Array) -> Array:
        return np.where(x < 0.0, 1.0, np.where(x < 1.0, self.p, 0.0))

    def _shortfall(self, x: Array) -> Array:
        return (1.0 - self.p) * np.maximum(x, 0.0) + self.p * np.maximum(x - 1.0, 0.0)

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return (rng.random(shape) < self.p).astype(np.float64)
