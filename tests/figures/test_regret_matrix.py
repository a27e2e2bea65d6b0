"""Policy × objective: every regret, shades by column, heads that fit their columns."""

from itertools import pairwise

import numpy as np
import pytest

from upperhand.figures.comparison import comparison_figure, shades

from .samples import POLICIES, overlap


def test_the_matrix_has_every_regret_and_marks_what_is_own(one):
    _, right = comparison_figure(one).axes
    rows = [row for by in one.matrix("headline").values() for row in by.values()]

    cells = [text for text in right.texts if text.get_text() not in POLICIES]
    assert len(cells) == len(rows)
    for cell, row in zip(cells, rows, strict=True):
        assert float(cell.get_text().replace(",", "")) == pytest.approx(row.regret, rel=0.01)
        assert (cell.get_weight() == "bold") is row.own
    assert len(right.patches) == sum(row.own for row in rows)


def test_shades_are_by_column():
    given = np.array([[1.0, 0.0], [4.0, 0.0]])
    assert shades(given).tolist() == [[0.5, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("given", ["one", "everyone", "wordy"])
def test_heads_do_not_overlap(given, request):
    _, right = comparison_figure(request.getfixturevalue(given)).axes
    right.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in right.get_xticklabels()]

    assert not any(overlap(one, other) for one, other in pairwise(boxes))
    assert all(box.y0 >= right.get_window_extent().y1 for box in boxes)
    title = right._left_title.get_window_extent()
    assert not any(overlap(title, box) for box in boxes)


def test_numbers_fit_their_cells(wordy):
    _, right = comparison_figure(wordy).axes
    right.figure.draw_without_rendering()
    wide = right.get_window_extent().width / 8
    cells = [text for text in right.texts if text.get_ha() == "center"]

    assert len(cells) == 8 * 8
    assert all(cell.get_window_extent().width < wide for cell in cells)
