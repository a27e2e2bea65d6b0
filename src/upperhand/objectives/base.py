"""What an objective is: a value for every law, and the gaps between arms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..errors import ParameterError

ROUNDING = 1e-13  # of a value: 0.3 and 0.1 + 0.2 are the same mean


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
        """Return how far each arm falls short of the best one, (K,); rounding is no gap."""
        values = self.values(arms)
        gaps = np.max(values) - values
        return np.where(gaps > ROUNDING * np.abs(values).max(), gaps, 0.0)

    def best(self, arms: Sequence[Distribution]) -> int:
        """Return the best arm, the lowest one if several are."""
        return int(np.argmax(self.values(arms)))
