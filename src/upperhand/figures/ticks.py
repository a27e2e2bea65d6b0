"""The numbers on a y axis: all digits with commas, and the room that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .measure import widest
from .style import SMALL_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write_numbers(axes: Axes) -> None:
    """Write numbers on the y axis as everywhere: 100,000 and −0.5."""
    from matplotlib.ticker import FuncFormatter

    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))


def tick_width(axes: Axes) -> float:
    """Return the inches of the widest number on the y axis."""
    low, high = axes.get_ylim()
    return widest((_number(y) for y in axes.get_yticks() if low <= y <= high), SMALL_SIZE)


def _number(value: float) -> str:
    return f"{value:,.10g}".replace("-", "−")
