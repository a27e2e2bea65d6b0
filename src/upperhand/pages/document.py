"""A document as data: what it says is stated once, and rendered by `to_markdown` or `to_html`.

All text is plain: a renderer escapes it, so nothing in it can break the page.
"""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "doubtful", "bad"]


@dataclass(frozen=True)
class Heading:
    """A heading within the document; the title of the whole is its own."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Notice:
    """Something that the reader must not miss."""

    text: str


@dataclass(frozen=True)
class Code:
    """A command or other text to be kept as it is."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list; each item may start with a few words in bold."""

    items: tuple[tuple[str, str], ...]  # (words in bold or "", the rest)


@dataclass(frozen=True)
class Table:
    """Rows under a header: the first `left` columns to the left, the others to the right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"A row of {len(self.header)} cells must be given; got {row!r}.")


@dataclass(frozen=True)
class Image:
    """A figure: linked by name in Markdown, embedded in HTML."""

    name: str  # the file, next to the document
    png: bytes
    alt: str
    caption: str


@dataclass(frozen=True)
class Entry:
    """A statement with a mark of how it fared, labelled numbers, and how they were judged."""

    mark: str
    tone: Tone
    title: str
    numbers: tuple[tuple[str, str], ...]
    remark: str


Block = Heading | Paragraph | Notice | Code | Bullets | Table | Image | Entry


@dataclass(frozen=True)
class Document:
    """A title and what follows it."""

    title: str
    blocks: tuple[Block, ...]
