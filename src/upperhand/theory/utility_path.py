"""The Gaussian utility path from mean to tail, v_j(κ) = μ_j + κ σ_j, 0 ≤ κ ≤ a (section 4.3).

For Gaussian arms κ = 0 values an arm by its mean and κ = a = z_{1−α/2} by its ACP endpoint. M is
the best arm at κ = 0, A the best at κ = a. What a policy that ends up with arm g loses a round
under the utility κ is D_g(κ) = max_j v_j(κ) − v_g(κ).

All functions take the means and standard deviations of the K arms of an instance; the paper's
formulas for the two arms A and M are in `two_arms.py`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions._special import normal_quantile
from ..errors import AssumptionError, ParameterError
from ..objectives import UpperTail
from ..objectives.gaps import gaps_of
from ._arms import of_arm

Array = NDArray[np.float64]

SAME_KINK = 1e-12  # lines that cross in one point do so up to rounding, relative to a


def path_end(alpha: float) -> float:
    """Return a = z_{1−α/2}, where the utility is the ACP endpoint (section 4.3.1).

    >>> round(path_end(0.05), 2)
    1.96
    """
    return float(normal_quantile(np.asarray(UpperTail(alpha).tau)))  # the endpoint's, to the bit


def utilities(means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return v_j(κ) = μ_j + κ σ_j, the arms along the last axis (section 4.3.1)."""
    mu, sigma = _arms(means, sds)
    values: Array = mu + checks.reals("kappa", kappa, least=0)[..., np.newaxis] * sigma
    return values


def shortfalls(means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return D_j(κ) = v_⋆(κ) − v_j(κ), the arms along the last axis (section 4.3.1)."""
    return gaps_of(utilities(means, sds, kappa), means)


class Targets(NamedTuple):
    """The best arm at either end of the path."""

    acp: int  # A, the best at κ = a
    mean: int  # M, the best at κ = 0


def targets(means: ArrayLike, sds: ArrayLike, a: float) -> Targets:
    """Return A ∈ argmax v_j(a) and M ∈ argmax v_j(0), which must be unique (section 4.3.1)."""
    at_0, at_a = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    return Targets(_unique_best("ACP-optimal", at_a), _unique_best("mean-optimal", at_0))


def _unique_best(which: str, gaps: Array) -> int:
    """Return the arm without a gap; refuse two of them."""
    best = np.flatnonzero(gaps == 0)
    if len(best) > 1:
        arms = " and ".join(str(arm + 1) for arm in best[:2])
        raise AssumptionError(f"The {which} arm must be unique; arms {arms} tie. Change one.")
    return int(best[0])


class Envelope(NamedTuple):
    """v_⋆ on [0, a]: arm `arms[i]` is the best one from κ = `kinks[i]` on."""

    kinks: Array  # (S,) the first is 0
    arms: NDArray[np.int64]  # (S,)


def envelope(means: ArrayLike, sds: ArrayLike, a: float) -> Envelope:
    """Walk along v_⋆(κ) = max_j v_j(κ) from 0 to a: at each kink a steeper line takes over."""
    mu, sigma = _arms(means, sds)
    at_0, at_a = shortfalls(mu, sigma, [0.0, checks.real("a", a, above=0)])
    tied = np.flatnonzero(at_0 == 0)
    best = tied[np.argmax(sigma[tied])]  # of equal means the steepest: the best just after 0
    kinks, arms = [0.0], [best]
    while at_a[best] > 0:
        steeper = np.flatnonzero(sigma > sigma[best])
        crossings = (mu[best] - mu[steeper]) / (sigma[steeper] - sigma[best])
        first = steeper[crossings <= crossings.min() + SAME_KINK * a]
        best = first[np.argmax(sigma[first])]
        kinks.append(float(crossings.min()))
        arms.append(best)
    return Envelope(np.array(kinks), np.array(arms))


def is_two_arm_envelope(means: ArrayLike, sds: ArrayLike, a: float) -> bool:
    """Tell whether v_⋆ = max{v_A, v_M} on all of [0, a], which equation (11) assumes."""
    return len(envelope(means, sds, a).arms) <= 2


def worst_shortfall(means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> float:
    """Return sup D_g(κ) over [0, a] for any arm g: D_g is convex, so the sup is at an end."""
    gaps = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    return float(of_arm(gaps, arm).max())


def average_shortfall(means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> float:
    """Return (1/a) ∫ D_g(κ) dκ over [0, a] for any arm g: between kinks D_g is a line."""
    knots = np.append(envelope(means, sds, a).kinks, a)
    return float(np.trapezoid(of_arm(shortfalls(means, sds, knots), arm), knots) / a)


def _arms(means: ArrayLike, sds: ArrayLike) -> tuple[Array, Array]:
    mu, sigma = checks.reals("means", means), checks.reals("sds", sds, least=0)
    if mu.ndim != 1 or mu.shape != sigma.shape or not len(mu):
        raise ParameterError(
            f"means and sds must be one number an arm; got shapes {mu.shape} and {sigma.shape}."
        )
    return mu, sigma
