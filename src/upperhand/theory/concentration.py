"""The concentration of empirical quantiles and of recomputed score quantiles: Lemmas 1 to 3.

The lemmas bound probabilities; a bound above 1 is vacuous, and returned as it is.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import ParameterError
from .theorem_1 import rho

Array = NDArray[np.float64]


def quantile_error(sup_distance: ArrayLike, g_0: float, r: float) -> Array:
    """Return δ = sup |Ĝ − G| / g₀, which bounds |q̂ − q| (Lemma 1).

    G has density at least g₀ within r of its quantile q, so δ must be below r. The lemma admits
    δ = r too, where it can fail: G may be flat from there on (the ledger of claims has the case).
    """
    distance = checks.reals("sup_distance", sup_distance, above=0)
    error: Array = distance / checks.real("g_0", g_0, above=0)
    if np.any(error >= checks.real("r", r, above=0)):
        raise ParameterError(
            f"Lemma 1 needs sup |Ĝ − G| < g₀ r = {g_0 * r:g}; got {distance.max():g}."
        )
    return error


def correction_error(beta: ArrayLike, alpha: float, g_min: float) -> Array:
    """Return |β − α| / g_min ≥ |c(β) − c(α)|, for β in the window (proof of Theorem 1, A.1.3)."""
    levels = checks.reals("beta", beta, above=0, below=1)
    shift = np.abs(levels - checks.real("alpha", alpha, above=0, below=1))
    return shift / checks.real("g_min", g_min, above=0)


def reward_quantile_tail(m: ArrayLike, epsilon: ArrayLike, *, f_min: float, r_y: float) -> Array:
    """Return 2 exp(−2 m ε² f_min²) ≥ P(|q̂_m − q| > ε), for 0 < ε ≤ r_y (Lemma 2)."""
    within = _epsilon(epsilon, "r_y", checks.real("r_y", r_y, above=0))
    scaled = within * checks.real("f_min", f_min, above=0)
    return 2 * np.exp(-2 * checks.reals("m", m, least=1) * scaled * scaled)


def score_quantile_tail(
    m: ArrayLike, epsilon: ArrayLike, *, f_min: float, g_min: float, r_y: float, r_s: float
) -> Array:
    """Return the bound on P(sup_β |ĉ(β) − c(β)| ≥ ε) from m rewards (Lemma 3, equation 33).

    2 exp(−m ε² g_min² / 2) + 4 exp(−m ε² f_min² / 8), for 0 < ε ≤ ρ = min{r_s, r_y / 2}.
    """
    size, within = checks.reals("m", m, least=1), _epsilon(epsilon, "rho", rho(r_y, r_s))
    g = within * checks.real("g_min", g_min, above=0)
    f = within * checks.real("f_min", f_min, above=0)
    return 2 * np.exp(-size * g * g / 2) + 4 * np.exp(-size * f * f / 8)


def score_shift(low_error: ArrayLike, high_error: ArrayLike) -> Array:
    """Return max{|q̂ˡᵒʷ − qˡᵒʷ|, |q̂ʰⁱᵍʰ − qʰⁱᵍʰ|} ≥ |S̃ − S|, the plug-in error (equation 6)."""
    low, high = checks.reals("low_error", low_error), checks.reals("high_error", high_error)
    return np.maximum(np.abs(low), np.abs(high))


def _epsilon(epsilon: ArrayLike, name: str, radius: float) -> Array:
    within = checks.reals("epsilon", epsilon, above=0)
    if np.any(within > radius):
        raise ParameterError(f"epsilon must be at most {name} = {radius:g}; got {within.max():g}.")
    return within
