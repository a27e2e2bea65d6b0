"""Samples that policies took to find the best arm: a row for each, on a log axis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..simulation.identify import Identification, error_rate, share
from ..text import counted
from .comparison import LINE, NAME, draw_dot
from .layout import Handles, add_legend, log_axis, wrapped
from .regret import COLOR, DASHES
from .style import FAINT, WIDTH, Look, drawing, looks, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.42  # inches of a policy
SHOWN = 300  # replications that have dots; quantiles are of all
SPREAD = 0.56  # of a row that the dots fill
GOLDEN = (math.sqrt(5) - 1) / 2  # steps of it fill an interval evenly, however many there are
TICKS = 6


def identification_figure(found: Identification, bounds: Mapping[str, float]) -> Figure:
    """Return a row for each policy: runs as dots, quantiles as bars, the mean with its interval.

    Bounds are the lowest mean samples of each policy, NaN or ∞ if there is none: a broken line.
    Hollow dots are runs that ended at the cap. Under each name is the error rate with its interval.
    """
    with drawing():
        figure = new_figure(WIDTH, height(found))
        add_legend(figure, draw_searches(figure.subplots(), found, bounds))
    return figure


def height(found: Identification) -> float:
    """Return how high the rows of all policies are, in inches."""
    lines = [_label(found, name).count("\n") + 1 for name in found.policies]
    return max(ROW, LINE * max(lines)) * len(lines) + 0.8


def draw_searches(axes: Axes, found: Identification, bounds: Mapping[str, float]) -> Handles:
    names = [_label(found, name) for name in found.policies]
    handles, seen = Handles(), list[float]()
    for row, (name, style) in enumerate(looks(found.policies).items()):
        handles |= _draw_policy(axes, row, found, name, style)
        seen += [float(edge) for edge in np.quantile(found.answers[name].samples, [0, 1])]
        if 0 < bounds[name] < math.inf:
            (handles["lower bound"],) = axes.plot(
                [bounds[name]] * 2, [row - 0.5, row + 0.5], color=COLOR, linewidth=1,
                linestyle=DASHES,
            )  # fmt: skip
            seen.append(bounds[name])
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    log_axis(axes, "x", 0.8 * min(seen), 1.25 * max(seen), TICKS)
    axes.grid(False)
    axes.grid(True, axis="x")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Samples (log scale)")
    axes.set_title(_title(found))
    return handles


def _title(found: Identification) -> str:
    title = (
        f"Best of {counted(len(found.arms), 'arm')}, {counted(found.replications, 'replication')}"
    )
    for letter, setting in (("τ", "tau"), ("δ", "delta")):
        given = {f"{getattr(p, setting):g}" for p in found.policies.values() if hasattr(p, setting)}
        title += f", {letter} = {' or '.join(sorted(given))}" if given else ""
    return wrapped(title, WIDTH - NAME)


def _draw_policy(axes: Axes, row: int, found: Identification, name: str, style: Look) -> Handles:
    """Draw a policy's runs, their quantiles, and their mean with its interval."""
    from matplotlib.lines import Line2D

    sample = partial(Line2D, [], [], color=FAINT)  # in the legend
    answers, summary, handles = found.answers[name], found[name], Handles()
    shown = answers.samples[:SHOWN]
    offsets = (np.arange(len(shown)) * GOLDEN % 1 - 0.5) * SPREAD
    for kind, these in {
        "replication": answers.decided[:SHOWN],
        "undecided": ~answers.decided[:SHOWN],
    }.items():
        decided = kind == "replication"
        axes.scatter(
            shown[these], row + offsets[these], s=5, facecolors=style.color if decided else "none",
            edgecolors=style.color, linewidths=0.0 if decided else 0.5,
            alpha=0.3 if decided else 0.6, zorder=2,
        )  # fmt: skip
        if these.any():
            face = FAINT if decided else "none"
            handles[kind] = sample(linestyle="none", marker="o", markersize=3, markerfacecolor=face)
    levels = np.quantile(answers.samples, [0.1, 0.25, 0.75, 0.9], method="inverted_cdf")
    for low, high, width in ((levels[0], levels[3], 0.5), (levels[1], levels[2], 2.6)):
        axes.plot(
            [low, high], [row, row], color=style.color, linewidth=width, solid_capstyle="butt",
            zorder=3,
        )  # fmt: skip
    draw_dot(
        axes, row, (summary.mean, summary.low, summary.high), style, markersize=6, elinewidth=1.0,
        markeredgecolor="white", markeredgewidth=0.8, zorder=4,
    )  # fmt: skip
    return handles | {
        "10 to 90 %": sample(linewidth=0.5),
        "25 to 75 %": sample(linewidth=2.6),
        "mean, 95 % interval": sample(marker="o", markersize=6, linewidth=1.0),
    }


def _label(found: Identification, name: str) -> str:
    """Return a policy's name, its error rate, and the share of undecided runs if there is one."""
    summary = found[name]
    undecided = f"\n{share(summary.undecided)} undecided" if summary.undecided else ""
    return f"{wrapped(name, NAME)}\nwrong: {error_rate(summary)}{undecided}"
