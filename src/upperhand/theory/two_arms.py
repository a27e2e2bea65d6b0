"""The trade-off between A and M where mean and tail disagree: two Gaussian arms (section 4.3.2).

With δ_μ = μ_M − μ_A and δ_σ = σ_A − σ_M, the objectives disagree if 0 < δ_μ < a δ_σ. D_A and D_M
are what a policy loses per round that ends up with A or M, if no third arm is ever the best one.
All functions take arrays.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import AssumptionError

Array = NDArray[np.float64]


def kappa_0(delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return κ₀ = δ_μ / δ_σ, where the preference switches from M to A (section 4.3.2)."""
    switch: Array = _positive("delta_mu", delta_mu) / _positive("delta_sigma", delta_sigma)
    return switch


def acp_shortfall(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return D_A(κ) = (δ_μ − κ δ_σ)₊ (equation 11)."""
    return np.maximum(_advantage_of_mean(kappa, delta_mu, delta_sigma), 0.0)


def mean_shortfall(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return D_M(κ) = (κ δ_σ − δ_μ)₊ (equation 11)."""
    return np.maximum(-_advantage_of_mean(kappa, delta_mu, delta_sigma), 0.0)


def worst_acp_shortfall(delta_mu: ArrayLike) -> Array:
    """Return sup D_A = δ_μ (equation 14)."""
    worst: Array = _positive("delta_mu", delta_mu)[()]
    return worst


def worst_mean_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return sup D_M = a δ_σ − δ_μ (equation 14)."""
    return _acp_gap(a, delta_mu, delta_sigma)


def average_acp_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return (1/a) ∫ D_A = δ_μ² / (2 a δ_σ) (appendix A.1.4)."""
    _acp_gap(a, delta_mu, delta_sigma)  # the formula is for κ₀ in (0, a)
    square = np.square(_positive("delta_mu", delta_mu))
    average: Array = square / (2 * _positive("a", a) * _positive("delta_sigma", delta_sigma))
    return average


def average_mean_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return (1/a) ∫ D_M = (a δ_σ − δ_μ)² / (2 a δ_σ) (appendix A.1.4)."""
    square = np.square(_acp_gap(a, delta_mu, delta_sigma))
    average: Array = square / (2 * _positive("a", a) * _positive("delta_sigma", delta_sigma))
    return average


def is_acp_minimax(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> NDArray[np.bool_]:
    """Tell whether 2 δ_μ < a δ_σ: ACP-UCB1's worst leading coefficient is smaller (equation 15).

    >>> bool(is_acp_minimax(1.645, 0.10, 0.10))  # the paper's Gaussian arms at α = 0.1
    False
    """
    worst_of_mean = _acp_gap(a, delta_mu, delta_sigma)
    smaller: NDArray[np.bool_] = worst_acp_shortfall(delta_mu) < worst_of_mean
    return smaller


def _advantage_of_mean(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return v_M(κ) − v_A(κ) = δ_μ − κ δ_σ."""
    along = checks.reals("kappa", kappa, least=0)
    advantage: Array = _positive("delta_mu", delta_mu) - along * _positive(
        "delta_sigma", delta_sigma
    )
    return advantage


def _acp_gap(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return a δ_σ − δ_μ, which is positive when A ≠ M."""
    gap: Array = _positive("a", a) * _positive("delta_sigma", delta_sigma)
    gap = gap - _positive("delta_mu", delta_mu)
    if np.any(gap <= 0):
        raise AssumptionError(
            "The objectives must disagree, 0 < delta_mu < a · delta_sigma; got "
            f"delta_mu={delta_mu!r}, a={a!r}, delta_sigma={delta_sigma!r}."
        )
    return gap


def _positive(name: str, values: ArrayLike) -> Array:
    return checks.reals(name, values, above=0)
