"""A mixture of laws: one component is drawn by weight, then a reward from it.

The law of −Y: what a policy sees of an arm that pays the cost Y.
"""

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
    """The law F(x) = Σ wᵢ Fᵢ(x); the weights are positive and must sum to 1 within 1e-9.

    >>> from upperhand.distributions import Uniform
    >>> Mixture([Uniform(0, 1), Uniform(2, 3)], [0.5, 0.5]).quantile(0.75)
    2.5
    """

    family: ClassVar[str] = "mixture"
    components: Sequence[Distribution]
    weights: Points

    def __post_init__(self) -> None:
        components = _checked_components(self.components)
        self._settle(components=components, weights=_checked_weights(self.weights, len(components)))

    @property
    def mean(self) -> float:
        """The mean, Σ wᵢ meanᵢ; `nan` if a component has none."""
        return self._average([law.mean for law in self.components])

    @property
    def sd(self) -> float:
        """The standard deviation, √Σ wᵢ (sdᵢ² + (meanᵢ − mean)²)."""
        mean = self.mean
        if math.isinf(mean):
            return math.inf
        squares = [
            law.sd * law.sd + (law.mean - mean) * (law.mean - mean) for law in self.components
        ]
        return math.sqrt(self._average(squares))

    @property
    def has_density(self) -> bool:
        """Whether every component has a density."""
        return all(law.has_density for law in self.components)

    def spec(self) -> dict[str, Any]:
        """Return the law as plain data, with the components' specs in a list."""
        parts = [law.spec() for law in self.components]
        return {"family": self.family, "components": parts, "weights": list(self.weights)}

    @property
    def magnitude(self) -> float:
        """The largest of its components, or of their means."""
        return max(max(part.magnitude, abs(part.mean)) for part in self.components)

    def _quantile(self, p: Array) -> Array:
        """Search between the least and the greatest of the components' own p-quantiles."""
        ends = np.array([law.quantile(p) for law in self.components])
        low: Array = ends.min(axis=0)
        high: Array = ends.max(axis=0)
        almost = p * (1.0 - SLACK)
        found = first_double_almost_reaching(p, almost, self._cdf, low, high)
        return np.where(p == 1.0, high, found)

    def _cdf(self, x: Array) -> Array:
        average: Array = self._average([law.cdf(x) for law in self.components])
        return np.minimum(average, 1.0)

    def _sf(self, x: Array) -> Array:
        return self._average([law.sf(x) for law in self.components])

    def _pdf(self, x: Array) -> Array:
        return self._average([law.pdf(x) for law in self.components])

    def _shortfall(self, x: Array) -> Array:
        return self._average([law.shortfall(x) for law in self.components])

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        shares = np.array(self.weights) / math.fsum(self.weights)
        which = np.asarray(rng.choice(len(self.components), size=shape, p=shares))
        draws = np.empty(shape)
        for index, law in enumerate(self.components):
            here = which == index
            draws[here] = law.sample(rng, int(here.sum()))
        return draws

    def _average(self, values: Sequence[Value]) -> Value:
        """Return Σ wᵢ valueᵢ / Σ wᵢ, for floats as for arrays."""
        weighted = [w * value for w, value in zip(self.weights, values, strict=True)]
        average: Value = sum(weighted) / math.fsum(self.weights)
        return average


def _checked_components(components: Sequence[Distribution]) -> tuple[Distribution, ...]:
    laws = tuple(components) if isinstance(components, Sequence) else ()
    if laws and all(isinstance(law, Distribution) for law in laws):
        return laws
    raise ParameterError(
        f"components must be a list of Distributions; got {reprlib.repr(components)}."
    )


def _checked_weights(weights: Points, count: int) -> tuple[float, ...]:
    checked = numbers("weights", weights)
    if checked.shape != (count,):
        raise ParameterError(
            f"weights must be {count} numbers, one a component; got {reprlib.repr(weights)}."
        )
    if not (checked > 0.0).all() or abs(math.fsum(checked) - 1.0) > 1e-9:
        raise ParameterError(f"weights must be positive and sum to 1; got {reprlib.repr(weights)}.")
    return tuple(checked.tolist())


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
