"""The figure of a study of calibrators."""

import numpy as np
import pytest

import upperhand as uh
from upperhand.figures.calibration import POINTS, calibration_figure
from upperhand.figures.style import render


def study(methods, n=300, window=50):
    y = np.random.default_rng(0).normal(size=n)
    return uh.calibrate(y, np.zeros(n), methods=methods, window=window)


def test_lines_are_the_local_coverage_and_width():
    made = study(["aci", "dtaci"])
    coverage, width = calibration_figure(made).axes
    wanted, aci, dtaci = coverage.get_lines()
    assert set(wanted.get_ydata()) == {0.9}
    assert aci.get_xdata().tolist() == list(range(50, 301))
    assert aci.get_ydata().tolist() == made.local_coverage("ACI").tolist()
    assert dtaci.get_ydata().tolist() == made.local_coverage("DtACI").tolist()
    drawn = width.get_lines()[0]
    assert drawn.get_ydata().tolist() == made.local_width("ACI").tolist()
    assert coverage.get_title(loc="left") == "(a) Coverage over 50 values; wanted: 0.9"


def test_the_grey_band_is_explained_and_the_axis_ends_just_above_1():
    for made in (study("split-conformal", window=10), study("sps", n=60)):
        coverage = calibration_figure(made).axes[0]
        assert coverage.get_xlabel() == "Value (grey: 95 % of windows, by chance)"
        assert made.scores[next(iter(made.intervals))].local_highest == 1.0
        assert 1.0 < coverage.get_ylim()[1] <= 1.02


def test_without_a_finite_interval_there_is_coverage_only():
    assert len(calibration_figure(study("sps", n=60)).axes) == 1


@pytest.mark.parametrize(("n", "window"), [(12, 12), (12, 1), (1500, 10)])
def test_any_length(n, window):
    figure = calibration_figure(study(["aci", "split-conformal"], n=n, window=window))
    assert len(figure.axes[0].get_lines()[1].get_xdata()) == min(n - window + 1, POINTS)
    assert render(figure, ".png") == render(figure, ".png")
