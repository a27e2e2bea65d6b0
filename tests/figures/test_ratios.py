"""Ratios as dots: the numbers of the rows, and a legend that fits."""

import math

import pytest

import upperhand as uh
from upperhand.comparison.instances import Instance
from upperhand.figures.comparison import (
    comparison_figure,
    drawn_policies,
    log_interval,
    ratio_figure,
)
from upperhand.figures.style import FAINT, MOST, render

from ..comparison.samples import TIED, small
from .samples import POLICIES, is_inside, overlap, texts, with_rows


def test_dots_are_the_ratios(several):
    (axes,) = comparison_figure(several).axes
    names = drawn_policies(several)

    assert names == ["KL-QUCB", "KL-QUCB+"]  # UCB1 plays for the mean
    for bars, name in zip(axes.containers, names, strict=True):
        expected = [several.main(instance)[name].ratio for instance in several.runs]
        assert bars.lines[0].get_xdata().tolist() == expected
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["headline", "tied"]
    assert "ACP-UCB1" in texts(axes)


def test_everyone_looks_different():
    many = {f"b = {b}": uh.ACPUCB1(b=b) for b in (0.1, 0.2, 0.5, 2, 5, 10)}
    found = small(["headline", TIED], POLICIES | many, replications=2)
    drawn = [bars.lines[0] for bars in ratio_figure(found).axes[0].containers]

    assert len(drawn) == 8
    assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 8
    assert len({line.get_marker() for line in drawn}) == 8


def test_the_legend_names_them(several):
    (legend,) = ratio_figure(several).legends
    assert [text.get_text() for text in legend.get_texts()] == drawn_policies(several)


def test_without_anyone_who_plays_for_it_all_are_drawn(several):
    nobody = with_rows(several, own=False)
    assert drawn_policies(nobody) == ["KL-QUCB", "KL-QUCB+", "UCB1"]


def test_the_reference_alone():
    alone = small(["headline", TIED], [uh.ACPUCB1()], replications=2)
    assert drawn_policies(alone) == ["ACP-UCB1"]
    render(ratio_figure(alone), ".png")


def test_policies_that_are_not_everywhere():
    def chosen(instance, _horizon):
        return {"ACP-UCB1": uh.ACPUCB1(), "mine": uh.ACPUCB1(b=2)} | (
            {"yours": uh.ACPUCB1(b=3)} if instance.name == "tied" else {}
        )

    found = small(["headline", TIED], chosen, replications=2)
    *_, yours = comparison_figure(found).axes[0].containers
    assert len(yours.lines[0].get_xdata()) == 1


def test_intervals_stay_above_zero():
    down, up = log_interval(0.5, -10.0, 30.0)

    assert 0 < down < 0.5 < up
    assert log_interval(1e-9, -1.0, 1.0)[1] < 1e-6  # not from one end of the world to the other
    assert log_interval(0.5, math.nan, math.nan) == (0, 0)
    assert log_interval(1.0, 0.9, 1.3) == pytest.approx((0.1, 0.3))


def test_same_input_same_bytes(several):
    assert render(ratio_figure(several), ".png") == render(ratio_figure(several), ".png")


LONG = {
    f"ACP-UCB1 b={b} eta=0.05 lam=0.5 scale=auto": uh.ACPUCB1(b=b, scale="auto")
    for b in (0.1, 0.2, 0.5, 0.7, 1.0, 2.0, 3.0, 4.0, 5.0)
}
WORDS = "a label that goes on, and on, and on, far beyond what any figure of a page has room for, $"


@pytest.mark.parametrize("policies", [LONG, {WORDS + WORDS: uh.ACPUCB1(b=2)} | POLICIES, None])
def test_all_names_are_within_the_figure(policies):
    far = Instance("an instance whose name is a sentence of its own and then some", TIED.arms)
    figure = ratio_figure(small(["headline", far], policies, replications=2))
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends

    assert is_inside(legend.get_window_extent(), figure)
    assert is_inside(axes.get_tightbbox(), figure)
    assert not overlap(legend.get_window_extent(), axes.get_tightbbox())


def test_a_single_policy_is_in_the_middle_of_its_row():
    found = small(["headline", TIED], [uh.ACPUCB1(), uh.KLQUCB()], replications=2)
    (bars,) = ratio_figure(found).axes[0].containers
    assert bars.lines[0].get_ydata().tolist() == [0, 1]


def test_of_a_crowd_a_few_are_in_colour_and_no_two_the_same():
    crowd = small(["headline", TIED], None, objectives=[uh.Utility(2.0)], replications=2)
    drawn = [bars.lines[0] for bars in ratio_figure(crowd).axes[0].containers]
    colours = [line.get_color() for line in drawn]
    loud = [colour for colour in colours if len({colour[i : i + 2] for i in (1, 3, 5)}) > 1]
    black = colours.count("#000000")

    assert len(drawn) == 18
    assert len(set(loud)) == len(loud)
    assert len(loud) + black == MOST
    assert FAINT in colours
    assert len({(line.get_color(), line.get_marker()) for line in drawn}) == len(drawn)


@pytest.mark.parametrize(("ratio", "ticks"), [(0.02, {0.02, 0.05, 0.1}), (2e-5, {1e-4, 0.1})])
def test_a_long_scale_is_marked_at_powers_of_ten(several, ratio, ticks):
    """Else the numbers under it run into each other."""
    rows = with_rows(several, ratio=ratio, ratio_low=ratio, ratio_high=2.0)
    axes = ratio_figure(rows).axes[0]
    low, high = axes.get_xlim()
    marked = {float(f"{x:.6g}") for x in axes.get_xticks() if low <= x <= high}

    assert ticks <= marked
    assert (0.2 in marked) == (ratio == 0.02)
