"""The figure of a comparison: its dots are the ratios of the rows, its curves the regrets."""

import math

import pytest

import upperhand as uh
from upperhand.comparison.instances import Instance
from upperhand.figures.comparison import WIDEST, comparison_figure, comparison_looks, draw_dot
from upperhand.figures.regret import OTHERS, SLOPE
from upperhand.figures.style import FAINT, MOST, QUIET, drawing, look, new_figure, render

from ..comparison.samples import TIED, small
from .samples import POLICIES, WORDS, named, with_rows


def rows_of(axes):
    return [label.get_text().replace("\n", " ") for label in axes.get_yticklabels()]


def assert_dots(axes, rows):
    """Check that the dots of a panel are the ratios, filled where the objective is own."""
    for bars, row in zip(axes.containers, rows, strict=True):
        assert bars.lines[0].get_xdata().tolist() == [row.ratio]
        assert (bars.lines[0].get_markerfacecolor() != "white") is row.own
    heights = [float(bars.lines[0].get_ydata()[0]) for bars in axes.containers]
    assert heights == sorted(heights)


def test_several_instances_have_a_panel_each(several):
    figure = comparison_figure(several)

    assert len(figure.axes) == len(several.instances)
    assert rows_of(figure.axes[0]) == several.policies
    for axes, instance in zip(figure.axes, several.instances, strict=True):
        assert axes.get_title("left") == instance.name
        assert axes.get_xscale() == "log"
        assert_dots(axes, several.main(instance.name).values())


def test_one_instance_has_its_curves_and_all_objectives(one):
    curves, *panels = comparison_figure(one).axes
    regrets = one.runs["headline"].regret(uh.UpperTail(0.1))

    assert curves.get_xscale() == "log"
    assert "p95" in curves.get_title("left")
    *lines, slope = curves.lines
    for line, curve in zip(lines, regrets.values(), strict=True):
        assert line.get_xdata().tolist() == curve.rounds.tolist()
        assert line.get_ydata().tolist() == curve.mean.tolist()
    constant = one.main("headline")["UCB1"].bound
    assert slope.get_ydata()[-1] == pytest.approx(constant * math.log(10))
    names = sorted(POLICIES, key=lambda name: -regrets[name].mean[-1])
    assert named(curves.figure) == [*names, SLOPE]
    labels = [objective.label for objective in one.objectives["headline"]]
    for axes, label in zip(panels, labels, strict=True):
        assert axes.get_title("left").replace("\n", " ") == label
        assert_dots(axes, [rows[label] for rows in one.matrix("headline").values()])


def test_of_a_crowd_a_few_are_in_colour(crowd):
    styles, rows = comparison_looks(crowd), crowd.main("headline")
    coloured = [name for name, style in styles.items() if style != QUIET]

    assert len(styles) == 9
    assert len({styles[name].color for name in coloured}) == len(coloured) == MOST
    assert {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"} < set(coloured)
    best = set(coloured) - {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"}
    rest = set(styles) - set(coloured)
    assert max(rows[name].regret for name in best) <= min(rows[name].regret for name in rest)
    curves, panel, *_ = comparison_figure(crowd).axes
    assert curves.get_ylim()[1] >= max(rows[name].regret for name in coloured)
    assert named(curves.figure).count(OTHERS) == 1
    colours = [bars.lines[0].get_color() for bars in panel.containers]
    assert colours.count(FAINT) == 2


@pytest.mark.parametrize("given", ["everyone", "wordy"])
def test_many_policies_and_long_names_are_drawn(given, request):
    comparison = request.getfixturevalue(given)
    figure = comparison_figure(comparison)
    assert rows_of(figure.axes[1]) == comparison.policies
    assert render(figure, ".png")  # a panel without any space would be a warning


def test_instances_and_policies_with_long_names_and_policies_that_are_not_everywhere(monkeypatch):
    far = Instance("an instance whose name is a sentence of its own and then some", TIED.arms)

    def chosen(instance, *_, **_options):
        yours = {WORDS * 2: uh.UCB1()} if instance.name == far.name else {}
        return {"UCB1": uh.UCB1(), "mine": uh.UCB1(), **yours}

    monkeypatch.setattr("upperhand.comparison.compare.default_policies", chosen)
    figure = comparison_figure(small(["headline", far], None, replications=2))
    assert [len(axes.containers) for axes in figure.axes] == [2, 3]
    assert render(figure, ".png")


@pytest.mark.parametrize("arms", [[uh.Normal(0, 1)], [uh.Normal(0, 1e6), uh.Normal(9e6, 1e6)]])
def test_one_policy_one_replication(arms):
    """With one arm there is no regret, so no ratio."""
    figure = comparison_figure(small(arms, [uh.UCB1()], replications=1, horizon=5))
    assert len(figure.axes[1].containers) == len(arms) - 1
    assert render(figure, ".png")


def test_what_is_no_positive_number_is_left_out(several):
    for ratio in (math.nan, math.inf, 0.0):
        figure = comparison_figure(with_rows(several, ratio=ratio))
        assert not any(axes.containers for axes in figure.axes)


@pytest.mark.parametrize(
    ("estimate", "ends"),
    [
        ((1.0, 0.9, 1.3), (0.9, 1.3)),
        ((0.5, -10.0, 500.0), (0.5 / WIDEST, 0.5 * WIDEST)),  # above 0, and not far away
        ((0.5, math.nan, math.nan), (0.5, 0.5)),
        ((0.5, 0.6, 0.7), (0.5, 0.7)),  # off by a rounding
    ],
)
def test_intervals_stay_in_sight(estimate, ends):
    with drawing():
        axes = new_figure(3, 2).subplots()
        assert draw_dot(axes, 0, estimate, look(0)) == pytest.approx(ends)
    (bars,) = axes.containers
    (segment,) = bars.lines[2][0].get_segments()
    assert segment[:, 0].tolist() == pytest.approx(ends)


def test_same_input_same_bytes(several):
    assert render(comparison_figure(several), ".png") == render(comparison_figure(several), ".png")
