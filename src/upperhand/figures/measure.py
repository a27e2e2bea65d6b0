"""How wide texts and axes are on the page, and how to make a text fit.

Widths are measured in the font of the settings in force: ask within `style.drawing`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ELLIPSIS = "…"
ROUNDING = 1e-6  # inches


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in inches, at a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest text in inches; 0 if there is none."""
    return max((text_width(text, size) for text in texts), default=0.0)


def axes_size(axes: Axes) -> tuple[float, float]:
    """Return width and height of the axes in points."""
    place = axes.get_position()
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    return place.width * width * 72, place.height * height * 72


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
        if widest(found, size) <= room + ROUNDING:
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
