"""The figure of the curves, with the library's own looks and margins."""

import numpy as np

from upperhand.figures.layout import Line, add_legend, legend_height, write_numbers
from upperhand.figures.style import WIDTH, drawing, looks, new_figure

HEIGHT, TOP, BOTTOM, LEFT, BETWEEN = 2.7, 0.3, 0.45, 0.62, 0.62  # inches


def curves_figure(by_rounds, by_arms):
    """Return both panels: nanoseconds a step against rounds and against arms, on log scales."""
    names = list(next(iter(by_rounds.values())))
    with drawing():
        legend = legend_height(names, WIDTH)
        height = HEIGHT + legend
        figure = new_figure(WIDTH, height)
        left, right = figure.subplots(1, 2)
        across = (WIDTH - LEFT - BETWEEN - 0.2) / 2
        figure.subplots_adjust(
            left=LEFT / WIDTH, right=1 - 0.2 / WIDTH, bottom=(BOTTOM + legend) / height,
            top=1 - TOP / height, wspace=BETWEEN / across,
        )  # fmt: skip
        handles = draw(left, by_rounds, "(a) K = 3 arms", "Rounds n")
        draw(right, by_arms, "(b) after the first pulls", "Arms K")
        left.set_ylabel("Nanoseconds a step")
        add_legend(figure, [line.handle for line in handles], names)
    return figure


def ticks(axes, low, high):
    """Write plain numbers on the y axis: powers of ten, and 2 and 5 where these would be few."""
    from matplotlib.ticker import LogLocator

    few = high / low < 100
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axes.minorticks_off()
    write_numbers(axes)


def draw(axes, found, title, xlabel):
    """Draw one panel; return its lines."""
    x = np.array(list(found), dtype=np.float64)
    lines = []
    for name, look in looks(next(iter(found.values()))).items():
        y = np.array([1e9 * found[int(each)][name] for each in x])
        (drawn,) = axes.plot(
            x, y, color=look.color, linestyle=look.linestyle, marker=look.marker, markersize=3.5
        )
        lines.append(Line(name, look.color, x, y, y, drawn))
    axes.set(xscale="log", yscale="log", title=title, xlabel=xlabel)
    ticks(axes, min(line.low.min() for line in lines), max(line.high.max() for line in lines))
    return lines
