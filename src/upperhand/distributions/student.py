"""Student's t, and the skewed Student's t of the paper's experiments.

The skewed one is from B. E. Hansen (1994), Autoregressive conditional density estimation,
International Economic Review 35(3), 705–730. Two halves of Student's t with ν degrees of freedom
meet at the mode −a/b. The left half is stretched by 1−λ, the right one by 1+λ, and the whole is
shifted and scaled to mean 0 and variance 1:

    c = Γ((ν+1)/2) / (√(π(ν−2)) Γ(ν/2)),   a = 4λc(ν−2)/(ν−1),   b = √(1 + 3λ² − a²).
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .base import POSITIVE, Array, Family, one_by_one
from .numerics import gamma_ratio, t_cdf, t_excess, t_quantile


@dataclass(frozen=True)
class StudentT(Family):
    """Student's t, loc + scale·T_ν with ν = `df` > 0 degrees of freedom.

    It is not standardised: the standard deviation is scale·√(ν/(ν−2)). `SkewedStudentT` with skew 0
    has the standard deviation `scale`.

    >>> round(StudentT(loc=0, scale=0.16, df=3).quantile(0.95), 6)
    0.376538
    """

    family: ClassVar[str] = "t"
    loc: float
    scale: float = field(metadata=POSITIVE)
    df: float = field(metadata=POSITIVE)

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


class Constants(NamedTuple):
    """Hansen's a, b and c, and √((ν−2)/ν), which gives Student's t the variance 1."""

    a: float
    b: float
    c: float
    unit: float


@dataclass(frozen=True)
class SkewedStudentT(Family):
    """Hansen's skewed t, loc + scale·Z with ν = `df` > 2 and λ = `skew` in (−1, 1).

    The mean is `loc` and the standard deviation is `scale`, whatever ν and λ.

    >>> round(SkewedStudentT(loc=0, scale=0.16, df=5, skew=0.6).quantile(0.95), 6)
    0.291415
    """

    family: ClassVar[str] = "skewed-t"
    loc: float
    scale: float = field(metadata=POSITIVE)
    df: float = field(metadata={"above": 2.0})
    skew: float = field(metadata={"above": -1.0, "below": 1.0})

    @property
    def mean(self) -> float:
        return self.loc

    @property
    def sd(self) -> float:
        return self.scale

    @cached_property
    def constants(self) -> Constants:
        """Hansen's constants for this ν and λ."""
        nu, skew = self.df, self.skew
        c = gamma_ratio(nu) / math.sqrt(math.pi * (nu - 2.0))
        a = 4.0 * skew * c * (nu - 2.0) / (nu - 1.0)
        b = math.sqrt(1.0 + 3.0 * skew**2 - a**2)
        return Constants(a, b, c, unit=math.sqrt((nu - 2.0) / nu))

    def _quantile(self, p: Array) -> Array:
        """Invert `_cdf` half by half, each from its own tail so that neither loses digits."""
        left = p < (1.0 - self.skew) / 2.0
        stretch = np.where(left, 1.0 - self.skew, 1.0 + self.skew)
        tail = np.minimum(np.where(left, p, 1.0 - p) / stretch, 0.5)
        return self._from_halves(np.where(left, 1.0, -1.0) * stretch * t_quantile(tail, self.df))

    def _cdf(self, x: Array) -> Array:
        """Return (1−λ)T(y) left of the mode and 1 − (1+λ)T(−y) right of it."""
        left, tail = self._side_and_tail(x)
        return np.where(left, tail, 1.0 - tail)

    def _sf(self, x: Array) -> Array:
        left, tail = self._side_and_tail(x)
        return np.where(left, 1.0 - tail, tail)

    def _side_and_tail(self, x: Array) -> tuple[npt.NDArray[np.bool_], Array]:
        """Return whether x is left of the mode, and the probability beyond x on its side."""
        y = self._to_halves(x) / self.constants.unit
        stretch = np.where(y < 0.0, 1.0 - self.skew, 1.0 + self.skew)
        return y < 0.0, stretch * t_cdf(-np.abs(y), self.df)

    def _pdf(self, x: Array) -> Array:
        """Return bc (1 + y²/(ν−2))^{−(ν+1)/2} / scale."""
        y = self._to_halves(x)
        peak = self.constants.b * self.constants.c
        falling = np.exp(-(self.df + 1.0) / 2.0 * np.log1p(y * y / (self.df - 2.0)))
        return peak * falling / self.scale

    def _shortfall(self, x: Array) -> Array:
        """Return the mean excess of the half-t on x's side and, right of the mode, x − loc.

        Left of the mode all that falls short of x is in the left half, (1−λ)T. Right of it,
        (x − Y)₊ = (x − Y) + (Y − x)₊, where the first has the mean x − loc and the second is in
        the right half, (1+λ)T.
        """
        y = self._to_halves(x) / self.constants.unit
        stretch = np.where(y < 0.0, 1.0 - self.skew, 1.0 + self.skew)
        excess = stretch * stretch * t_excess(np.abs(y), self.df)
        excess *= self.scale * (self.constants.unit / self.constants.b)
        return np.where(y < 0.0, 0.0, x - self.loc) + excess

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw |T_ν|, then its side: right with probability (1+λ)/2."""
        size = np.abs(rng.standard_t(self.df, shape))
        right = rng.random(shape) < (1.0 + self.skew) / 2.0
        return self._from_halves(np.where(right, 1.0 + self.skew, self.skew - 1.0) * size)

    def _to_halves(self, x: Array) -> Array:
        """Return y = (bz + a)/(1 ± λ), which is negative left of the mode."""
        y = self.constants.b * (x - self.loc) / self.scale + self.constants.a
        return y / np.where(y < 0.0, 1.0 - self.skew, 1.0 + self.skew)

    def _from_halves(self, stretched: Array) -> Array:
        """Return loc + scale·z for a stretched value of Student's t, not yet of variance 1."""
        a, b, _, unit = self.constants
        return self.loc + self.scale * (stretched * unit - a) / b
