"""Documents as plain text: for the terminal, and for pipes and files."""

import shutil
import sys
from itertools import pairwise
from textwrap import fill, wrap
from typing import assert_never

from ..text import cell_width, text_table
from . import document as doc

WIDTH, NARROWEST = 108, 40  # columns: in files and pipes, and at least on a terminal
READABLE = 100  # columns of running text at most: longer lines are hard to read
LEAST_COLUMN = 24  # of a last column that is wrapped


def to_text(document: doc.Document, width: int | None = None) -> str:
    """Return the document, at most `width` columns wide if its tables can be.

    By default as wide as the terminal.
    """
    width = terminal_width() if width is None else width
    title = doc.Paragraph(document.title)
    text = "\n" + block_text(title, width)
    for before, block in pairwise((title, *document.blocks)):
        belongs = isinstance(before, doc.Heading) or isinstance(block, doc.Bullets)
        text += ("\n" if belongs else "\n\n") + block_text(block, width)
    return text


def block_text(block: doc.Block, width: int | None = None) -> str:
    """Return one block."""
    width = terminal_width() if width is None else width
    match block:
        case doc.Heading(text):
            return f"{text}\n{'─' * cell_width(text)}"
        case doc.Paragraph(text) | doc.Notice(text):
            return _filled(text, width)
        case doc.Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case doc.Bullets(items):
            return "\n".join(_filled(f"{head} {rest}".strip(), width, "- ") for head, rest in items)
        case doc.Table():
            return _table(block, width)
        case doc.Image(name, _, alt):
            return f"{alt}: {name}"
        case doc.Entry(mark, _, title, numbers, remark):
            listed = [_filled(f"{name}: {number}", width, "- ") for name, number in numbers]
            lines = [_filled(f"{mark}. {title}", width), *listed, _filled(remark, width)]
            return "\n".join(lines)
        case _:
            assert_never(block)


def terminal_width() -> int:
    """Return the columns of the terminal, or a width that most have if there is none."""
    if not _on_terminal():
        return WIDTH
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def _on_terminal() -> bool:
    """Tell whether a person reads the output; it may be closed, and is None then."""
    return sys.stdout is not None and sys.stdout.isatty()


def _filled(text: str, width: int, mark: str = "") -> str:
    """Return prose in lines, the later ones of an item indented as far as its text."""
    lead = " " * len(mark)
    return fill(text, min(width, READABLE), initial_indent=mark, subsequent_indent=lead)


def _table(table: doc.Table, width: int) -> str:
    """Return the table; if it is too wide, its prose wrapped, or its columns in several parts."""
    if table.left == len(table.header):
        return _prose(table, width) if _on_terminal() else _part(table, 1, table.left)
    parts, first, count = [], 1, len(table.header)
    for end in range(2, count + 1):
        if end == count or _wide(_part(table, first, end + 1)) > width:
            parts.append(_part(table, first, end))
            first = end
    return "\n\n".join(parts)


def _part(table: doc.Table, first: int, end: int) -> str:
    """Return the first column, which says whose rows they are, and those from `first` to `end`."""
    header, *rows = ((row[0], *row[first:end]) for row in (table.header, *table.rows))
    left = max(1, min(table.left, end) - first + 1)
    return text_table(header, rows, left=left, ruled=_on_terminal())


def _prose(table: doc.Table, width: int) -> str:
    """Return a table whose last column is wrapped; in pipes it is not, so that lines are rows."""
    columns = list(zip(table.header, *table.rows, strict=True))[:-1]
    others = [max(map(cell_width, column)) for column in columns]
    room = max(LEAST_COLUMN, width - sum(others) - 2 * len(others))
    rows = []
    for *names, last in table.rows:
        first, *more = wrap(last, room) or [""]
        rows += [(*names, first), *((*[""] * len(names), line) for line in more)]
    return text_table(table.header, rows, left=table.left, ruled=True)


def _wide(text: str) -> int:
    return max(map(cell_width, text.splitlines()))
