"""The tables of a comparison: what they show is what the rows say."""

import math

import pytest

from upperhand.pages.comparison_tables import (
    matrix_table,
    ratio_table,
    ratio_text,
    standing_table,
)
from upperhand.text import three_digits

from ..comparison.samples import small
from ..figures.samples import POLICIES, with_rows


def test_standing(one):
    long = small(horizon=1000)
    table = standing_table(long, "headline")
    row = dict(zip(table.header, table.rows[-1], strict=True))
    told = long.main("headline")["KL-QUCB"]

    assert row["policy"] == "KL-QUCB"
    assert float(row["regret"].split(" ± ")[0]) == pytest.approx(told.regret, rel=0.01)
    assert float(row["slope / bound"]) == pytest.approx(told.slope_ratio, abs=0.006)
    assert row["best arm"] == f"{100 * told.best_share:.1f} %"
    assert row["worst run"] == three_digits(told.worst)
    assert "ns a step" not in row
    assert "slope / bound" not in standing_table(one, "headline").header  # of 300 rounds


def test_no_bound_no_column(one):
    table = standing_table(with_rows(one, slope_ratio=math.nan), "headline")
    assert "slope / bound" not in table.header


def test_the_reference_is_one(one):
    table = standing_table(one, "headline")
    row = next(row for row in table.rows if row[0] == "ACP-UCB1")
    assert row[3:5] == ("—", "1")


def test_matrix_marks_what_is_own(one):
    table = matrix_table(one, "headline")
    marked = {(row[0], j) for row in table.rows for j in range(1, 5) if row[j].endswith(" *")}
    tails = {(name, 1) for name in POLICIES if name != "UCB1"}
    assert marked == tails | {("UCB1", 2)}


def test_ratios(several):
    table = ratio_table(several, ["UCB1", "nobody"], ["tied"])
    told = several.main("tied")["UCB1"]

    assert table.header == ("policy", "tied")
    assert table.rows[1] == ("nobody", "—")
    assert table.rows[0][1] == ratio_text(told)
    assert ratio_text(told._replace(ratio=0.1732, ratio_se=0.004)) == "0.1732 ± 0.0040"
    assert ratio_text(told._replace(ratio=3.2, ratio_se=0.89)) == "3.20 ± 0.89"
    assert ratio_text(told._replace(ratio=math.nan)) == "—"
    assert ratio_text(told._replace(ratio=1666.667, ratio_se=1e-14)) == "1,666.67"
    assert ratio_text(told._replace(ratio=1.0, ratio_se=0.0)) == "1"
