"""Fonts in a PDF: the glyphs that are drawn, without the tables that set text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# Substitution, positioning, definitions, kerning and formulas: a PDF names its glyphs and places
# them itself, so that nobody reads these there. Taking them along is most of the time of a PDF.
LAYOUT_TABLES = ["GSUB", "GPOS", "GDEF", "kern", "MATH"]
DEFAULT = "_drop_tables_default"


@contextmanager
def without_layout_tables() -> Iterator[None]:
    """Leave these tables out of the fonts that are embedded within the block.

    Matplotlib has no setting for it, so the default of fontTools, which it starts from, is another
    meanwhile. Where fontTools has no such default, fonts are embedded as Matplotlib does it.
    """
    from fontTools.subset import Options

    dropped = getattr(Options, DEFAULT, None)
    if dropped is None:
        yield
        return
    setattr(Options, DEFAULT, [*dropped, *LAYOUT_TABLES])
    try:
        yield
    finally:
        setattr(Options, DEFAULT, dropped)
