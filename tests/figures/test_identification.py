"""Samples as dots: all runs, quantiles, means, bounds, and names."""

import math

import numpy as np
import pytest
from matplotlib.collections import PathCollection

import upperhand as uh
from upperhand.figures.identification import identification_figure
from upperhand.figures.style import render
from upperhand.simulation.identify import Answers, Identification, error_rate

from .samples import WORDS, named

NAN = math.nan


def made(names=("one", "two"), cap=5000, replications=40):
    """Return searches around 1,000 samples, some of which end at the cap."""
    rng, policy = np.random.default_rng(0), uh.UniformSampling(0.5, budget=10)
    answers = {}
    for name in names:
        samples = np.minimum(rng.lognormal(7, 1, replications), cap).astype(int)
        wrong = np.arange(replications) == 1
        arms, pulls = np.zeros((replications, 1), int), np.zeros((replications, 2), int)
        answers[name] = Answers(samples, samples < cap, arms, pulls, wrong, wrong & False)
    arms = (uh.Normal(0, 1), uh.Normal(1, 1))
    return Identification(arms, dict.fromkeys(names, policy), cap, replications, 0, answers)


def test_runs_means_and_bounds_are_drawn():
    found = made()
    figure = identification_figure(found, {"one": 100.0, "two": NAN})
    (axes,) = figure.axes
    dots = [each.get_offsets() for each in axes.collections if isinstance(each, PathCollection)]
    drawn = np.concatenate(dots)[:, 0]
    assert sorted(drawn) == sorted(np.concatenate([a.samples for a in found.answers.values()]))
    means = [bars.lines[0].get_xdata()[0] for bars in axes.containers]
    assert means == [found[name].mean for name in ("one", "two")]
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in dashed] == [[100.0, 100.0]]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] < 100 < 5000 < axes.get_xlim()[1]
    assert "lower bound" in named(figure)
    names = [label.get_text().splitlines() for label in axes.get_yticklabels()]
    assert [name[0] for name in names] == ["one", "two"]
    errors = f"wrong: {error_rate(found['one'])}"
    assert errors.startswith("wrong: 2.5 % (0.063–13 %)")
    assert all(name[1] == errors for name in names)
    assert any(name[-1].endswith("undecided") for name in names)
    assert axes.get_title("left").endswith("Best of 2 arms, 40 replications, τ = 0.5")


@pytest.mark.parametrize("bound", [NAN, math.inf, 0.0], ids=str)
def test_without_a_bound_there_is_no_line(bound):
    assert "lower bound" not in named(identification_figure(made(["one"]), {"one": bound}))


@pytest.mark.parametrize("names", [("one", "two"), (WORDS, "$x$ two")], ids=["short", "long"])
def test_names_are_written_whole(names):
    figure = identification_figure(made(names), dict.fromkeys(names, 3.0))
    for label, name in zip(figure.axes[0].get_yticklabels(), names, strict=True):
        text = label.get_text().replace("\\", "").replace("\n", " ")
        assert text.startswith(f"{name} wrong: 2.5 % (")
    assert render(figure, ".png")


def test_one_run_of_one_policy():
    found = made(["one"], replications=1)
    assert render(identification_figure(found, {"one": NAN}), ".png").startswith(b"\x89PNG")
