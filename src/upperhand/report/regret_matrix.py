"""Policy × objective as a heat table: who pays how much under whose objective."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Row
from .style import FONT_SIZE, INK, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, LARGE = "#ffffff", "#e8a27c"  # the ends of the scale: dark ink is legible on both
HEAD_WIDTH = 9  # characters of a line of a column's head
SWATCH = 15.0  # points of line before a policy's name


def draw_matrix(
    axes: Axes, matrix: Mapping[str, Mapping[str, Row]], styles: Mapping[str, Look], quiet: Look
) -> None:
    """Draw a row for each policy, its name with a sample of its line, and a column an objective.

    The darker a cell, the larger the regret in its column; a frame marks a policy's own objective.
    """
    from matplotlib.colors import LinearSegmentedColormap

    labels = list(next(iter(matrix.values())))
    regrets = np.array([[rows[label].regret for label in labels] for rows in matrix.values()])
    colours = LinearSegmentedColormap.from_list("regret", [SMALL, LARGE])
    axes.pcolormesh(
        _shades(regrets), cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=1.2
    )
    axes.invert_yaxis()
    for place, rows in enumerate(matrix.values()):
        _write_cells(axes, place, [rows[label] for label in labels])
    _head_columns(axes, labels)
    _name_rows(axes, list(matrix), styles, quiet)


def _shades(regrets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return √(regret / the largest in its column): the root tells small regrets apart."""
    largest = regrets.max(axis=0)
    return np.asarray(np.sqrt(np.maximum(regrets, 0) / np.where(largest > 0, largest, 1.0)))


def _write_cells(axes: Axes, place: int, rows: Sequence[Row]) -> None:
    from matplotlib.patches import Rectangle

    for column, row in enumerate(rows):
        weight = "bold" if row.own else "normal"
        axes.text(
            column + 0.5,
            place + 0.52,
            three_digits(row.regret),
            ha="center",
            va="center",
            fontsize=FONT_SIZE - 1.5,
            weight=weight,
        )
        if row.own:
            frame = Rectangle((column + 0.04, place + 0.06), 0.92, 0.88, fill=False)
            frame.set(edgecolor=INK, linewidth=0.8)
            axes.add_patch(frame)


def _head_columns(axes: Axes, labels: Sequence[str]) -> None:
    heads = ["\n".join(textwrap.wrap(label, HEAD_WIDTH)) for label in labels]
    axes.set_xticks(np.arange(len(labels)) + 0.5, heads, fontsize=FONT_SIZE - 1.5)
    axes.tick_params(top=False, labeltop=True, bottom=False, labelbottom=False, length=0, pad=1)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(False)


def _name_rows(
    axes: Axes, names: Sequence[str], styles: Mapping[str, Look], quiet: Look
) -> None:
    """Write each policy's name at its row, after a sample of its line in the other panel."""
    axes.set_yticks(np.arange(len(names)) + 0.5, names, fontsize=FONT_SIZE - 1)
    for tick, name in zip(axes.get_yticklabels(), names, strict=True):
        tick.set_color(INK if styles[name] == quiet else styles[name].color)
    for place, name in enumerate(names):
        style = styles[name]
        axes.annotate(
            "",
            (-SWATCH_END, place + 0.5),
            xytext=(0, 0),
            xycoords=("axes points", "data"),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": style.color},
        )


def three_digits(value: float) -> str:
    """Return a regret in as few characters as tell it: '608', '32.1', '5.02', '1,234'."""
    return f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:.3g}"
