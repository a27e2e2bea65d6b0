"""Frozen distributions of `scipy.stats`, stored by name and parameters."""

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..errors import ParameterError, UnknownNameError
from .base import Array, Distribution
from .numerics import integrated_shortfall, lattice_shortfall, scipy_part


def from_scipy(frozen: Any) -> "ScipyDistribution":
    """Adapt a frozen distribution such as `scipy.stats.gamma(2, scale=3)`.

    >>> import scipy.stats
    >>> round(from_scipy(scipy.stats.gamma(2, scale=3)).mean, 9)
    6.0
    """
    if not is_frozen_scipy(frozen):
        raise ParameterError(
            "from_scipy takes a frozen distribution such as scipy.stats.gamma(2); "
            f"got {reprlib.repr(frozen)}."
        )
    name = str(frozen.dist.name)
    if type(frozen.dist) is not type(_named().get(name)):
        raise ParameterError(
            f"Only the named distributions of scipy.stats can be stored and rebuilt; {name!r} is "
            "not one. Sample it into an Empirical, or write a Distribution of your own."
        )
    return ScipyDistribution(name, frozen.args, frozen.kwds)


def is_frozen_scipy(given: object) -> bool:
    """Tell whether this is a frozen distribution of `scipy.stats`."""
    unfrozen = getattr(given, "dist", None)
    if unfrozen is None:  # answered without importing scipy.stats, which takes 0.6 s
        return False
    return isinstance(unfrozen, (_stats().rv_continuous, _stats().rv_discrete))


@dataclass(frozen=True)
class ScipyDistribution(Distribution):
    """The distribution `scipy.stats.<name>(*args, **kwds)`, as SciPy computes it.

    >>> ScipyDistribution("binom", (10, 0.3)).quantile(0.95)
    5.0
    """

    family: ClassVar[str] = "scipy"
    name: str
    args: Sequence[float] = ()
    kwds: Mapping[str, float] | Sequence[tuple[str, float]] = ()

    def __post_init__(self) -> None:
        if str(self.name) not in _named():
            raise UnknownNameError.among("scipy.stats distribution", self.name, _named())
        self._set(args=_plain_args(self.args), kwds=_plain_kwds(self.kwds))
        if np.isnan(self._frozen.median()):
            raise ParameterError(
                f"The parameters of scipy.stats.{self.name} are out of their range; "
                f"got {self._call()}."
            )

    @property
    def mean(self) -> float:
        return float(self._frozen.mean())

    @property
    def sd(self) -> float:
        return float(self._frozen.std())

    @property
    def has_density(self) -> bool:
        return isinstance(self._frozen.dist, _stats().rv_continuous)

    def spec(self) -> dict[str, Any]:
        settings = {"name": self.name, "args": list(self.args), "kwds": dict(self.kwds)}
        return {"family": self.family} | settings

    @cached_property
    def _frozen(self) -> Any:
        unfrozen = _named()[self.name]
        try:
            return unfrozen(*self.args, **dict(self.kwds))
        except TypeError as error:
            parameters = [*(unfrozen.shapes or "").replace(",", " ").split(), "loc"]
            parameters += ["scale"] if isinstance(unfrozen, _stats().rv_continuous) else []
            raise ParameterError(
                f"scipy.stats.{self.name} takes {','.join(parameters)}; got {self._call()}."
            ) from error

    def _call(self) -> str:
        """Return the call as one would write it, for messages."""
        named = [f"{name}={value!r}" for name, value in dict(self.kwds).items()]
        return f"{self.name}({', '.join([*map(repr, self.args), *named])})"

    def _quantile(self, p: Array) -> Array:
        lowest, _ = self._frozen.support()  # SciPy's ppf(0) is one below the least atom
        return np.where(p == 0.0, lowest, np.asarray(self._frozen.ppf(p)))

    def _cdf(self, x: Array) -> Array:
        return np.asarray(self._frozen.cdf(x))

    def _sf(self, x: Array) -> Array:
        return np.asarray(self._frozen.sf(x))

    def _pdf(self, x: Array) -> Array:
        finite = np.isfinite(x)  # at infinity SciPy warns, or answers inf − inf
        return np.where(finite, np.asarray(self._frozen.pdf(np.where(finite, x, 0.0))), 0.0)

    def _shortfall(self, x: Array) -> Array:
        if not self.has_density:
            return lattice_shortfall(self._quantile, self._cdf, x)
        try:
            return integrated_shortfall(self._quantile, self._cdf, self.mean, x)
        except RuntimeError as error:  # the inversion of an involved cdf did not converge
            raise ParameterError(
                f"SciPy finds no quantiles of {self._call()} far enough in its lower tail for a "
                f"shortfall; sample the distribution into an Empirical."
            ) from error

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.asarray(self._frozen.rvs(size=shape, random_state=rng))


ScipyLaw = ScipyDistribution  # the name until version 0.1


def _plain_args(args: object) -> tuple[float, ...]:
    if not isinstance(args, Sequence):
        raise ParameterError(f"args must be a list of numbers; got {reprlib.repr(args)}.")
    return tuple(_plain("each of args", value) for value in args)


def _plain_kwds(kwds: Any) -> tuple[tuple[str, float], ...]:
    """Return the pairs in the order of their names: unlike a dict, a tuple can be hashed."""
    try:
        pairs = sorted(dict(kwds).items())
    except (TypeError, ValueError):
        raise ParameterError(
            f"kwds must be a dict from names to numbers; got {reprlib.repr(kwds)}."
        ) from None
    return tuple((name, _plain(name, value)) for name, value in pairs)


def _plain(name: str, value: Any) -> float:
    """Return a plain number; whole ones stay whole, as some distributions require."""
    number = checks.real(name, value)
    return int(value) if isinstance(value, Integral) else number


@cache
def _named() -> dict[str, Any]:
    """Return the distributions of `scipy.stats` by their names."""
    stats = _stats()
    kinds = (stats.rv_continuous, stats.rv_discrete)
    return {name: each for name, each in vars(stats).items() if isinstance(each, kinds)}


def _stats() -> Any:
    return scipy_part("stats", "A distribution of scipy.stats")
