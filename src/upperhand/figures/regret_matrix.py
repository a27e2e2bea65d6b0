"""Policy × objective as a heat table: who pays how much under whose objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..studies.result import Row
from ..text import three_digits
from .labels import name_rows
from .looks import Look
from .measure import pieces, plain, text_width, widest, wrapped
from .style import FONT_SIZE, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, LARGE = "#ffffff", "#f0b595"  # the ends of the scale: dark ink is legible on both
SIZE = FONT_SIZE - 1.5  # of heads and cells
COLUMN, WIDEST_HEAD = 0.5, 0.9  # inches of an objective, at least; and of a word above it, at most
PAD = 0.07  # inches beside a text
LINE = 1.3 * SIZE / 72  # inches of a line of a head

Matrix = Mapping[str, Mapping[str, Row]]  # policy × label of an objective


def column_width(matrix: Matrix) -> float:
    """Return the inches of a column: no number and no word of a head is wider."""
    words = [word for head in _heads(matrix) for word in pieces(head)]
    cells = [
        text_width(three_digits(row.regret), SIZE, bold=True)
        for rows in matrix.values()
        for row in rows.values()
    ]
    return max(COLUMN, PAD + min(widest(words, SIZE), WIDEST_HEAD), PAD + max(cells))


def head_height(matrix: Matrix) -> float:
    """Return the inches that the heads need above their columns."""
    return LINE * max(map(len, _head_lines(matrix))) + PAD


def draw_matrix(axes: Axes, matrix: Matrix, styles: Mapping[str, Look]) -> None:
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
    _head_columns(axes, matrix)
    name_rows(axes, {policy: styles[policy] for policy in matrix}, middle=0.5)


def shades(regrets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return √(regret / the largest in its column): the root tells small regrets apart."""
    largest = regrets.max(axis=0)
    return np.asarray(np.sqrt(np.maximum(regrets, 0) / np.where(largest > 0, largest, 1.0)))


def _write_cells(axes: Axes, place: int, rows: Sequence[Row]) -> None:
    from matplotlib.patches import Rectangle

    for column, row in enumerate(rows):
        text = axes.text(column + 0.5, place + 0.52, three_digits(row.regret), fontsize=SIZE)
        text.set(ha="center", va="center", weight="bold" if row.own else "normal")
        if row.own:
            frame = Rectangle((column + 0.04, place + 0.06), 0.92, 0.88, fill=False)
            frame.set(edgecolor=INK, linewidth=0.8)
            axes.add_patch(frame)


def _head_columns(axes: Axes, matrix: Matrix) -> None:
    heads = [plain("\n".join(lines)) for lines in _head_lines(matrix)]
    axes.set_xticks(np.arange(len(heads)) + 0.5, heads, fontsize=SIZE)
    axes.tick_params(labeltop=True, bottom=False, labelbottom=False, length=0, pad=1)
    axes.spines[:].set_visible(False)
    axes.grid(False)


def _heads(matrix: Matrix) -> list[str]:
    """Return the labels of the objectives; a number keeps its sign."""
    return [label.replace(" %", "\u00a0%") for label in next(iter(matrix.values()))]


def _head_lines(matrix: Matrix) -> list[list[str]]:
    room = column_width(matrix) - PAD / 2
    return [wrapped(head, room, SIZE) for head in _heads(matrix)]
