"""The page on the best of N: every number in its sentences and tables comes from the rows."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import upperhand as uh
from upperhand.cli import LABORATORY, LIVE
from upperhand.distributions.registry import parse_arm
from upperhand.pages import extreme_words as words
from upperhand.pages.document import Bullets, Code, Heading, Image, Paragraph, Table
from upperhand.pages.extreme_page import COMMANDS, DRAWN, extreme_page
from upperhand.studies.extreme_study import IN_TURN, ExtremeStudy, run_extremes
from upperhand.studies.line_up import EXTREMES


@pytest.fixture(scope="module")
def study():
    return run_extremes(horizon=2000, replications=3, progress=False)


@pytest.fixture(scope="module")
def page(study):
    return extreme_page(study, "upperhand compare --best-of-page page.md")


def of(page, kind):
    return [block for block in page.blocks if isinstance(block, kind)]


def test_its_parts(page):
    assert [block.text for block in of(page, Heading)] == [
        "Two questions",
        "From which N on the quantile names the right arm",
        "The largest reward found",
        "Tails that cross far out",
        "What to take",
        "How it was made",
    ]
    (image,) = of(page, Image)
    assert image.name == "images/best-of-n.png"
    assert image.png.startswith(b"\x89PNG")
    assert of(page, Code)[-1].text == "upperhand compare --best-of-page page.md"


def test_levels_and_what_they_cost(page):
    rows = {row[0]: row[1:] for row in of(page, Table)[0].rows}
    assert rows["8"] == ("0.917004", "0.082996", f"{8 * math.log2(2000):,.0f}")
    assert rows["1"][:2] == ("0.500000", "0.500000")


def test_the_instances(page, study):
    table = of(page, Table)[1]
    assert [row[0] for row in table.rows] == [each.name for each in study.all.instances]
    rows = {row[0]: row[2:] for row in table.rows}
    assert table.header[4:] == ("pulls at that N", "at N = 8", "at N = 64")
    assert rows["extreme-6"] == ("3", "290", rows["extreme-6"][2], "—", "—")
    assert rows["extreme-8"][:2] == ("1", "2")


def kl(p, q):
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


def test_the_pulls_of_pareto_arms_by_hand(page):
    """extreme-1 and extreme-5: arm j stays below u* = (1 − τ)^(−1/1.1) with 1 − u*^(−shape)."""
    rows = {row[0]: row[4:] for row in of(page, Table)[1].rows}
    for name, shapes in (("extreme-1", (2.1, 2.3, 1.3, 1.9)), ("extreme-5", (5, 2))):
        for n, cell in zip((1, 8, 64), rows[name], strict=True):
            tau = 0.5 ** (1 / n)
            below = [1 - (1 - tau) ** (shape / 1.1) for shape in shapes]
            assert cell == f"{sum(math.log(2000) / kl(each, tau) for each in below):,.0f}"


def test_where_arms_change_places_they_nearly_tie(study, page):
    """At N = 290 the third arm of extreme-6 has just passed the first: no rounds would show it."""
    (instance,) = (each for each in study.all.instances if each.name == "extreme-6")
    u = uh.BestOf(290).value(instance.arms[2])
    tau = 0.5 ** (1 / 290)
    expected = sum(math.log(2000) / kl(1 - u**-shape, tau) for shape in (1.5, 3))
    assert words.others_pulls(instance, 290, 2000) == pytest.approx(expected, rel=1e-3)
    assert expected > 1e9
    cell = {row[0]: row[4] for row in of(page, Table)[1].rows}["extreme-6"]
    assert float(cell) == pytest.approx(expected, rel=1e-3)


def test_the_longer_runs_are_told_what_it_takes(study):
    found = study.crossing
    assert found.draws == {"extreme-6": 290}
    assert uh.BestOf(512).best(found.instances[0].arms) == found.best["extreme-6"]
    pulls = words.others_pulls(found.instances[0], 512, found.horizon)
    assert words.told(found).endswith(
        f"N = 512, too, which names the right arm. To rule out the others would take about "
        f"{pulls:,.0f} pulls of them (Theorem Q4); there are 10,000 rounds."
    )


def test_the_tables_are_the_rows(page, study):
    ratios, medians, shares = of(page, Table)[2:5]
    for place, policy in enumerate(study.all.policies):
        found = study.all.by_instance(policy)
        cells = zip(*(table.rows[place][1:] for table in (ratios, medians, shares)), strict=True)
        assert ratios.rows[place][0] == medians.rows[place][0] == shares.rows[place][0] == policy
        for row, (ratio, median, share) in zip(found.values(), cells, strict=True):
            if row is None:
                assert ratio == median == share == "—"
            else:
                assert float(ratio.split(" ± ")[0]) == pytest.approx(row.ratio, rel=0.06)
                assert float(median) == pytest.approx(row.medians, abs=0.006)
                assert float(share[:-2]) == pytest.approx(100 * row.share, abs=0.06)


def test_who_cannot_play_has_a_dash(page, study):
    """2,000 rounds are too few for QoMax-ETC to begin on some instances."""
    missing = [p for p in study.all.policies if None in study.all.by_instance(p).values()]
    assert missing == ["QoMax-ETC (n)"]
    assert "—" in {row[0]: row for row in of(page, Table)[2].rows}["QoMax-ETC (n)"]


def test_everyone_drawn_took_part(study):
    assert set(DRAWN) <= set(study.all.policies)
    assert set(EXTREMES) < set(DRAWN)


def test_where_n_is_enough(study):
    near, far = words.split(study.all, 8)
    assert far == ["extreme-6"]
    assert len(near) == 7
    said = words.agreement(study.all)
    assert said == (
        "N = 8 is enough on 7 of 8. It is not on extreme-6, where tails cross at N = 290."
    )


def test_overall_is_the_geometric_mean(study):
    names = ["extreme-1", "extreme-3"]
    rows = study.all.by_instance("KL-QUCB+ 8")
    expected = math.sqrt(rows["extreme-1"].ratio * rows["extreme-3"].ratio)
    assert words.overall(study.all, "KL-QUCB+ 8", names) == pytest.approx(expected)
    assert math.isnan(words.overall(study.all, "QoMax-ETC (n)", ["extreme-4"]))


def with_largest(found, changes):
    """Return the study with other largest rewards of some policies, and rows to match."""
    largest = {
        name: {policy: changes.get(policy, 1.0) * np.ones(3) for policy in by_policy}
        for name, by_policy in found.largest.items()
    }
    rows = tuple(
        row._replace(ratio=(v := changes.get(row.policy, 1.0)), ratio_low=v, ratio_high=v)
        for row in found.rows
    )
    return found._replace(largest=largest, rows=rows)


def test_a_rival_that_finds_less_or_more_is_said_to(study):
    changed = with_largest(study.all, {"QoMax-SDA": 0.5, "MaxMedian": 2.0})
    said = dict(words.advice(changed, None))[
        "The largest of all draws, and the best arm shows early:"
    ]

    assert "QoMax-SDA 50 %, surely less than KL-QUCB+ 8 on 7 and more on 0" in said
    assert "MaxMedian 200 %, surely less than KL-QUCB+ 8 on 0 and more on 7" in said
    assert "ThresholdAscent (n) 100 %, surely less than KL-QUCB+ 8 on 0 and more on 0" in said


@pytest.mark.parametrize(
    ("ratio", "sentence", "percent"),
    [
        (0.929, "a quantile is enough. ", "93 % of what the best arm alone does, and at least 92"),
        (0.36, "a quantile names it. ", "36 % of what the best arm alone does, and at least 36"),
    ],
)
def test_a_quantile_is_enough_only_if_it_was(study, ratio, sentence, percent):
    changed = with_largest(study.all, {"KL-QUCB+ 8": ratio})
    said = dict(words.advice(changed, None))[
        "The largest of all draws, and the best arm shows early:"
    ]
    assert said.startswith(sentence)
    assert f"KL-QUCB+ 8 finds {percent} %" in said


def test_the_arms_of_the_example_change_places():
    (line,) = (line for line in COMMANDS.splitlines() if " simulate " in line)
    arms = [parse_arm(word) for word in line.split() if word.startswith("normal:")]
    assert (uh.Mean().best(arms), uh.BestOf(8).best(arms)) == (0, 1)


def test_the_commands_that_take_it_are_named(page):
    commands = {command.name: command.params for command in (*LIVE, *LABORATORY)}
    taking = {name for name, params in commands.items() if "best_of" in {p.name for p in params}}
    assert taking == {"compare", "identify", "new", "simulate"}
    told = of(page, Paragraph)[0].text
    assert "upperhand compare, simulate, identify and new take --best-of" in told


def test_who_finds_most_far_out(study):
    changed = with_largest(study.all, {"ThresholdAscent (n)": 3.0, "QoMax-SDA": 3.0})
    said = dict(words.advice(changed, None))["Tails that cross far out:"]

    (six,) = (each for each in study.all.instances if each.name == "extreme-6")
    assert "on extreme-6 N must be 290 or more" in said
    assert f"{words.others_pulls(six, 512, 2000):,.0f} pulls at N = 512; there are 2,000" in said
    assert said.endswith(
        "On extreme-6 with 2,000 rounds ThresholdAscent (n) finds most, 300 %, not surely apart "
        "from QoMax-SDA."
    )


def test_without_crossing_tails_nothing_is_said_of_them(study):
    near = study.all._replace(draws=dict.fromkeys(study.all.draws, 1))
    page = extreme_page(ExtremeStudy(near, None), "command")
    assert "Tails that cross far out" not in [block.text for block in of(page, Heading)]
    heads = [head for block in of(page, Bullets) for head, _ in block.items]
    assert "Tails that cross far out:" not in heads


def test_sizes_are_told(page, study):
    told = " ".join(block.text for block in of(page, Paragraph))
    assert "3 replications of 2,000 rounds on each instance, seed 0" in told
    assert "2 replications of 10,000 rounds on extreme-6, seed 0" in told
    assert not re.search(r"nan|None", told)
    assert IN_TURN in study.all.policies


def test_a_comparison_of_one_s_own_may_use_the_instances():
    found = uh.compare("extreme-5", [uh.KLQUCB(uh.BestOf(8).tau)], uh.BestOf(8), horizon=200,
                       replications=2, timing=False)  # fmt: skip
    assert replace(found).instances[0].name == "extreme-5 at best of 8"
