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
WORDS = "a label that goes on, and on, and on, far beyond what any figure of a page has room for, $"


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


def named(figure):
    """Return the names in the legends of the figure, with plain spaces."""
    legends = [*figure.legends, *(each for sub in figure.subfigs for each in sub.legends)]
    return [" ".join(text.get_text().split()) for each in legends for text in each.get_texts()]
