"""The base class of distributions: moments, quantiles, densities, sampling and storing."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from .. import checks
from ..checks import first_of, numbers
from ..errors import ParameterError

Array: TypeAlias = npt.NDArray[np.float64]
Points: TypeAlias = Array | Sequence[float]
F = TypeVar("F", bound=Callable[..., Array])


POSITIVE = {"above": 0.0}  # the bound of a setting, as `Family` reads it


def one_by_one(sample: F) -> F:
    """Mark a `_sample` that draws one reward after the other: see `Distribution.in_sequence`."""
    sample.one_by_one = True  # type: ignore[attr-defined]
    return sample


@dataclass(frozen=True)
class Distribution(ABC):
    """An immutable distribution of rewards; two are equal if their family and settings are.

    A family is a frozen dataclass whose fields are its settings. It implements `mean`, `sd`,
    `_quantile`, `_cdf`, `_sample` and, if it has a density, `_pdf`. These get checked float64
    arrays with at least one dimension. A family overrides `_sf` to keep digits where F is near 1,
    or if it has atoms. `_shortfall` gets finite numbers; a family without a closed form for it
    inherits one that integrates: to 1e-11, or to 1e-5 where there are atoms.
    """

    family: ClassVar[str]  # the short name, as on the command line

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean: `inf` if it is infinite, `nan` if there is none."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """The standard deviation: `inf` if it is infinite, `nan` if there is no mean."""

    @property
    def has_density(self) -> bool:
        """Whether `pdf` may be called; a distribution with atoms has no density."""
        return True

    @property
    def magnitude(self) -> float:
        """The largest number that values are summed from; their rounding is measured by it."""
        return abs(float(getattr(self, "loc", 0.0)))

    @overload
    def quantile(self, p: float) -> float: ...
    @overload
    def quantile(self, p: Points) -> Array: ...
    def quantile(self, p: float | Points) -> float | Array:
        """Return inf{x : F(x) ≥ p}, the lower inverse; 0 and 1 give the ends of the support."""
        levels = numbers("p", p)
        outside = (levels < 0.0) | (levels > 1.0)
        if outside.any():
            raise ParameterError(f"p must lie in [0, 1]; got {first_of('p', levels, outside)}.")
        return _elementwise(self._quantile, levels)

    @overload
    def cdf(self, x: float) -> float: ...
    @overload
    def cdf(self, x: Points) -> Array: ...
    def cdf(self, x: float | Points) -> float | Array:
        """Return F(x), the probability of a reward of at most x."""
        return _elementwise(self._cdf, numbers("x", x))

    @overload
    def sf(self, x: float) -> float: ...
    @overload
    def sf(self, x: Points) -> Array: ...
    def sf(self, x: float | Points) -> float | Array:
        """Return 1 − F(x), the probability of a reward above x, with digits far out as well."""
        return _elementwise(self._sf, numbers("x", x))

    @overload
    def pdf(self, x: float) -> float: ...
    @overload
    def pdf(self, x: Points) -> Array: ...
    def pdf(self, x: float | Points) -> float | Array:
        """Return the density at x."""
        if not self.has_density:
            raise ParameterError(
                f"{self.family!r} distributions have atoms and no density; use cdf or quantile."
            )
        return _elementwise(self._pdf, numbers("x", x))

    @overload
    def shortfall(self, x: float) -> float: ...
    @overload
    def shortfall(self, x: Points) -> Array: ...
    def shortfall(self, x: float | Points) -> float | Array:
        """Return E[(x − Y)₊] = ∫ F over (−∞, x]: how far a reward falls short of x, on average.

        It is `inf` if the lower tail has no mean. `CVaR` is computed from it.
        """
        return _elementwise(self._shortfall_anywhere, numbers("x", x))

    @property
    def in_sequence(self) -> bool:
        """Whether drawing m rewards and then k gives the m + k that are drawn at once.

        A family declares this by marking its `_sample` with `one_by_one`; one that overrides
        `_sample` must mark it again. From such a distribution a simulation draws no more rewards
        than there are pulls.
        """
        return getattr(type(self)._sample, "one_by_one", False)

    def sample(
        self, size: int | tuple[int, ...], seed: int | np.random.Generator | None = None
    ) -> Array:
        """Draw independent rewards from a seed, or from a generator, which moves on."""
        if isinstance(size, np.random.Generator):
            raise ParameterError("The size comes first: sample(100, seed=0), or sample(100, rng).")
        if not isinstance(seed, np.random.Generator):
            seed = np.random.default_rng(checks.seed(seed))
        sizes = size if isinstance(size, tuple) else (size,)
        shape = tuple(checks.integer("size", length, least=0) for length in sizes)
        with np.errstate(over="ignore"):  # the far tails reach ±inf on purpose
            return np.asarray(self._sample(seed, shape), dtype=np.float64)

    def spec(self) -> dict[str, Any]:
        """Return plain data for JSON, from which `from_spec` builds an equal distribution."""
        return {"family": self.family} | {f.name: getattr(self, f.name) for f in fields(self)}

    @abstractmethod
    def _quantile(self, p: Array) -> Array: ...

    @abstractmethod
    def _cdf(self, x: Array) -> Array: ...

    def _sf(self, x: Array) -> Array:
        return 1.0 - self._cdf(x)

    def _pdf(self, x: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} has a density but no _pdf.")

    def _shortfall(self, x: Array) -> Array:
        from .numerics import integrated_shortfall  # which builds on this module

        return integrated_shortfall(self._quantile, self._cdf, self.mean, x)

    def _shortfall_anywhere(self, x: Array) -> Array:
        finite = np.isfinite(x)
        within = self._shortfall(np.where(finite, x, 0.0))
        return np.where(finite, within, np.maximum(x, 0.0))

    @abstractmethod
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array: ...

    def _set(self, **checked: object) -> None:
        """Store the fields that `__post_init__` checked, although the dataclass is frozen."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Family(Distribution):
    """A distribution whose settings are finite numbers, within the bounds that they declare."""

    def __post_init__(self) -> None:
        given = {each.name: (getattr(self, each.name), each.metadata) for each in fields(self)}
        self._set(**{name: checks.real(name, x, **about) for name, (x, about) in given.items()})


def _elementwise(function: Callable[[Array], Array], points: Array) -> float | Array:
    """Apply a vectorised function; a scalar comes back as a plain float."""
    with np.errstate(over="ignore", divide="ignore"):  # the far tails reach ±inf on purpose
        values = function(np.atleast_1d(points))
    return float(values[0]) if points.ndim == 0 else values
