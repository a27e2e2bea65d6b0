"""Student's t, moved and scaled but not standardised: X = loc + scale·T_ν."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import checks
from ._special import gamma_ratio, t_cdf, t_excess, t_quantile
from .base import Array, Distribution, one_by_one


@dataclass(frozen=True)
class StudentT(Distribution):
    """The law of loc + scale·T_ν, Student's t with ν = `df` > 0 degrees of freedom.

    The standard deviation is scale·√(ν/(ν−2)), not scale. For a law with the standard deviation
    `scale`, take `SkewedStudentT` with skew 0.

    >>> round(StudentT(loc=0, scale=0.16, df=3).quantile(0.95), 6)
    0.376538
    """

    family: ClassVar[str] = "t"
    loc: float
    scale: float
    df: float

    def __post_init__(self) -> None:
        self._settle(
            loc=checks.real("loc", self.loc),
            scale=checks.real("scale", self.scale, above=0.0),
            df=checks.real("df", self.df, above=0.0),
        )

    @property
    def mean(self) -> float:
        """The mean, loc; `nan` for df ≤ 1."""
        return self.loc if self.df > 1.0 else math.nan

    @property
    def sd(self) -> float:
        """The standard deviation; `inf` for 1 < df ≤ 2, `nan` for df ≤ 1."""
        if self.df <= 1.0:
            return math.nan
        if self.df <= 2.0:
            return math.inf
        return self.scale * math.sqrt(self.df / (self.df - 2.0))

    def _quantile(self, p: Array) -> Array:
        return self.loc + self.scale * t_quantile(p, self.df)

    def _cdf(self, x: Array) -> Array:
        return t_cdf((x - self.loc) / self.scale, self.df)

    def _sf(self, x: Array) -> Array:
        return t_cdf((self.loc - x) / self.scale, self.df)

    def _pdf(self, x: Array) -> Array:
        """Return Γ((ν+1)/2) / (√(πν) Γ(ν/2)) · (1 + z²/ν)^{−(ν+1)/2} / scale."""
        z = (x - self.loc) / self.scale
        peak = gamma_ratio(self.df) / math.sqrt(math.pi * self.df)
        return peak * np.exp(-(self.df + 1.0) / 2.0 * np.log1p(z * z / self.df)) / self.scale

    def _shortfall(self, x: Array) -> Array:
        """Return (x − loc)₊ plus, by symmetry, the mean excess over |x − loc| on the other side."""
        if self.df <= 1.0:
            return np.full(x.shape, math.inf)
        excess = t_excess(np.abs(x - self.loc) / self.scale, self.df)
        return np.maximum(x - self.loc, 0.0) + self.scale * excess

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return self.loc + self.scale * rng.standard_t(self.df, shape)
