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
from .._kernels import divergence
from ..distributions import Bernoulli, Distribution, Normal
from ..errors import AssumptionError
from ..objectives import Mean, Quantile
from ._arms import laws

Array = NDArray[np.float64]

_each_kl = np.vectorize(divergence.bernoulli_kl, otypes=[np.float64])


def bernoulli_kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return kl(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)), with 0 ln 0 = 0.

    >>> print(f"{bernoulli_kl(1, 0.95):.4f}")  # −ln 0.95
    0.0513
    """
    p, q = checks.reals("p", p, least=0, most=1), checks.reals("q", q, above=0, below=1)
    return np.asarray(_each_kl(p, q))[()]  # a number for numbers, as arithmetic would give


def quantile_pulls(arms: Sequence[Distribution], tau: float) -> Array:
    """Return 1 / kl(F_j(u*), τ) for each arm below the best τ-quantile u*, and 0 for the best.

    Moving mass across u* alone makes arm j the best one, and costs kl(F_j(u*), τ). The bound is
    infinite for an arm that has no mass between its own quantile and u*.
    """
    objective = Quantile(tau)
    best = objective.values(laws(arms)).max()
    shares = np.array([arm.cdf(best) for arm in arms])
    return _inverse(bernoulli_kl(np.maximum(shares, tau), tau), objective.gaps(arms) > 0)


def quantile_regret(arms: Sequence[Distribution], tau: float) -> float:
    """Return Σ_j Δ_j / kl(F_j(u*), τ): the regret per ln n under the τ-quantile."""
    return _regret(quantile_pulls(arms, tau), Quantile(tau).gaps(arms))


def has_mean_bound(arms: Sequence[Distribution]) -> bool:
    """Tell whether the arms are all Normal or all Bernoulli, the classes of `mean_pulls`."""
    return any(all(isinstance(arm, law) for arm in laws(arms)) for law in (Normal, Bernoulli))


def mean_pulls(
    arms: Sequence[Distribution], *, variance: Literal["known", "unknown"] = "known"
) -> Array:
    """Return 1 / K_j for each arm below the best mean, and 0 for the best (Lai and Robbins).

    Gaussian arms: K_j = Δ_j² / (2 σ_j²) if the policy knows each arm's variance, and
    ½ ln(1 + Δ_j² / σ_j²) if it does not. Bernoulli arms: K_j = kl(μ_j, μ*).
    """
    checks.choice("variance", variance, ("known", "unknown"))
    if not has_mean_bound(arms):
        raise AssumptionError(
            "The lower bound for means is known for arms that are all Normal or all Bernoulli; got "
            f"{', '.join(sorted({type(arm).__name__ for arm in arms}))}. Its value depends on the "
            "class of laws that the policy must be good for."
        )
    gaps = Mean().gaps(arms)
    if isinstance(arms[0], Bernoulli):
        means = np.array([arm.mean for arm in arms])
        return _inverse(_kl_to_best(means, means.max()), gaps > 0)
    squares = np.square(gaps / np.array([arm.sd for arm in arms]))
    return _inverse(squares / 2 if variance == "known" else np.log1p(squares) / 2, gaps > 0)


def mean_regret(
    arms: Sequence[Distribution], *, variance: Literal["known", "unknown"] = "known"
) -> float:
    """Return Σ_j Δ_j / K_j: the mean regret per ln n (Lai and Robbins)."""
    return _regret(mean_pulls(arms, variance=variance), Mean().gaps(arms))


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
