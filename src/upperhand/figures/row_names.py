"""Policies' names to the left of a row each, with a sample of the line that each has elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .highlights import QUIET
from .labels import axes_size
from .style import FONT_SIZE, INK, Look
from .text_width import plain, shortened, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SWATCH, GAP = 0.26, 0.06  # inches: the sample of a line, and a space to either side of a name
LEAST, MOST = 1.5, 3.2  # inches of all that: figures line up unless a name is long
SIZE = FONT_SIZE - 1
THIN = 0.7  # points: the lines of policies that are not in colour


def name_width(names: Iterable[str]) -> float:
    """Return the inches that the names need to the left of their rows; no more than MOST.

    What is longer than that is shortened.
    """
    longest = max(text_width(name, SIZE) for name in names)
    return min(max(SWATCH + 2 * GAP + longest, LEAST), MOST)


def name_rows(axes: Axes, styles: Mapping[str, Look], middle: float = 0.0) -> None:
    """Write the names at y = middle, middle + 1, …, from `name_width` inches to the left on."""
    across = axes.get_yaxis_transform()  # x in widths of the axes, y in rows
    inch = 72 / axes_size(axes)[0]
    wide = name_width(styles)
    axes.set_yticks([])
    for place, (name, style) in enumerate(styles.items()):
        y, is_quiet = place + middle, style == QUIET
        axes.plot(
            [-wide * inch, (SWATCH - wide) * inch],
            [y, y],
            transform=across,
            clip_on=False,
            color=style.color,
            linestyle=style.linestyle,
            linewidth=THIN if is_quiet else None,
        )
        axes.text(
            (SWATCH + GAP - wide) * inch,
            y,
            plain(shortened(name, wide - SWATCH - 2 * GAP, SIZE)),
            transform=across,
            va="center",
            fontsize=SIZE,
            color=INK if is_quiet else style.color,
        )
