"""The exponential law."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from ._special import gamma_lower
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class Exponential(Distribution):
    """The exponential law with mean `scale` > 0: F(x) = 1 − e^{−x/scale} for x ≥ 0.

    >>> round(Exponential(scale=2).quantile(0.95), 6)
    5.991465
    """

    family: ClassVar[str] = "exponential"
    scale: float

    def __post_init__(self) -> None:
        self._settle(scale=checks.real("scale", self.scale, above=0.0))

    @property
    def mean(self) -> float:
        """The mean, scale."""
        return self.scale

    @property
    def sd(self) -> float:
        """The standard deviation, scale."""
        return self.scale

    def _quantile(self, p: Array) -> Array:
        return -self.scale * np.log1p(-p)

    def _cdf(self, x: Array) -> Array:
        return -np.expm1(-np.maximum(x, 0.0) / self.scale)

    def _sf(self, x: Array) -> Array:
        return np.exp(-np.maximum(x, 0.0) / self.scale)

    def _pdf(self, x: Array) -> Array:
        return np.where(x >= 0.0, np.exp(-x / self.scale) / self.scale, 0.0)

    def _shortfall(self, x: Array) -> Array:
        """Return xF(x) − E[Y; Y ≤ x] for x ≥ 0; x − scale·F(x) would cancel for small x."""
        above = np.maximum(x, 0.0)
        return above * self._cdf(above) - self.scale * gamma_lower(2.0, above / self.scale)

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return rng.exponential(self.scale, shape)
