"""Curves to draw, by hand: no simulation needed."""

import numpy as np

from upperhand.regret import Curve


def curve(final: float, *, replications: int = 3, spread: float = 1.0) -> Curve:
    """Return a straight curve to `final` over 100 rounds, with a band unless there is one run."""
    rounds = np.arange(10, 101, 10)
    mean = final * rounds / 100
    half = spread * rounds / 100 if replications > 1 else np.full(10, np.nan)
    finals = final + spread * np.linspace(-1, 1, replications)
    return Curve(rounds, mean, mean - half, mean + half, finals)
