"""Figures, tables and pages of comparisons: what they show is what the rows say."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import upperhand as uh
from tests.comparison.samples import TIED, small
from upperhand.comparison.study import Study
from upperhand.instances import Instance
from upperhand.report.comparison import comparison_figure, growth_figure
from upperhand.report.comparison_page import comparison_page, linked
from upperhand.report.comparison_tables import (
    matrix_table,
    ratio_table,
    ratio_text,
    standing_table,
    worst_table,
)
from upperhand.report.comparison_words import best_under, growth, losses, range_of_ratios
from upperhand.report.document import Heading, Image, Table
from upperhand.report.figure import render
from upperhand.report.highlights import MOST, QUIET, comparison_looks
from upperhand.report.markdown import to_markdown
from upperhand.report.ratios import drawn_policies, log_interval, ratio_figure
from upperhand.report.regret_matrix import shades
from upperhand.report.study_page import study_page
from upperhand.report.style import looks
from upperhand.report.tables import three_digits

POLICIES = {
    "KL-QUCB": uh.KLQUCB(),
    "KL-QUCB+": uh.KLQUCB(plus=True),
    "ACP-UCB1": uh.ACPUCB1(),
    "UCB1": uh.UCB1(),
}


@pytest.fixture(scope="module")
def one():
    return small(policies=POLICIES)


@pytest.fixture(scope="module")
def several():
    return small(["headline", TIED], POLICIES)


@pytest.fixture(scope="module")
def crowd():
    """Return a comparison of more policies than there are colours."""
    many = {f"b = {b}": uh.ACPUCB1(b=b) for b in (0.1, 0.2, 0.5, 2, 5)}
    return small(policies=POLICIES | many, replications=2)


def with_rows(comparison, **changes):
    return replace(comparison, rows=tuple(row._replace(**changes) for row in comparison.rows))


def texts(axes):
    return [text.get_text() for text in axes.texts]


class TestOneInstance:
    def test_curves_are_the_means_in_log_t(self, one):
        left, _ = comparison_figure(one).axes
        curves = one.runs["headline"].regret(uh.UpperTail(0.1))

        assert left.get_xscale() == "log"
        assert "p95" in left.get_title("left")
        for line, curve in zip(left.lines, curves.values(), strict=False):  # the bound comes last
            assert line.get_xdata().tolist() == curve.rounds.tolist()
            assert line.get_ydata().tolist() == curve.mean.tolist()

    def test_the_bound_is_a_straight_line(self, one):
        left, _ = comparison_figure(one).axes
        bound, last = one.main("headline")["UCB1"].bound, left.lines[-1]

        assert last.get_ydata()[-1] == pytest.approx(bound * math.log(300))
        assert len(last.get_xdata()) == 2

    @pytest.mark.parametrize("bound", [math.nan, 0.0, math.inf])
    def test_no_bound_no_line(self, one, bound):
        left, _ = comparison_figure(with_rows(one, bound=bound)).axes
        assert len(left.lines) == len(POLICIES)

    def test_the_matrix_has_every_regret_and_marks_what_is_own(self, one):
        _, right = comparison_figure(one).axes
        rows = [row for by in one.matrix("headline").values() for row in by.values()]

        cells = [text for text in right.texts if text.get_text() not in POLICIES]
        assert len(cells) == len(rows)
        for cell, row in zip(cells, rows, strict=True):
            assert float(cell.get_text().replace(",", "")) == pytest.approx(row.regret, rel=0.01)
            assert (cell.get_weight() == "bold") is row.own
        assert len(right.patches) == sum(row.own for row in rows)

    def test_names_stand_in_their_colours_with_a_sample_of_the_line(self, one):
        left, right = comparison_figure(one).axes
        named = {t.get_text(): t for t in right.texts if t.get_text() in POLICIES}

        assert list(named) == list(POLICIES)
        for (name, text), line, sample in zip(named.items(), left.lines, right.lines, strict=False):
            assert (
                text.get_color()
                == line.get_color()
                == sample.get_color()
                == looks([name])[name].color
            )

    def test_nothing_is_cut_off(self, crowd):
        figure = comparison_figure(crowd)
        figure.draw_without_rendering()
        width, height = figure.get_size_inches() * figure.dpi

        for axes in figure.axes:
            box = axes.get_tightbbox()
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= width + 1
            assert box.y1 <= height + 1

    def test_of_a_crowd_a_few_are_in_colour(self, crowd):
        styles = comparison_looks(crowd, "headline")
        coloured = [name for name, style in styles.items() if style != QUIET]

        assert len(styles) == 9
        assert len(coloured) == MOST
        assert {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"} < set(coloured)
        rows = crowd.main("headline")
        rest = [rows[name].regret for name in styles if name not in coloured]
        chosen = set(coloured) - {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"}
        assert max(rows[name].regret for name in chosen) <= min(rest)

    def test_the_scale_is_made_for_those_in_colour(self, crowd):
        left, _ = comparison_figure(crowd).axes
        styles, rows = comparison_looks(crowd, "headline"), crowd.main("headline")
        highest = max(rows[name].regret for name, style in styles.items() if style != QUIET)

        assert left.get_ylim()[1] >= highest

    def test_one_replication_one_policy_no_regret(self):
        alone = small([uh.Normal(0, 1)], [uh.UCB1()], replications=1, horizon=5)
        render(comparison_figure(alone), ".png")


class TestSeveralInstances:
    def test_dots_are_the_ratios(self, several):
        (axes,) = comparison_figure(several).axes
        names = drawn_policies(several)

        assert names == ["KL-QUCB", "KL-QUCB+"]  # UCB1 plays for the mean
        for bars, name in zip(axes.containers, names, strict=True):
            expected = [several.main(instance)[name].ratio for instance in several.runs]
            assert bars.lines[0].get_xdata().tolist() == expected
        assert [tick.get_text() for tick in axes.get_yticklabels()] == ["headline", "tied"]
        assert "ACP-UCB1" in texts(axes)

    def test_everyone_looks_different(self):
        many = {f"b = {b}": uh.ACPUCB1(b=b) for b in (0.1, 0.2, 0.5, 2, 5, 10)}
        found = small(["headline", TIED], POLICIES | many, replications=2)
        drawn = [bars.lines[0] for bars in ratio_figure(found).axes[0].containers]

        assert len(drawn) == 8
        assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 8

    def test_the_legend_names_them(self, several):
        (legend,) = ratio_figure(several).legends
        assert [text.get_text() for text in legend.get_texts()] == drawn_policies(several)

    def test_without_anyone_who_plays_for_it_all_are_drawn(self, several):
        nobody = with_rows(several, own=False)
        assert drawn_policies(nobody) == ["KL-QUCB", "KL-QUCB+", "UCB1"]

    def test_the_reference_alone(self):
        alone = small(["headline", TIED], [uh.ACPUCB1()], replications=2)
        assert drawn_policies(alone) == ["ACP-UCB1"]
        render(ratio_figure(alone), ".png")

    def test_policies_that_are_not_everywhere(self):
        def chosen(instance, _horizon):
            return {"ACP-UCB1": uh.ACPUCB1(), "mine": uh.ACPUCB1(b=2)} | (
                {"yours": uh.ACPUCB1(b=3)} if instance.name == "tied" else {}
            )

        found = small(["headline", TIED], chosen, replications=2)
        *_, yours = comparison_figure(found).axes[0].containers
        assert len(yours.lines[0].get_xdata()) == 1

    def test_intervals_stay_above_zero(self):
        down, up = log_interval(0.5, 10.0, 3)

        assert 0 < down < 0.5 < up
        assert log_interval(1e-9, 1.0, 2)[1] < 1e-6  # not from one end of the world to the other
        assert log_interval(0.5, math.nan, 1) == (0, 0)
        half = 2.776445 * 0.01  # Student's t, 4 degrees of freedom
        assert log_interval(1.0, 0.01, 5) == pytest.approx((half, half), rel=0.02)

    def test_same_input_same_bytes(self, several):
        assert render(ratio_figure(several), ".png") == render(ratio_figure(several), ".png")


class TestGrowth:
    def test_slopes_are_drawn_against_the_bound(self, one):
        left, right = growth_figure(one, "headline").axes
        drawn = [bars.lines[0].get_xdata()[0] for bars in right.containers]

        assert drawn == [row.slope_ratio for row in one.main("headline").values()]
        assert left.get_xscale() == right.get_xscale() == "log"

    def test_a_slope_that_is_no_number_is_left_out(self, one):
        flat = with_rows(one, slope_ratio=math.nan)
        assert growth_figure(flat, "headline").axes[1].containers == []


def test_shades_are_by_column():
    given = np.array([[1.0, 0.0], [4.0, 0.0]])
    assert shades(given).tolist() == [[0.5, 0.0], [1.0, 0.0]]


class TestTables:
    def test_standing(self, one):
        table = standing_table(one, "headline")
        row = dict(zip(table.header, table.rows[-1], strict=True))
        told = one.main("headline")["UCB1"]

        assert row["policy"] == "UCB1"
        assert float(row["regret"].split(" ± ")[0]) == pytest.approx(told.regret, rel=0.01)
        assert float(row["slope / bound"]) == pytest.approx(told.slope_ratio, abs=0.006)
        assert row["best arm"] == f"{100 * told.best_share:.1f} %"
        assert "ns a step" not in row
        timed = standing_table(with_rows(one, step_ns=41.7), "headline")
        assert (timed.header[-1], timed.rows[0][-1]) == ("ns a step", "42")

    def test_no_bound_no_column(self, one):
        table = standing_table(with_rows(one, slope_ratio=math.nan), "headline")
        assert "slope / bound" not in table.header

    def test_the_reference_is_one(self, one):
        table = standing_table(one, "headline")
        row = next(row for row in table.rows if row[0] == "ACP-UCB1")
        assert row[2:4] == ("—", "1")

    def test_matrix_marks_what_is_own(self, one):
        table = matrix_table(one, "headline")
        marked = {(row[0], j) for row in table.rows for j in range(1, 5) if row[j].endswith(" *")}
        tails = {(name, 1) for name in POLICIES if name != "UCB1"}
        assert marked == tails | {("UCB1", 2)}

    def test_ratios(self, several):
        table = ratio_table(several, ["UCB1", "nobody"], ["tied"])
        told = several.main("tied")["UCB1"]

        assert table.header == ("policy", "tied")
        assert table.rows[1] == ("nobody", "—")
        assert table.rows[0][1] == ratio_text(told)
        assert ratio_text(told._replace(ratio=0.1732, ratio_se=0.004)) == "0.173 ± 0.004"
        assert ratio_text(told._replace(ratio=3.2, ratio_se=0.89)) == "3.20 ± 0.89"
        assert ratio_text(told._replace(ratio=math.nan)) == "—"
        assert ratio_text(told._replace(ratio=1666.667, ratio_se=1e-14)) == "1,667"
        assert ratio_text(told._replace(ratio=1.0, ratio_se=0.0)) == "1"

    def test_worst_cases(self, several):
        table = worst_table([several], ["UCB1", "KL-QUCB"])
        mains = {name: several.main(name) for name in several.runs}
        least = {name: min(rows.values(), key=lambda r: r.regret) for name, rows in mains.items()}
        times = {name: mains[name]["UCB1"].regret / least[name].regret for name in mains}
        worst = max(times, key=times.get)
        won = sum(row.policy == "UCB1" for row in least.values())

        assert table.rows[0] == (
            "UCB1",
            f"{won} of 2",
            worst,
            three_digits(times[worst]),
            least[worst].policy,
        )


class TestWords:
    def test_range_of_ratios(self, several):
        ratios = {name: several.main(name)["KL-QUCB"].ratio for name in several.runs}
        said = range_of_ratios(several, "KL-QUCB")

        assert re.search(rf"from \S+ .* \({min(ratios, key=ratios.get)}\)", said)
        assert said.endswith(f"({max(ratios, key=ratios.get)}).")

    def test_best_under(self, one):
        rows = [by["mean"] for by in one.matrix("headline").values()]
        others = min((row for row in rows if not row.own), key=lambda row: row.regret)

        said = best_under(rows)
        assert said.startswith("UCB1 (")
        assert "is the best of those that play for it" in said
        assert f"{others.policy} (" in said

    @pytest.mark.parametrize(
        ("ratio", "fate"), [(1.3, "worse"), (0.7, "better"), (1.1, "not surely apart")]
    )
    def test_losses(self, one, ratio, fate):
        said = losses(with_rows(one, ratio=ratio, ratio_se=0.1), "headline")
        assert f"Against ACP-UCB1, {fate}: KL-QUCB {ratio:.2f} ± 0.10, KL-QUCB+ " in said
        assert said.startswith("Least regret: ")

    def test_losses_without_ours(self):
        found = small(policies=[uh.ACPUCB1(), uh.UCB1()], replications=2)
        assert "Against" not in losses(found, "headline")

    def test_growth(self, one):
        rows = one.main("headline")
        near = {name: row._replace(slope_ratio=1.9) for name, row in rows.items()}
        mixed = near | {"UCB1": rows["UCB1"]._replace(slope_ratio=2.1)}

        assert growth(near) == (
            "Within a factor of 2 of the bound's slope: KL-QUCB, KL-QUCB+, ACP-UCB1, UCB1."
        )
        assert growth(mixed).endswith("ACP-UCB1. Not within it: UCB1.")


class TestPages:
    def test_one_comparison(self, one):
        page = comparison_page(one, "upperhand compare", linked("a.png", one))
        text = to_markdown(page)

        assert "![" in text
        assert "(a.png)" in text
        assert "    upperhand compare" in text
        assert "5 replications of 300 rounds, seed 3" in text
        for name in POLICIES:
            assert f"| {name} |" in text
        assert "Normal(loc=0.1, scale=0.05)" in text

    def test_several(self, several):
        page = comparison_page(several, "upperhand compare", linked("a.png", several))
        heads = [block.text for block in page.blocks if isinstance(block, Heading)]

        assert heads == ["In units of ACP-UCB1's regret", "headline", "tied", "How it was made"]
        assert "on each instance" in to_markdown(page)

    def test_the_page_of_the_study(self, several, one):
        page = study_page(Study(several, several, one), "make it")
        images = [block for block in page.blocks if isinstance(block, Image)]
        tables = [block for block in page.blocks if isinstance(block, Table)]

        assert [image.name for image in images] == [
            f"images/comparison-{stem}.png" for stem in ("paper", "objectives", "hard", "long-run")
        ]
        assert all(image.png.startswith(b"\x89PNG") for image in images)
        assert "ns a step" not in {head for table in tables for head in table.header}
        assert to_markdown(page) == to_markdown(study_page(Study(several, several, one), "make it"))

    def test_equal_arms_are_written_once(self):
        crowd = Instance("crowd", [uh.Normal(0, 1)] * 4 + [uh.Normal(1, 1)])
        text = to_markdown(comparison_page(small(crowd, [uh.UCB1()], replications=2), "x"))
        assert "4 × Normal(loc=0.0, scale=1.0), Normal(loc=1.0, scale=1.0)" in text
