"""The law of a sample: each of its m values with probability 1/m."""

import csv
import math
import reprlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .._kernels.ranks import rank
from ..checks import first_of, numbers
from ..errors import FileError, ParameterError
from .base import Array, Distribution, Points

SHOWN = 6  # values that a repr writes out; more are summed up
_ranks = np.vectorize(rank, otypes=[np.int64])


@dataclass(frozen=True)
class Empirical(Distribution):
    """The law that puts mass 1/m on each of m finite values, kept in rising order.

    Its quantile is the order statistic x_(k), k the smallest integer with k/m ≥ p; nothing is
    interpolated. Its standard deviation is that of the law, with divisor m.

    >>> Empirical([3, 1, 2, 4]).quantile([0.5, 0.51])
    array([2., 3.])
    """

    family: ClassVar[str] = "empirical"
    data: Points

    def __post_init__(self) -> None:
        self._settle(data=tuple(np.sort(_finite(self.data)).tolist()))

    def __repr__(self) -> str:
        if len(self.data) <= SHOWN:
            return f"Empirical(data={self.data!r})"
        return f"Empirical({len(self.data)} values from {self.data[0]:g} to {self.data[-1]:g})"

    @classmethod
    def from_file(cls, path: str | Path) -> "Empirical":
        """Read one number per line, or the first column of a CSV; a header line is skipped."""
        return cls(_first_column(Path(path)))

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
        return {"family": self.family, "data": list(self.data)}

    @cached_property
    def _sorted(self) -> Array:
        return np.array(self.data, dtype=np.float64)

    def _quantile(self, p: Array) -> Array:
        ranks: npt.NDArray[np.int64] = _ranks(p, self._sorted.size)
        return self._sorted[ranks - 1]

    def _cdf(self, x: Array) -> Array:
        return np.searchsorted(self._sorted, x, side="right") / self._sorted.size

    def _sf(self, x: Array) -> Array:
        above = self._sorted.size - np.searchsorted(self._sorted, x, side="right")
        return above / self._sorted.size

    def _shortfall(self, x: Array) -> Array:
        """Return Σ (x − x_(i))₊ / m, summed anew for each x: sums of the values would cancel."""
        sums = [np.sum(np.maximum(point - self._sorted, 0.0)) for point in x.flat]
        return np.reshape(sums, x.shape) / self._sorted.size

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


def _first_column(path: Path) -> list[float]:
    """Return the first cells of a file's rows as numbers; only the first row may be a header."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            cells = [(n, row[0]) for n, row in enumerate(csv.reader(file), start=1) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"Cannot read values from {str(path)!r}: {error}.") from error
    if cells and not _is_number(cells[0][1]):
        cells = cells[1:]
    if not cells:
        raise FileError(f"{str(path)!r} holds no values; write one number per line.")
    return [_value(path, line, cell) for line, cell in cells]


def _value(path: Path, line: int, cell: str) -> float:
    """Return a cell as a finite number, or say where it stands."""
    if not _is_number(cell) or not math.isfinite(float(cell)):
        raise FileError(f"{str(path)!r}, row {line}: {cell!r} is not a finite number.")
    return float(cell)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
