"""A figure for any simulation."""

import math

import pytest

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.figures.regret import instance_figure, references
from upperhand.theory import quantile_policies

POLICIES = [uh.ACPUCB1(), uh.UCB1()]
TAIL = uh.UpperTail(0.2)


@pytest.fixture(scope="module")
def runs():
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
    return uh.simulate(arms, POLICIES, horizon=200, replications=3, seed=0)


@pytest.mark.parametrize("objective", [TAIL, uh.LowerTail(0.2), uh.BestOf(8)], ids=str)
def test_two_panels_tail_and_mean(runs, objective):
    figure = instance_figure(runs, objective)

    for axes, drawn in zip(figure.axes, (objective, uh.Mean()), strict=True):
        assert drawn.label in axes.get_title("left")
        curves = runs.regret(drawn).values()
        for line, curve in zip(axes.lines, curves, strict=False):  # references come after
            assert line.get_ydata()[1:].tolist() == curve.mean.tolist()


def test_each_panel_has_its_lower_bound():
    arms = [uh.Normal(0.5, 0.15), uh.Normal(0.2, 0.15)]  # apart: low bounds
    runs = uh.simulate(arms, POLICIES, horizon=200, replications=3, seed=0)

    for axes, objective in zip(instance_figure(runs, TAIL).axes, (TAIL, uh.Mean()), strict=True):
        *curves, line = axes.lines
        (constant,) = references(arms, objective).values()
        assert len(curves) == len(POLICIES)
        assert line.get_ydata()[-1] == pytest.approx(constant * math.log(200))


def test_arms_of_several_laws_have_no_bound_for_means():
    arms = [uh.Normal(0.5, 0.05), uh.Uniform(0, 0.2)]
    runs = uh.simulate(arms, POLICIES, horizon=200, replications=3, seed=0)

    _, mean = instance_figure(runs, TAIL).axes
    assert len(mean.lines) == len(POLICIES)


def test_an_arm_without_a_mean_leaves_the_tail_panel():
    runs = uh.simulate([uh.StudentT(0, 1, 1), uh.Normal(0, 1)], POLICIES, 100, 2, 0)

    (axes,) = instance_figure(runs, uh.UpperTail(0.1)).axes
    assert "p95" in axes.get_title("left")


def test_a_panel_that_cannot_be_drawn_is_not_left_out_in_silence(runs, monkeypatch):
    def fails(title, *_):
        if "mean" in title:
            raise ParameterError("a fault of the drawing, not of the arms")

    monkeypatch.setattr("upperhand.figures.regret.curve_panel", fails)
    with pytest.raises(ParameterError, match="a fault of the drawing"):
        instance_figure(runs, TAIL)


def test_what_is_proved_of_our_policies_is_above():
    arms = [uh.Normal(0, 1), uh.Normal(5, 1)]
    policies = {"mine": uh.KLQUCB(0.9), "UCB1": uh.UCB1()}
    runs = uh.simulate(arms, policies, horizon=500, replications=3, seed=0)

    tail, mean = instance_figure(runs, uh.UpperTail(0.2)).axes
    *_, upper = tail.lines
    assert upper.get_ydata()[-1] == pytest.approx(
        quantile_policies.regret(policies["mine"], arms, 500)
    )
    assert len(tail.lines) - len(mean.lines) >= 1
