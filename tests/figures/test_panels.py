"""Panels, curves and sweeps: what is drawn is what was given, and names touch nothing."""

import numpy as np
import pytest

from upperhand.figures.layout import panel_figure
from upperhand.figures.regret import curve_columns, curve_panel
from upperhand.figures.style import ink
from upperhand.figures.sweeps import Sweep, sweep_panel

from .samples import curve

APART = {"ACP-UCB1": curve(10), "UCB1": curve(60)}
CROWDED = {f"policy {i}": curve(50 + i / 10) for i in range(9)}


def test_lines_are_the_means_from_zero():
    (axes,) = panel_figure([curve_panel("a", APART)], "Regret").axes

    for line, given in zip(axes.lines, APART.values(), strict=True):
        assert line.get_xdata().tolist() == [0, *given.rounds]
        assert line.get_ydata().tolist() == [0, *given.mean]


def test_axes_are_labelled_and_start_at_zero():
    first, second = panel_figure([curve_panel("a", APART), curve_panel("b", APART)], "Regret").axes

    assert (first.get_xlabel(), first.get_ylabel(), first.get_title("left")) == (
        "Round",
        "Regret",
        "a",
    )
    assert second.get_ylabel() == ""  # said once, at the left
    assert first.get_ylim()[0] == first.get_xlim()[0] == 0


def test_lines_apart_are_named_at_their_ends():
    figure = panel_figure([curve_panel("a", APART)], "Regret")

    texts = {text.get_text(): text for text in figure.axes[0].texts}
    assert list(texts) == list(APART)
    assert not figure.legends
    heights = [text.xy[1] for text in texts.values()]
    assert heights[0] < heights[1]
    for text, line in zip(texts.values(), figure.axes[0].lines, strict=True):
        assert text.get_color() == ink(line.get_color())


def test_a_crowd_gets_one_legend_for_all_panels():
    figure = panel_figure([curve_panel("a", APART | CROWDED), curve_panel("b", APART)], "Regret")

    assert not any(axes.texts for axes in figure.axes)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*APART, *CROWDED]
    assert figure.get_size_inches()[1] > panel_figure([curve_panel("a", APART)], "").get_figheight()


def test_names_do_not_touch_lines():
    figure = panel_figure([curve_panel("a", APART)], "Regret")
    figure.draw_without_rendering()

    (axes,) = figure.axes
    for text in axes.texts:
        box = text.get_window_extent()
        for line in axes.lines:
            x, y = line.get_transform().transform(line.get_xydata()).T
            across = np.linspace(box.x0, box.x1, 50)
            height = np.interp(across, x, y)
            assert not np.any((height > box.y0) & (height < box.y1))


@pytest.mark.parametrize("share", [False, True])
def test_shared_scales(share):
    other = {"UCB1": curve(300)}
    panels = [curve_panel("a", APART), curve_panel("b", other)]
    first, second = panel_figure(panels, "Regret", share_y=share).axes

    assert (first.get_ylim() == second.get_ylim()) is share


@pytest.mark.parametrize("final", [1e-12, 1e-6, 60_000, 2e6, 1e9])
def test_numbers_of_any_length_are_not_cut_off(final):
    panels = [curve_panel(letter, {"UCB1": curve(final, spread=0)}) for letter in "ab"]
    figure = panel_figure(panels, "Regret (reward units)")
    figure.draw_without_rendering()

    first, second = figure.axes
    assert first.get_tightbbox().x0 >= 0
    assert second.get_tightbbox().x0 > first.get_window_extent().x1
    assert first.get_ylim()[1] == pytest.approx(1.16 * final)


def test_long_numbers_alone_move_the_margins():
    usual, short, long = (
        panel_figure([curve_panel("a", {"UCB1": curve(final)})], "Regret").axes[0].get_position()
        for final in (60, 6000, 6e6)
    )
    assert short.x0 == usual.x0 < long.x0


def test_a_panel_may_cover_its_lines_wherever_they_are():
    lines = curve_panel("a", {"UCB1": curve(-60)})
    free, usual = panel_figure([lines._replace(from_zero=False), lines], "Value").axes

    low, high = free.get_ylim()
    assert low < -61 < 0 < high < 61
    assert usual.get_ylim()[0] == 0


def test_negative_numbers_have_a_true_minus_sign():
    panel = curve_panel("a", {"UCB1": curve(-60)})._replace(from_zero=False)
    (axes,) = panel_figure([panel], "Value").axes

    assert any(label.get_text().startswith("−") for label in axes.get_yticklabels())


def test_flat_and_single_runs_can_be_drawn():
    alone = {"ACP-UCB1": curve(0.0, replications=1), "UCB1": curve(0.0, replications=1)}
    (axes,) = panel_figure([curve_panel("a", alone)], "Regret").axes

    assert axes.get_ylim()[1] > 0


def test_sweeps_run_in_the_order_given():
    settings = (0.3, 0.2, 0.1)
    sweep = Sweep.of([curve(10), curve(20), curve(40)])
    (axes,) = panel_figure([sweep_panel("a", "α", settings, {"UCB1": sweep})], "Regret").axes

    left, right = axes.get_xlim()
    assert left > 0.3 > 0.1 > right
    assert axes.lines[0].get_ydata().tolist() == [10, 20, 40]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.30", "0.20", "0.10"]


def test_columns_are_the_curves():
    columns = curve_columns("metric", {"ACP": APART, "mean": APART})

    assert {len(column) for column in columns.values()} == {40}
    assert columns["metric"] == ["ACP"] * 20 + ["mean"] * 20
    assert columns["mean"][10:20] == APART["UCB1"].mean.tolist()
    assert columns["high"][:10] == APART["ACP-UCB1"].high.tolist()


def test_names_are_not_mathematics():
    (axes,) = panel_figure([curve_panel("a", {"$x$": curve(10)})], "Regret").axes
    assert [text.get_text() for text in axes.texts] == [r"\$x\$"]
