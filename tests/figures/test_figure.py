"""Figures on disk: valid, whole, and the same bytes for the same input."""

import re
import struct
import zlib

import pytest

from upperhand.errors import FileError, ParameterError
from upperhand.figures.layout import panel_figure
from upperhand.figures.regret import curve_panel
from upperhand.figures.style import render, save_single

from .samples import curve


def figure():
    return panel_figure([curve_panel("Regret, α = 0.1", {"UCB1": curve(60)})], "Regret")


def assert_valid_png(data):
    """Walk the chunks and check their sums, as the PNG specification has it."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, kinds = 8, []
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        chunk = data[place + 4 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == (
            zlib.crc32(chunk)
        )
        kinds.append(chunk[:4])
        place += 12 + length
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    assert b"tEXt" not in kinds  # neither a date nor a version


def test_both_formats_are_valid():
    assert_valid_png(render(figure(), ".png"))
    page = render(figure(), ".pdf")
    assert page.startswith(b"%PDF-1.")
    assert page.rstrip().endswith(b"%%EOF")
    start = int(re.findall(rb"startxref\s+(\d+)", page)[-1])
    assert page[start : start + 4] == b"xref"
    assert b"CreationDate" not in page
    assert b"/Subtype /TrueType" in page or b"CIDFontType2" in page


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg", ".PNG"])
def test_same_input_same_bytes(tmp_path, suffix):
    paths = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for path in paths:
        save_single(figure(), path)

    one, two = (path.read_bytes() for path in paths)
    assert one == two == render(figure(), suffix.lower())
    assert set(tmp_path.iterdir()) == set(paths)


def test_other_formats_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ParameterError, match=r"\.png, \.pdf, \.svg; got .*plot\.gif"):
        save_single(figure(), tmp_path / "plot.gif")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="Cannot write"):
        save_single(figure(), tmp_path / "nowhere" / "plot.png")
