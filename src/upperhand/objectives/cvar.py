"""An arm is worth the mean of its worst rewards."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import checks
from .base import Objective

if TYPE_CHECKING:
    from ..distributions import Distribution


@dataclass(frozen=True)
class CVaR(Objective):
    """The conditional value at risk: the mean of the worst share α of the rewards, 0 < α ≤ 1.

    It is (1/α) ∫₀^α F⁻¹(p) dp. R. T. Rockafellar, S. Uryasev, "Optimization of conditional
    value-at-risk", Journal of Risk 2(3):21–41, 2000, write it, for rewards, as the largest over x
    of x − E[(x − Y)₊]/α. The α-quantile attains it, whether or not the law has atoms, and a small
    error in the quantile hardly changes it. At α = 1 it is the mean.

    >>> import upperhand as uh
    >>> round(uh.CVaR(0.5).value(uh.Uniform(0, 1)), 12)
    0.25
    """

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, above=0, most=1))

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"CVaR {100 * self.alpha:.12g} %"

    def value(self, arm: "Distribution") -> float:
        """Return q − E[(q − Y)₊]/α with q = F⁻¹(α), or the mean for α = 1, where q may be +∞."""
        if self.alpha == 1:
            return arm.mean
        q = arm.quantile(self.alpha)
        return q - arm.shortfall(q) / self.alpha

    def cost(self, arm: "Distribution") -> float:
        """Return the mean of the highest share α of the costs, q + E[(Y − q)₊]/α at 1 − α."""
        if self.alpha == 1:
            return arm.mean
        q = arm.quantile(1 - self.alpha)
        return q + (arm.mean - q + arm.shortfall(q)) / self.alpha
