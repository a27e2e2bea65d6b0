"""The numerical methods of distributions: shortfalls, inverse functions, special functions.

SciPy is an optional dependency and slow to import, so it is imported when a function first needs
it: naming, parsing and storing distributions work without. Nothing here imports `scipy.stats`,
which is slower still.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtraError, ParameterError
from .base import Array

Function: TypeAlias = Callable[[Array], Array]
Keys: TypeAlias = npt.NDArray[np.int64]

NEGLIGIBLE = 2.0**-60  # a share of the whole that changes no digit of it
LOWEST = 690.0  # −ln of the lowest level, near the smallest double
MOST_ATOMS = 10**7
GAP = 1e-9  # far above rounding, far below what people would call a difference


def integrated_shortfall(quantile: Function, cdf: Function, mean: float, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x; `inf` if there is no mean and the lower tail is why.

    It is ∫ (x − F⁻¹(p)) dp over (0, F(x)), and with p = F(x) e^(−v) the lower tail, light or heavy,
    becomes an integrand that falls off exponentially.
    """
    top = cdf(x)
    reached = top > 0.0  # below the support nothing falls short
    level = np.where(reached, top, 1.0)

    def integrand(v: Array, x: Array, level: Array) -> Array:
        fall = x - quantile(level * np.exp(-v))
        # Rounding may lift a quantile above x; far out SciPy's may be ∞ of either sign.
        return np.where(np.isfinite(fall), np.exp(-v) * np.maximum(fall, 0.0), 0.0)

    if not math.isfinite(mean) and _has_heavy_lower_tail(quantile):
        return np.where(reached, np.inf, 0.0)
    highest, tanhsinh = LOWEST + np.log(level), scipy_part("integrate").tanhsinh
    areas = tanhsinh(integrand, 0.0, highest, args=(x, level), rtol=1e-12).integral
    return np.where(reached, level * areas, 0.0)


def _has_heavy_lower_tail(quantile: Function) -> bool:
    """Tell whether p F⁻¹(p) does not vanish towards p = 0: then there is no mean below any x."""
    levels = np.array([0.5, 1e-8, 1e-12])
    centre, *ends = quantile(levels).tolist()
    near, far = (level * (centre - end) for level, end in zip(levels[1:], ends, strict=True))
    return bool(far >= 0.9 * near > 0.0)


def lattice_shortfall(quantile: Function, cdf: Function, x: Array) -> Array:
    """Return E[(x − Y)₊] for each x, for a distribution whose atoms are one apart."""
    origin = float(quantile(np.array([0.5]))[0])
    values = [_summed(quantile, cdf, origin, point) for point in x.ravel().tolist()]
    return np.reshape(values, x.shape)


def _summed(quantile: Function, cdf: Function, origin: float, x: float) -> float:
    """Return (x − a) F(a) + F(a−1) + F(a−2) + …, the area under a staircase; a is an atom.

    F is evaluated half-way between atoms, where no rounding can put it on the wrong step.
    """
    highest = float(quantile(np.array([1.0 - 2.0**-53]))[0])
    atom = origin + math.floor(min(x, highest) - origin)
    top = float(cdf(np.array([atom + 0.5]))[0])
    lowest = float(quantile(np.array([NEGLIGIBLE * top]))[0]) if top > 0.0 else atom
    if atom - lowest > MOST_ATOMS:
        raise ParameterError(
            f"A shortfall sums the atoms below, and there are more than {MOST_ATOMS} of them below "
            f"{x:g}; sample the distribution into an Empirical."
        )
    below = np.arange(1.0, max(atom - lowest, 0.0) + 1.0)
    return (x - atom) * top + float(np.sum(cdf(atom + 0.5 - below)))


def first_double_reaching(target: Array, cdf: Function, low: Array, high: Array) -> Array:
    """Return the smallest double x in [low, high] with cdf(x) ≥ target, or `high` if there is none.

    Doubles, put in order, are integers (see `_keys`), so that halving the integer interval ends at
    two neighbouring doubles after at most 64 steps, wherever the atoms and flat parts may be and
    even between −inf and inf.
    """
    below = np.broadcast_to(_keys(low), target.shape)
    reached = np.where(cdf(low) >= target, below, _keys(high))
    while np.any(below + 1 < reached):
        middle = (below >> 1) + (reached >> 1) + (below & reached & 1)  # the sum may overflow
        enough = cdf(_doubles(middle)) >= target
        below, reached = np.where(enough, below, middle), np.where(enough, middle, reached)
    return _doubles(reached)


