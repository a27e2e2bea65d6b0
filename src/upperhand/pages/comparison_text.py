"""A comparison for people: tables that fit a terminal, and how to read them."""

import shutil
import sys
from collections.abc import Sequence
from textwrap import fill

from ..studies.result import Comparison
from ..text import text_table
from .comparison_tables import OWN, READING, held_against, matrix_table, ratio_table, standing_table
from .comparison_words import left_out, size
from .document import Table

WIDTH, NARROWEST = 108, 80  # columns: in files and pipes, and at least on a terminal
BEST_ARM = "Best arm: the share of pulls on it."
SLOPE = "Slope: how fast regret grows in ln t over the last two decades, against the lower bound."


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """Return one instance in full, or several by their ratios.

    Tables are at most `width` columns wide, if a single column can be; by default as wide as the
    terminal.
    """
    width = terminal_width() if width is None else width
    names = [instance.name for instance in comparison.instances]
    write = _one if len(names) == 1 else _several
    note = _filled(f"{size(comparison)}. {left_out(comparison)}{READING}", width)
    return "\n" + "\n\n".join([*write(comparison, names, width), note])


def terminal_width() -> int:
    """Return the columns of the terminal, or a width that most have if there is none."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def _one(comparison: Comparison, names: Sequence[str], width: int) -> list[str]:
    (name,), instance = names, comparison.instances[0]
    what = instance.note or f"{len(instance.arms)} arms"
    about = comparison.objectives[name][0].label
    title = f"{name}: {what}, α = {instance.alpha:g}; regret under the {about}"
    standing = standing_table(comparison, name)
    reading = [BEST_ARM, *([SLOPE] if any("slope" in head for head in standing.header) else [])]
    return [
        f"{_filled(title, width)}\n{_filled(held_against(comparison), width)}",
        _shown(standing, width),
        _filled(" ".join(reading), width),
        f"Regret under each objective;{OWN} marks a policy's own",
        _shown(matrix_table(comparison, name), width),
    ]


def _several(comparison: Comparison, names: Sequence[str], width: int) -> list[str]:
    title = (
        f"Regret in units of {comparison.reference}'s, each instance under its own objective. "
        "--csv and --json have the rest."
    )
    table = ratio_table(comparison, comparison.policies, names)
    return [_filled(title, width), _shown(table, width)]


def _shown(table: Table, width: int) -> str:
    """Return the table, in parts one below the other if it is too wide for one."""
    parts, first, count = [], 1, len(table.header)
    for end in range(2, count + 1):
        if end == count or _wide(_part(table, first, end + 1)) > width:
            parts.append(_part(table, first, end))
            first = end
    return "\n\n".join(parts)


def _part(table: Table, first: int, end: int) -> str:
    """Return the first column, which says whose rows they are, and those from `first` to `end`."""
    header, *rows = ((row[0], *row[first:end]) for row in (table.header, *table.rows))
    return text_table(header, rows)


def _wide(text: str) -> int:
    return max(map(len, text.splitlines()))


def _filled(text: str, width: int) -> str:
    """Return prose in lines; very long ones are hard to read."""
    return fill(text, min(width, WIDTH))
