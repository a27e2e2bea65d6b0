"""The law of an arm's score: its distribution function, its density, and its quantiles.

The solver behind `population.correction`, apart from the statements so that they can be read alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..distributions._search import first_double_almost_reaching

Array = NDArray[np.float64]

ROUNDING = 2.0**-50  # how far z and q − (q − z) may differ, relative to the larger of q and z
SMALLEST = 5e-324  # the slack around an atom at 0
LARGEST = float(np.finfo(np.float64).max)
SLACK = 2.0**-50  # what a level 1 − β and G, a difference of two, may lose to rounding
NEWTON_STEPS = 7  # from a bracket of two quantiles; what they do not reach, bisection does


class Ends(NamedTuple):
    """The two ends of an interval."""

    lower: float
    upper: float


def lowest_score(central: Ends) -> float:
    """Return z_min, the score of the middle of the interval."""
    return (central.lower - central.upper) / 2


def score_cdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return P(qˡᵒʷ − z ≤ Y ≤ qʰⁱᵍʰ + z); an atom on a bound counts, whatever rounding says."""
    slack = 0.0 if arm.has_density else _rounding(central, z)
    upper, lower = arm.cdf(np.stack([central.upper + z + slack, central.lower - z - slack]))
    return np.where(z >= lowest_score(central), np.maximum(upper - lower, 0.0), 0.0)


def score_pdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return the density of the score, 0 below its support."""
    upper, lower = arm.pdf(np.stack([central.upper + z, central.lower - z]))
    return np.where(z > lowest_score(central), upper + lower, 0.0)


def solve(arm: Distribution, central: Ends, target: Array, least: Array, most: Array) -> Array:
    """Return the smallest z in [least, most] with G(z) ≥ target: Newton's, where it proves right.

    A bracket of a rounding's width, as symmetric laws have, is an answer. A density may vanish or
    jump, so what Newton's steps do not settle is left to bisection.
    """
    z = (least + most) / 2
    settled = most - least <= (_rounding(central, z) if arm.has_density else 0.0)
    if arm.has_density and not settled.all():
        z = np.where(settled, z, _newton(arm, central, target, least, most))
        width = 64 * _rounding(central, z)
        before, after = score_cdf(arm, central, np.stack([z - width, z + width]))
        settled |= (before < target - SLACK) & (after >= target)
    rest = np.flatnonzero(~settled)
    if len(rest):
        z[rest] = _bisected(arm, central, target[rest], least[rest], most[rest])
    return np.where(np.abs(z) <= 2 * _rounding(central, z), 0.0, z)


def _bisected(arm: Distribution, central: Ends, target: Array, least: Array, most: Array) -> Array:
    """Return the first double that reaches the target, or almost does so across an atom or gap."""
    return first_double_almost_reaching(
        target, target - SLACK, lambda z: score_cdf(arm, central, z), least, most
    )


def _newton(arm: Distribution, central: Ends, target: Array, least: Array, most: Array) -> Array:
    """Return where Newton's method ends, started from the middle and kept within the bracket."""
    z = (least + most) / 2
    with np.errstate(all="ignore"):  # without density there is no step
        for _ in range(NEWTON_STEPS):
            step = (target - score_cdf(arm, central, z)) / score_pdf(arm, central, z)
            before, z = z, np.clip(np.where(np.isfinite(step), z + step, z), least, most)
            if np.all(np.abs(z - before) <= _rounding(central, z)):
                break
    return z


def _rounding(central: Ends, z: Array) -> Array:
    """Return by how much q + z may be off: z counts no more digits than the quantiles have."""
    size = np.minimum(np.abs(z), LARGEST)  # an infinite z is not off at all
    return np.maximum(ROUNDING * np.maximum(max(map(abs, central)), size), SMALLEST)
