"""Slopes against the bound: a dot where there is one, 0 where it is nothing but rounding."""

import math
from dataclasses import replace

import pytest

from upperhand.figures.comparison import growth_figure
from upperhand.figures.dots import ticks

from .samples import texts, with_rows


def test_slopes_are_drawn_against_the_bound(one):
    left, right = growth_figure(one, "headline").axes
    drawn = [bars.lines[0].get_xdata()[0] for bars in right.containers]

    assert drawn == [row.slope_ratio for row in one.main("headline").values()]
    assert left.get_xscale() == right.get_xscale() == "log"


def test_a_slope_that_is_no_number_is_left_out(one):
    flat = with_rows(one, slope_ratio=math.nan)
    assert growth_figure(flat, "headline").axes[1].containers == []


@pytest.mark.parametrize("least", [0.0, 1e-17, 0.004])
def test_what_is_nearly_nothing_is_0_and_does_not_stretch_the_axis(one, least):
    rows = [row._replace(slope_ratio=1.5) for row in one.rows]
    rows = [row._replace(slope_ratio=least) if row.policy == "UCB1" else row for row in rows]
    _, right = growth_figure(replace(one, rows=tuple(rows)), "headline").axes

    assert len(right.containers) == 3
    assert texts(right).count("0") == 1
    assert right.get_xlim()[0] > 0.3


def test_ticks():
    assert ticks(0.5, 3) == [0.5, 1, 2]
    assert ticks(0.02, 700) == [0.1, 1, 10, 100]
