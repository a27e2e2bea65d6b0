"""Policy × objective as a heat table: who pays how much under whose objective."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..comparison.result import Row
from .row_names import name_rows
from .style import FONT_SIZE, INK, Look
from .tables import three_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, LARGE = "#ffffff", "#e8a27c"  # the ends of the scale: dark ink is legible on both
HEAD_WIDTH = 8  # characters of a line of a column's head


def draw_matrix(
    axes: Axes, matrix: Mapping[str, Mapping[str, Row]], styles: Mapping[str, Look]
) -> None:
    """Draw a row for each policy and a column for each objective.

    The darker a cell, the larger the regret in its column; a frame marks a policy's own objective.
    """
    from matplotlib.colors import LinearSegmentedColormap

    labels = list(next(iter(matrix.values())))
    regrets = np.array([[rows[label].regret for label in labels] for rows in matrix.values()])
    colours = LinearSegmentedColormap.from_list("regret", [SMALL, LARGE])
    axes.pcolormesh(shades(regrets), cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=1)
    axes.invert_yaxis()
    for place, rows in enumerate(matrix.values()):
        _write_cells(axes, place, [rows[label] for label in labels])
    _head_columns(axes, labels)
    name_rows(axes, {policy: styles[policy] for policy in matrix}, middle=0.5)


def shades(regrets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return √(regret / the largest in its column): the root tells small regrets apart."""
    largest = regrets.max(axis=0)
    return np.asarray(np.sqrt(np.maximum(regrets, 0) / np.where(largest > 0, largest, 1.0)))


def _write_cells(axes: Axes, place: int, rows: Sequence[Row]) -> None:
    from matplotlib.patches import Rectangle

    for column, row in enumerate(rows):
        axes.text(
            column + 0.5,
            place + 0.52,
            three_digits(row.regret),
            ha="center",
            va="center",
            fontsize=FONT_SIZE - 1.5,
            weight="bold" if row.own else "normal",
        )
        if row.own:
            frame = Rectangle((column + 0.04, place + 0.06), 0.92, 0.88, fill=False)
            frame.set(edgecolor=INK, linewidth=0.8)
            axes.add_patch(frame)


def _head_columns(axes: Axes, labels: Sequence[str]) -> None:
    whole = [label.replace(" %", "\u00a0%") for label in labels]  # a number keeps its sign
    heads = ["\n".join(textwrap.wrap(label, HEAD_WIDTH)) for label in whole]
    axes.set_xticks(np.arange(len(labels)) + 0.5, heads, fontsize=FONT_SIZE - 1.5)
    axes.tick_params(labeltop=True, bottom=False, labelbottom=False, length=0, pad=1)
    axes.spines[:].set_visible(False)
    axes.grid(False)
