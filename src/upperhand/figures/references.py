"""Lower bounds as quiet lines in regret figures: c · ln t, which no good policy beats as n → ∞.

The statements are `theory.lower_bounds`; here they are named, drawn, and explained for captions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..objectives import Objective
from ..studies.bounds import lower_bound
from ..text import short
from .labels import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOWER_BOUND = "lower bound (n → ∞)"
# What captions say of the line; t is the round, or the last one.
TAIL_BOUND = (
    "Σ_j Δ_j ln t / kl(F_j(u*), τ) with τ = 1 − α/2, which every policy that is good on all laws "
    "must meet as n → ∞"
)
MEAN_BOUND = "Lai and Robbins' for Gaussian arms with known variances"

COLOR, WIDTH, DASHES = "#6f6f6f", 0.9, (0, (2.5, 1.5))  # thin and grey: no policy's look
TALLEST = 3.0  # how many times higher than the curves a reference may end
LOWEST = 0.03  # of the curves' height: what ends lower cannot be told from the axis


def references(arms: Sequence[Distribution], objective: Objective) -> dict[str, float]:
    """Return the constant c of each line c · ln t to draw with a regret, by the line's name.

    None if there is no such statement for these arms, or it says nothing (c = 0) or too much
    (c = ∞, where regret must grow faster than ln n).

    >>> import upperhand as uh
    >>> arms = [uh.Normal(0.5, 1), uh.Normal(0, 1)]
    >>> references(arms, uh.Mean())  # 2 σ² / Δ
    {'lower bound (n → ∞)': 4.0}
    >>> references([*arms, uh.Uniform(0, 1)], uh.Mean())
    {}
    """
    constant = lower_bound(arms, objective)
    return {LOWER_BOUND: constant} if 0 < constant < math.inf else {}


def draw_references(
    axes: Axes,
    x: NDArray[np.float64],
    values: Mapping[str, NDArray[np.float64]],
    curves: Sequence[Line],
) -> list[Line]:
    """Draw thin lines under the curves, and return them as lines to be named.

    A line that would end so high that the curves lie flat is left out: n is too small for it. One
    that would lie on the axis is not drawn either, but its value is said.
    """
    highest = max(float(np.max(curve.high)) for curve in curves)
    seen = {name: y for name, y in values.items() if 0 < np.max(y) <= TALLEST * highest}
    return [
        _said(name, x, y) if np.max(y) < LOWEST * highest else draw_reference(axes, name, x, y)
        for name, y in seen.items()
    ]


def draw_reference(axes: Axes, name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Draw one such line, and return it to be named."""
    (handle,) = axes.plot(x, y, color=COLOR, linewidth=WIDTH, linestyle=DASHES, zorder=1.9)
    return Line(name, COLOR, x, y, y, handle, quiet=True)


def _said(name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Return a line that is not drawn, its largest value in its name."""
    return Line(too_low(name, float(np.max(y))), COLOR, x, y, y, None, quiet=True)


def too_low(name: str, value: float) -> str:
    """Say the value of a reference that cannot be told from the axis."""
    return f"{name} ≤ {short(value)}, not drawn"
