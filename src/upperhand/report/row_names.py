"""Policies' names to the left of a row each, with a sample of the line that each has elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .highlights import QUIET
from .labels import axes_size
from .style import FONT_SIZE, INK, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME, SWATCH, GAP = 1.5, 0.26, 0.06  # inches: all of it, and of that the sample and a space
THIN = 0.7  # points: the lines of policies that are not in colour


def name_rows(axes: Axes, styles: Mapping[str, Look], middle: float = 0.0) -> None:
    """Write the names at y = middle, middle + 1, …; they need NAME inches to the left."""
    across = axes.get_yaxis_transform()  # x in widths of the axes, y in rows
    inch = 72 / axes_size(axes)[0]
    axes.set_yticks([])
    for place, (name, style) in enumerate(styles.items()):
        y, is_quiet = place + middle, style == QUIET
        axes.plot(
            [-NAME * inch, (SWATCH - NAME) * inch],
            [y, y],
            transform=across,
            clip_on=False,
            color=style.color,
            linestyle=style.linestyle,
            linewidth=THIN if is_quiet else None,
        )
        axes.text(
            (SWATCH + GAP - NAME) * inch,
            y,
            name.replace("$", r"\$"),
            transform=across,
            va="center",
            fontsize=FONT_SIZE - 1,
            color=INK if is_quiet else style.color,
        )
