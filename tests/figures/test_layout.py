"""Panels: one legend, axes that cover what is drawn, numbers as everywhere."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from upperhand.figures.layout import log_ticks, panel_figure, wrapped
from upperhand.figures.regret import curve_panel
from upperhand.figures.style import looks, render

from .samples import WORDS, curve, named

APART = {"ACP-UCB1": curve(10), "UCB1": curve(60)}


def test_axes_are_labelled_and_start_at_zero():
    figure = panel_figure([curve_panel("a", APART), curve_panel("b", APART)], "Regret")
    first, second = figure.axes

    labels = first.get_xlabel(), first.get_ylabel(), first.get_title("left")
    assert labels == ("Round", "Regret", "a")
    assert second.get_ylabel() == ""  # said once, at the left
    assert first.get_ylim()[0] == first.get_xlim()[0] == 0
    assert first.get_ylim()[1] >= 61
    assert named(figure) == ["UCB1", "ACP-UCB1"]  # as the lines end


def test_one_legend_names_all_panels_and_has_space():
    crowd = {f"policy {i} {WORDS[: 30 * (i % 3)]}": curve(50 + i / 10) for i in range(20)}
    styles = looks(APART | crowd)
    panels = [curve_panel("a", APART | crowd, styles=styles), curve_panel("b", APART)]
    figure = panel_figure(panels, "Regret")

    assert set(named(figure)) == {name.strip() for name in (*APART, *crowd)}
    assert figure.get_figheight() > panel_figure([curve_panel("a", APART)], "").get_figheight()
    assert render(figure, ".png")


@pytest.mark.parametrize("share", [False, True])
def test_shared_scales(share):
    panels = [curve_panel("a", APART), curve_panel("b", {"UCB1": curve(300)})]
    first, second = panel_figure(panels, "Regret", share_y=share).axes

    assert (first.get_ylim() == second.get_ylim()) is share
    assert second.get_ylim()[1] >= 301


def test_a_panel_may_cover_its_lines_wherever_they_are():
    lines = curve_panel("a", {"UCB1": curve(-60)})._replace(from_zero=False)
    free, cut = panel_figure([lines, lines._replace(most=-10)], "Value").axes

    assert free.get_ylim()[0] < -61 < 0 < free.get_ylim()[1] < 61
    assert cut.get_ylim()[1] == -10
    assert any(label.get_text().startswith("−") for label in free.get_yticklabels())


@pytest.mark.parametrize("final", [0.0, 1e-12, 1e9])
def test_any_scale_and_single_runs_can_be_drawn(final):
    figure = panel_figure(
        [curve_panel(each, {"UCB1": curve(final, replications=1)}) for each in "ab"], "Regret"
    )
    assert figure.axes[0].get_ylim()[1] > final
    assert render(figure, ".png")


@pytest.mark.parametrize(("final", "label"), [(9.8e9, "2.5e9"), (4e-9, "1e−9"), (9e6, "2,000,000")])
def test_long_numbers_push_no_text_out_of_the_figure(final, label):
    panel = curve_panel("Cumulative regret, ACP value (p95)", {"UCB1": curve(final, spread=0)})
    figure = panel_figure([panel, panel], "Regret (reward units)", lettered=True)
    assert render(figure, ".png")
    figure.dpi, renderer = 100, FigureCanvasAgg(figure).get_renderer()
    for axes in figure.axes:
        assert label in [tick.get_text() for tick in axes.get_yticklabels()]
        assert axes._left_title.get_window_extent(renderer).x1 <= figure.bbox.width
    assert figure.axes[0].yaxis.label.get_window_extent(renderer).x0 >= 0


def test_texts_are_wrapped_and_no_mathematics():
    assert wrapped("costs $5", 3) == r"costs \$5"
    lines = wrapped(WORDS * 2, 1).splitlines()
    assert 10 < max(map(len, lines)) <= 15
    assert "x" * 40 in wrapped("x" * 40, 1).replace("\n", "")
    figure = panel_figure([curve_panel("a", {"$x$": curve(10)})], "Regret")
    assert named(figure) == [r"\$x\$"]


def test_log_ticks_are_few():
    for low, high, most in ((0.02, 2, 7), (2e-5, 3, 6), (1e-9, 1e9, 4), (0.5, 2, 3)):
        ticks = log_ticks(low, high, most)
        assert 1 in ticks
        assert len(ticks) <= most
        assert low <= min(ticks) <= max(ticks) <= high
        assert np.all(np.diff(ticks) > 0)
