"""An arm is worth its mean, or its mean weighed against its spread."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import checks
from .base import Objective

if TYPE_CHECKING:
    from ..distributions import Distribution


@dataclass(frozen=True)
class Mean(Objective):
    """The classical value μ."""

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return "mean"

    def value(self, arm: "Distribution") -> float:
        """Return μ."""
        return arm.mean


@dataclass(frozen=True)
class Utility(Objective):
    """The utility v(κ) = μ + κσ: for Gaussian arms, the path from mean to tail (section 4.3.1)."""

    kappa: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "kappa", checks.real("kappa", self.kappa))

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"mean + {self.kappa:g} sd"

    def value(self, arm: "Distribution") -> float:
        """Return μ + κσ."""
        return arm.mean + self.kappa * arm.sd


@dataclass(frozen=True)
class MeanVariance(Objective):
    """The mean-variance ρμ − σ²: ρ is how much spread a higher mean may cost.

    A. Sani, A. Lazaric, R. Munos, "Risk-aversion in multi-armed bandits", NeurIPS 2012, minimise
    its negative σ² − ρμ, with ρ ≥ 0: at ρ = 0 only the variance counts, and as ρ grows the mean
    alone decides.

    >>> import upperhand as uh
    >>> uh.MeanVariance(1).value(uh.Normal(0.5, 0.5))
    0.25
    """

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", checks.real("rho", self.rho))

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"mean-variance (ρ={self.rho:g})"

    def value(self, arm: "Distribution") -> float:
        """Return ρμ − σ²."""
        return self.rho * arm.mean - arm.sd * arm.sd

    def cost(self, arm: "Distribution") -> float:
        """Return ρμ + σ²: spread is bad for costs too."""
        return self.rho * arm.mean + arm.sd * arm.sd
