"""The population endpoint of an arm: what ACP-UCB1 estimates, from the law itself (section 2.2).

At the nominal level α the central interval of an arm is [qˡᵒʷ, qʰⁱᵍʰ], between its α/2 and 1 − α/2
quantiles. The score of a reward is how far that interval must widen to cover it; G is the law of
the score and c(β) its 1 − β quantile. Widened by c(β), the interval is C(β) and its upper endpoint
V(β). The value of the arm is u* = V(α).

Every law is welcome: G, c, V and C allow for atoms; only the score density needs a density.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution, Normal
from ..distributions._special import normal_quantile
from ..errors import AssumptionError
from . import _score_law
from ._arms import law
from ._score_law import Ends, first_score, lowest_score, solve

Array = NDArray[np.float64]

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
    return _score_law.score_cdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def score_pdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return g(z) = f(qʰⁱᵍʰ + z) + f(qˡᵒʷ − z) (equation 1), and 0 below the support."""
    return _score_law.score_pdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


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
