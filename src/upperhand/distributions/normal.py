"""The normal law N(loc, scale²)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from ._special import normal_cdf, normal_excess, normal_pdf, normal_quantile
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class Normal(Distribution):
    """The normal law with mean `loc` and standard deviation `scale` > 0.

    >>> round(Normal(loc=0.1, scale=0.05).quantile(0.95), 6)
    0.182243
    """

    family: ClassVar[str] = "normal"
    loc: float
    scale: float

    def __post_init__(self) -> None:
        self._settle(
            loc=checks.real("loc", self.loc),
            scale=checks.real("scale", self.scale, above=0.0),
        )

    @property
    def mean(self) -> float:
        """The mean, loc."""
        return self.loc

    @property
    def sd(self) -> float:
        """The standard deviation, scale."""
        return self.scale

    def _quantile(self, p: Array) -> Array:
        return self.loc + self.scale * normal_quantile(p)

    def _cdf(self, x: Array) -> Array:
        return normal_cdf(self._standardised(x))

    def _sf(self, x: Array) -> Array:
        return normal_cdf(-self._standardised(x))

    def _pdf(self, x: Array) -> Array:
        return normal_pdf(self._standardised(x)) / self.scale

    def _shortfall(self, x: Array) -> Array:
        """Return (x − loc)₊ plus, by symmetry, the mean excess over |x − loc| on the other side."""
        excess = normal_excess(np.abs(self._standardised(x)))
        return np.maximum(x - self.loc, 0.0) + self.scale * excess

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return rng.normal(self.loc, self.scale, shape)

    def _standardised(self, x: Array) -> Array:
        return (x - self.loc) / self.scale
