"""Curves to draw, by hand: no simulation needed; and what tests of comparisons share."""

from dataclasses import replace

import numpy as np

import upperhand as uh
from upperhand.simulation.runs import Curve

POLICIES = {
    "KL-QUCB": uh.KLQUCB(),
    "KL-QUCB+": uh.KLQUCB(plus=True),
    "ACP-UCB1": uh.ACPUCB1(),
    "UCB1": uh.UCB1(),
}


def curve(final: float, *, replications: int = 3, spread: float = 1.0) -> Curve:
    """Return a straight curve to `final` over 100 rounds, with a band unless there is one run."""
    rounds = np.arange(10, 101, 10)
    mean = final * rounds / 100
    half = spread * rounds / 100 if replications > 1 else np.full(10, np.nan)
    finals = final + spread * np.linspace(-1, 1, replications)
    return Curve(rounds, mean, mean - half, mean + half, finals)


def with_rows(comparison, **changes):
    """Return the comparison with something else in all rows."""
    return replace(comparison, rows=tuple(row._replace(**changes) for row in comparison.rows))


def texts(axes):
    """Return what is written in the axes."""
    return [text.get_text() for text in axes.texts]


def overlap(one, other):
    """Tell whether two boxes on the page have more in common than half a pixel."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    tall = min(one.y1, other.y1) - max(one.y0, other.y0)
    return wide > 0.5 and tall > 0.5


def is_inside(box, figure):
    """Tell whether a box lies within the figure."""
    width, height = figure.get_size_inches() * figure.dpi
    return box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width + 1 and box.y1 <= height + 1
