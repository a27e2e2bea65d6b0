"""What one paper's reproduction hands over, and how it is written down."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from upperhand.reports.markdown import Block, Bullets, Heading, Paragraph, Table
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
    about: str = ""


@dataclass(frozen=True)
class Section:
    """One paper: what was published, ours, and what must be known of both."""

    title: str
    citation: str
    setting: str
    comparisons: tuple[Comparison, ...]
    notes: tuple[tuple[str, str], ...] = ()  # (words in bold, the rest): assumptions, differences
    sources: tuple[str, ...] = ()
    extras: tuple[Block, ...] = field(default=())

    @property
    def lines(self) -> list[Line]:
        """All numbers."""
        return [line for comparison in self.comparisons for line in comparison.lines]


def mean_and_error(samples: NDArray[np.float64] | Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent samples and its standard error."""
    values = np.asarray(samples, dtype=np.float64)
    return float(values.mean()), float(standard_error(values))


def blocks(section: Section, z: float) -> list[Block]:
    """Return the section as it stands on the page."""
    shown: list[Block] = [
        Heading(section.title),
        Paragraph(section.citation),
        Paragraph(section.setting),
    ]
    for comparison in section.comparisons:
        shown += [Heading(comparison.title, 3)]
        shown += [Paragraph(comparison.about)] if comparison.about else []
        shown += [_table(comparison, z)]
    shown += section.extras
    if section.notes:
        shown += [Heading("Assumed, different or missing", 3), Bullets(section.notes)]
    shown += [Bullets(tuple(("Source.", text) for text in section.sources))]
    return shown


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
