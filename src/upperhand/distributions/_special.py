"""The few special functions of the laws, from SciPy, imported only when one is first needed.

SciPy is an optional dependency and slow to import; naming, parsing and storing laws need none of
it. Only `scipy.special` is used here: `scipy.stats` takes longer still.
"""

from typing import Any

import numpy as np

from ..errors import MissingExtraError
from .base import Array


def normal_cdf(x: Array) -> Array:
    """Return Φ(x), the standard normal distribution function."""
    return np.asarray(_scipy().ndtr(x))


def normal_quantile(p: Array) -> Array:
    """Return Φ⁻¹(p)."""
    return np.asarray(_scipy().ndtri(p))


def normal_log_pdf(z: Array) -> Array:
    """Return ln φ(z) = −z²/2 − ln √(2π)."""
    return np.asarray(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi))


def normal_pdf(z: Array) -> Array:
    """Return φ(z)."""
    return np.asarray(np.exp(normal_log_pdf(z)))


def mills_ratio(z: Array) -> Array:
    """Return Φ(−z)/φ(z), which falls like 1/z where both of its parts vanish."""
    return np.asarray(np.sqrt(np.pi / 2.0) * _scipy().erfcx(z / np.sqrt(2.0)))


def normal_excess(z: Array) -> Array:
    """Return E[(N − z)₊] = φ(z) − zΦ(−z) for z ≥ 0, without cancelling far out."""
    near = np.minimum(z, 40.0)  # beyond, φ is no double
    return normal_pdf(near) * np.maximum(1.0 - near * mills_ratio(near), 0.0)


def t_cdf(x: Array, df: float) -> Array:
    """Return T_ν(x), the distribution function of Student's t."""
    if df == 1.0:  # Cauchy, in closed form: SciPy 1.17 loses half the digits near 0 (issue 25667)
        return np.asarray(np.arctan2(1.0, -x) / np.pi)
    return np.asarray(_scipy().stdtr(df, x))


def t_quantile(p: Array, df: float) -> Array:
    """Return T_ν⁻¹(p)."""
    quantiles = np.asarray(_scipy().stdtrit(df, p))
    # SciPy 1.17 answers +inf for p = 0 and for p below about 1e-238 (issue 25968).
    return np.where(p < 0.5, -np.abs(quantiles), quantiles)


def t_excess(z: Array, df: float) -> Array:
    """Return E[(T − z)₊] = (ν + z²) f(z)/(ν − 1) − zT_ν(−z) for z ≥ 0 and ν > 1."""
    near = np.minimum(z, 1e300)  # ∞ times 0 is no number
    log_falling = -(df - 1.0) / 2.0 * np.logaddexp(0.0, 2.0 * np.log(near / np.sqrt(df)))
    peak = gamma_ratio(df) / np.sqrt(np.pi * df)
    first = df / (df - 1.0) * peak * np.exp(log_falling)
    return np.asarray(np.maximum(first - near * t_cdf(-near, df), 0.0))


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the p-quantile of the beta law with parameters a and b."""
    return float(_scipy().betaincinv(a, b, p))


def gamma_lower(shape: float, x: Array) -> Array:
    """Return P(G ≤ x) for a gamma law of this shape and scale 1, x ≥ 0."""
    return np.asarray(_scipy().gammainc(shape, x))


def gamma_ratio(df: float) -> float:
    """Return Γ((ν+1)/2) / Γ(ν/2), accurate also for large ν, where each Γ overflows."""
    return float(_scipy().poch(df / 2.0, 0.5))


def _scipy() -> Any:
    try:
        import scipy.special
    except ImportError as error:
        raise MissingExtraError.needed("Computing with this law", "lab") from error
    return scipy.special
