"""The Pareto law: a tail that falls as a power."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class Pareto(Distribution):
    """The Pareto law, F(x) = 1 − (scale/x)^shape for x ≥ scale, both > 0; a low shape is heavy.

    >>> round(Pareto(scale=1, shape=2).quantile(0.95), 6)
    4.472136
    """

    family: ClassVar[str] = "pareto"
    scale: float
    shape: float

    def __post_init__(self) -> None:
        self._settle(
            scale=checks.real("scale", self.scale, above=0.0),
            shape=checks.real("shape", self.shape, above=0.0),
        )

    @property
    def mean(self) -> float:
        """The mean, scale·shape/(shape − 1); `inf` if shape ≤ 1."""
        a = self.shape
        return self.scale * (a / (a - 1.0)) if a > 1.0 else math.inf

    @property
    def sd(self) -> float:
        """The standard deviation, scale/(shape − 1)·√(shape/(shape − 2)); `inf` if shape ≤ 2."""
        a = self.shape
        return self.scale / (a - 1.0) * math.sqrt(a / (a - 2.0)) if a > 2.0 else math.inf

    def _quantile(self, p: Array) -> Array:
        return self.scale * np.exp(-np.log1p(-p) / self.shape)

    def _cdf(self, x: Array) -> Array:
        return -np.expm1(-self.shape * self._log(x))

    def _sf(self, x: Array) -> Array:
        return np.exp(-self.shape * self._log(x))

    def _pdf(self, x: Array) -> Array:
        above = np.maximum(x, self.scale)
        return np.where(x >= self.scale, self.shape / above * self._sf(above), 0.0)

    def _shortfall(self, x: Array) -> Array:
        """Return ∫ F = (x − scale) − scale·(e^{cu} − 1)/c with u = ln(x/scale), c = 1 − shape."""
        u, c = self._log(x), 1.0 - self.shape
        area = self.scale * (u if c == 0.0 else np.expm1(c * u) / c)  # under 1 − F, from scale on
        return np.maximum(np.maximum(x - self.scale, 0.0) - area, 0.0)

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return self.scale * np.exp(rng.standard_exponential(shape) / self.shape)

    def _log(self, x: Array) -> Array:
        """Return ln(x/scale), 0 below the support, with all digits near scale and far from it."""
        above = np.maximum(x, self.scale)
        near = np.log1p(np.minimum(above - self.scale, self.scale) / self.scale)
        return np.where(above < 2.0 * self.scale, near, np.log(above) - math.log(self.scale))
