"""The empirical distribution of a sample, and the columns of CSV files that samples come from."""

import csv
import math
import os
import re
import reprlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, partial
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .._kernels.samples import rank
from ..checks import first_of, numbers
from ..errors import FileError, ParameterError
from ..text import counted, printable
from .base import Array, Distribution, Points, one_by_one

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
WITH_COMMAS = re.compile(r"[+-]?\d[\d.]*(,\d+)+(\.\d*)?", re.ASCII)  # 1,5 and 1.234,5 and 1,234.5
COMMAS = "write 1.5 for 1,5 and 1234 for 1,234"
INFINITE = {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity")}
MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none"}  # as common programs write it
ROWS_SHOWN = 5  # rows with missing values that a message names
VALUES_SHOWN = 6  # values that a repr writes out; more are summarised
_ranks = np.vectorize(rank, otypes=[np.int64])


@dataclass(frozen=True)
class Empirical(Distribution):
    """The distribution that puts mass 1/m on each of m finite values, kept in rising order.

    Its quantile is the order statistic x_(k), k the smallest integer with k/m ≥ p, without
    interpolation. Its standard deviation has the divisor m. The name, such as that of a file, is
    for tables: two distributions with the same values are equal, whatever their names.

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
        self._set(data=tuple(np.sort(_finite(self.data)).tolist()))

    def __repr__(self) -> str:
        if len(self.data) <= VALUES_SHOWN and not self.name:
            return f"Empirical(data={self.data!r})"
        name = f"{self.name}: " if self.name else ""
        ends = f"{counted(len(self.data), 'value')} from {self.data[0]:g} to {self.data[-1]:g}"
        return printable(f"Empirical({name}{ends}{'; ' if self.note else ''}{self.note})")

    @classmethod
    def from_file(cls, path: str | Path, column: str | int | None = None) -> "Empirical":
        """Read a CSV file's numbers, each equally likely. If several columns have any, name one.

        A column is given by its name, or by its number from 1. The cells stand between commas,
        semicolons or tabs. Missing values, decimal commas and whatever else can be read in two ways
        are refused. The distribution's name is that of the file and of the column, from a first
        line of names. Its note says if several columns have no such line, and if empty lines were
        skipped.
        """
        table = read_table(os.fspath(path))
        place = table.only_numbers() if column is None else table.place(column)
        name = table.names[place] or (str(place + 1) if len(table.names) > 1 else "")
        values = table.numbers((row, cells[place]) for row, cells in table.rows())
        return cls(values, ":".join(filter(None, (Path(path).name, name))), table.note)

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
        return False

    def spec(self) -> dict[str, Any]:
        texts = {key: text for key in ("name", "note") if (text := getattr(self, key))}
        return {"family": self.family, "data": list(self.data), **texts}

    @cached_property
    def _sorted(self) -> Array:
        return np.array(self.data, dtype=np.float64)

    @property
    def magnitude(self) -> float:
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


Rows = Callable[[], Iterator[tuple[int, list[str]]]]  # a row's number in the file, and its cells


class Table(NamedTuple):
    """A CSV file. A column is given by its name, or by its number from 1.

    Its text is cut into cells each time that they are read, as all cells take much memory.
    """

    path: str
    names: list[str]  # of the columns; empty ones without a header
    rows: Rows
    note: str  # what was left out

    def cells(self, column: str) -> Iterator[tuple[int, str]]:
        """Return a column, with the numbers of the rows."""
        place = self.place(column)
        return ((row, cells[place]) for row, cells in self.rows())

    def numbers(self, column: Iterable[tuple[int, str]], to_come: bool = False) -> Sequence[float]:
        """Return cells as numbers; say where one is missing or wrong. The last may be `to_come`."""
        values, wrong, before = array("d"), [], 0
        for row, cell in column:
            values.append(float(cell) if NUMBER.fullmatch(cell) else math.nan)
            if not math.isfinite(values[-1]):
                wrong.append((row, cell))
            else:
                before = len(wrong)  # those that a number follows
        if to_come:
            wrong[before:] = [each for each in wrong[before:] if _kind(each[1]) != "missing"]
        if missing := [str(row) for row, cell in wrong if _kind(cell) == "missing"]:
            rows = ", ".join(missing[:ROWS_SHOWN]) + (", …" if len(missing) > ROWS_SHOWN else "")
            raise FileError(
                f"{self.path!r}: {len(missing)} of {counted(len(values), 'value')} missing, in row "
                f"{rows}. Remove such rows, or fill them in."
            )
        for row, cell in wrong:
            reason = f"has a comma; {COMMAS}" if "," in cell else "is not a finite number"
            raise FileError(f"{self.path!r}, row {row}: {cell!r} {reason}.")
        return values

    def only_numbers(self) -> int:
        """Return the place of the only column that holds numbers."""
        columns = range(len(self.names))
        found = [j for j in columns if any(_kind(row[j]) == "number" for _, row in self.rows())]
        if len(found) > 1:
            last = self.names[found[-1]]
            typed = last.isprintable() and self.names.count(last) == 1
            example = last if last and typed else found[-1] + 1
            raise FileError(
                f"{self.path!r} has {len(found)} columns of numbers: {self._listed(found)}. Say "
                f"which one: {self.path}:{example}. (If numbers have commas, {COMMAS}.)"
            )
        if len(columns) > 1 and not found:
            raise FileError(
                f"{self.path!r} has no column of numbers among {self._listed(columns)}."
            )
        return found[0] if found else 0

    def place(self, column: str | int) -> int:
        """Return the place of a column, from 0."""
        given, several = str(column).strip(), self.names.count(str(column).strip()) > 1
        if given and given in self.names and not several:
            return self.names.index(given)
        if given.isdecimal() and 1 <= int(given) <= len(self.names):
            return int(given) - 1
        fault = f"has several columns {given!r}" if several else f"has no column {given!r}"
        near = get_close_matches(given, filter(None, self.names), n=3) if not several else []
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise FileError(
            f"{self.path!r} {fault}.{hint} Its columns: {self._listed(range(len(self.names)))}. "
            f"Give a name that occurs once, or a number from 1 to {len(self.names)}."
        )

    def _listed(self, places: Sequence[int]) -> str:
        return ", ".join(f"{j + 1} ({printable(self.names[j]) or 'no name'})" for j in places)


def read_table(path: str) -> Table:
    """Read a CSV file of text and numbers; its cells stand between commas, semicolons or tabs."""
    rows = _rows(path)
    top = list(islice(rows(), 2))
    header = bool(top) and _has_header(path, top)
    if len(top) == header:
        raise FileError(f"{path!r} holds no values; write one number per line.")
    width, placed = len(top[0][1]), array("q", (row for row, _ in rows()))
    empty = placed[-1] - len(placed)
    names = top[0][1] if header else [""] * width
    notes = [
        "no header" if width > 1 and not header else "",
        f"{counted(empty, 'empty line')} skipped" if empty else "",
    ]
    return Table(path, names, lambda: islice(rows(), header, None), ", ".join(filter(None, notes)))


def read_columns(path: str, columns: Sequence[str], *, to_come: str = "") -> list[Sequence[float]]:
    """Return the numbers of several columns of a CSV file; in one, the last may be to come."""
    table = read_table(path)
    for column in columns:
        table.place(column)  # unknown columns are reported first
    return [table.numbers(table.cells(name), name == to_come) for name in columns]


def _rows(path: str) -> Rows:
    """Return the rows that are not blank, cut by the mark that gives all equally many cells."""

    def cut(mark: str) -> Iterator[tuple[int, list[str]]]:
        text = TextIOWrapper(BytesIO(content), encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=mark, skipinitialspace=True)
        return ((n, [cell.strip() for cell in row]) for n, row in enumerate(reader, 1) if row)

    try:
        with open(os.path.expanduser(path), "rb") as file:
            content = file.read()
        widths = {mark: {len(cells) for _, cells in cut(mark)} for mark in "\t;,"}
    except UnicodeDecodeError as error:
        raise FileError(
            f"Cannot read values from {path!r}: it is not UTF-8 text. Save it as CSV UTF-8."
        ) from error
    except (OSError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(
            f"Cannot read values from {path!r}: {reason}. Give the path of a CSV file."
        ) from error
    cutting = [mark for mark in widths if max(widths[mark], default=0) > 1] or ["\t"]
    even = [mark for mark in cutting if len(widths[mark]) <= 1]
    if even:
        return partial(cut, even[0])
    (top, first), *rest = cut(cutting[0])
    row, other = next((row, cells) for row, cells in rest if len(cells) != len(first))
    raise FileError(
        f"{path!r}: row {top} has {counted(len(first), 'cell')} and row {row} has {len(other)}. "
        f"All rows must have equally many. If numbers have commas, {COMMAS}."
    )


def _has_header(path: str, rows: list[tuple[int, list[str]]]) -> bool:
    """Tell whether the first row holds names; refuse one that holds neither names nor values."""
    (row, first), second = rows[0], rows[min(1, len(rows) - 1)][1]
    named = [_kind(cell) == "text" and (cell[0].isalpha() or cell[0] == "_") for cell in first]
    if any(first) and all(name or cell == "" for name, cell in zip(named, first, strict=True)):
        return True
    for cell, below in zip(first, second, strict=True):
        if _kind(cell) == "text" and _kind(below) == "number":
            raise FileError(
                f"{path!r}, row {row}: {cell!r} is neither a number nor clearly the name of a "
                "column, which starts with a letter. Correct it, or write a line of names above."
            )
    return False


def _kind(cell: str) -> str:
    """Return what a cell is: a number, even a badly written one, text, or missing."""
    if cell.lower() in MISSING:
        return "missing"
    written = NUMBER.fullmatch(cell) or WITH_COMMAS.fullmatch(cell) or cell.lower() in INFINITE
    return "number" if written else "text"
