"""How wide a text will be when it is drawn, and how to make it fit."""

from __future__ import annotations

import textwrap

ELLIPSIS = "…"
ROUNDING = 1e-6  # inches


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in inches, at a font size in points.

    It is measured in the font of the settings in force: ask within `style.drawing`.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def shortened(text: str, room: float, size: float) -> str:
    """Return the text with as much of its middle left out as must be to fit the room, in inches.

    The beginning says which policy it is, and the end how it is set.
    """
    kept, short = len(text), text
    while kept > 2 and text_width(short, size) > room + ROUNDING:
        kept -= 1
        short = text[: kept - kept // 2].rstrip() + ELLIPSIS + text[len(text) - kept // 2 :]
    return short


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Return the text in lines that fit the room, in inches; words that do not are shortened."""
    for characters in range(len(text), 0, -1):
        found = textwrap.wrap(text, characters, break_long_words=False)
        if all(text_width(line, size) <= room + ROUNDING for line in found):
            return found
    return [shortened(line, room, size) for line in pieces(text)]


def pieces(text: str) -> list[str]:
    """Return the parts between which a line may end: after spaces and hyphens.

    >>> pieces("mean-variance (ρ=1)")
    ['mean-', 'variance', '(ρ=1)']
    """
    return textwrap.wrap(text, 1, break_long_words=False)


def plain(text: str) -> str:
    """Return the text for Matplotlib to draw as it is: a dollar sign starts no formula."""
    return text.replace("$", r"\$")
