"""The figure of a live experiment."""

import numpy as np
import pytest

from upperhand.calibrators import Interval
from upperhand.figures.experiment import experiment_figure
from upperhand.figures.style import render
from upperhand.live.history import History

from .samples import named

INF = np.inf


def made(quantiles, confidence, shares=None, names="abcdefghij", counts=None):
    values = np.array(quantiles, dtype=float)
    arms, points = values.shape
    told = np.arange(1, points + 1) * 10
    at = 1.8e9 + 3600.0 * np.arange(points)
    shares = np.full((arms, points), 1 / arms) if shares is None else np.array(shares)
    counts = np.tile(told, (arms, 1)) if counts is None else np.array(counts)
    return History(tuple(names[:arms]), 0.95, told, at, counts, shares, values, confidence)


THREE = made(
    [[5, 4, 4, 4.5], [np.nan, 7, 7, 7], [INF, INF, 9, 9]],
    [Interval(4.2, 4.9), Interval(-INF, 7.1), Interval(6.5, 1000.0)],
    [[1, 0.5, 0.6, 0.8], [0, 0.5, 0.2, 0.1], [0, 0, 0.2, 0.1]],
    counts=np.full((3, 4), 20),
)


def lines_of(axes, color):
    return [line for line in axes.get_lines() if line.get_color() == color]


def colors(figure):
    return [line.get_color() for line in figure.axes[0].get_lines()]


def test_lines_are_the_shares_and_the_quantiles():
    figure = experiment_figure(THREE, 0.9)
    shares, quantiles = figure.axes
    assert [line.get_ydata().tolist() for line in shares.get_lines()] == THREE.shares.tolist()
    for color, values in zip(colors(figure), THREE.quantiles, strict=True):
        drawn = next(x for x in lines_of(quantiles, color) if len(x.get_xdata()) == 4)
        np.testing.assert_array_equal(drawn.get_ydata(), np.where(np.isinf(values), np.nan, values))
    assert quantiles.get_title(loc="left") == "(b) p95 so far"
    assert "90 % confidence" in quantiles.get_xlabel()
    assert "15 Jan, 08:00 to 11:00 UTC" in shares.get_xlabel()


def test_intervals_stand_beside_the_lines_and_far_ends_are_arrows():
    figure = experiment_figure(THREE, 0.95)
    axes = figure.axes[1]
    first, second, third = (
        [(x.get_xdata(), x.get_ydata(), x.get_marker()) for x in lines_of(axes, color)]
        for color in colors(figure)
    )
    bars = [next(y for x, y, _ in each if len(x) == 2) for each in (first, second, third)]
    assert bars[0].tolist() == [4.2, 4.9]
    assert bars[1][1] == 7.1
    assert axes.get_ylim()[0] < bars[1][0] < 4  # cut, and within sight
    marks = [{marker for x, _, marker in each if len(x) == 1} for each in (first, second, third)]
    assert marks == [{"o", "_"}, {"o", "v", "_"}, {"o", "_", "^"}]
    places = [x[0] for each in (first, second, third) for x, _, m in each if m == "o"]
    assert 40 < places[0] < places[1] < places[2] < axes.get_xlim()[1]


def test_a_quantile_among_failures_is_a_triangle_at_the_edge():
    figure = experiment_figure(THREE, 0.95)
    axes, color = figure.axes[1], colors(figure)[2]
    marks = [x for x in lines_of(axes, color) if x.get_marker() == "^" and len(x.get_xdata()) == 2]
    assert marks[0].get_xdata().tolist() == [10, 20]
    assert "among failures" in axes.get_xlabel().replace("\n", " ")
    without = made([[1, 2], [2, 3]], [Interval(1, 2)] * 2)
    assert "failures" not in experiment_figure(without, 0.95).axes[1].get_xlabel()


def test_quantiles_of_few_outcomes_are_faint():
    few = made([[5, 4, 4, 4.5]], [Interval(4, 5)], counts=[[1, 5, 20, 40]])
    full, faint, *_ = experiment_figure(few, 0.95).axes[1].get_lines()
    assert (full.get_xdata().tolist(), full.get_alpha()) == ([30, 40], None)
    assert faint.get_xdata().tolist() == [10, 20, 30]  # they meet
    assert faint.get_alpha() < 0.5
    assert faint.get_linewidth() < full.get_linewidth()


def test_without_a_finite_quantile_there_are_shares_only():
    assert len(experiment_figure(made([[INF, INF]], [Interval(INF, INF)]), 0.95).axes) == 1


def test_of_many_arms_the_most_used_are_in_colour():
    shares = np.tile(np.linspace(0, 0.2, 10)[:, None], 3)
    many = made(np.tile(np.arange(10.0)[:, None], 3), [Interval(0, 9)] * 10, shares)
    figure = experiment_figure(many, 0.95)
    assert named(figure) == ["d", "e", "f", "g", "h", "i", "j", "3 others"]


@pytest.mark.parametrize("history", [THREE, made([[3]], [Interval(-INF, INF)])], ids=["3", "1"])
def test_the_same_bytes_again(history):
    assert render(experiment_figure(history, 0.95), ".png") == render(
        experiment_figure(history, 0.95), ".png"
    )
