"""An arm is worth a quantile of its rewards: the paper's upper endpoint, the lower one, any."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import checks
from .base import Objective

if TYPE_CHECKING:
    from ..distributions import Distribution


@dataclass(frozen=True)
class _Endpoint(Objective):
    """An end of the central interval that leaves out α/2 on either side."""

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, above=0, below=1))

    @property
    @abstractmethod
    def tau(self) -> float:
        """The level of the endpoint."""

    def value(self, arm: "Distribution") -> float:
        """Return F⁻¹(τ)."""
        return arm.quantile(self.tau)


@dataclass(frozen=True)
class UpperTail(_Endpoint):
    """The paper's value u* = F⁻¹(1−α/2): the upper endpoint of the central interval.

    >>> import upperhand as uh
    >>> round(uh.UpperTail(0.1).value(uh.Normal(0.10, 0.05)), 3)
    0.182
    """

    @property
    def tau(self) -> float:
        """The level of the endpoint."""
        return 1 - self.alpha / 2

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"ACP value (p{100 * self.tau:.12g})"


@dataclass(frozen=True)
class LowerTail(_Endpoint):
    """The lower endpoint F⁻¹(α/2) of the central interval: how good an arm's bad days are."""

    @property
    def tau(self) -> float:
        """The level of the endpoint."""
        return self.alpha / 2

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"lower endpoint (p{100 * self.tau:.12g})"


@dataclass(frozen=True)
class Quantile(Objective):
    """The τ-quantile F⁻¹(τ)."""

    tau: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "tau", checks.real("tau", self.tau, above=0, below=1))

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return f"p{100 * self.tau:.12g}"

    def value(self, arm: "Distribution") -> float:
        """Return F⁻¹(τ)."""
        return arm.quantile(self.tau)
