"""Lower bounds in regret figures: which line for which arms, and quiet in the figure."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.comparison.instances import GAUSSIAN_ARMS
from upperhand.figures.layout import panel_figure
from upperhand.figures.regret import (
    COLOR,
    LOWER_BOUND,
    UPPER_BOUND,
    curve_columns,
    curve_panel,
    envelope,
    references,
)
from upperhand.figures.style import look
from upperhand.figures.sweeps import Sweep, sweep_panel
from upperhand.text import to_csv

from .samples import curve

CURVES = {"ACP-UCB1": curve(30), "UCB1": curve(60)}
BERNOULLIS = [uh.Bernoulli(0.5), uh.Bernoulli(0.25)]
KL = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)  # kl(0.25, 0.5), by hand
LOW_KL = 0.15 * math.log(0.15 / 0.1) + 0.85 * math.log(0.85 / 0.9)  # kl(0.15, 0.1)


@pytest.mark.parametrize(
    ("arms", "objective", "constant"),
    [
        (GAUSSIAN_ARMS, uh.Mean(), 2 * 0.15**2 / 0.10 + 2 * 0.08**2 / 0.06),  # Σ 2σ² / Δ
        (BERNOULLIS, uh.Mean(), 0.25 / KL),
        # On [0, 1] and [0, 2] the p50s are 0.5 and 1: F_1(1) = 1, and kl(1, 0.5) = ln 2.
        ([uh.Uniform(0, 1), uh.Uniform(0, 2)], uh.Quantile(0.5), 0.5 / math.log(2)),
        ([uh.Uniform(0, 1), uh.Uniform(0, 2)], uh.UpperTail(0.2), 0.9 / -math.log(0.9)),
        # The p10s are 0.1 and 0, and F_2(0.1) = 0.15.
        ([uh.Uniform(0, 1), uh.Uniform(-0.2, 1.8)], uh.LowerTail(0.2), 0.1 / LOW_KL),
    ],
)
def test_each_objective_has_its_bound(arms, objective, constant):
    assert references(arms, objective) == {LOWER_BOUND: pytest.approx(constant)}


@pytest.mark.parametrize(
    ("arms", "objective"),
    [
        ([uh.Normal(0, 1), uh.Normal(0, 1)], uh.Mean()),  # nothing to learn: 0
        ([uh.Normal(0, 1)], uh.UpperTail(0.1)),
        ([uh.Bernoulli(1), uh.Bernoulli(0.5)], uh.Mean()),  # no arm can beat the best
        ([uh.Normal(0, 1), uh.Bernoulli(0.5)], uh.Mean()),  # no statement for such a class
        ([uh.Uniform(0, 1), uh.Uniform(0, 2)], uh.Mean()),
        (GAUSSIAN_ARMS, uh.Utility(1.0)),
    ],
)
def test_no_line_where_there_is_no_bound(arms, objective):
    assert references(arms, objective) == {}


def test_no_line_where_the_bound_is_infinite():
    # The second arm has no mass between its median, 0, and the best one, 5: F(5) = 0.5.
    arms = [uh.Empirical([5.0, 5.0]), uh.Empirical([0.0, 10.0])]
    assert references(arms, uh.Quantile(0.5)) == {}


def test_the_line_is_c_ln_t_from_round_1_under_the_curves():
    figure = panel_figure([curve_panel("a", CURVES, {LOWER_BOUND: 5.0})], "Regret")

    *curves, line = figure.axes[0].lines
    t = line.get_xdata()
    assert (t[0], t[-1]) == (1, 100)
    np.testing.assert_allclose(line.get_ydata(), 5 * np.log(t))
    assert all(line.get_zorder() < other.get_zorder() for other in curves)
    assert all(line.get_linewidth() < other.get_linewidth() for other in curves)
    assert line.get_color() not in {look(place).color for place in range(280)}


def test_the_looks_of_policies_do_not_change():
    plain, referred = (
        panel_figure([curve_panel("a", CURVES, given)], "Regret").axes[0].lines
        for given in ({}, {LOWER_BOUND: 5.0})
    )
    for one, other in zip(plain, referred, strict=False):
        assert (one.get_color(), one.get_linestyle()) == (other.get_color(), other.get_linestyle())
        assert one.get_ydata().tolist() == other.get_ydata().tolist()


def test_with_room_it_is_named_at_its_line():
    figure = panel_figure([curve_panel("a", CURVES, {LOWER_BOUND: 1.5})], "Regret")

    assert [text.get_text() for text in figure.axes[0].texts] == [*CURVES, LOWER_BOUND]
    assert figure.axes[0].texts[-1].get_color() == COLOR
    assert not figure.legends


def test_a_line_on_the_axis_is_not_drawn_but_said():
    low = CURVES | {"ACP-UCB1": curve(8)}
    panels = [curve_panel("a", low, {LOWER_BOUND: 0.2}), curve_panel("b", {"UCB1": curve(60)})]
    figure = panel_figure(panels, "Regret")

    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [
        [*CURVES],
        ["UCB1"],
    ]
    (legend,) = figure.legends
    said = f"{LOWER_BOUND} ≤ 0.921, not drawn"  # 0.2 ln 100
    assert [text.get_text() for text in legend.get_texts()] == [said]
    assert len(figure.axes[0].lines) == len(low)
    lettered = [panel._replace(title=f"({panel.title}) Regret") for panel in panels]
    (legend,) = panel_figure(lettered, "Regret").legends
    assert legend.get_texts()[0].get_text() == f"(a) {said}"


def test_in_a_crowd_it_is_the_last_of_the_legend():
    crowd = {f"policy {i}": curve(50 + i / 10) for i in range(9)}
    figure = panel_figure([curve_panel("a", crowd, {LOWER_BOUND: 1.0})], "Regret")

    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*crowd, LOWER_BOUND]


@pytest.mark.parametrize("share", [0.5, 2.9])
def test_the_axis_has_room_for_it(share):
    given = {LOWER_BOUND: share * 61 / math.log(100)}  # 61: the top of UCB1's band
    (axes,) = panel_figure([curve_panel("a", CURVES, given)], "Regret").axes

    assert len(axes.lines) == 3
    assert axes.get_ylim()[1] >= 1.1 * max(share, 1) * 61


def test_a_bound_out_of_sight_does_not_flatten_the_curves():
    given = {LOWER_BOUND: 3.1 * 61 / math.log(100)}
    plain, referred = (
        panel_figure([curve_panel("a", CURVES, bounds)], "Regret") for bounds in ({}, given)
    )
    assert len(referred.axes[0].lines) == 2
    assert referred.axes[0].get_ylim() == plain.axes[0].get_ylim()
    assert not referred.legends


def test_a_single_round_has_no_line():
    one = curve(1.0)
    first = {"UCB1": uh.Curve(np.array([1]), one.mean[:1], one.low[:1], one.high[:1], one.final)}
    (axes,) = panel_figure([curve_panel("a", first, {LOWER_BOUND: 1.0})], "Regret").axes

    assert len(axes.lines) == 1


def test_columns_have_the_line_at_the_rounds_of_the_curves():
    both = {"ACP": CURVES, "mean": CURVES}
    columns = curve_columns("metric", both, {"ACP": {LOWER_BOUND: 2.0}})
    plain = curve_columns("metric", both)

    assert len(columns["mean"]) == len(plain["mean"]) + 10
    assert columns["policy"][20:30] == [LOWER_BOUND] * 10
    assert columns["metric"][20:30] == ["ACP"] * 10
    np.testing.assert_allclose(columns["mean"][20:30], 2 * np.log(CURVES["UCB1"].rounds))
    assert to_csv(columns).splitlines()[21].endswith(",,")  # low and high are empty
    for head, column in columns.items():
        assert column[:20] + column[30:] == plain[head]


def test_sweeps_have_a_value_at_each_setting_and_no_markers():
    sweeps = {"UCB1": Sweep.of([curve(10), curve(20), curve(40)])}
    bounds = {LOWER_BOUND: np.array([3.0, 4.0, 5.0])}
    panel = sweep_panel("a", "α", (0.3, 0.2, 0.1), sweeps, bounds)
    line = panel_figure([panel], "Regret").axes[0].lines[-1]

    assert line.get_xdata().tolist() == [0.3, 0.2, 0.1]
    assert line.get_ydata().tolist() == [3, 4, 5]
    assert line.get_marker() == "None"


FAR = [uh.Normal(5, 1), uh.Normal(10, 1), uh.Normal(0, 1)]


def test_what_is_proved_is_the_line_above():
    given = envelope(FAR, uh.UpperTail(0.1), {"mine": uh.KLQUCB(0.95, plus=True)}, 1000)
    name = UPPER_BOUND.format("mine")
    assert list(given) == [LOWER_BOUND, name]
    assert envelope(FAR, uh.UpperTail(0.1), {"UCB1": uh.UCB1()}, 1000).keys() == {LOWER_BOUND}

    high = {"UCB1": curve(given[name].regret[-1])}
    (axes,) = panel_figure([curve_panel("a", high, given)], "Regret").axes
    _, below, above = axes.lines
    t = above.get_xdata()
    np.testing.assert_array_equal(above.get_ydata(), given[name].at(t))
    assert above.get_ydata()[0] == pytest.approx(10)  # a round can cost no more
    assert above.get_color() == below.get_color() == COLOR
    assert (
        above.get_linestyle() != below.get_linestyle() or above._dash_pattern != below._dash_pattern
    )
    table = curve_columns("group", {"a": high}, {"a": given})
    assert table["mean"][-1] == given[name].at(high["UCB1"].rounds)[-1]
