"""What a row of `make bench` is: a name, a goal, and how it is measured."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

UNITS = {"×": 1.0, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "bytes": 1.0, "MB": 1e6}
# What is measured is in seconds, bytes or times; a row is shown in its unit.


class SkippedError(Exception):
    """Why a row is not measured here; the run goes on without it."""


class Measured(NamedTuple):
    """What a row found, in seconds, bytes or times: the median of some turns, and their range."""

    value: float
    low: float
    high: float
    note: str = ""


class Goal(NamedTuple):
    """What a value shall be, in the unit of its row."""

    least: float = -math.inf
    most: float = math.inf

    def text(self, unit: str) -> str:
        """Return the goal in words, such as ≥ 75 ×."""
        if self.least > -math.inf:
            return f"≥ {self.least:,g} {unit}"
        return f"≤ {self.most:,g} {unit}"


def at_least(value: float) -> Goal:
    """Return the goal of a row that shall be large."""
    return Goal(least=value)


def at_most(value: float) -> Goal:
    """Return the goal of a row that shall be small."""
    return Goal(most=value)


@dataclass(frozen=True)
class Row:
    """One figure; rows that are measured together share a cached function."""

    name: str
    measure: Callable[[], Measured]
    unit: str
    goal: Goal | None = None


class Section(NamedTuple):
    """Rows with a title: a table of docs/performance.md."""

    title: str
    rows: tuple[Row, ...]


class Result(NamedTuple):
    """What became of a row."""

    row: Row
    shown: str
    measured: Measured | None = None  # None: skipped, or failed
    failed: bool = False

    @property
    def goal(self) -> str:
        """The goal in words; empty if there is none."""
        return self.row.goal.text(self.row.unit) if self.row.goal else ""


def run_row(row: Row) -> Result:
    """Measure a row; one that cannot be measured says why, and stops no other."""
    try:
        measured = row.measure()
    except SkippedError as reason:
        return Result(row, f"skipped: {reason}")
    except Exception as error:
        return Result(row, f"failed: {type(error).__name__}: {error}", failed=True)
    return Result(row, shown(row, measured), measured)


def shown(row: Row, measured: Measured) -> str:
    """Return a value as text: its range, what is to be noted, and whether the goal is missed."""
    scale = UNITS[row.unit]
    value, low, high = (each / scale for each in measured[:3])
    text = f"{number(value)} {row.unit}"
    if number(low) != number(high):
        text += f" ({number(low)} to {number(high)})"
    if row.goal and not row.goal.least <= value <= row.goal.most:
        text += ", missed"
    return f"{text}; {measured.note}" if measured.note else text


def number(value: float) -> str:
    """Return a number with three digits that count, or all before the point."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"
