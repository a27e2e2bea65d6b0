"""What one paper's reproduction hands over, and how it is written down."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from upperhand.reports.markdown import Table
from upperhand.simulation.statistics import standard_error
from upperhand.text import fixed, significant, with_error

from .judging import Line, Verdict, verdict

SEED = 10  # of all our random numbers


class Effort(NamedTuple):
    """How much is simulated."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """Return the size for this effort."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Comparison:
    """Numbers of one kind: a table with a line for each."""

    title: str
    heads: tuple[str, ...]  # of the cells that say which number a line is
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Section:
    """One paper: what was published, and ours."""

    title: str
    comparisons: tuple[Comparison, ...]
    extras: Mapping[str, Table] = field(default_factory=dict)  # by the names of their places

    @property
    def lines(self) -> list[Line]:
        """All numbers."""
        return [line for comparison in self.comparisons for line in comparison.lines]


def mean_and_error(samples: NDArray[np.float64] | Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent samples and its standard error."""
    values = np.asarray(samples, dtype=np.float64)
    return float(values.mean()), float(standard_error(values))


def tables(section: Section, z: float) -> dict[str, Table]:
    """Return the section's tables by the names of their places on the page."""
    return {each.title: _table(each, z) for each in section.comparisons} | dict(section.extras)


def _table(comparison: Comparison, z: float) -> Table:
    heads = (*comparison.heads, "published", "ours", "difference", "allowed", "verdict")
    rows = tuple((*line.what, *_cells(line, z)) for line in comparison.lines)
    return Table(heads, rows, left=len(comparison.heads))


def _cells(line: Line, z: float) -> tuple[str, ...]:
    found = verdict(line, z)
    return (
        _number(line.published, line.published_se),
        _number(line.ours, line.our_se),
        "—" if math.isnan(line.difference) else _short(line.difference),
        f"± {_short(line.allowed(z))}" if line.comparable else "—",
        f"{found} {size_text(line)}" if found is Verdict.DIFFERS else str(found),
    )


def _number(value: float | None, error: float) -> str:
    return "—" if value is None else with_error(value, error)


def _short(value: float) -> str:
    """Return a number with two digits, or all those before the point."""
    return fixed(value, 0) if abs(value) >= 10 else significant(value, 2) if value else "0"


def size_text(line: Line) -> str:
    """Say how large a difference is."""
    if not line.published:
        return f"by {significant(line.difference, 2)}"
    return f"by {significant(100 * line.difference / abs(line.published), 2)} %"
