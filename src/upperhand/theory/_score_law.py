"""The law of an arm's score: its distribution function, its density, and its quantiles.

The solver behind `population.correction`, apart from the statements so that they can be read alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..distributions._search import first_double_almost_reaching, first_double_reaching

Array = NDArray[np.float64]

ROUNDING = 2.0**-50  # how far z and q − (q − z) may differ, relative to the larger of q and z
SMALLEST = 5e-324  # the slack around an atom at 0
LARGEST = float(np.finfo(np.float64).max)
SLACK = 2.0**-50  # what β, and the mass outside, a sum of two, may lose to rounding, relative to β
NEWTON_STEPS = 7  # from a bracket of two quantiles; what they do not reach, bisection does


class Ends(NamedTuple):
    """The two ends of an interval."""

    lower: float
    upper: float


def lowest_score(central: Ends) -> float:
    """Return z_min, the score of the middle of the interval."""
    return (central.lower - central.upper) / 2


def first_score(arm: Distribution, central: Ends) -> float:
    """Return where the scores start: at z_min, or, if no mass is in the middle, at the nearest."""
    middle = central.lower / 2 + central.upper / 2
    if arm.has_density and arm.pdf(middle) > 0:
        return lowest_score(central)
    share = arm.cdf(middle)
    nearest = first_double_reaching(
        np.array([share, np.nextafter(share, 2.0)]),
        arm.cdf,
        np.array([central.lower, middle]),
        np.array([middle, central.upper]),
    )
    return float(min(central.lower - nearest[0], nearest[1] - central.upper))


def score_cdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return P(qˡᵒʷ − z ≤ Y ≤ qʰⁱᵍʰ + z); an atom on a bound counts, whatever rounding says."""
    slack = 0.0 if arm.has_density else _rounding(central, z)
    upper, lower = arm.cdf(np.stack([central.upper + z + slack, central.lower - z - slack]))
    return np.where(z + slack >= lowest_score(central), np.maximum(upper - lower, 0.0), 0.0)


def score_pdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return the density of the score, 0 below its support."""
    upper, lower = arm.pdf(np.stack([central.upper + z, central.lower - z]))
    return np.where(z > lowest_score(central), upper + lower, 0.0)


def solve(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return the smallest z in [least, most] that leaves at most β: Newton's, where it is right.

    A density may vanish or jump, so what Newton's steps do not settle is left to bisection.
    """
    z, settled = np.zeros(beta.shape), np.zeros(beta.shape, dtype=np.bool_)
    if arm.has_density:
        z = _newton(arm, central, beta, least, most)
        width = 64 * _rounding(central, z)
        before, after = _outside(arm, central, np.stack([z - width, z + width]))
        settled = (before > beta * (1 + SLACK)) & (after <= beta)
    rest = np.flatnonzero(~settled)
    if len(rest):
        z[rest] = _bisected(arm, central, beta[rest], least[rest], most[rest])
    near = 2 * _rounding(central, z)  # of 0; an atom must not be lost, so that only up is safe
    return np.where((-near <= z) & (z <= (near if arm.has_density else 0.0)), 0.0, z)


def _outside(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return the mass that the interval widened by z leaves out, with all digits of both tails.

    The interval is the one of doubles, qˡᵒʷ − z and qʰⁱᵍʰ + z as rounded, with atoms on its ends.
    """
    lower = central.lower - z
    if not arm.has_density:
        lower = np.nextafter(lower, -np.inf)
    return arm.sf(central.upper + z) + arm.cdf(lower)


def _bisected(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return the first double that leaves β, or almost does so across an atom or gap."""
    if not arm.has_density:  # q + (y − q) may fall short of the atom y
        most = np.where(most == 0, 0.0, most + _rounding(central, most))
    return first_double_almost_reaching(
        -beta, -beta * (1 + SLACK), lambda z: -_outside(arm, central, z), least, most
    )


def _newton(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return where Newton's method ends, started from the middle and kept within the bracket."""
    z = np.where(np.isfinite(most), (least + most) / 2, least)
    with np.errstate(all="ignore"):  # without density there is no step
        for _ in range(NEWTON_STEPS):
            step = (_outside(arm, central, z) - beta) / score_pdf(arm, central, z)
            before, z = z, np.clip(np.where(np.isfinite(step), z + step, z), least, most)
            if np.all(np.abs(z - before) <= _rounding(central, z)):
                break
    return z


def _rounding(central: Ends, z: Array) -> Array:
    """Return by how much q + z may be off: z counts no more digits than the quantiles have."""
    size = np.minimum(np.abs(z), LARGEST)  # an infinite z is not off at all
    return np.maximum(ROUNDING * np.maximum(max(map(abs, central)), size), SMALLEST)
