"""The law of −Y: what a policy sees of an arm that pays the cost Y."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .base import Array, Distribution

# In level, past the end of an atom: empirical quantiles forgive less, and atoms weigh more.
BEYOND = 1e-9


@dataclass(frozen=True)
class Negated(Distribution):
    """The law of the negatives of what another law draws.

    Its lower p-quantile is minus the upper (1−p)-quantile of that law, sup{x : P(Y < x) ≤ 1−p}. The
    two differ where F is flat at 1−p; among laws with a density that are in one piece, nowhere.

    >>> from upperhand.distributions import Bernoulli
    >>> costs = Bernoulli(0.5)  # is 0 up to the level 0.5, and 1 from there on
    >>> costs.quantile(0.5), Negated(costs).quantile(0.5)
    (0.0, -1.0)
    """

    family: ClassVar[str] = "negated"
    law: Distribution

    @property
    def mean(self) -> float:
        """The mean."""
        return -self.law.mean

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return self.law.sd

    @property
    def has_density(self) -> bool:
        """Whether the law has one."""
        return self.law.has_density

    @property
    def magnitude(self) -> float:
        """The largest number that values are summed from."""
        return self.law.magnitude

    @property
    def in_sequence(self) -> bool:
        """Whether its rewards are drawn one by one."""
        return self.law.in_sequence

    def _quantile(self, p: Array) -> Array:
        beyond = 0.0 if self.has_density else BEYOND
        return 0.0 - self.law.quantile(np.minimum(1.0 - p + beyond, 1.0))

    def _cdf(self, x: Array) -> Array:
        return self.law.sf(np.nextafter(-x, -np.inf))

    def _sf(self, x: Array) -> Array:
        return self.law.cdf(np.nextafter(-x, -np.inf))

    def _pdf(self, x: Array) -> Array:
        return self.law.pdf(-x)

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return 0.0 - self.law.sample(rng, shape)
