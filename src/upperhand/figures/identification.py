"""Samples that policies took to find the best arm: a row for each, on a log axis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..simulation.identify import Answers, Identification, share
from .comparison import draw_dots, ticks
from .layout import plain, shortened, widest
from .regret import COLOR, DASHES
from .style import FAINT, SMALL_SIZE, WIDTH, Look, drawing, ink, looks, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE, BOTTOM, TOP = 0.12, 0.66, 0.22  # inches around the axes
ROW = 0.42  # inches of a policy
SHOWN = 300  # replications that have dots; quantiles are of all
SPREAD = 0.56  # of a row that the dots fill
BAR, THICK = 0.5, 2.6  # points: from the 10 % to the 90 % quantile, and between the quartiles
GOLDEN = (math.sqrt(5) - 1) / 2  # steps of it fill an interval evenly, however many there are
WIDEST_NAME = 2.2  # inches
EDGE = 0.1  # of the axis: so near to an end, the bound's name is flush with its line
BOUND = "lower bound"
READING = (
    "Dots: replications, hollow if undecided. Bars: 10, 25, 75 and 90 % quantiles. Large: mean, "
    "95 % interval."
)


def identification_figure(found: Identification, bounds: Mapping[str, float]) -> Figure:
    """Return a row for each policy: runs as dots, quantiles as bars, the mean with its interval.

    Bounds are the least mean samples of each policy, NaN or ∞ if there is none: a broken line.
    Hollow dots are runs that ended at the cap. At the right is the error rate.
    """
    styles = looks(found.policies)
    errors = {name: _error(found, name) for name in found.policies}
    with drawing():
        left = min(widest(found.policies, SMALL_SIZE), WIDEST_NAME) + 2 * SIDE
        right = widest(errors.values(), SMALL_SIZE) + 2 * SIDE
        high = ROW * len(styles)
        height = TOP + high + BOTTOM
        figure = new_figure(WIDTH, height)
        box = (left / WIDTH, BOTTOM / height, 1 - (left + right) / WIDTH, high / height)
        axes = figure.add_axes(box)
        _dress(axes, found, bounds)
        for row, (name, style) in enumerate(styles.items()):
            _draw_policy(axes, row, found, name, style)
            _draw_bound(axes, row, bounds[name])
            _write_error(axes, row, errors[name], style)
        _name_rows(axes, styles)
        _name_bound(axes, bounds)
        figure.text(SIDE / WIDTH, 0.06 / height, READING, fontsize=SMALL_SIZE, color=ink(FAINT))
    return figure


def _dress(axes: Axes, found: Identification, bounds: Mapping[str, float]) -> None:
    """Set the axis of samples, from the least to the most that is drawn."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    drawn = [bound for bound in bounds.values() if 0 < bound < math.inf]
    sizes = [float(edge) for each in found.answers.values() for edge in _ends(each)]
    low, high = 0.8 * min(sizes + drawn), 1.25 * max(sizes + drawn)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(found.policies) - 0.5, -0.5)
    axes.set_xticks(ticks(low, high))
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(False)
    axes.grid(True, axis="x")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Samples (log scale)")


def _ends(answers: Answers) -> tuple[int, int]:
    return int(answers.samples.min()), int(answers.samples.max())


def _draw_policy(axes: Axes, row: int, found: Identification, name: str, style: Look) -> None:
    """Draw a policy's runs, their quantiles, and their mean with its interval."""
    answers, summary = found.answers[name], found.summary(name)
    shown = answers.samples[:SHOWN]
    offsets = (np.arange(len(shown)) * GOLDEN % 1 - 0.5) * SPREAD
    for decided, face in ((True, style.color), (False, "none")):
        these = answers.decided[:SHOWN] == decided
        axes.scatter(
            shown[these], row + offsets[these], s=5, facecolors=face, edgecolors=style.color,
            linewidths=0.0 if decided else 0.5, alpha=0.3 if decided else 0.6, zorder=2,
        )  # fmt: skip
    levels = np.quantile(answers.samples, [0.1, 0.25, 0.75, 0.9], method="inverted_cdf")
    for low, high, width in ((levels[0], levels[3], BAR), (levels[1], levels[2], THICK)):
        axes.plot(
            [low, high], [row, row], color=ink(style.color), linewidth=width,
            solid_capstyle="butt", zorder=3,
        )  # fmt: skip
    bars = draw_dots(axes, [(row, summary.mean, summary.low, summary.high)], style, 6)
    bars.lines[0].set(zorder=4, markeredgecolor="white", markeredgewidth=0.8)


def _draw_bound(axes: Axes, row: int, bound: float) -> None:
    if 0 < bound < math.inf:
        axes.plot([bound] * 2, [row - 0.5, row + 0.5], color=COLOR, linewidth=1, linestyle=DASHES)


def _name_rows(axes: Axes, styles: Mapping[str, Look]) -> None:
    """Write the names to the left of their rows, in their colours."""
    names = [plain(shortened(name, WIDEST_NAME, SMALL_SIZE)) for name in styles]
    axes.set_yticks(range(len(names)), names)
    for label, style in zip(axes.get_yticklabels(), styles.values(), strict=True):
        label.set_color(ink(style.color))


def _name_bound(axes: Axes, bounds: Mapping[str, float]) -> None:
    """Write what the broken line is, above the first row that has one."""
    known = [(row, each) for row, each in enumerate(bounds.values()) if 0 < each < math.inf]
    if known:
        row, bound = known[0]
        low, high = map(math.log, axes.get_xlim())
        place = (math.log(bound) - low) / (high - low)
        side = "left" if place < EDGE else "right" if place > 1 - EDGE else "center"
        text = axes.annotate(BOUND, (bound, row - 0.5), (0, 1), textcoords="offset points")
        text.set(ha=side, va="bottom", fontsize=SMALL_SIZE, color=ink(COLOR))
        text.set(annotation_clip=False)


def _error(found: Identification, name: str) -> str:
    """Write the error rate, and the share of undecided runs if there is one."""
    summary = found.summary(name)
    undecided = f", {share(summary.undecided)} undecided" if summary.undecided else ""
    return f"{share(summary.error)} wrong{undecided}"


def _write_error(axes: Axes, row: int, text: str, style: Look) -> None:
    written = axes.annotate(
        plain(text), (1.0, row), (72 * SIDE, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", annotation_clip=False,
    )  # fmt: skip
    written.set(va="center", fontsize=SMALL_SIZE, color=ink(style.color))
