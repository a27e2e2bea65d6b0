"""The figure of the curves, with the library's own looks."""

import numpy as np

from upperhand.figures.layout import add_legend, write_numbers
from upperhand.figures.style import WIDTH, drawing, looks, new_figure


def curves_figure(by_rounds, by_arms):
    """Return both panels: nanoseconds a step against rounds and against arms, on log scales."""
    with drawing():
        figure = new_figure(WIDTH, 2.7)
        left, right = figure.subplots(1, 2)
        handles = draw(left, by_rounds, "(a) K = 3 arms", "Rounds n")
        draw(right, by_arms, "(b) after the first pulls", "Arms K")
        left.set_ylabel("Nanoseconds a step")
        add_legend(figure, handles)
    return figure


def ticks(axes, low, high):
    """Write plain numbers on the y axis: powers of ten, and 2 and 5 where these would be few."""
    from matplotlib.ticker import LogLocator

    few = high / low < 100
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axes.minorticks_off()
    write_numbers(axes.yaxis)


def draw(axes, found, title, xlabel):
    """Draw one panel; return its lines by name."""
    x = np.array(list(found), dtype=np.float64)
    lines = {}
    for name, look in looks(next(iter(found.values()))).items():
        y = np.array([1e9 * found[int(each)][name] for each in x])
        (lines[name],) = axes.plot(
            x, y, color=look.color, linestyle=look.linestyle, marker=look.marker, markersize=3.5
        )
    axes.set(xscale="log", yscale="log", title=title, xlabel=xlabel)
    ticks(axes, axes.dataLim.y0, axes.dataLim.y1)
    return lines
