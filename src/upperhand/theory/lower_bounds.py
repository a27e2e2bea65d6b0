"""What no policy can beat: asymptotic lower bounds on pulls and regret, beyond the paper.

A policy that is good on every instance of a class must keep pulling arm j until it can tell it from
an arm that would be best: lim inf E[T_j(n)] / ln n ≥ 1 / K_j, where K_j is the least divergence
from the arm's law to a law of the class that beats the best arm. Each function returns 1 / K_j, or
the sum Σ_j Δ_j / K_j; times ln n it is the line to compare a regret with. The statements are about
n → ∞: at small n a policy may well lie below the line.

Means: T. L. Lai, H. Robbins, Adv. Appl. Math. 6, 1985; A. N. Burnetas, M. N. Katehakis, Adv. Appl.
Math. 17, 1996. Quantiles: the same argument for the class of all laws.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels import divergence, shapes
from ..distributions import Bernoulli, Distribution, Normal
from ..errors import AssumptionError, ParameterError
from ..objectives import Mean, Quantile
from ..objectives.lowest import judged
from ._arms import laws

Array = NDArray[np.float64]

_each_kl = np.vectorize(divergence.bernoulli_kl, otypes=[np.float64])
_each_gaussian = np.vectorize(
    lambda a, z: shapes.gaussian_divergence(float(a), float(z)), otypes=[np.float64]
)
FARTHEST = 1e3  # the normal quantile of any level is nearer to 0


def bernoulli_kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return kl(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)), with 0 ln 0 = 0.

    >>> print(f"{bernoulli_kl(1, 0.95):.4f}")  # −ln 0.95
    0.0513
    """
    p, q = checks.reals("p", p, least=0, most=1), checks.reals("q", q, above=0, below=1)
    return np.asarray(_each_kl(p, q))[()]  # a number for numbers, as arithmetic would give


def quantile_pulls(arms: Sequence[Distribution], tau: float, *, minimize: bool = False) -> Array:
    """Return 1 / kl(F_j(u*), τ) for each arm below the best τ-quantile u*, and 0 for the best (Q4).

    Theorem Q4: no policy whose regret grows slower than every power of n on all laws has a smaller
    lim inf E T_j(n) / ln n. Moving mass across u* alone makes arm j the best one, and costs
    kl(F_j(u*), τ). F_j(u*) = P(Y ≤ u*) is closed: an atom at u* is on its worse side, as a law is
    better than u* only if less than τ of it lies at or below u*. The bound is infinite for an arm
    that has no mass between its own quantile and u*, F_j(u*) = τ, and 1 / ln(1/τ) for one that has
    none above it. `quantile_policies.asymptotic_pulls` is the upper bound, on the open side.
    Where arms pay costs and the lowest quantile is best, it is 1 / kl(P_j(Y ≥ u*), 1 − τ).
    """
    objective = judged(Quantile(tau), minimize)
    best = objective.values(laws(arms)).max()
    if minimize:  # P(Y ≥ u*), u* = −best, from the other side
        shares, tau = np.array([arm.sf(np.nextafter(-best, -np.inf)) for arm in arms]), 1.0 - tau
    else:
        shares = np.array([arm.cdf(best) for arm in arms])
    return _inverse(bernoulli_kl(np.maximum(shares, tau), tau), objective.gaps(arms) > 0)


def quantile_regret(arms: Sequence[Distribution], tau: float, *, minimize: bool = False) -> float:
    """Return Σ_j Δ_j / kl(F_j(u*), τ): the regret per ln n under the τ-quantile."""
    pulls = quantile_pulls(arms, tau, minimize=minimize)
    return _regret(pulls, judged(Quantile(tau), minimize).gaps(arms))


def gaussian_quantile_divergence(a: ArrayLike, z: ArrayLike) -> Array:
    """Return the least divergence from N(0, 1) to a Gaussian law whose quantile at z is a (Q4, 4).

    That quantile is m + r z for N(m, r²), and N(0, 1) has z: a = (u* − μ_j)/σ_j > z = z_τ for an
    arm that is not best. The nearest law has r² + a z r = 1 + a², and is
    ln r + (1 + (a − z r)²)/(2r²) − ½ away. 0 for a ≤ z, where N(0, 1) itself will do.

    >>> print(gaussian_quantile_divergence([6.645, 11.645], 1.645).round(3))
    [0.805 1.333]
    """
    end, level = checks.reals("a", a), checks.reals("z", z, least=-FARTHEST, most=FARTHEST)
    try:
        return np.asarray(_each_gaussian(*np.broadcast_arrays(end, level)))[()]
    except ValueError:
        raise ParameterError(
            f"a and z must be numbers, or arrays of shapes that go together; got {end.shape} and "
            f"{level.shape}."
        ) from None


