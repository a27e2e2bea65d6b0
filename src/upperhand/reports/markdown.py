"""Reports as blocks, and their three forms: Markdown, one HTML file, and text for a terminal.

All text is plain. It is escaped here, so nothing in it can break a page.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from shutil import get_terminal_size
from textwrap import fill
from typing import assert_never
from urllib.parse import quote

from ..results import Summary
from ..text import cell_width, is_terminal, text_table

READABLE = 100  # columns of running text at most

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1d1d1f; --soft: #5c5c66; --paper: #ffffff;
  --line: #dcdce2; --wash: #f5f5f8; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e8e8ec; --soft: #a6a6b2; --paper: #17171a;
  --line: #3a3a42; --wash: #222227; }} img {{ filter: invert(.91) hue-rotate(180deg); }} }}
body {{ margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }}
table {{ display: block; overflow-x: auto; border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; }}
th, td {{ padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }}
td[style] {{ white-space: nowrap; }}
th {{ color: var(--soft); }}
img {{ display: block; width: 100%; height: auto; }}
@media print {{ table {{ overflow: visible }} tr, img {{ break-inside: avoid }}
  h2, h3 {{ break-after: avoid }} }}
@media (max-width: 30rem) {{ table {{ font-size: .75rem }} th, td {{ padding: .3rem .2rem }} }}
blockquote {{ margin: 1rem 0; padding: 0 1rem; border: 2px solid var(--soft); }}
pre {{ background: var(--wash); padding: .75rem 1rem; overflow-x: auto; }}
</style>
</head>
<body>
{body}</body>
</html>
"""


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Note:
    """A warning that stands out."""

    text: str


@dataclass(frozen=True)
class Code:
    """A command or other text that is kept as it is."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows under a header; the first `left` columns are aligned to the left, the others right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"A row of {len(self.header)} cells must be given; got {row!r}.")


@dataclass(frozen=True)
class Figure:
    """A PNG file: linked by name in Markdown, embedded in HTML."""

    name: str  # the path from the report
    png: bytes
    alt: str
    caption: str


Block = Heading | Paragraph | Note | Code | Table | Figure


@dataclass(frozen=True)
class Report:
    """A title and the blocks below it."""

    title: str
    blocks: tuple[Block, ...]


def to_markdown(report: Report) -> str:
    """Return the report as Markdown (CommonMark with tables), figures linked by their names."""
    parts = [f"# {_escaped(report.title)}", *map(_markdown, report.blocks)]
    return "\n\n".join(parts) + "\n"


def summary_html(summary: Summary) -> str:
    table = Table(summary.header, summary.rows, summary.left)
    blocks: list[Block] = [Paragraph(summary.title), table, *map(Paragraph, summary.notes)]
    return _rendered(map(_markdown, blocks))


def summary_text(summary: Summary) -> str:
    """Return the table of a result for `print` and for commands, fitted to a terminal."""
    table = block_text(Table(summary.header, summary.rows, summary.left))
    title, *notes = (block_text(Paragraph(text)) for text in (summary.title, *summary.notes))
    return "\n".join([title, "", table, *([""] if notes else []), *notes])


def _rendered(parts: Iterable[str]) -> str:
    from markdown_it import MarkdownIt

    writer = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    return str(writer.render("\n\n".join(parts)))


def to_html(report: Report) -> str:
    """Return the report as one HTML file that needs no other file, no script and no network."""
    body = _rendered([to_markdown(report)])
    for block in report.blocks:
        if isinstance(block, Figure):
            source = f"data:image/png;base64,{b64encode(block.png).decode()}"
            body = body.replace(f'<img src="{quote(block.name)}"', f'<img src="{source}"')
    return TEMPLATE.format(title=escape(report.title), body=body)


def to_text(report: Report) -> str:
    """Return the report as text; tables are fitted to a terminal and never cut in a pipe."""
    blocks = (Paragraph(report.title), *report.blocks)
    text = "\n"
    for block in blocks:
        text += block_text(block) + ("\n" if isinstance(block, Heading) else "\n\n")
    return text.rstrip("\n")


def with_tables(page: str, tables: Mapping[str, Table]) -> str:
    """Return a Markdown page with these tables, each between <!-- NAME --> and <!-- end -->."""
    for name, table in tables.items():
        start, end = f"<!-- {name} -->\n\n", "\n\n<!-- end -->"
        before, found, rest = page.partition(start)
        if not found:
            raise ValueError(f"The page has no place for the table {name!r}.")
        _, _, after = rest.partition(end)
        page = before + start + _markdown(table) + end + after
    return page


def block_text(block: Block) -> str:
    match block:
        case Heading(text):
            return f"{text}\n{'─' * cell_width(text)}"
        case Paragraph(text) | Note(text):
            return fill(text, min(READABLE, terminal_width() or READABLE))
        case Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case Table(header, rows, left):
            width = terminal_width()
            return _fitted(block, width) if width else text_table(header, rows, left=left)
        case Figure(name, _, alt):
            return f"{alt}: {name}"
        case _:
            assert_never(block)


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {_escaped(text)}"
        case Paragraph(text):
            return _escaped(text)
        case Note(text):
            return f"> **{_escaped(text)}**"
        case Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case Table(header, rows, left):
            rule = ["---" if column < left else "---:" for column in range(len(header))]
            lines = [map(_escaped, header), rule, *(map(_escaped, row) for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)
        case Figure(name, _, alt, caption):
            return f"![{_escaped(alt)}]({quote(name)})\n\n{_escaped(caption)}"
        case _:
            assert_never(block)


def _escaped(text: str) -> str:
    """Escape what Markdown would take for markup, and keep the text on one line."""
    line = re.sub(r"([\\`*_\[\]<>|#&~])", r"\\\1", " ".join(text.split()))
    line = re.sub(r"^([-+=])", r"\\\1", line)  # a line that starts like a list is none
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)


def _fitted(table: Table, width: int) -> str:
    """Return the table in parts that are no wider than a terminal, each with the first column."""
    columns = list(zip(table.header, *table.rows, strict=True))
    widths = [max(map(cell_width, column)) + 2 for column in columns]
    parts = [[0]]
    for place in range(1, len(columns)):
        if len(parts[-1]) > 1 and sum(widths[each] for each in (*parts[-1], place)) > width + 2:
            parts.append([0])
        parts[-1].append(place)
    shown = []
    for part in parts:
        heads, *rows = ([row[each] for each in part] for row in (table.header, *table.rows))
        left = sum(each < table.left for each in part)
        shown.append(text_table(heads, rows, left=left, ruled=True))
    return "\n\n".join(shown)


def terminal_width() -> int | None:
    """Return the columns of the terminal; None in a pipe, and where the output is closed."""
    return get_terminal_size().columns if is_terminal(sys.stdout) else None
