"""Bounds as quiet lines in regret figures: what is known of regret, from below and from above.

Below is c · ln t, which no good policy beats as n → ∞ (`theory.lower_bounds`). Above is what one of
the policies in the figure is proved not to exceed at any t (`theory.guarantees`). Here they are
named, drawn, and explained for captions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..objectives import Objective
from ..policies import Policy
from ..studies.bounds import Proved, lower_bound, proved_bound
from ..text import short
from .labels import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOWER_BOUND = "lower bound (n → ∞)"
UPPER_BOUND = "upper bound of {}"  # the policy that it is about
# What captions say of the line; t is the round, or the last one.
TAIL_BOUND = (
    "Σ_j Δ_j ln t / kl(F_j(u*), τ) with τ = 1 − α/2, which every policy that is good on all laws "
    "must meet as n → ∞"
)
MEAN_BOUND = "Lai and Robbins' for Gaussian arms with known variances"

COLOR, WIDTH = "#6f6f6f", 0.9  # thin and grey: no policy's look
DASHES, ABOVE_DASHES = (0, (2.5, 1.5)), (0, (6, 1.5, 1, 1.5))  # of what is below, and above
TALLEST = 3.0  # how many times higher than the curves a reference may end
LOWEST = 0.03  # of the curves' height: what ends lower cannot be told from the axis


Reference = float | Proved  # c of c · ln t, or a curve


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


def envelope(
    arms: Sequence[Distribution], objective: Objective, policies: Mapping[str, Policy], last: int
) -> dict[str, Reference]:
    """Return the references, and the least bound that is proved of a policy at the last round."""
    proved = proved_bound(policies, arms, objective, last)
    above = {UPPER_BOUND.format(proved.label): proved} if proved else {}
    return {**references(arms, objective), **above}


def values_at(reference: Reference, t: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a reference is at rounds t."""
    if isinstance(reference, Proved):
        return reference.at(t)
    logs: NDArray[np.float64] = np.log(t)
    return reference * logs


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
    dashes = DASHES if name == LOWER_BOUND else ABOVE_DASHES
    (handle,) = axes.plot(x, y, color=COLOR, linewidth=WIDTH, linestyle=dashes, zorder=1.9)
    return Line(name, COLOR, x, y, y, handle, quiet=True)


def _said(name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Line:
    """Return a line that is not drawn, its largest value in its name."""
    return Line(too_low(name, float(np.max(y))), COLOR, x, y, y, None, quiet=True)


def too_low(name: str, value: float) -> str:
    """Say the value of a reference that cannot be told from the axis."""
    return f"{name} ≤ {short(value)}, not drawn"
