"""The figures of a comparison as wholes: what they show is what the rows say, and all fits."""

import pytest

import upperhand as uh
from upperhand.figures.comparison import (
    NARROWEST,
    comparison_figure,
    comparison_looks,
)
from upperhand.figures.style import QUIET, WIDTH, render

from ..comparison.samples import small
from .samples import is_inside, overlap


def test_curves_are_the_means_in_log_t(one):
    left, _ = comparison_figure(one).axes
    curves = one.runs["headline"].regret(uh.UpperTail(0.1))

    assert left.get_xscale() == "log"
    assert "p95" in left.get_title("left")
    for line, curve in zip(left.lines, curves.values(), strict=False):  # the bound comes last
        assert line.get_xdata().tolist() == curve.rounds.tolist()
        assert line.get_ydata().tolist() == curve.mean.tolist()


def test_the_scale_is_made_for_those_in_colour(crowd):
    left, _ = comparison_figure(crowd).axes
    styles, rows = comparison_looks(crowd, "headline"), crowd.main("headline")
    highest = max(rows[name].regret for name, style in styles.items() if style != QUIET)

    assert left.get_ylim()[1] >= highest


def test_one_replication_one_policy_no_regret():
    alone = small([uh.Normal(0, 1)], [uh.UCB1()], replications=1, horizon=5)
    render(comparison_figure(alone), ".png")


@pytest.mark.parametrize("given", ["one", "crowd", "everyone", "wordy"])
def test_nothing_is_cut_off(given, request):
    figure = comparison_figure(request.getfixturevalue(given))
    figure.draw_without_rendering()

    assert all(is_inside(axes.get_tightbbox(), figure) for axes in figure.axes)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4, 1e6])
def test_numbers_of_any_length_fit_the_margin(size):
    """Regrets of up to nine digits, with commas; what stands at the left moves to the right."""
    large = small([uh.Normal(0, size), uh.Normal(9 * size, size)], [uh.UCB1(), uh.KLQUCB()])
    left, right = comparison_figure(large).axes
    left.figure.draw_without_rendering()
    written = [label.get_text() for label in left.get_yticklabels()]

    assert is_inside(left.get_tightbbox(), left.figure)
    assert not overlap(left.get_tightbbox(), right.get_tightbbox())
    assert all("," in text for text in written if len(text) > 4 and "." not in text)
    assert any("," in text for text in written) == (size >= 1)


@pytest.mark.parametrize("given", ["one", "everyone", "wordy"])
def test_the_two_parts_do_not_overlap(given, request):
    left, right = comparison_figure(request.getfixturevalue(given)).axes
    left.figure.draw_without_rendering()

    assert not overlap(left.get_tightbbox(), right.get_tightbbox())


def test_by_default_they_stand_side_by_side(everyone):
    left, right = comparison_figure(everyone).axes

    assert left.figure.get_size_inches()[0] == WIDTH
    assert left.get_position().y1 == pytest.approx(right.get_position().y1)
    assert left.get_position().width * WIDTH >= NARROWEST


def test_curves_that_would_be_narrow_stand_above(wordy):
    left, right = comparison_figure(wordy).axes

    assert left.get_position().y0 > right.get_position().y1
    assert left.get_position().width > 0.8
