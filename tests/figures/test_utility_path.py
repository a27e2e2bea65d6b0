"""The utility path drawn: values, switches and names, for few and many arms of any scale."""

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.figures.style import render
from upperhand.figures.theory import RULE, SHADE, _ticks, path_figure
from upperhand.theory.gaussian import shortfalls, utilities

MEANS, SDS = np.array([0.10, 0.00, 0.04]), np.array([0.05, 0.15, 0.08])  # the paper's
A = 1.6448536269514722  # z_0.95, from a table
LABELS = ["arm 1", "arm 2", "arm 3"]


def drawn(axes, color=None):
    """Return the arms' lines, or those of one colour."""
    if color:
        return [line for line in axes.lines if line.get_color() == color]
    return [line for line in axes.lines if line.get_color() not in (RULE, SHADE)]


def names(axes):
    return [text.get_text() for text in axes.texts]


def ticks(axes):
    return [label.get_text() for label in axes.get_xticklabels()]


def test_utilities_of_the_papers_arms():
    first, _ = path_figure(MEANS, SDS, 0.1, LABELS).axes

    for arm, line in enumerate(drawn(first)):
        expected = utilities(MEANS, SDS, line.get_xdata())[:, arm]
        np.testing.assert_allclose(line.get_ydata(), expected)
        assert line.get_xdata()[[0, -1]] == pytest.approx([0, A])
    assert set(names(first)) == set(LABELS)


def test_the_best_arm_is_shaded_under_the_lines():
    first, second = path_figure(MEANS, SDS, 0.1, LABELS).axes

    (shade,) = drawn(first, SHADE)
    np.testing.assert_allclose(shade.get_xdata(), [0, 1, A])
    np.testing.assert_allclose(shade.get_ydata(), [0.10, 0.15, 0.15 * A])
    assert all(shade.get_zorder() < line.get_zorder() for line in drawn(first))
    assert not drawn(second, SHADE)


def test_the_switch_is_marked_in_both_panels():
    for axes in path_figure(MEANS, SDS, 0.1, LABELS).axes:
        (rule,) = drawn(axes, RULE)
        np.testing.assert_allclose(rule.get_xdata(), 1.0)
        assert sorted(ticks(axes)) == ["0", "a", "κ₀ = 1.00"]
        assert "a = 1.64" in axes.get_xlabel()


def test_shortfalls_have_the_looks_of_their_arms():
    first, second = path_figure(MEANS, SDS, 0.1, LABELS).axes

    arms, pair = drawn(first), drawn(second)
    for line, arm in zip(pair, (1, 0), strict=True):  # A, then M
        expected = shortfalls(MEANS, SDS, line.get_xdata())[:, arm]
        np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-15)
        assert line.get_color() == arms[arm].get_color()
    assert names(second) == ["$D_A$, arm 2", "$D_M$, arm 1"]
    assert second.get_ylim()[0] == 0 > first.get_ylim()[0]


def test_each_name_is_next_to_its_end():
    _, second = path_figure(MEANS, SDS, 0.1, LABELS).axes

    falling, rising = second.texts
    assert (falling.get_ha(), rising.get_ha()) == ("left", "right")
    assert falling.xy[0] < rising.xy[0]
    assert falling.xy[1] > rising.xy[1]  # D_A(0) = 0.1 is more than D_M(a) = 0.06


@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_names_are_within_the_panel_and_touch_no_line(arms, scale):
    figure = path_figure(scale * MEANS[:arms], scale * SDS[:arms], 0.1, LABELS[:arms])
    figure.draw_without_rendering()

    for axes in figure.axes:
        frame = axes.get_window_extent()
        assert axes.texts
        for box in (text.get_window_extent() for text in axes.texts):
            assert frame.x0 < box.x0
            assert box.x1 <= frame.x1 + 0.5
            for line in drawn(axes):
                x, y = line.get_transform().transform(line.get_xydata()).T
                height = np.interp(np.linspace(box.x0, box.x1, 50), x, y)
                assert not np.any((height > box.y0) & (height < box.y1))


def test_several_switches_are_numbers():
    means, sds = [1, 0.9, 0.6, 0], [0, 0.3, 0.7, 1.2]
    first, second = path_figure(means, sds, 0.1, ["a", "b", "c", "d"]).axes

    for axes in (first, second):
        found = [line.get_xdata()[0] for line in drawn(axes, RULE)]
        np.testing.assert_allclose(found, [1 / 3, 0.75, 1.2])
        assert sorted(ticks(axes)) == ["0", "0.33", "0.75", "1.20", "a"]


def test_one_best_arm_has_no_shortfall_to_show():
    (axes,) = path_figure([0.1, 0.0, -0.3], [0.2, 0.1, 0.15], 0.1, LABELS).axes

    assert not drawn(axes, RULE)
    assert set(names(axes)) == set(LABELS)
    assert "(a)" not in axes.get_title("left")


def test_many_arms_are_named_in_a_legend():
    rng = np.random.default_rng(8)
    labels = [f"arm {arm + 1}" for arm in range(12)]
    figure = path_figure(rng.normal(0, 0.3, 12), rng.exponential(1, 12), 0.1, labels)

    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][:12] == labels
    assert len(figure.axes) == 2


def test_arms_leave_for_the_legend_before_the_shortfalls():
    means, sds = [1, 0.9, 0.6, 0], [0, 0.3, 0.7, 1.2]
    figure = path_figure(means, sds, 0.1, [*LABELS, "arm 4"])

    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*LABELS, "arm 4"]
    assert names(figure.axes[1]) == ["$D_A$, arm 4", "$D_M$, arm 1"]


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e6, 1e9])
@pytest.mark.parametrize("shift", [0.0, -5.0])
def test_any_scale_is_drawn_whole(scale, shift):
    figure = path_figure(scale * (MEANS + shift), scale * SDS, 0.1, LABELS)
    figure.draw_without_rendering()

    whole = figure.bbox
    for axes in figure.axes:
        low, high = axes.get_ylim()
        for line in drawn(axes):
            assert low <= line.get_ydata().min() <= line.get_ydata().max() <= high
        box = axes.get_tightbbox()
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
    left, right = (axes.get_position() for axes in figure.axes)
    labels = [text for text in figure.axes[1].get_yticklabels() if text.get_text()]
    assert min(text.get_window_extent().x0 for text in labels) > left.x1 * whole.width
    assert right.width == pytest.approx(left.width)


def test_flat_and_single_arms_can_be_drawn():
    for means, sds in ([5.0], [0.0]), ([0.0], [0.0]), ([2.0, 1.0], [0.0, 0.0]):
        (axes,) = path_figure(means, sds, 0.1, LABELS[: len(means)]).axes
        assert axes.get_ylim()[0] < axes.get_ylim()[1]


def test_labels_are_not_mathematics():
    figure = path_figure(MEANS[:2], SDS[:2], 0.1, ["$3_a", "$4_b"])

    assert set(names(figure.axes[0])) == {r"\$3_a", r"\$4_b"}
    assert names(figure.axes[1]) == [r"$D_A$, \$4_b", r"$D_M$, \$3_a"]
    assert render(figure, ".png")


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
    assert list(_ticks(np.array(knots, dtype=float), 186.0).values()) == labels
