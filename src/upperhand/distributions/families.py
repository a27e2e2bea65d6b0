"""The families in closed form: normal, uniform, exponential, log-normal, Pareto, Bernoulli."""

import math
import sys
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .. import checks
from .base import POSITIVE, Array, Distribution, Family, one_by_one
from .numerics import (
    gamma_lower,
    mills_ratio,
    normal_cdf,
    normal_excess,
    normal_log_pdf,
    normal_pdf,
    normal_quantile,
)


@dataclass(frozen=True)
class Normal(Family):
    """The normal distribution with mean `loc` and standard deviation `scale` > 0.

    >>> round(Normal(loc=0.1, scale=0.05).quantile(0.95), 6)
    0.182243
    """

    family: ClassVar[str] = "normal"
    loc: float
    scale: float = field(metadata=POSITIVE)

    @property
    def mean(self) -> float:
        return self.loc

    @property
    def sd(self) -> float:
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


@dataclass(frozen=True)
class Uniform(Distribution):
    """The uniform distribution on [low, high], low < high; high − low must be finite too.

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
        self._set(low=low, high=high)

    @property
    def mean(self) -> float:
        return self.low / 2.0 + self.high / 2.0

    @property
    def sd(self) -> float:
        """The standard deviation, (high − low)/√12."""
        return (self.high - self.low) / math.sqrt(12.0)

    @property
    def magnitude(self) -> float:
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


@dataclass(frozen=True)
class Exponential(Family):
    """The exponential distribution with mean `scale` > 0: F(x) = 1 − e^{−x/scale} for x ≥ 0.

    >>> round(Exponential(scale=2).quantile(0.95), 6)
    5.991465
    """

    family: ClassVar[str] = "exponential"
    scale: float = field(metadata=POSITIVE)

    @property
    def mean(self) -> float:
        return self.scale

    @property
    def sd(self) -> float:
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


@dataclass(frozen=True)
class LogNormal(Family):
    """The log-normal distribution, exp(mu + sigma·N(0, 1)) with sigma > 0.

    >>> round(LogNormal(mu=0, sigma=1).quantile(0.95), 6)
    5.180252
    """

    family: ClassVar[str] = "lognormal"
    mu: float
    sigma: float = field(metadata=POSITIVE)

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


@dataclass(frozen=True)
class Pareto(Family):
    """The Pareto distribution, F(x) = 1 − (scale/x)^shape for x ≥ scale > 0 and shape > 0.

    >>> round(Pareto(scale=1, shape=2).quantile(0.95), 6)
    4.472136
    """

    family: ClassVar[str] = "pareto"
    scale: float = field(metadata=POSITIVE)
    shape: float = field(metadata=POSITIVE)

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


@dataclass(frozen=True)
class Bernoulli(Family):
    """The distribution on {0, 1} with P(X = 1) = `p`.

    >>> Bernoulli(p=0.3).quantile([0.7, 0.71])
    array([0., 1.])
    """

    family: ClassVar[str] = "bernoulli"
    p: float = field(metadata={"least": 0.0, "most": 1.0})

    @property
    def mean(self) -> float:
        return self.p

    @property
    def sd(self) -> float:
        """The standard deviation, √(p(1−p))."""
        return math.sqrt(self.p * (1.0 - self.p))

    @property
    def has_density(self) -> bool:
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
