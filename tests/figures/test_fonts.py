"""Fonts in a PDF: without layout tables, and with the same glyphs in the same places."""

import re
import zlib
from contextlib import nullcontext
from io import BytesIO

import pytest

pytest.importorskip("fontTools")
from fontTools.subset import Options
from fontTools.ttLib import TTFont

from upperhand.figures import style as figures
from upperhand.figures.style import DEFAULT, LAYOUT_TABLES, without_layout_tables

from .test_figure import figure


def streams(page):
    """Return the decompressed streams of a PDF, in order."""
    packed = re.findall(rb"/FlateDecode.*?>>\s*stream\n(.*?)\nendstream", page, re.DOTALL)
    return [zlib.decompress(each) for each in packed]


def split(page):
    """Return the embedded fonts, and what is drawn."""
    found = streams(page)
    fonts = [TTFont(BytesIO(each)) for each in found if each.startswith(b"\0\1\0\0")]
    return fonts, [each for each in found if b" Tj" in each or b" TJ" in each]


def outlines(font):
    """Return each glyph's points, with their kinds, and its width."""
    glyphs, widths = font["glyf"], font["hmtx"]
    return {
        name: (str(glyphs[name].getCoordinates(glyphs)), widths[name])
        for name in font.getGlyphOrder()
    }


def test_the_same_drawing_with_the_same_glyphs(monkeypatch):
    ours, drawn = split(figures.render(figure(), ".pdf"))
    monkeypatch.setattr(figures, "without_layout_tables", nullcontext)
    theirs, expected = split(figures.render(figure(), ".pdf"))

    assert drawn == expected
    assert len(drawn) > 0
    assert len(ours) == len(theirs) > 0
    for mine, whole in zip(ours, theirs, strict=True):
        assert not set(LAYOUT_TABLES) & set(mine.keys())
        assert set(LAYOUT_TABLES) & set(whole.keys())
        assert outlines(mine).items() <= outlines(whole).items()


def test_the_default_is_left_as_it_was():
    before = list(getattr(Options, DEFAULT))
    with without_layout_tables():
        assert Options().drop_tables == [*before, *LAYOUT_TABLES]

    assert getattr(Options, DEFAULT) == before


def test_without_such_a_default_fonts_are_embedded_as_they_are(monkeypatch):
    monkeypatch.setattr(figures, "without_layout_tables", nullcontext)
    whole = figures.render(figure(), ".pdf")
    monkeypatch.undo()
    monkeypatch.setattr("upperhand.figures.style.DEFAULT", "_none_of_this_name")

    assert figures.render(figure(), ".pdf") == whole