def first_double_almost_reaching(
    target: Array, almost: Array, cdf: Function, low: Array, high: Array
) -> Array:
    """Return the first double that reaches the target, or, across a gap, that almost reaches it.

    Weights such as 0.1 and 0.7 add up to slightly less than 0.8, which must not carry a quantile
    over to the next atom. So a level that is reached up to rounding counts as reached if that
    changes more than rounding does: if the distribution function is flat in between, or if the two
    places are at least GAP times the searched range apart.
    """
    strict, forgiving = first_double_reaching(np.stack([target, almost]), cdf, low, high)
    with np.errstate(invalid="ignore", over="ignore"):  # the ends may be infinite
        flat = cdf(np.nextafter(strict, -np.inf)) - cdf(forgiving) <= (target - almost) / 4
        far = strict - forgiving > GAP * (high - low)
    return np.where((forgiving < strict) & (flat | far), forgiving, strict)


def _keys(x: Array) -> Keys:
    """Return the place of each double in the order of all doubles: 0 for 0, odd under x → −x."""
    magnitude = np.abs(x).view(np.int64)
    return np.where(x < 0.0, -magnitude, magnitude)


def _doubles(keys: Keys) -> Array:
    """Return the doubles at these places: the inverse of `_keys`."""
    return np.copysign(np.abs(keys).view(np.float64), keys)


def normal_cdf(x: Array) -> Array:
    """Return Φ(x), the standard normal distribution function."""
    return np.asarray(scipy_part().ndtr(x))


def normal_quantile(p: Array) -> Array:
    """Return Φ⁻¹(p)."""
    return np.asarray(scipy_part().ndtri(p))


def normal_log_pdf(z: Array) -> Array:
    """Return ln φ(z) = −z²/2 − ln √(2π)."""
    return np.asarray(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi))


def normal_pdf(z: Array) -> Array:
    """Return φ(z)."""
    return np.asarray(np.exp(normal_log_pdf(z)))


def mills_ratio(z: Array) -> Array:
    """Return Φ(−z)/φ(z), which falls like 1/z where both of its parts vanish."""
    return np.asarray(np.sqrt(np.pi / 2.0) * scipy_part().erfcx(z / np.sqrt(2.0)))


def normal_excess(z: Array) -> Array:
    """Return E[(N − z)₊] = φ(z) − zΦ(−z) for z ≥ 0, without cancelling far out."""
    near = np.minimum(z, 40.0)  # beyond, φ is no double
    return normal_pdf(near) * np.maximum(1.0 - near * mills_ratio(near), 0.0)


def t_cdf(x: Array, df: float) -> Array:
    """Return T_ν(x), the distribution function of Student's t."""
    if df == 1.0:  # Cauchy, in closed form: SciPy 1.17 loses half the digits near 0 (issue 25667)
        return np.asarray(np.arctan2(1.0, -x) / np.pi)
    return np.asarray(scipy_part().stdtr(df, x))


def t_quantile(p: Array, df: float) -> Array:
    """Return T_ν⁻¹(p)."""
    quantiles = np.asarray(scipy_part().stdtrit(df, p))
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
    """Return the p-quantile of the beta distribution with parameters a and b."""
    return float(scipy_part().betaincinv(a, b, p))


def gamma_lower(shape: float, x: Array) -> Array:
    """Return P(G ≤ x) for a gamma variable of this shape and scale 1, x ≥ 0."""
    return np.asarray(scipy_part().gammainc(shape, x))


def gamma_ratio(df: float) -> float:
    """Return Γ((ν+1)/2) / Γ(ν/2), accurate also for large ν, where each Γ overflows."""
    return float(scipy_part().poch(df / 2.0, 0.5))


def scipy_part(name: str = "special", what: str = "Computing with this distribution") -> Any:
    """Return a part of SciPy; refuse `what` where SciPy is not installed."""
    try:
        import scipy
    except ImportError as error:
        raise MissingExtraError.needed(what, "lab") from error
    return getattr(scipy, name)  # imports it
