"""Documents as Markdown (CommonMark with the tables of GitHub)."""

import re
from collections.abc import Sequence
from typing import assert_never
from urllib.parse import quote

from . import document as doc


def to_markdown(document: doc.Document) -> str:
    """Return the document as Markdown; figures are links to files next to it."""
    parts = [f"# {_text(document.title)}", *map(_block, document.blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(text, level):
            return f"{'#' * level} {_text(text)}"
        case doc.Paragraph(text):
            return _text(text)
        case doc.Notice(text):
            return f"> **{_text(text)}**"
        case doc.Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case doc.Bullets(items):
            return _bullets(items)
        case doc.Table(header, rows, left):
            return _table(header, rows, left)
        case doc.Image(name, _, alt, caption):
            return f"![{_text(alt)}]({quote(name)})\n\n{_text(caption)}"
        case doc.Entry(mark, _, title, numbers, remark):
            listed = _bullets([("", f"{name}: {number}") for name, number in numbers])
            return f"**{_text(mark)}.** {_text(title)}\n\n{listed}\n\n{_text(remark)}"
        case _:
            assert_never(block)


def _bullets(items: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        f"- **{_text(head)}** {_text(rest)}" if head else f"- {_text(rest)}" for head, rest in items
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    rule = ["---" if column < left else "---:" for column in range(len(header))]
    lines = [[_text(cell) for cell in header], rule, *([_text(c) for c in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Escape what Markdown would take for markup, and keep the text on one line."""
    line = re.sub(r"([\\`*_\[\]<>|#&~])", r"\\\1", " ".join(text.split()))
    line = re.sub(r"^([-+=])", r"\\\1", line)  # a line that starts like a list is none
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)
