"""What an objective is: a value for every law, and the gaps between arms."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from .gaps import gaps_of

if TYPE_CHECKING:
    from ..distributions import Distribution


class Objective(ABC):
    """A value for every law; larger is better."""

    @property
    @abstractmethod
    def label(self) -> str:
        """A few words for tables and figures."""

    @abstractmethod
    def value(self, arm: "Distribution") -> float:
        """Return what the arm is worth."""

    def cost(self, arm: "Distribution") -> float:
        """Return what an arm that pays costs is charged with, less being better: the same number.

        Objectives that look at the bad side alone override it: the bad costs are the high ones.
        """
        return self.value(arm)

    def of_costs(self) -> "Objective":
        """Return the objective that says of costs what this one says of rewards: by default this.

        One that looks at the other end of the law then overrides it, as the best of N does, so that
        its `tau` is the level that policies are told.
        """
        return self

    def values(self, arms: Sequence["Distribution"]) -> NDArray[np.float64]:
        """Return what each arm is worth, (K,); refuse an arm that has no such value."""
        values = np.array([self.value(arm) for arm in arms])
        if not np.isfinite(values).all():
            arm = arms[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise ParameterError(
                f"{arm!r} has no finite {self.label}. Choose another objective or another arm."
            )
        return values

    def is_defined(self, arms: Sequence["Distribution"]) -> bool:
        """Whether every arm has a finite value: a Student-t with df ≤ 1, say, has no mean."""
        return all(math.isfinite(self.value(arm)) for arm in arms)

    def gaps(self, arms: Sequence["Distribution"]) -> NDArray[np.float64]:
        """Return how far each arm falls short of the best one, (K,); rounding is no gap."""
        return gaps_of(self.values(arms), [arm.magnitude for arm in arms])

    def best(self, arms: Sequence["Distribution"]) -> int:
        """Return the best arm, the lowest one if several are."""
        return int(np.argmin(self.gaps(arms)))
