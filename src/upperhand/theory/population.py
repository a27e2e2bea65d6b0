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
from . import _score_law
from ._score_law import Ends, lowest_score, solve

Array = NDArray[np.float64]


def score(y: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """Return s(y; ℓ, u) = max{ℓ − y, y − u}; s ≤ z means that y is in [ℓ − z, u + z]."""
    rewards = checks.reals("y", y)
    return np.maximum(checks.reals("low", low) - rewards, rewards - checks.reals("high", high))


def q_low(arm: Distribution, alpha: float) -> float:
    """Return qˡᵒʷ = F⁻¹(α/2)."""
    return arm.quantile(_level("alpha", alpha) / 2)


def q_high(arm: Distribution, alpha: float) -> float:
    """Return qʰⁱᵍʰ = F⁻¹(1 − α/2)."""
    return arm.quantile(1 - _level("alpha", alpha) / 2)


def u_star(arm: Distribution, alpha: float) -> float:
    """Return u* = V(α) = F⁻¹(1 − α/2), the value of the arm: c(α) = 0 for every law."""
    return q_high(arm, alpha)


def score_support(arm: Distribution, alpha: float) -> Ends:
    """Return where scores lie: from z_min = (qˡᵒʷ − qʰⁱᵍʰ)/2 to that of the law's farther end."""
    central = _central(arm, alpha)
    farthest = max(central.lower - arm.quantile(0.0), arm.quantile(1.0) - central.upper)
    return Ends(lowest_score(central), farthest)


def score_cdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return G(z) = P(S ≤ z) = F(qʰⁱᵍʰ + z) − F((qˡᵒʷ − z)⁻), and 0 below the support."""
    return _score_law.score_cdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def score_pdf(arm: Distribution, alpha: float, z: ArrayLike) -> Array:
    """Return g(z) = f(qʰⁱᵍʰ + z) + f(qˡᵒʷ − z) (equation 1), and 0 below the support."""
    return _score_law.score_pdf(arm, _central(arm, alpha), checks.numbers("z", z))[()]


def correction(arm: Distribution, alpha: float, beta: ArrayLike) -> Array:
    """Return c(β) = G⁻¹(1 − β), the score quantile that widens the interval, or narrows it.

    With 1 − β/2 and β/2 on the two sides, the upper one asks for z ≥ A = F⁻¹(1 − β/2) − qʰⁱᵍʰ and
    the lower one for z ≥ B = qˡᵒʷ − F⁻¹(β/2). Below both, G < 1 − β; above both, G ≥ 1 − β. So c(β)
    lies between A and B: it is 0 at β = α, and in closed form for symmetric laws. Otherwise it is
    found by Newton's method, or by bisection. For Gaussian arms c(β) = σ (z_{1−β/2} − z_{1−α/2})
    (equation 23). Where 1 − β is 1 in doubles, c(β) is the upper end of the support.
    """
    levels = checks.reals("beta", beta, above=0, below=1)
    alpha = _level("alpha", alpha)
    if isinstance(arm, Normal):
        exact: Array = arm.scale * (
            normal_quantile(np.asarray(alpha / 2)) - normal_quantile(levels / 2)
        )
        return exact
    flat = np.atleast_1d(levels).ravel()
    unreachable = 1 - flat == 1
    flat = np.where(unreachable, alpha, flat)
    central = _central(arm, alpha)
    low, high = arm.quantile(np.stack([flat / 2, 1 - flat / 2]))
    above, below = high - central.upper, central.lower - low
    least = np.maximum(np.minimum(above, below), lowest_score(central))
    solved: Array = solve(arm, central, 1 - flat, least, np.maximum(above, below))
    if unreachable.any():
        solved[unreachable] = score_support(arm, alpha).upper
    return solved.reshape(levels.shape)[()]


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
    alpha = _level("alpha", alpha)
    return Ends(*arm.quantile([alpha / 2, 1 - alpha / 2]).tolist())


def _level(name: str, value: float) -> float:
    return checks.real(name, value, above=0, below=1)
