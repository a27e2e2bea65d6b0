"""Distributions made of others: a mixture, and the negative of one."""

import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..checks import numbers
from ..errors import ParameterError
from .base import Array, Distribution, Points
from .numerics import first_double_almost_reaching

Value = TypeVar("Value", float, Array)

SLACK = 2.0**-50  # what a sum of weighted probabilities may lose, relative to a level


@dataclass(frozen=True)
class Mixture(Distribution):
    """The distribution F(x) = Σ wᵢ Fᵢ(x); the weights are positive and sum to 1 within 1e-9.

    >>> from upperhand.distributions import Uniform
    >>> Mixture([Uniform(0, 1), Uniform(2, 3)], [0.5, 0.5]).quantile(0.75)
    2.5
    """

    family: ClassVar[str] = "mixture"
    components: Sequence[Distribution]
    weights: Points

    def __post_init__(self) -> None:
        parts = tuple(self.components) if isinstance(self.components, Sequence) else ()
        if not parts or not all(isinstance(part, Distribution) for part in parts):
            raise ParameterError(
                f"components must be a list of Distributions; got {reprlib.repr(self.components)}."
            )
        weights, given = numbers("weights", self.weights), reprlib.repr(self.weights)
        if weights.shape != (len(parts),):
            raise ParameterError(
                f"weights must be {len(parts)} numbers, one a component; got {given}."
            )
        if not (weights > 0.0).all() or abs(math.fsum(weights) - 1.0) > 1e-9:
            raise ParameterError(f"weights must be positive and sum to 1; got {given}.")
        self._set(components=parts, weights=tuple(weights.tolist()))

    @property
    def mean(self) -> float:
        """The mean, Σ wᵢ meanᵢ; `nan` if a component has none."""
        return self._average([part.mean for part in self.components])

    @property
    def sd(self) -> float:
        """The standard deviation, √Σ wᵢ (sdᵢ² + (meanᵢ − mean)²)."""
        mean = self.mean
        if math.isinf(mean):
            return math.inf
        squares = [
            part.sd * part.sd + (part.mean - mean) * (part.mean - mean) for part in self.components
        ]
        return math.sqrt(self._average(squares))

    @property
    def has_density(self) -> bool:
        return all(part.has_density for part in self.components)

    def spec(self) -> dict[str, Any]:
        parts = [part.spec() for part in self.components]
        return {"family": self.family, "components": parts, "weights": list(self.weights)}

    @property
    def magnitude(self) -> float:
        return max(max(part.magnitude, abs(part.mean)) for part in self.components)

    def _quantile(self, p: Array) -> Array:
        """Search between the least and the greatest of the components' own p-quantiles."""
        ends = np.array([part.quantile(p) for part in self.components])
        low: Array = ends.min(axis=0)
        high: Array = ends.max(axis=0)
        almost = p * (1.0 - SLACK)
        found = first_double_almost_reaching(p, almost, self._cdf, low, high)
        return np.where(p == 1.0, high, found)

    def _cdf(self, x: Array) -> Array:
        average: Array = self._average([part.cdf(x) for part in self.components])
        return np.minimum(average, 1.0)

    def _sf(self, x: Array) -> Array:
        return self._average([part.sf(x) for part in self.components])

    def _pdf(self, x: Array) -> Array:
        return self._average([part.pdf(x) for part in self.components])

    def _shortfall(self, x: Array) -> Array:
        return self._average([part.shortfall(x) for part in self.components])

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        shares = np.array(self.weights) / math.fsum(self.weights)
        which = np.asarray(rng.choice(len(self.components), size=shape, p=shares))
        draws = np.empty(shape)
        for index, part in enumerate(self.components):
            here = which == index
            draws[here] = part.sample(int(here.sum()), rng)
        return draws

    def _average(self, values: Sequence[Value]) -> Value:
        """Return Σ wᵢ valueᵢ / Σ wᵢ, for floats as for arrays."""
        weighted = [w * value for w, value in zip(self.weights, values, strict=True)]
        return sum(weighted) / math.fsum(self.weights)


# In level, past the end of an atom: empirical quantiles forgive less, and atoms weigh more.
BEYOND = 1e-9


@dataclass(frozen=True)
class Negated(Distribution):
    """The distribution of −Y: the rewards that a policy gets from an arm that pays the cost Y.

    Its lower p-quantile is minus the upper (1−p)-quantile of Y, sup{x : P(Y < x) ≤ 1−p}. That
    differs from the lower one where F is flat at 1−p; a density on one interval is flat nowhere.

    >>> from upperhand.distributions import Bernoulli
    >>> costs = Bernoulli(0.5)  # is 0 up to the level 0.5, and 1 from there on
    >>> costs.quantile(0.5), Negated(costs).quantile(0.5)
    (0.0, -1.0)
    """

    family: ClassVar[str] = "negated"
    costs: Distribution

    @property
    def mean(self) -> float:
        return -self.costs.mean

    @property
    def sd(self) -> float:
        return self.costs.sd

    @property
    def has_density(self) -> bool:
        return self.costs.has_density

    @property
    def magnitude(self) -> float:
        return self.costs.magnitude

    @property
    def in_sequence(self) -> bool:
        return self.costs.in_sequence

    def _quantile(self, p: Array) -> Array:
        beyond = 0.0 if self.has_density else BEYOND
        return 0.0 - self.costs.quantile(np.minimum(1.0 - p + beyond, 1.0))

    def _cdf(self, x: Array) -> Array:
        return self.costs.sf(np.nextafter(-x, -np.inf))

    def _sf(self, x: Array) -> Array:
        return self.costs.cdf(np.nextafter(-x, -np.inf))

    def _pdf(self, x: Array) -> Array:
        return self.costs.pdf(-x)

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return 0.0 - self.costs.sample(shape, rng)
