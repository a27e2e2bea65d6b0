"""How an arm is valued: the half of the problem that the policy does not choose.

An objective turns an arm's law into a number. Its gaps turn pull counts into pseudo-regret.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import checks
from .distributions import Distribution
from .errors import ParameterError


class Objective(ABC):
    """A value for every law; larger is better."""

    @property
    @abstractmethod
    def label(self) -> str:
        """A few words for tables and figures."""

    @abstractmethod
    def value(self, arm: Distribution) -> float:
        """Return what the arm is worth."""

    def values(self, arms: Sequence[Distribution]) -> NDArray[np.float64]:
        """Return what each arm is worth, (K,); refuse an arm that has no such value."""
        values = np.array([self.value(arm) for arm in arms])
        if not np.isfinite(values).all():
            arm = arms[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise ParameterError(
                f"{arm!r} has no finite {self.label}. Choose another objective or another arm."
            )
        return values

    def gaps(self, arms: Sequence[Distribution]) -> NDArray[np.float64]:
        """Return how far each arm falls short of the best one, (K,)."""
        values = self.values(arms)
        return np.max(values) - values

    def best(self, arms: Sequence[Distribution]) -> int:
        """Return the best arm, the lowest one if several are."""
        return int(np.argmax(self.values(arms)))


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

    def value(self, arm: Distribution) -> float:
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

    def value(self, arm: Distribution) -> float:
        """Return F⁻¹(τ)."""
        return arm.quantile(self.tau)


@dataclass(frozen=True)
class Mean(Objective):
    """The classical value μ."""

    @property
    def label(self) -> str:
        """A few words for tables and figures."""
        return "mean"

    def value(self, arm: Distribution) -> float:
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

    def value(self, arm: Distribution) -> float:
        """Return μ + κσ."""
        return arm.mean + self.kappa * arm.sd
