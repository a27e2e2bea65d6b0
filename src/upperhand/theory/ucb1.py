"""The bounds of mean-based UCB: P. Auer, N. Cesa-Bianchi, P. Fischer, Machine Learning 47, 2002.

Gaps are the mean gaps Δ_j = μ_M − μ_j of all arms, 0 for the best. Bounds on pulls are per arm (the
entry of a best arm is infinite: nothing bounds its pulls), bounds on regret are sums.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import ParameterError
from .gaussian import gamma_ucb

Array = NDArray[np.float64]


def ucb1_pull_bound(horizon: ArrayLike, gaps: ArrayLike) -> Array:
    """Return 8 ln n / Δ_j² + 1 + π²/3, for UCB1 and rewards in [0, 1] (Theorem 1 of Auer et al.).

    Its proof uses Hoeffding's inequality only, so it also covers Gaussian arms with σ ≤ 1/2.
    """
    each = checks.reals("gaps", gaps, least=0)
    behind = np.where(each > 0, each, 1.0)
    with np.errstate(over="ignore"):
        pulls = 8 * np.square(1 / behind) * _log(horizon)
    return np.where(each > 0, pulls, np.inf) + 1 + math.pi**2 / 3


def ucb1_regret_bound(horizon: ArrayLike, gaps: ArrayLike) -> Array:
    """Return Σ_j 8 ln n / Δ_j + (1 + π²/3) Σ_j Δ_j (Theorem 1 of Auer et al.)."""
    each = checks.reals("gaps", gaps, least=0)
    behind = each[each > 0]
    return np.sum(8 / behind) * _log(horizon) + (1 + math.pi**2 / 3) * np.sum(behind)


def ucb1_normal_pull_bound(horizon: ArrayLike, gaps: ArrayLike, sds: ArrayLike) -> Array:
    """Return max{256 σ_j² / Δ_j², 8} ln n + 1 + π²/2, for UCB1-NORMAL (equation 19).

    The maximum is from the proof of Auer's Theorem 4, which rests on two conjectures about tails of
    Student and χ² variables, checked numerically there. The theorem itself states the sum.
    """
    each, sigma = _arms(gaps, sds)
    pulls = gamma_ucb(sigma, np.where(each > 0, each, 1.0)) * _log(horizon)
    return np.where(each > 0, pulls, np.inf) + 1 + math.pi**2 / 2


def ucb1_normal_regret_bound(horizon: ArrayLike, gaps: ArrayLike, sds: ArrayLike) -> Array:
    """Return Σ_j (256 σ_j²/Δ_j + 8 Δ_j) ln n + (1 + π²/2) Σ_j Δ_j (equation 18)."""
    each, sigma = _arms(gaps, sds)
    each, sigma = each[each > 0], sigma[each > 0]
    growing = np.sum(256 * sigma * (sigma / each) + 8 * each)
    return growing * _log(horizon) + (1 + math.pi**2 / 2) * np.sum(each)


def _log(horizon: ArrayLike) -> Array:
    return np.log(checks.reals("horizon", horizon, least=1))


def _arms(gaps: ArrayLike, sds: ArrayLike) -> tuple[Array, Array]:
    each, sigma = checks.reals("gaps", gaps, least=0), checks.reals("sds", sds, above=0)
    if each.shape != sigma.shape:
        raise ParameterError(
            f"gaps and sds must be one number an arm; got shapes {each.shape} and {sigma.shape}."
        )
    return each, sigma
