"""The law of a sample: each of its m values with probability 1/m.

Columns of numbers from a text file: cells between commas, semicolons or tabs, or one a line.
"""

import csv
import math
import os
import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from io import StringIO
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
DECIMAL_COMMA = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+),\d+", re.ASCII)  # 1,5 and 1.234,5
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)  # 1,234 and 1,234.5
COMMAS = "If numbers have commas, write 1.5 for 1,5 and 1234 for 1,234."
INFINITE = {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity")}
MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none"}  # as common programs write it
COLUMNS_SHOWN = 5  # rows with missing values that a message names
Rows = list[tuple[int, list[str]]]  # the number of each row in the file, and its cells


class Table(NamedTuple):
    """A file's cells."""

    path: str
    names: list[str]  # of the columns; empty ones without a header
    rows: Rows

    def cells(self, column: str) -> list[tuple[int, str]]:
        """Return a column, given by its name or its number from 1, with the numbers of the rows."""
        place = _place(self.path, self.names, column)
        return [(row, cells[place]) for row, cells in self.rows]

    def numbers(self, cells: list[tuple[int, str]]) -> list[float]:
        """Return cells as numbers, or say in which row one is missing or wrong."""
        return _numbers(self.path, cells)


def read_table(path: str) -> Table:
    """Return the cells of a file, of text and of numbers."""
    names, rows, _ = _table(path)
    return Table(path, names, rows)


def read_column(path: str, column: str | int | None = None) -> tuple[str, list[float], str]:
    """Return a column's name and numbers, and what was left out; refuse what is ambiguous.

    The column is given by its name or by its number from 1. It may be left out if only one holds
    numbers. The name is empty if the file has one column, without a header.
    """
    names, rows, notes = _table(path)
    place = _only_numbers(path, names, rows) if column is None else _place(path, names, column)
    name = names[place] or (str(place + 1) if len(names) > 1 else "")
    return name, _numbers(path, [(row, cells[place]) for row, cells in rows]), notes


def read_columns(path: str, columns: Sequence[str]) -> list[list[float]]:
    """Return the numbers of several columns, each given by its name or its number from 1."""
    table = read_table(path)
    cells = [table.cells(column) for column in columns]  # an unknown column is the first thing said
    return [table.numbers(each) for each in cells]


def _table(path: str) -> tuple[list[str], Rows, str]:
    """Return the names of the columns, empty without a header, the rows, and what was left out."""
    rows = _rows(path)
    empty = rows[-1][0] - len(rows)
    header = _has_header(path, rows)
    names = rows.pop(0)[1] if header else [""] * len(rows[0][1])
    if not rows:
        raise FileError(f"{path!r} holds no values; write one number per line.")
    notes = [
        "no header" if len(names) > 1 and not header else "",
        f"{counted(empty, 'empty line')} skipped" if empty else "",
    ]
    return names, rows, ", ".join(filter(None, notes))


def _rows(path: str) -> Rows:
    """Return the rows that are not blank, cut by the mark that gives all equally many cells."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8-sig", newline="") as file:
            text = file.read()
        cuts = [_cut(text, mark) for mark in "\t;,"]
    except UnicodeDecodeError as error:
        raise FileError(
            f"Cannot read values from {path!r}: it is not UTF-8 text. Save it as CSV UTF-8."
        ) from error
    except (OSError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(
            f"Cannot read values from {path!r}: {reason}. Give the path of a CSV file."
        ) from error
    if not cuts[0]:
        raise FileError(f"{path!r} holds no values; write one number per line.")
    cutting = [rows for rows in cuts if any(len(cells) > 1 for _, cells in rows)] or cuts[:1]
    even = [rows for rows in cutting if len({len(cells) for _, cells in rows}) == 1]
    if even:
        return even[0]
    (top, first), *rest = cutting[0]
    row, other = next((row, cells) for row, cells in rest if len(cells) != len(first))
    raise FileError(
        f"{path!r}: row {top} has {counted(len(first), 'cell')} and row {row} has "
        f"{len(other)}. All rows must have equally many. {COMMAS}"
    )


def _cut(text: str, mark: str) -> Rows:
    cells = csv.reader(StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
    return [(n, [cell.strip() for cell in row]) for n, row in enumerate(cells, start=1) if row]


def _has_header(path: str, rows: Rows) -> bool:
    """Tell whether the first row holds names; refuse one that holds neither names nor values."""
    (row, first), second = rows[0], rows[min(1, len(rows) - 1)][1]
    if any(first) and all(cell == "" or _is_name(cell) for cell in first):
        return True
    for cell, below in zip(first, second, strict=True):
        if _kind(cell) == "text" and _kind(below) == "number":
            raise FileError(
                f"{path!r}, row {row}: {cell!r} is neither a number nor clearly the name of a "
                "column, which starts with a letter. Correct it, or write a line of names above."
            )
    return False


def _only_numbers(path: str, names: list[str], rows: Rows) -> int:
    """Return the place of the only column that holds numbers."""
    columns = range(len(names))
    found = [j for j in columns if any(_kind(cells[j]) == "number" for _, cells in rows)]
    if len(found) > 1:
        last = names[found[-1]]
        example = last if last and names.count(last) == 1 else found[-1] + 1
        raise FileError(
            f"{path!r} has {len(found)} columns of numbers: {_listed(names, found)}. Say "
            f"which one: {path}:{example}. ({COMMAS})"
        )
    if len(names) > 1 and not found:
        raise FileError(f"{path!r} has no column of numbers among {_listed(names, columns)}.")
    return found[0] if found else 0


def _place(path: str, names: list[str], column: str | int) -> int:
    """Return the place of a column that is given by name, or by number from 1."""
    given = str(column).strip()
    if names.count(given) == 1 and given:
        return names.index(given)
    if given.isdecimal() and 1 <= int(given) <= len(names):
        return int(given) - 1
    several = bool(given) and names.count(given) > 1
    fault = f"has {names.count(given)} columns {given!r}" if several else f"has no column {given!r}"
    ways = "a number" if several else "a name, or a number"
    near = [] if several else get_close_matches(given, [name for name in names if name], n=3)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise FileError(
        f"{path!r} {fault}.{hint} Its columns: {_listed(names, range(len(names)))}. Give {ways} "
        f"from 1 to {len(names)}."
    )


def _numbers(path: str, cells: list[tuple[int, str]]) -> list[float]:
    """Return the cells as numbers, or say where one is missing or wrong."""
    missing = [str(row) for row, cell in cells if _kind(cell) == "missing"]
    if missing:
        one = len(missing) == 1
        rows = ", ".join(missing[:COLUMNS_SHOWN]) + (", …" if len(missing) > COLUMNS_SHOWN else "")
        raise FileError(
            f"{path!r}: {len(missing)} of {counted(len(cells), 'value')} "
            f"{'is' if one else 'are'} missing, in row {rows}. "
            f"Remove {'this row, or fill it' if one else 'these rows, or fill them'} in."
        )
    for row, cell in cells:
        if meant := _meant(cell):
            which = ", whichever is meant" if len(meant) > 1 else ""
            advice = f"write {' or '.join(meant)}{which}"
            raise FileError(f"{path!r}, row {row}: {cell!r} has a comma; {advice}.")
        if not NUMBER.fullmatch(cell) or not math.isfinite(float(cell)):
            raise FileError(f"{path!r}, row {row}: {cell!r} is not a finite number.")
    return [float(cell) for _, cell in cells]


def _meant(cell: str) -> list[str]:
    """Return the numbers that a cell with commas can mean, without commas."""
    whole = [cell.replace(",", "")] if GROUPED.fullmatch(cell) else []
    point = cell.replace(".", "").replace(",", ".")
    return whole + ([point] if DECIMAL_COMMA.fullmatch(cell) else [])


def _kind(cell: str) -> str:
    """Return what a cell is: a number, even a badly written one, text, or missing."""
    if cell.lower() in MISSING:
        return "missing"
    written = NUMBER.fullmatch(cell) or _meant(cell) or cell.lower() in INFINITE
    return "number" if written else "text"


def _is_name(cell: str) -> bool:
    return _kind(cell) == "text" and (cell[0].isalpha() or cell[0] == "_")


def _listed(names: list[str], places: "list[int] | range") -> str:
    return ", ".join(f"{j + 1} ({names[j] or 'no name'})" for j in places)


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
