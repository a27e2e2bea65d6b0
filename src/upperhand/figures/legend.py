"""A legend below a figure, in as many columns as its names leave room for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .style import FONT_SIZE
from .text_width import plain, shortened, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE, LINE = 0.1, 0.19  # inches: to either side of the legend, and of a row of it
SAMPLE, AFTER, APART = 2.0, 0.8, 2.0  # font sizes: a sample, the space after it, between columns
EM = FONT_SIZE / 72


def legend_height(names: Sequence[str], width: float) -> float:
    """Return the inches that the legend takes in a figure of that width, with a space above."""
    return LINE * math.ceil(len(names) / _columns(names, width)) + 0.1


def add_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Write the names along the lower edge; one that is wider than the figure is shortened."""
    width = float(figure.get_size_inches()[0])
    room = width - 2 * SIDE - EM * (SAMPLE + AFTER)
    figure.legend(
        handles,
        [plain(shortened(name, room, FONT_SIZE)) for name in names],
        loc="lower center",
        ncols=_columns(names, width),
        borderaxespad=0.2,
        borderpad=0.2,
        handlelength=SAMPLE,
        handletextpad=AFTER,
        columnspacing=APART,
    )


def _columns(names: Sequence[str], width: float) -> int:
    widest = max(text_width(name, FONT_SIZE) for name in names)
    column = widest + EM * (SAMPLE + AFTER + APART)
    return max(1, min(len(names), int((width - 2 * SIDE + EM * APART) / column)))
