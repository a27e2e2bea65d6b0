"""The law of a sample: each of its m values with probability 1/m."""

import os
import reprlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .._kernels.ranks import rank
from ..checks import first_of, numbers
from ..errors import ParameterError
from ..text import counted, printable
from .base import Array, Distribution, Points, one_by_one
from .columns import read_column

SHOWN = 6  # values that a repr writes out; more are summed up
_ranks = np.vectorize(rank, otypes=[np.int64])


@dataclass(frozen=True)
class Empirical(Distribution):
    """The law that puts mass 1/m on each of m finite values, kept in rising order.

    Its quantile is the order statistic x_(k), k the smallest integer with k/m ≥ p; nothing is
    interpolated. Its standard deviation is that of the law, with divisor m. The name, such as that
    of a file, is for tables: two laws with the same values are equal, whatever their names.

    >>> Empirical([3, 1, 2, 4]).quantile([0.5, 0.51])
    array([2., 3.])
    """

    family: ClassVar[str] = "empirical"
    data: Points
    name: str = field(default="", compare=False)
    note: str = field(default="", compare=False)  # how a file was read

    def __post_init__(self) -> None:
        for key, text in (("name", self.name), ("note", self.note)):
            if not isinstance(text, str):
                raise ParameterError(f"{key} must be a string; got {reprlib.repr(text)}.")
        self._settle(data=tuple(np.sort(_finite(self.data)).tolist()))

    def __repr__(self) -> str:
        if len(self.data) <= SHOWN and not self.name:
            return f"Empirical(data={self.data!r})"
        name = f"{self.name}: " if self.name else ""
        ends = f"{counted(len(self.data), 'value')} from {self.data[0]:g} to {self.data[-1]:g}"
        return printable(f"Empirical({name}{ends}{'; ' if self.note else ''}{self.note})")

    @classmethod
    def from_file(cls, path: str | Path, column: str | int | None = None) -> "Empirical":
        """Read a CSV file's numbers, each equally likely. If several columns have any, name one.

        A column is given by its name, or by its number from 1. The cells stand between commas,
        semicolons or tabs. Missing values, decimal commas and whatever else can be read in two ways
        are refused. The law's name is that of the file and of the column, from a first line of
        names. Its note says if several columns have no such line, and if empty lines were skipped.
        """
        name, values, note = read_column(os.fspath(path), column)
        return cls(values, ":".join(filter(None, (Path(path).name, name))), note)

    @property
    def mean(self) -> float:
        """The mean of the values; not finite where a double cannot hold their sum."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self._sorted.mean())

    @property
    def sd(self) -> float:
        """The standard deviation of the values, with divisor m; not finite if that overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self._sorted.std())

    @property
    def has_density(self) -> bool:
        """False: all the mass is in atoms."""
        return False

    def spec(self) -> dict[str, Any]:
        """Return the law as plain data, with the values as a list."""
        texts = {key: text for key in ("name", "note") if (text := getattr(self, key))}
        return {"family": self.family, "data": list(self.data), **texts}

    @cached_property
    def _sorted(self) -> Array:
        return np.array(self.data, dtype=np.float64)

    @property
    def magnitude(self) -> float:
        """The largest value."""
        return float(np.abs(self.data).max())

    def _quantile(self, p: Array) -> Array:
        ranks: npt.NDArray[np.int64] = _ranks(p, self._sorted.size)
        return self._sorted[ranks - 1]

    def _cdf(self, x: Array) -> Array:
        return np.searchsorted(self._sorted, x, side="right") / self._sorted.size

    def _sf(self, x: Array) -> Array:
        above = self._sorted.size - np.searchsorted(self._sorted, x, side="right")
        return above / self._sorted.size

    def _shortfall(self, x: Array) -> Array:
        """Return Σ (x − x_(i))₊ / m, summed for each x: sums of the values would cancel."""
        sums = [np.sum(np.maximum(point - self._sorted, 0.0)) for point in x.flat]
        return np.reshape(sums, x.shape) / self._sorted.size

    @one_by_one
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return self._sorted[rng.integers(self._sorted.size, size=shape)]


def _finite(data: object) -> Array:
    """Return the values as a non-empty vector of finite numbers."""
    values = numbers("data", data)
    wanted = "data must be a non-empty, one-dimensional sequence of finite numbers"
    if values.ndim != 1 or values.size == 0:
        raise ParameterError(f"{wanted}; got {reprlib.repr(data)}.")
    if (infinite := np.isinf(values)).any():
        raise ParameterError(f"{wanted}; got {first_of('data', values, infinite)}.")
    return values
