"""The utility path drawn: values, switches and names, for few and many arms of any scale."""

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.figures.style import look, render
from upperhand.figures.theory import RULE, SHADE, _ticks, path_figure
from upperhand.theory.gaussian import shortfalls, utilities

from .samples import named

MEANS, SDS = np.array([0.10, 0.00, 0.04]), np.array([0.05, 0.15, 0.08])  # the paper's
A = 1.6448536269514722  # z_0.95, from a table
LABELS = ["arm 1", "arm 2", "arm 3"]


def drawn(axes, color=None):
    """Return the arms' lines, or those of one colour."""
    if color:
        return [line for line in axes.lines if line.get_color() == color]
    return [line for line in axes.lines if line.get_color() not in (RULE, SHADE)]


def ticks(axes):
    return sorted(label.get_text() for label in axes.get_xticklabels())


def test_utilities_and_shortfalls_of_the_papers_arms():
    figure = path_figure(MEANS, SDS, 0.1, LABELS)
    first, second = figure.axes

    for arm, line in enumerate(drawn(first)):
        expected = utilities(MEANS, SDS, line.get_xdata())[:, arm]
        np.testing.assert_allclose(line.get_ydata(), expected)
        assert line.get_xdata()[[0, -1]] == pytest.approx([0, A])
        assert line.get_color() == look(arm).color
    for arm, line in zip((1, 0), drawn(second), strict=True):  # A, then M
        expected = shortfalls(MEANS, SDS, line.get_xdata())[:, arm]
        np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-15)
        assert line.get_color() == look(arm).color
    assert named(figure) == ["arm 1 (M: best at 0)", "arm 2 (A: best at a)", "arm 3"]
    assert second.get_ylim()[0] == 0 > first.get_ylim()[0]
    for axes in (first, second):
        (rule,) = drawn(axes, RULE)
        np.testing.assert_allclose(rule.get_xdata(), 1.0)
        assert ticks(axes) == ["0", "a", "κ₀ = 1.00"]
        assert "a = 1.64" in axes.get_xlabel()


def test_the_best_arm_is_shaded_under_the_lines():
    first, second = path_figure(MEANS, SDS, 0.1, LABELS).axes

    (shade,) = drawn(first, SHADE)
    np.testing.assert_allclose(shade.get_xdata(), [0, 1, A])
    np.testing.assert_allclose(shade.get_ydata(), [0.10, 0.15, 0.15 * A])
    assert all(shade.get_zorder() < line.get_zorder() for line in drawn(first))
    assert not drawn(second, SHADE)


def test_several_switches_are_numbers():
    for axes in path_figure([1, 0.9, 0.6, 0], [0, 0.3, 0.7, 1.2], 0.1, "abcd").axes:
        found = [line.get_xdata()[0] for line in drawn(axes, RULE)]
        np.testing.assert_allclose(found, [1 / 3, 0.75, 1.2])
        assert ticks(axes) == ["0", "0.33", "0.75", "1.20", "a"]


def test_one_best_arm_has_no_shortfall_to_show():
    figure = path_figure([0.1, 0.0, -0.3], [0.2, 0.1, 0.15], 0.1, LABELS)
    (axes,) = figure.axes

    assert not drawn(axes, RULE)
    assert named(figure) == LABELS
    assert "(a)" not in axes.get_title("left")


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("shift", [0.0, -5.0])
def test_any_scale_is_drawn_whole(scale, shift):
    figure = path_figure(scale * (MEANS + shift), scale * SDS, 0.1, ["$3_a", *LABELS[1:]])

    for axes in figure.axes:
        low, high = axes.get_ylim()
        for line in drawn(axes):
            assert low <= line.get_ydata().min() <= line.get_ydata().max() <= high
    assert named(figure)[0] == r"\$3_a (M: best at 0)"
    assert render(figure, ".png")


def test_flat_single_and_many_arms_can_be_drawn():
    rng = np.random.default_rng(8)
    many = rng.normal(0, 0.3, 12), rng.exponential(1, 12)
    for means, sds in ([5.0], [0.0]), ([0.0], [0.0]), ([2.0, 1.0], [0.0, 0.0]), many:
        labels = [f"arm {arm + 1}" for arm in range(len(means))]
        figure = path_figure(means, sds, 0.1, labels)
        assert figure.axes[0].get_ylim()[0] < figure.axes[0].get_ylim()[1]
        assert len(named(figure)) == len(labels)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((MEANS, SDS, 0.1, LABELS[:2]), "Each arm needs a label; got 2: arm 1, arm 2"),
        ((MEANS, SDS, 1.0, LABELS), "alpha"),
        ((MEANS, SDS[:2], 0.1, LABELS), "one number an arm"),
        (([1.0, 1.0], [1.0, 2.0], 0.1, LABELS[:2]), "mean-optimal arm must be unique"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ParameterError, match=message):
        path_figure(*given)


@pytest.mark.parametrize(
    ("knots", "labels"),
    [
        ([0, 1, 1.64], ["κ₀ = 1.00", "0", "a"]),
        ([0, 1.6, 1.64], ["κ₀ = 1.60", "0"]),  # the switch before the end
        ([0, 0.02, 1.64], ["κ₀ = 0.02", "a"]),
        ([0, 0.8, 0.81, 1.64], ["0.80", "0", "a"]),
        ([0, 1.64], ["0", "a"]),
    ],
)
def test_ticks_do_not_touch(knots, labels):
    assert list(_ticks(np.array(knots, dtype=float)).values()) == labels
