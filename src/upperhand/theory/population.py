"""The population endpoint of an arm, which ACP-UCB1 estimates, from its distribution (section 2.2).

At the nominal level α the central interval of an arm is [qˡᵒʷ, qʰⁱᵍʰ], between its α/2 and 1 − α/2
quantiles. The score of a reward is how far that interval must widen to cover it; G is the
distribution of the score and c(β) its 1 − β quantile. Widened by c(β), the interval is C(β) and its
upper endpoint V(β). The value of the arm is u* = V(α).

G, c, V and C allow for atoms; only the score density needs a density.
"""

import reprlib
from collections.abc import Sequence
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
Arms = Sequence[Distribution]

ROUNDING = 2.0**-50  # how far z and q − (q − z) may differ, relative to the larger of q and z
SMALLEST = 5e-324  # the slack around an atom at 0
LARGEST = float(np.finfo(np.float64).max)
LEVEL = 2.0**-52  # more than 1 − β/2 may be off, as a double
SLACK = 2.0**-50  # what β, and the mass outside, a sum of two, may lose to rounding, relative to β
NEWTON_STEPS = 7  # from a bracket of two quantiles; what they do not reach, bisection does


class Ends(NamedTuple):
    """The two ends of an interval."""

    lower: float
    upper: float

    @property
    def lowest(self) -> float:
        """z_min, the score of the middle of the interval."""
        return (self.lower - self.upper) / 2


def checked_arm(arm: object) -> Distribution:
    """Return the arm if it is a Distribution; refuse anything else."""
    if isinstance(arm, Distribution):
        return arm
    raise ParameterError(
        f"An arm is a Distribution, such as Normal(0, 1); got {reprlib.repr(arm)}."
    )


def checked_arms(arms: Arms) -> Arms:
    """Return the arms if they are a sequence of one Distribution or more."""
    if not isinstance(arms, Sequence) or isinstance(arms, str):
        raise ParameterError(f"The arms are a list of Distributions; got {reprlib.repr(arms)}.")
    if not len(arms):
        raise ParameterError("An instance has one arm or more; got none.")
    return [checked_arm(arm) for arm in arms]


