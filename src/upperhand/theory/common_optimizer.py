"""Logarithmic constants where mean and tail agree on the best arm A (section 4.3.3).

Both policies then pull arm j at most γ_j ln n + O(1) times, and ACP-UCB1 has the smaller bound
under both metrics where γ_j^ACP < γ_j^UCB. All functions take arrays of arms j ≠ A. Note that γ^ACP
bounds ACP-UCB1 only for a b that Theorem 1 admits.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks

Array = NDArray[np.float64]


def acp_gap(mean_gap: ArrayLike, a: float, sd_best: float, sd: ArrayLike) -> Array:
    """Return Δ_j^ACP = Δ_j^μ + a (σ_A − σ_j) (equation 16)."""
    wider = checks.real("sd_best", sd_best, above=0) - checks.reals("sd", sd, above=0)
    gap: Array = checks.reals("mean_gap", mean_gap) + checks.real("a", a, above=0) * wider
    return gap


@np.errstate(over="ignore")  # a tiny gap has an infinite constant
def gamma_acp(b: ArrayLike, acp_gap: ArrayLike) -> Array:
    """Return γ_j^ACP = 4 b² / (Δ_j^ACP)² (equation 17)."""
    gamma: Array = np.square(2 * _positive("b", b) / _positive("acp_gap", acp_gap))
    return gamma


@np.errstate(over="ignore")
def gamma_ucb(sd: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return γ_j^UCB = max{256 σ_j² / (Δ_j^μ)², 8} (equation 19)."""
    spread = np.square(_positive("sd", sd) / _positive("mean_gap", mean_gap))
    gamma: Array = np.maximum(256 * spread, 8.0)
    return gamma


def gap_ratio(acp_gap: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return r_j = Δ_j^ACP / Δ_j^μ, by how much the tail enlarges the gap (section 4.3.3)."""
    ratio: Array = _positive("acp_gap", acp_gap) / _positive("mean_gap", mean_gap)
    return ratio


def least_gap_ratio(b: ArrayLike, sd: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return 2 b / √max{256 σ_j², 8 (Δ_j^μ)²}, above which r_j favours ACP-UCB1 (section 4.3.3)."""
    widths = 16 * _positive("sd", sd), math.sqrt(8) * _positive("mean_gap", mean_gap)
    ratio: Array = 2 * _positive("b", b) / np.maximum(*widths)
    return ratio


def has_smaller_acp_constant(
    b: ArrayLike, acp_gap: ArrayLike, sd: ArrayLike, mean_gap: ArrayLike
) -> NDArray[np.bool_]:
    """Tell whether γ_j^ACP < γ_j^UCB (equation 20)."""
    smaller: NDArray[np.bool_] = gamma_acp(b, acp_gap) < gamma_ucb(sd, mean_gap)
    return smaller


def _positive(name: str, values: ArrayLike) -> Array:
    return checks.reals(name, values, above=0)