def gaussian_quantile_pulls(
    arms: Sequence[Distribution],
    tau: float,
    *,
    variance: Literal["known", "unknown"] = "unknown",
    minimize: bool = False,
) -> Array:
    """Return 1 / K_j of Gaussian arms below the best τ-quantile, and 0 for the best (Q4, eq. 4).

    For policies that are good on all Gaussian laws, and so for those that are good on a larger
    class. With known variances only the mean can be another: K_j = ½ (a − z_τ)².
    """
    checks.choice("variance", variance, ("known", "unknown"))
    gaps = judged(Quantile(tau), minimize).gaps(laws(arms))
    if others := sorted({type(arm).__name__ for arm in arms if not isinstance(arm, Normal)}):
        raise AssumptionError(
            f"This lower bound is for Gaussian arms; got {', '.join(others)}. For all laws there "
            f"is quantile_pulls."
        )
    z = Normal(0.0, 1.0).quantile(1.0 - tau if minimize else tau)
    steps = gaps / np.array([arm.sd for arm in arms])  # a − z
    known = np.square(steps) / 2.0
    divergence = known if variance == "known" else gaussian_quantile_divergence(z + steps, z)
    return _inverse(divergence, gaps > 0)


def gaussian_quantile_regret(
    arms: Sequence[Distribution],
    tau: float,
    *,
    variance: Literal["known", "unknown"] = "unknown",
    minimize: bool = False,
) -> float:
    """Return Σ_j Δ_j / K_j: the regret per ln n under the τ-quantile of Gaussian arms (Q4)."""
    pulls = gaussian_quantile_pulls(arms, tau, variance=variance, minimize=minimize)
    return _regret(pulls, judged(Quantile(tau), minimize).gaps(arms))


def has_mean_bound(arms: Sequence[Distribution]) -> bool:
    """Tell whether the arms are all Normal or all Bernoulli, the classes of `mean_pulls`."""
    return any(all(isinstance(arm, law) for arm in laws(arms)) for law in (Normal, Bernoulli))


def mean_pulls(
    arms: Sequence[Distribution],
    *,
    variance: Literal["known", "unknown"] = "known",
    minimize: bool = False,
) -> Array:
    """Return 1 / K_j for each arm below the best mean, and 0 for the best (Lai and Robbins).

    Gaussian arms: K_j = Δ_j² / (2 σ_j²) if the policy knows each arm's variance, and
    ½ ln(1 + Δ_j² / σ_j²) if it does not. Bernoulli arms: K_j = kl(μ_j, μ*). With `minimize`, the
    lowest mean is best.
    """
    checks.choice("variance", variance, ("known", "unknown"))
    if not has_mean_bound(arms):
        raise AssumptionError(
            "The lower bound for means is known for arms that are all Normal or all Bernoulli; got "
            f"{', '.join(sorted({type(arm).__name__ for arm in arms}))}. Its value depends on the "
            "class of laws that the policy must be good for."
        )
    gaps = judged(Mean(), minimize).gaps(arms)
    means = np.array([arm.mean for arm in arms])
    if isinstance(arms[0], Bernoulli):
        means = 1.0 - means if minimize else means  # of the better outcome
        return _inverse(_kl_to_best(means, means.max()), gaps > 0)
    squares = np.square(gaps / np.array([arm.sd for arm in arms]))
    return _inverse(squares / 2 if variance == "known" else np.log1p(squares) / 2, gaps > 0)


def mean_regret(
    arms: Sequence[Distribution],
    *,
    variance: Literal["known", "unknown"] = "known",
    minimize: bool = False,
) -> float:
    """Return Σ_j Δ_j / K_j: the mean regret per ln n (Lai and Robbins)."""
    pulls = mean_pulls(arms, variance=variance, minimize=minimize)
    return _regret(pulls, judged(Mean(), minimize).gaps(arms))


def _kl_to_best(means: Array, best: float) -> Array:
    """Return kl(μ_j, μ*); an arm that always pays 1 cannot be beaten: infinite then."""
    if best == 1.0:
        return np.full(means.shape, np.inf)
    return bernoulli_kl(means, best) if best > 0 else np.zeros(means.shape)


def _inverse(divergence: Array, below: NDArray[np.bool_]) -> Array:
    """Return 1 / K_j of the arms below the best one, and 0 of the others."""
    with np.errstate(divide="ignore"):
        return np.where(below, 1 / divergence, 0.0)


def _regret(pulls: Array, gaps: Array) -> float:
    return float(np.sum(pulls[gaps > 0] * gaps[gaps > 0]))
