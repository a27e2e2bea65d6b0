"""An arm is worth the best of several draws: what is kept of N answers, restarts or runs."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import checks
from .base import Objective

if TYPE_CHECKING:
    from ..distributions import Distribution

MOST_DRAWS = 10**12  # with more, the level is too near 1 for a double to hold its digits


@dataclass(frozen=True)
class BestOf(Objective):
    """The median of the best of N rewards, which is the quantile at 2^(−1/N) of a single one.

    The maximum of N independent rewards has the cdf Fᴺ, so its median inf{x : F(x)ᴺ ≥ 1/2} is
    F⁻¹(2^(−1/N)), with or without atoms. At N = 1 it is the median. Of costs the best of N is the
    minimum, with the cdf 1 − (1 − F)ᴺ and the median F⁻¹(1 − 2^(−1/N)): the other end of the law.

    >>> import upperhand as uh
    >>> best, arm = uh.BestOf(8), uh.Uniform(0, 1)
    >>> round(best.value(arm), 6), round(best.cost(arm), 6)
    (0.917004, 0.082996)
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, least=1, most=MOST_DRAWS))

    @property
    def tau(self) -> float:
        """The level of the quantile."""
        return math.exp2(-1.0 / self.n)

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"best of {self.n:,}"

    def value(self, arm: "Distribution") -> float:
        """Return F⁻¹(2^(−1/N))."""
        return arm.quantile(self.tau)

    def cost(self, arm: "Distribution") -> float:
        """Return F⁻¹(1 − 2^(−1/N)), the median of the lowest of N costs."""
        return self.of_costs().value(arm)

    def of_costs(self) -> "BestOf":
        """Return the objective whose `tau` is the level of costs."""
        return _LowestOf(self.n)


@dataclass(frozen=True, repr=False)
class _LowestOf(BestOf):
    """The median of the lowest of N costs."""

    def __repr__(self) -> str:
        return f"{BestOf(self.n)!r}.of_costs()"

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"lowest of {self.n:,}"

    @property
    def tau(self) -> float:
        """The level of the quantile of costs, with all digits also where it is small."""
        return -math.expm1(-math.log(2.0) / self.n)

    def of_costs(self) -> "BestOf":
        """Return this one."""
        return self
