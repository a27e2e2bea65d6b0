"""The log-normal law: ln X ~ N(mu, sigma²)."""

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from ._special import mills_ratio, normal_cdf, normal_log_pdf, normal_pdf, normal_quantile
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class LogNormal(Distribution):
    """The law of exp(mu + sigma·N(0, 1)), sigma > 0.

    >>> round(LogNormal(mu=0, sigma=1).quantile(0.95), 6)
    5.180252
    """

    family: ClassVar[str] = "lognormal"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        self._settle(
            mu=checks.real("mu", self.mu),
            sigma=checks.real("sigma", self.sigma, above=0.0),
        )

    @property
    def mean(self) -> float:
        """The mean, exp(mu + sigma²/2); `inf` where a double cannot hold it."""
        return _exp(self.mu + self.sigma * self.sigma / 2.0)

    @property
    def sd(self) -> float:
        """The standard deviation, exp(mu + sigma²) √(1 − exp(−sigma²))."""
        variance = self.sigma * self.sigma
        spread = math.sqrt(-math.expm1(-variance)) or self.sigma  # sigma² may be too small a number
        return _exp(self.mu + variance) * spread

    def _quantile(self, p: Array) -> Array:
        return np.exp(self.mu + self.sigma * normal_quantile(p))

    def _cdf(self, x: Array) -> Array:
        return normal_cdf(self._standardised(np.log(np.maximum(x, 0.0))))

    def _sf(self, x: Array) -> Array:
        return normal_cdf(-self._standardised(np.log(np.maximum(x, 0.0))))

    def _pdf(self, x: Array) -> Array:
        """Return φ((ln x − mu)/sigma) / (sigma·x) for x > 0, and 0 elsewhere."""
        log_x = np.log(np.where(x > 0.0, x, 1.0))
        density = np.exp(normal_log_pdf(self._standardised(log_x)) - log_x) / self.sigma
        return np.where(x > 0.0, density, 0.0)

    def _shortfall(self, x: Array) -> Array:
        """Return xΦ(z) − E[Y; Y ≤ x], z = (ln x − mu)/sigma, for x > 0.

        E[Y; Y ≤ x] = mean·Φ(z − sigma). Where x is below about the mean, that is written as
        xφ(z)·Φ(z − sigma)/φ(z − sigma), since the mean may be more than a double holds.
        """
        above = np.maximum(x, 0.0)
        z = self._standardised(np.log(above))
        lower = above * normal_pdf(z) * mills_ratio(np.maximum(self.sigma - z, 0.0))
        upper = min(self.mean, sys.float_info.max) * normal_cdf(z - self.sigma)
        return np.maximum(above * normal_cdf(z) - np.where(z < self.sigma, lower, upper), 0.0)

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return rng.lognormal(self.mu, self.sigma, shape)

    def _standardised(self, log_x: Array) -> Array:
        return (log_x - self.mu) / self.sigma


def _exp(x: float) -> float:
    """Return eˣ, infinite where `math.exp` would raise."""
    return math.exp(x) if x < math.log(np.finfo(np.float64).max) else math.inf
