"""Reports of a comparison: what they show is what the rows say."""

import math
from dataclasses import replace

import pytest

import upperhand as uh
from upperhand.comparison.instances import Instance
from upperhand.reports.comparison import (
    comparison_report,
    matrix_table,
    ratio_table,
    ratio_text,
    standing_table,
)
from upperhand.reports.markdown import Heading, to_markdown
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


def test_one_comparison(one):
    page = comparison_report(one, "upperhand compare", "a.png")
    text = to_markdown(page)

    assert "![" in text
    assert "(a.png)" in text
    assert "    upperhand compare" in text
    assert "4 replications of 300 rounds, seed 3" in text
    for name in POLICIES:
        assert f"| {name} |" in text
    assert "Normal(loc=0.1, scale=0.05)" in text


def test_several(several):
    page = comparison_report(several, "upperhand compare", "a.png")
    heads = [block.text for block in page.blocks if isinstance(block, Heading)]

    assert heads == ["In units of ACP-UCB1's regret", "headline", "tied", "How it was made"]
    assert "on each instance" in to_markdown(page)


def test_equal_arms_are_written_once():
    crowd = Instance("crowd", [uh.Normal(0, 1)] * 4 + [uh.Normal(1, 1)])
    text = to_markdown(comparison_report(small(crowd, [uh.UCB1()], replications=2), "x"))
    assert "| 4 | Normal(loc=0.0, scale=1.0) |\n| 1 | Normal(loc=1.0, scale=1.0) |" in text


def test_the_reference_is_named_above_and_not_in_the_heads():
    name = "ACP-UCB1 b=0.25 eta=0.05"
    found = small(policies={name: uh.ACPUCB1(b=0.25), "UCB1": uh.UCB1()}, reference=name)
    text = repr(found)
    head = next(line for line in text.splitlines() if line.startswith("policy"))

    assert name not in head
    assert f"Difference and ratio are against {name}'s regret" in text


def test_slopes_are_explained_where_there_are_any(one):
    assert "Slope: " in repr(small(policies=[uh.UCB1()], horizon=1000))
    assert "slope" not in repr(one).lower()


def test_one_replication_has_no_standard_error():
    text = repr(small(policies=[uh.UCB1()], replications=1))
    assert "±" not in text
    assert "1 replication of 300 rounds, seed 3; no standard errors" in text


def test_who_is_left_out_is_listed_with_the_reason(one):
    absent = {"a": {"X": "too short", "Y": "too short"}, "b": {"X": "too short", "Z": "no sd"}}
    text = repr(replace(one, left_out=absent))
    assert "Left out: X, Y (too short).\nLeft out: Z (no sd)." in text