def score(y: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """Return s(y; ℓ, u) = max{ℓ − y, y − u}; s ≤ z means that y is in [ℓ − z, u + z]."""
    rewards = checks.reals("y", y)
    return np.maximum(checks.reals("low", low) - rewards, rewards - checks.reals("high", high))


def q_low(arm: Distribution, alpha: float) -> float:
    """Return qˡᵒʷ = F⁻¹(α/2)."""
    return checked_arm(arm).quantile(checks.real("alpha", alpha, above=0, below=1) / 2)


def q_high(arm: Distribution, alpha: float) -> float:
    """Return qʰⁱᵍʰ = F⁻¹(1 − α/2)."""
    return checked_arm(arm).quantile(1 - checks.real("alpha", alpha, above=0, below=1) / 2)


def u_star(arm: Distribution, alpha: float) -> float:
    """Return u* = V(α) = F⁻¹(1 − α/2), the value of the arm: c(α) = 0 for every distribution."""
    return q_high(arm, alpha)


def score_support(arm: Distribution, alpha: float) -> Ends:
    """Return the lowest and the highest score.

    The lowest is that of the mass nearest the middle of the interval: z_min = (qˡᵒʷ − qʰⁱᵍʰ)/2 if
    there is mass in the middle. The highest is that of the farther end of the support.
    """
    central = _central(arm, alpha)
    farthest = max(central.lower - arm.quantile(0.0), arm.quantile(1.0) - central.upper)
    return Ends(_first_score(arm, central), farthest)


def score_cdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return G(z) = P(S ≤ z) = F(qʰⁱᵍʰ + z) − F((qˡᵒʷ − z)⁻), and 0 below the support."""
    return _score_cdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def score_pdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return g(z) = f(qʰⁱᵍʰ + z) + f(qˡᵒʷ − z) (equation 1), and 0 below the support."""
    return _score_pdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def correction(arm: Distribution, alpha: float, beta: ArrayLike) -> Array:
    """Return c(β) = G⁻¹(1 − β), the score quantile that widens the interval, or narrows it.

    To leave out β/2 on either side, the upper side needs z ≥ A = F⁻¹(1 − β/2) − qʰⁱᵍʰ and the lower
    one z ≥ B = qˡᵒʷ − F⁻¹(β/2). Below both, more than β is left out; above both, at most β. So c(β)
    lies between A and B, and is 0 at β = α. It is found by Newton's method, or by bisection, from
    the mass in the two tails, so that a small β keeps its digits. For Gaussian arms
    c(β) = σ (z_{1−β/2} − z_{1−α/2}) (equation 23). With atoms the interval of doubles covers them.
    """
    levels = checks.reals("beta", beta, above=0, below=1)
    alpha = checks.real("alpha", alpha, above=0, below=1)
    if isinstance(arm, Normal):
        return arm.scale * (normal_quantile(np.asarray(alpha / 2)) - normal_quantile(levels / 2))
    flat, central = np.atleast_1d(levels).ravel(), _central(arm, alpha)
    shares = np.stack([flat / 2, 1 - flat / 2 - LEVEL, 1 - flat / 2 + LEVEL])
    low, high, higher = arm.quantile(np.clip(shares, 0, 1))
    below = central.lower - low
    sign = np.where(flat <= alpha, 0.0, central.lowest), np.where(flat < alpha, np.inf, 0.0)
    least = np.clip(np.minimum(high - central.upper, below), *sign)
    most = np.clip(np.maximum(higher - central.upper, below), *sign)
    return _solve(arm, central, flat, least, most).reshape(levels.shape)[()]


def upper_endpoint(arm: Distribution, alpha: float, beta: ArrayLike) -> Array:
    """Return V(β) = qʰⁱᵍʰ + c(β)."""
    return q_high(arm, alpha) + correction(arm, alpha, beta)


def interval(arm: Distribution, alpha: float, beta: ArrayLike) -> tuple[Array, Array]:
    """Return C(β) = [qˡᵒʷ − c(β), qʰⁱᵍʰ + c(β)], the population conformal interval."""
    (low, high), widened = _central(arm, alpha), correction(arm, alpha, beta)
    return low - widened, high + widened


def _central(arm: Distribution, alpha: float) -> Ends:
    ends = Ends(q_low(arm, alpha), q_high(arm, alpha))
    if not np.isfinite(ends).all():
        raise AssumptionError(
            f"The central interval of {arm!r} at alpha = {alpha:g} is [{ends.lower:g}, "
            f"{ends.upper:g}] in doubles. Take a larger alpha."
        )
    return ends


def _first_score(arm: Distribution, central: Ends) -> float:
    """Return z_min, or the lowest score of any mass if there is none in the middle."""
    middle = central.lower / 2 + central.upper / 2
    if arm.has_density and arm.pdf(middle) > 0:
        return central.lowest
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
    return np.where(z + slack >= central.lowest, np.maximum(upper - lower, 0.0), 0.0)


def _score_pdf(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return the density of the score, 0 below its support."""
    upper, lower = arm.pdf(np.stack([central.upper + z, central.lower - z]))
    return np.where(z > central.lowest, upper + lower, 0.0)


def _solve(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return the smallest z in [least, most] that leaves out at most β, by Newton's method.

    Where a density vanishes or jumps, Newton's steps may fail; there bisection takes over.
    """
    z, solved = np.zeros(beta.shape), np.zeros(beta.shape, dtype=np.bool_)
    if arm.has_density:
        z = _newton(arm, central, beta, least, most)
        width = 64 * _rounding(central, z)
        before, after = _outside(arm, central, np.stack([z - width, z + width]))
        solved = (before > beta * (1 + SLACK)) & (after <= beta)
    rest = np.flatnonzero(~solved)
    if len(rest):
        z[rest] = _bisected(arm, central, beta[rest], least[rest], most[rest])
    near = 2 * _rounding(central, z)  # of 0; an atom must not be lost, so that only up is safe
    return np.where((-near <= z) & (z <= (near if arm.has_density else 0.0)), 0.0, z)


def _newton(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return where Newton's method ends, from the middle of the bracket and kept within it."""
    z = np.where(np.isfinite(most), (least + most) / 2, least)
    with np.errstate(all="ignore"):  # without density there is no step
        for _ in range(NEWTON_STEPS):
            step = (_outside(arm, central, z) - beta) / _score_pdf(arm, central, z)
            before, z = z, np.clip(np.where(np.isfinite(step), z + step, z), least, most)
            if np.all(np.abs(z - before) <= _rounding(central, z)):
                break
    return z


def _bisected(arm: Distribution, central: Ends, beta: Array, least: Array, most: Array) -> Array:
    """Return the first double that leaves out β, or almost β across an atom or gap."""
    if not arm.has_density:  # q + (y − q) may fall short of the atom y
        most = np.where(most == 0, 0.0, most + _rounding(central, most))
    return first_double_almost_reaching(
        -beta, -beta * (1 + SLACK), lambda z: -_outside(arm, central, z), least, most
    )


def _outside(arm: Distribution, central: Ends, z: Array) -> Array:
    """Return the mass that the interval widened by z leaves out, with all digits of both tails.

    The interval is the one of doubles, qˡᵒʷ − z and qʰⁱᵍʰ + z as rounded, with atoms on its ends.
    """
    lower = central.lower - z
    if not arm.has_density:
        lower = np.nextafter(lower, -np.inf)
    return arm.sf(central.upper + z) + arm.cdf(lower)


def _rounding(central: Ends, z: Array) -> Array:
    """Return by how much q + z may be off: z counts no more digits than the quantiles have."""
    size = np.minimum(np.abs(z), LARGEST)  # an infinite z is not off at all
    return np.maximum(ROUNDING * np.maximum(max(map(abs, central)), size), SMALLEST)
