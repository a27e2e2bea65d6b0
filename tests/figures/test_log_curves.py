"""Curves in ln t: the bound is a straight line, with its name in sight wherever it goes."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.comparison.result import Proved
from upperhand.figures.comparison import comparison_figure
from upperhand.figures.regret import ABOVE, COLOR, LOWER_BOUND, LOWEST, draw_log_curves
from upperhand.figures.style import drawing, looks, new_figure
from upperhand.text import short

from .samples import POLICIES, overlap, texts, with_rows


def test_the_bound_is_a_straight_line(one):
    left, _ = comparison_figure(one).axes
    bound, last = one.main("headline")["UCB1"].bound, left.lines[-1]

    assert last.get_ydata()[-1] == pytest.approx(bound * math.log(300))
    assert len(last.get_xdata()) == 2


@pytest.mark.parametrize("bound", [math.nan, 0.0, math.inf])
def test_no_bound_no_line(one, bound):
    left, _ = comparison_figure(with_rows(one, bound=bound)).axes
    assert len(left.lines) == len(POLICIES)


# The line ends at such a share of the height: within sight, or far above.
SHARES = [0.05, 0.3, 0.97, 1.2, 2.0, 8.0, 60.0]
FEW = [0.97, 60.0]


@pytest.mark.parametrize(
    ("given", "shares"),
    [
        ("one", SHARES),
        ("everyone", FEW),
        ("wordy", FEW),
        pytest.param("everyone", SHARES, marks=pytest.mark.slow),
        pytest.param("wordy", SHARES, marks=pytest.mark.slow),
    ],
)
def test_its_name_is_within_the_axes(given, shares, request):
    comparison = request.getfixturevalue(given)
    top = comparison_figure(comparison).axes[0].get_ylim()[1]
    for share in shares:
        left, _ = comparison_figure(with_rows(comparison, bound=share * top / math.log(300))).axes
        left.figure.draw_without_rendering()

        assert texts(left) == [LOWER_BOUND]
        (name,) = left.texts
        box, axes = name.get_window_extent(), left.get_window_extent()
        assert axes.x0 <= box.x0 < box.x1 <= axes.x1 + 1
        assert axes.y0 <= box.y0 < box.y1 <= axes.y1 + 1
        assert name.get_color() == COLOR


def test_of_a_line_on_the_axis_it_says_the_value(one):
    top = comparison_figure(one).axes[0].get_ylim()[1]
    left, _ = comparison_figure(with_rows(one, bound=0.01 * top / math.log(300))).axes

    assert len(left.lines) == len(POLICIES)
    assert texts(left) == [f"{LOWER_BOUND} ≤ {short(0.01 * top)}, not drawn"]


@pytest.mark.parametrize(("bound", "said"), [(5.0, LOWER_BOUND), (50.0, ABOVE)])
def test_of_a_line_that_is_nowhere_in_sight_it_says_so(bound, said):
    rounds = np.array([10, 100, 1000, 10_000])
    mean = np.array([1.0, 10.0, 50.0, 100.0])  # the axis ends at 112, and 50 ln 10 is 115
    curve = uh.Curve(rounds, mean, mean, mean, mean[-1:])
    with drawing():
        axes = new_figure(4, 3).add_axes((0.2, 0.2, 0.7, 0.7))
        draw_log_curves(axes, {"UCB1": curve}, looks(["UCB1"]), ["UCB1"], bound)

    assert texts(axes) == [said]


@pytest.mark.parametrize("bound", [0.1, 5.0], ids=["not drawn", "drawn"])
@pytest.mark.parametrize(("end", "seen"), [(60.0, True), (113.0, False), (3.0, False)])
@pytest.mark.parametrize("label", ["KL-QUCB", "a policy with a name that no axes have room for"])
def test_what_is_proved_is_drawn_if_it_ends_in_sight(bound, end, seen, label):
    rounds = np.array([10, 100, 1000, 10_000])
    mean = np.array([1.0, 10.0, 50.0, 100.0])  # the axis ends at 112; its 3 % are 3.36
    curve = uh.Curve(rounds, mean, mean, mean, mean[-1:])
    proved = Proved(label, rounds.astype(float), end * np.log(rounds) / np.log(10_000), 9.0)
    with drawing():
        axes = new_figure(3, 2).add_axes((0.2, 0.2, 0.7, 0.7))
        draw_log_curves(axes, {"UCB1": curve}, looks(["UCB1"]), ["UCB1"], bound, proved)
    axes.figure.draw_without_rendering()

    legend = axes.get_legend()
    assert (legend is not None) == seen == (LOWEST * 112 <= end < 112)
    assert len(axes.lines) == 1 + seen + (bound == 5.0)
    if seen:
        assert axes.lines[-1].get_ydata()[-1] == pytest.approx(end)
        (said,) = legend.get_texts()
        assert said.get_text().startswith("upper bound o")
        box, frame = legend.get_window_extent(), axes.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1 + 1
        (lower,) = axes.texts
        assert not overlap(said.get_window_extent(), lower.get_window_extent())
