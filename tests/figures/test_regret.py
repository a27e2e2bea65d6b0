"""Regret curves and sweeps are what was given, and the lower bounds are the right ones."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import upperhand as uh
from upperhand.figures.layout import panel_figure
from upperhand.figures.regret import (
    COLOR,
    LOWER_BOUND,
    OTHERS,
    SLOPE,
    UPPER_BOUND,
    curve_panel,
    curve_rows,
    draw_curves,
    emphasised,
    envelope,
    instance_figure,
    references,
    sweep_panel,
)
from upperhand.figures.style import QUIET, drawing, look, looks, new_figure
from upperhand.text import csv_lines, three_digits
from upperhand.theory import quantile_policies

from .samples import curve, named

CURVES = {"ACP-UCB1": curve(30), "UCB1": curve(60)}
GAUSSIAN_ARMS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
BERNOULLIS = [uh.Bernoulli(0.5), uh.Bernoulli(0.25)]
KL = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)  # kl(0.25, 0.5), by hand
LOW_KL = 0.15 * math.log(0.15 / 0.1) + 0.85 * math.log(0.85 / 0.9)  # kl(0.15, 0.1)
POLICIES = [uh.ACPUCB1(), uh.UCB1()]
TAIL = uh.UpperTail(0.2)


def axes_of(curves, bounds):
    (axes,) = panel_figure([curve_panel("a", curves, bounds)], "Regret").axes
    return axes


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
        # The second arm has no mass between its median, 0, and the best one, 5: infinite.
        ([uh.Empirical([5.0, 5.0]), uh.Empirical([0.0, 10.0])], uh.Quantile(0.5)),
    ],
)
def test_no_line_where_there_is_no_finite_bound(arms, objective):
    assert references(arms, objective) == {}


def test_lines_are_the_means_from_zero_and_the_bound_is_a_slope_in_the_corner():
    axes = axes_of(CURVES, {LOWER_BOUND: 10.0})
    *curves, line = axes.lines

    for drawn, (name, given) in zip(curves, CURVES.items(), strict=True):
        assert drawn.get_xdata().tolist() == [0, *given.rounds]
        assert drawn.get_ydata().tolist() == [0, *given.mean]
        assert drawn.get_color() == looks(CURVES)[name].color
    t = line.get_xdata()
    assert (t[0], t[-1]) == (60, 100)
    np.testing.assert_allclose(line.get_ydata(), 10 * np.log(t / 60))
    assert all(line.get_zorder() < other.get_zorder() for other in curves)
    assert line.get_color() not in {look(place).color for place in range(280)}
    assert named(axes.figure) == ["UCB1", "ACP-UCB1", SLOPE]


@pytest.mark.parametrize(("share", "drawn"), [(0.02, False), (0.9, True), (1.1, False)])
def test_a_slope_that_cannot_be_seen_or_is_higher_than_the_curves_is_said(share, drawn):
    constant = share * 61 / math.log(1 / 0.6)  # 61: the top of the bands
    axes = axes_of(CURVES, {LOWER_BOUND: constant})

    assert len(axes.lines) == 2 + drawn
    assert axes.get_ylim() == axes_of(CURVES, {}).get_ylim()
    assert named(axes.figure)[-1] == (
        SLOPE if drawn else f"{LOWER_BOUND}: {three_digits(constant)} ln n"
    )


def test_what_is_only_said_names_its_panel():
    panels = [curve_panel("(a) Regret", CURVES, {LOWER_BOUND: 0.2}), curve_panel("b", CURVES)]
    names = named(panel_figure(panels, "Regret"))
    assert names == ["UCB1", "ACP-UCB1", f"(a) {LOWER_BOUND}: 0.2 ln n"]


def test_regrets_that_are_far_apart_have_a_log_axis():
    apart = {"ACP-UCB1": curve(6, spread=0), "UCB1": curve(60)}
    figure = panel_figure([curve_panel("a", apart, {LOWER_BOUND: 2.0})], "Regret")
    (axes,) = figure.axes

    assert (axes.get_yscale(), axes.get_ylabel()) == ("log", "Regret, log scale")
    low, high = axes.get_ylim()
    assert low == pytest.approx(6 / 30)
    assert 61 < high < 100
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["1", "10"]
    assert axes.lines[0].get_xdata()[0] == 10  # 0 is not on it
    assert named(figure) == ["UCB1", "ACP-UCB1", f"{LOWER_BOUND}: 2 ln n"]  # a slope says nothing
    assert axes_of(apart | {"KL-QUCB": curve(0)}, {}).get_yscale() == "linear"
    (paper,) = panel_figure([curve_panel("a", apart, log=False)], "Regret").axes
    assert paper.get_ylim()[0] == 0


def test_of_many_policies_the_reference_ours_and_the_best_are_in_colour():
    curves = {str(place): curve(place) for place in range(10)}
    curves |= {"KL-QUCB": curve(90), "mine": curve(80)}
    styles = emphasised(curves, "mine")
    assert list(styles) == list(curves)
    loud = {name for name, style in styles.items() if style != QUIET}
    assert loud == {"mine", "KL-QUCB", "0", "1", "2", "3", "4"}
    assert emphasised(CURVES) == looks(CURVES)


def test_a_single_round_has_no_line():
    one = curve(1.0)
    first = {"UCB1": uh.Curve(np.array([1]), one.mean[:1], one.low[:1], one.high[:1], one.final)}
    assert len(axes_of(first, {LOWER_BOUND: 1.0}).lines) == 1


def test_others_are_quiet_and_within_sight():
    styles = looks(["UCB1"]) | dict.fromkeys(["x", "y"], QUIET)
    with drawing():
        axes = new_figure(4, 3).subplots()
        axes.set_xscale("log")
        given = {"x": curve(90), "UCB1": curve(60), "y": curve(30)}
        handles = draw_curves(axes, given, styles, {LOWER_BOUND: 5.0})

    assert list(handles) == ["UCB1", OTHERS, SLOPE]
    assert axes.dataLim.y1 == 90
    assert axes.lines[-1].get_xdata()[[0, -1]].tolist() == [10, 100]  # a decade
    loud, *quiet, _ = axes.lines
    assert loud.get_xdata().tolist() == list(range(10, 101, 10))
    assert {line.get_color() for line in quiet} == {QUIET.color}
    assert len(axes.collections) == 1  # the band of the one in colour


def test_the_interval_of_one_bad_run_does_not_flatten_the_curves():
    bad = {**CURVES, "KL-QUCB": curve(20, spread=1000)}
    assert 61 <= axes_of(bad, {}).get_ylim()[1] < 160
    sweep = sweep_panel("a", "α", (0.2, 0.1), {name: [one, one] for name, one in bad.items()})
    (axes,) = panel_figure([sweep], "Regret").axes
    assert 61 <= axes.get_ylim()[1] < 160


def test_rows_are_the_curves_and_the_bound_at_their_rounds():
    both = {"ACP": CURVES, "mean": CURVES}
    heads, *rows = curve_rows("metric", both, {"ACP": {LOWER_BOUND: 2.0}})
    same, *plain = curve_rows("metric", both)

    assert heads == same == ("metric", "policy", "round", "mean", "low", "high")
    assert [row[0] for row in plain] == ["ACP"] * 20 + ["mean"] * 20
    assert [row[3] for row in plain[10:20]] == CURVES["UCB1"].mean.tolist()
    assert [row[5] for row in plain[:10]] == CURVES["ACP-UCB1"].high.tolist()
    assert [row[:2] for row in rows[20:30]] == [("ACP", LOWER_BOUND)] * 10
    bounds = [row[3] for row in rows[20:30]]
    np.testing.assert_allclose(bounds, 2 * np.log(CURVES["UCB1"].rounds))
    assert next(csv_lines(rows[20:21])).endswith(",,\n")  # low and high are empty
    assert rows[:20] + rows[30:] == plain


def test_sweeps_run_in_the_order_given_with_a_bound_at_each_setting():
    sweeps = {"UCB1": [curve(10), curve(20), curve(40)]}
    bounds = {LOWER_BOUND: np.array([3.0, 21.0, 5.0])}
    panel = sweep_panel("a", "α", (0.3, 0.2, 0.1), sweeps, bounds)
    (axes,) = panel_figure([panel], "Regret").axes

    left, right = axes.get_xlim()
    assert left > 0.3 > 0.1 > right
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.30", "0.20", "0.10"]
    assert axes.lines[0].get_ydata().tolist() == [10, 20, 40]
    line = axes.lines[-1]
    assert line.get_xdata().tolist() == [0.3, 0.2, 0.1]
    np.testing.assert_array_equal(line.get_ydata(), [3, np.nan, 5])  # 21 is above the policy
    assert line.get_marker() == "None"


def test_what_is_proved_is_the_line_above():
    far = [uh.Normal(5, 1), uh.Normal(10, 1), uh.Normal(0, 1)]
    runs = SimpleNamespace(arms=far, horizon=1000, minimize=False)
    runs.policies = {"mine": uh.KLQUCB(0.95, plus=True)}
    given = envelope(runs, uh.UpperTail(0.1))
    name = UPPER_BOUND.format("mine")
    assert list(given) == [LOWER_BOUND, name]
    runs.policies = {"UCB1": uh.UCB1()}
    assert envelope(runs, uh.UpperTail(0.1)).keys() == {LOWER_BOUND}

    high = {"UCB1": curve(given[name].regret[-1])}
    _, below, above = axes_of(high, given).lines
    np.testing.assert_array_equal(above.get_ydata(), given[name].at(above.get_xdata()))
    assert above.get_ydata()[0] == pytest.approx(10)  # a round can cost no more
    assert above.get_color() == below.get_color() == COLOR
    assert above._dash_pattern != below._dash_pattern


def test_an_instance_has_two_panels_tail_and_mean_with_their_bounds():
    arms = [uh.Normal(0.5, 0.15), uh.Normal(0.2, 0.15)]  # apart: low bounds
    runs = uh.simulate(arms, POLICIES, horizon=200, replications=3, seed=0)

    for objective in (TAIL, uh.LowerTail(0.2), uh.BestOf(8)):
        figure = instance_figure(runs, objective)
        for axes, shown in zip(figure.axes, (objective, uh.Mean()), strict=True):
            assert shown.label in axes.get_title("left").replace("\n", " ")
            for drawn, given in zip(axes.lines[:2], runs.regret(shown).values(), strict=True):
                assert drawn.get_ydata()[1:].tolist() == given.mean.tolist()
            (constant,) = references(arms, shown).values()
            said = f"{axes.get_title('left')[:4]}{LOWER_BOUND}: {three_digits(constant)} ln n"
            assert len(axes.lines) == 3 or said in named(figure)


def test_panels_that_an_instance_lacks():
    mixed = uh.simulate([uh.Normal(0.5, 0.05), uh.Uniform(0, 0.2)], POLICIES, 200, 3, 0)
    _, mean = instance_figure(mixed, TAIL).axes
    assert len(mean.lines) == len(POLICIES)  # no bound for means of several families
    heavy = uh.simulate([uh.StudentT(0, 1, 1), uh.Normal(0, 1)], POLICIES, 100, 2, 0)
    (axes,) = instance_figure(heavy, uh.UpperTail(0.1)).axes  # no mean
    assert axes.get_title("left").startswith("Cumulative regret, ACP value (p95)")


def test_what_is_proved_of_our_policies_is_in_an_instances_figure():
    arms, policies = [uh.Normal(0, 1), uh.Normal(5, 1)], {"mine": uh.KLQUCB(0.9)}
    runs = uh.simulate(arms, policies, horizon=500, replications=3, seed=0)

    last = instance_figure(runs, TAIL).axes[0].lines[-1]
    expected = quantile_policies.regret(policies["mine"], arms, 500)
    assert last.get_ydata()[-1] == pytest.approx(expected)
