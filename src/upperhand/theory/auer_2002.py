"""The bounds of mean-based UCB: P. Auer, N. Cesa-Bianchi, P. Fischer, Machine Learning 47, 2002.

Gaps are the mean gaps Δ_j = μ_M − μ_j of all arms, 0 for the best. Bounds on pulls are per arm (the
entry of a best arm is infinite: nothing bounds its pulls), bounds on regret are sums.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import ParameterError

Array = NDArray[np.float64]


def ucb1_pull_bound(horizon: float, gaps: ArrayLike) -> Array:
    """Return 8 ln n / Δ_j² + 1 + π²/3, for UCB1 and rewards in [0, 1] (Theorem 1 of Auer et al.).

    Its proof uses Hoeffding's inequality only, so it also covers Gaussian arms with σ ≤ 1/2.
    """
    each = checks.reals("gaps", gaps, least=0)
    return _pulls(each, lambda gap: 8 / np.square(gap), horizon) + 1 + math.pi**2 / 3


def ucb1_regret_bound(horizon: float, gaps: ArrayLike) -> float:
    """Return Σ_j 8 ln n / Δ_j + (1 + π²/3) Σ_j Δ_j (Theorem 1 of Auer et al.)."""
    behind = _behind(gaps)
    return float(np.sum(behind * ucb1_pull_bound(horizon, behind)))


def ucb1_normal_pull_bound(horizon: float, gaps: ArrayLike, sds: ArrayLike) -> Array:
    """Return max{256 σ_j² / Δ_j², 8} ln n + 1 + π²/2, for UCB1-NORMAL (equation 19).

    The maximum is from the proof of Auer's Theorem 4, which rests on two conjectures about tails of
    Student and χ² variables, checked numerically there. The theorem itself states the sum.
    """
    each, sigma = _arms(gaps, sds)
    pulls = _pulls(each, lambda gap: np.maximum(256 * np.square(sigma / gap), 8.0), horizon)
    return pulls + 1 + math.pi**2 / 2


def ucb1_normal_regret_bound(horizon: float, gaps: ArrayLike, sds: ArrayLike) -> float:
    """Return Σ_j (256 σ_j²/Δ_j + 8 Δ_j) ln n + (1 + π²/2) Σ_j Δ_j (equation 18)."""
    each, sigma = _arms(gaps, sds)
    each, sigma = each[each > 0], sigma[each > 0]
    growing = (256 * np.square(sigma) / each + 8 * each) * _log(horizon)
    return float(np.sum(growing + (1 + math.pi**2 / 2) * each))


def _pulls(gaps: Array, rate: Callable[[Array], Array], horizon: float) -> Array:
    """Return rate(Δ_j) ln n, and infinity for a best arm, also where ln n is 0."""
    behind = gaps > 0
    return np.where(behind, rate(np.where(behind, gaps, 1.0)) * _log(horizon), np.inf)


def _log(horizon: float) -> float:
    return math.log(checks.real("horizon", horizon, least=1))


def _behind(gaps: ArrayLike) -> Array:
    each = checks.reals("gaps", gaps, least=0)
    return each[each > 0]


def _arms(gaps: ArrayLike, sds: ArrayLike) -> tuple[Array, Array]:
    each, sigma = checks.reals("gaps", gaps, least=0), checks.reals("sds", sds, above=0)
    if each.shape != sigma.shape:
        raise ParameterError(
            f"gaps and sds must be one number an arm; got shapes {each.shape} and {sigma.shape}."
        )
    return each, sigma
