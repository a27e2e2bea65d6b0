"""The population endpoint of an arm: what ACP-UCB1 estimates, from the law itself (section 2.2).

At the nominal level α the central interval of an arm is [qˡᵒʷ, qʰⁱᵍʰ], between its α/2 and 1 − α/2
quantiles. The score of a reward is how far that interval must widen to cover it; G is the law of
the score and c(β) its 1 − β quantile. Widened by c(β), the interval is C(β) and its upper endpoint
V(β). The value of the arm is u* = V(α).

Every law is welcome: G, c, V and C allow for atoms; only the score density needs a density.

The law of an arm's score: its distribution function, its density, and its quantiles.

The solver behind `population.correction`, apart from the statements so that they can be read alone.

What statements about several arms share: there is one at least, and one of them is meant.
"""

import reprlib
from collections.abc import Sequence, Sized
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution, Normal
from ..distributions.numerics import (
    first_double_almost_reaching,
    first_double_reaching,
    normal_quantile,
)
from ..errors import AssumptionError, ParameterError

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


def _score_cdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return P(qˡᵒʷ − z ≤ Y ≤ qʰⁱᵍʰ + z); an atom on a bound counts, whatever rounding says."""
    slack = 0.0 if arm.has_density else _rounding(central, z)
    upper, lower = arm.cdf(np.stack([central.upper + z + slack, central.lower - z - slack]))
    return np.where(z + slack >= lowest_score(central), np.maximum(upper - lower, 0.0), 0.0)


def _score_pdf(arm: Distribution, central: Ends, z: Array) -> Array:
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
            step = (_outside(arm, central, z) - beta) / _score_pdf(arm, central, z)
            before, z = z, np.clip(np.where(np.isfinite(step), z + step, z), least, most)
            if np.all(np.abs(z - before) <= _rounding(central, z)):
                break
    return z


def _rounding(central: Ends, z: Array) -> Array:
    """Return by how much q + z may be off: z counts no more digits than the quantiles have."""
    size = np.minimum(np.abs(z), LARGEST)  # an infinite z is not off at all
    return np.maximum(ROUNDING * np.maximum(max(map(abs, central)), size), SMALLEST)


def law(arm: object) -> Distribution:
    """Return the arm if it is a law; refuse anything else."""
    if isinstance(arm, Distribution):
        return arm
    raise ParameterError(f"An arm is a law, such as Normal(0, 1); got {reprlib.repr(arm)}.")


def laws(arms: Sequence[Distribution]) -> Sequence[Distribution]:
    """Return the arms if they are one law or more, in an order; refuse anything else."""
    if not isinstance(arms, Sequence) or isinstance(arms, str):
        raise ParameterError(f"The arms are a list of laws; got {reprlib.repr(arms)}.")
    refuse_none(arms)
    return [law(arm) for arm in arms]


def refuse_none(arms: Sized) -> None:
    """Refuse an instance without arms."""
    if not len(arms):
        raise ParameterError("An instance has one arm or more; got none.")


def of_arm(values: Array, arm: int) -> Array:
    """Return the values of one arm, counted from 0; arms are along the last axis."""
    column: Array = values[..., checks.integer("arm", arm, least=0, most=values.shape[-1] - 1)]
    return column


LEVEL = 2.0**-52  # more than 1 − β/2 may be off, as a double


def score(y: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """Return s(y; ℓ, u) = max{ℓ − y, y − u}; s ≤ z means that y is in [ℓ − z, u + z]."""
    rewards = checks.reals("y", y)
    return np.maximum(checks.reals("low", low) - rewards, rewards - checks.reals("high", high))


def q_low(arm: Distribution, alpha: float) -> float:
    """Return qˡᵒʷ = F⁻¹(α/2)."""
    return law(arm).quantile(_level("alpha", alpha) / 2)


def q_high(arm: Distribution, alpha: float) -> float:
    """Return qʰⁱᵍʰ = F⁻¹(1 − α/2)."""
    return law(arm).quantile(1 - _level("alpha", alpha) / 2)


def u_star(arm: Distribution, alpha: float) -> float:
    """Return u* = V(α) = F⁻¹(1 − α/2), the value of the arm: c(α) = 0 for every law."""
    return q_high(arm, alpha)


def score_support(arm: Distribution, alpha: float) -> Ends:
    """Return where scores lie: from that of the mass nearest the middle to that of the farther end.

    With mass in the middle, the first is z_min = (qˡᵒʷ − qʰⁱᵍʰ)/2.
    """
    central = _central(arm, alpha)
    farthest = max(central.lower - arm.quantile(0.0), arm.quantile(1.0) - central.upper)
    return Ends(first_score(arm, central), farthest)


def score_cdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return G(z) = P(S ≤ z) = F(qʰⁱᵍʰ + z) − F((qˡᵒʷ − z)⁻), and 0 below the support."""
    return _score_cdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def score_pdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return g(z) = f(qʰⁱᵍʰ + z) + f(qˡᵒʷ − z) (equation 1), and 0 below the support."""
    return _score_pdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def correction(arm: Distribution, alpha: float, beta: ArrayLike) -> Array:
    """Return c(β) = G⁻¹(1 − β), the score quantile that widens the interval, or narrows it.

    With β/2 left on either side, the upper one asks for z ≥ A = F⁻¹(1 − β/2) − qʰⁱᵍʰ and the lower
    one for z ≥ B = qˡᵒʷ − F⁻¹(β/2). Below both, more than β is left; above both, at most β. So c(β)
    lies between A and B, and is 0 at β = α. It is found by Newton's method, or by bisection, from
    the mass that is left in the two tails, so that a small β keeps its digits. For Gaussian arms
    c(β) = σ (z_{1−β/2} − z_{1−α/2}) (equation 23). With atoms the interval of doubles covers them.
    """
    levels = checks.reals("beta", beta, above=0, below=1)
    alpha = _level("alpha", alpha)
    if isinstance(arm, Normal):
        exact: Array = arm.scale * (
            normal_quantile(np.asarray(alpha / 2)) - normal_quantile(levels / 2)
        )
        return exact
    flat, central = np.atleast_1d(levels).ravel(), _central(arm, alpha)
    shares = np.stack([flat / 2, 1 - flat / 2 - LEVEL, 1 - flat / 2 + LEVEL])
    low, high, higher = arm.quantile(np.clip(shares, 0, 1))
    below = central.lower - low
    sign = np.where(flat <= alpha, 0.0, lowest_score(central)), np.where(flat < alpha, np.inf, 0.0)
    least = np.clip(np.minimum(high - central.upper, below), *sign)
    most = np.clip(np.maximum(higher - central.upper, below), *sign)
    return solve(arm, central, flat, least, most).reshape(levels.shape)[()]


def upper_endpoint(arm: Distribution, alpha: float, beta: ArrayLike) -> Array:
    """Return V(β) = qʰⁱᵍʰ + c(β)."""
    endpoint: Array = q_high(arm, alpha) + correction(arm, alpha, beta)
    return endpoint


def interval(arm: Distribution, alpha: float, beta: ArrayLike) -> tuple[Array, Array]:
    """Return C(β) = [qˡᵒʷ − c(β), qʰⁱᵍʰ + c(β)], the population conformal interval."""
    (low, high), widened = _central(arm, alpha), correction(arm, alpha, beta)
    lower: Array = low - widened
    upper: Array = high + widened
    return lower, upper


def _central(arm: Distribution, alpha: float) -> Ends:
    ends = Ends(q_low(arm, alpha), q_high(arm, alpha))
    if not np.isfinite(ends).all():
        raise AssumptionError(
            f"The central interval of {arm!r} at alpha = {alpha:g} is [{ends.lower:g}, "
            f"{ends.upper:g}] in doubles. Take a larger alpha."
        )
    return ends


def _level(name: str, value: float) -> float:
    return checks.real(name, value, above=0, below=1)
