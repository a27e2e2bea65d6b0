"""Assumption 1: densities bounded away from 0 around the quantiles that enter the endpoint.

For levels β in a window [α_lo, α_hi] that holds α, and radii r_y and r_s,

    (a) f_min ≤ f_j ≤ f_max within r_y of the ends qˡᵒʷ − c(β) and qʰⁱᵍʰ + c(β),
    (b) g_j ≥ g_min within r_s of c(β).

c(β) falls in β, so each union over β is an interval between the ends of the window, widened by the
radius (where c jumps, (b) fails anyway). For Gaussian arms the appendix gives admissible constants
in closed form. For any distribution with a density the best ones are found on a grid that is
refined around the extremes: a gap or a peak much narrower than a thousandth of the set may escape.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.numerics import normal_log_pdf, normal_quantile
from ..errors import AssumptionError, ParameterError
from . import population
from .population import Arms, Ends, checked_arms

Array = NDArray[np.float64]
Window = tuple[float, float]

GRID, REFINEMENTS = 1025, 3  # the last grid is some 10⁸ times finer than the first
STILL_GROWING = 2.0  # a maximal density that the last refinement still doubles is unbounded


class LocalConstants(NamedTuple):
    """The constants of Assumption 1, the same for every arm."""

    f_min: float
    f_max: float
    g_min: float
    r_y: float
    r_s: float


class _Extreme(NamedTuple):
    """An extreme value, and where it is."""

    value: float
    at: float


def gaussian_constants(sds: ArrayLike, window: Window, *, r_y: float, r_s: float) -> LocalConstants:
    """Return the admissible constants of Gaussian arms (appendix A.1.1).

    f_min = φ(z_max + r_y/σ_min) / σ_max, f_max = φ(0) / σ_min and
    g_min = 2 φ(z_max + r_s/σ_min) / σ_max, where z_max = z_{1−α_lo/2}. They need r_s < σ_min z_min,
    where z_min = z_{1−α_hi/2}.
    """
    sigma = np.atleast_1d(checks.reals("sds", sds, above=0))
    if not len(sigma):
        raise ParameterError("An instance has one arm or more; got none.")
    least, most = float(sigma.min()), float(sigma.max())
    lowest, highest = _window(window)
    r_y, r_s = checks.real("r_y", r_y, above=0), checks.real("r_s", r_s, above=0)
    z_max, z_min = normal_quantile(1 - np.array([lowest, highest]) / 2)
    if r_s >= least * z_min:
        raise AssumptionError(
            f"r_s must be below σ_min z_min = {least * z_min:.6g}, for σ_min = {least:g} and the "
            f"upper level {highest:g} (appendix A.1.1); got {r_s:g}. Take a smaller r_s or level."
        )
    f_low, g_low, peak = np.exp(
        normal_log_pdf(np.array([z_max + r_y / least, z_max + r_s / least, 0.0]))
    )
    if not min(f_low, g_low) > 0:
        raise AssumptionError(
            "The constants of appendix A.1.1 are 0 in floating point: densities at "
            f"{z_max + max(r_y, r_s) / least:.3g} standard deviations. Take smaller radii."
        )
    return LocalConstants(
        float(f_low / most), float(peak / least), float(2 * g_low / most), r_y, r_s
    )


def local_constants(
    arms: Arms, alpha: float, window: Window, *, r_y: float, r_s: float
) -> LocalConstants:
    """Return the best constants of any arms with densities, found numerically.

    Refuses an arm for which the assumption fails, and says which condition does.
    """
    radii = checks.real("r_y", r_y, above=0), checks.real("r_s", r_s, above=0)
    each = [
        _constants_of(j, arm, alpha, window, *radii) for j, arm in enumerate(checked_arms(arms))
    ]
    f_min, f_max, g_min = (np.array(column) for column in zip(*each, strict=True))
    return LocalConstants(float(f_min.min()), float(f_max.max()), float(g_min.min()), *radii)


def reward_sets(arm: Distribution, alpha: float, window: Window, r_y: float) -> tuple[Ends, Ends]:
    """Return the two intervals of I^rew: around the lower and around the upper ends (a)."""
    r_y = checks.real("r_y", r_y, above=0)
    widest, narrowest = population.correction(arm, alpha, _levels(alpha, window))
    low, high = population.q_low(arm, alpha), population.q_high(arm, alpha)
    return (
        Ends(float(low - widest - r_y), float(low - narrowest + r_y)),
        Ends(float(high + narrowest - r_y), float(high + widest + r_y)),
    )


def score_set(arm: Distribution, alpha: float, window: Window, r_s: float) -> Ends:
    """Return the interval I^score (b)."""
    r_s = checks.real("r_s", r_s, above=0)
    widest, narrowest = population.correction(arm, alpha, _levels(alpha, window))
    return Ends(float(narrowest - r_s), float(widest + r_s))


def nominal_density(arms: Arms, alpha: float, *, r_y: float) -> float:
    """Return the least density within r_y of qˡᵒʷ and qʰⁱᵍʰ (ours).

    The proof of Theorem 1 uses no more than this of (a): levels β ≠ α enter by g_min alone, and
    f_max does not.
    """
    return _least_density(arms, lambda arm: reward_sets(arm, alpha, (alpha, alpha), r_y))


def endpoint_density(arms: Arms, alpha: float, *, r_y: float) -> float:
    """Return the least density within r_y of qʰⁱᵍʰ: the proof uses no more if η = 0 (ours)."""
    return _least_density(arms, lambda arm: reward_sets(arm, alpha, (alpha, alpha), r_y)[1:])


def _least_density(arms: Arms, sets: Callable[[Distribution], Sequence[Ends]]) -> float:
    return min(_densities(j, arm, sets)[0].value for j, arm in enumerate(checked_arms(arms)))


def _constants_of(
    j: int, arm: Distribution, alpha: float, window: Window, r_y: float, r_s: float
) -> tuple[float, float, float]:
    """Return f_min, f_max and g_min of one arm."""
    _refuse_atoms(j, arm)
    scores, name = score_set(arm, alpha, window, r_s), _name(j, arm)
    lowest = population.score_support(arm, alpha).lower
    if scores.lower <= lowest:
        raise AssumptionError(
            f"Assumption 1 (b) fails for {name}: its scores start at {lowest:.6g}, and "
            f"the set reaches down to {scores.lower:.6g}. It needs r_s below "
            f"{scores.lower + r_s - lowest:.6g}, or a smaller upper level."
        )
    remedy = "a smaller r_y, or a narrower window of levels"
    f_low, f_high = _densities(j, arm, lambda arm: reward_sets(arm, alpha, window, r_y), remedy)
    if not np.isfinite(f_high.value):
        raise AssumptionError(
            f"Assumption 1 (a) fails for {name}: the density is unbounded at {f_high.at:.6g}."
        )
    g_low, _ = _extremes(lambda z: population.score_pdf(arm, alpha, z), scores)
    if g_low.value <= 0:
        raise AssumptionError(
            f"Assumption 1 (b) fails for {name}: the score density is 0 at "
            f"{g_low.at:.6g}. It needs a smaller r_s, or a narrower window of levels."
        )
    return f_low.value, f_high.value, g_low.value


def _densities(
    j: int,
    arm: Distribution,
    sets: Callable[[Distribution], Sequence[Ends]],
    remedy: str = "a smaller r_y",
) -> tuple[_Extreme, _Extreme]:
    """Return the minimum and the maximum of the density on some sets; refuse a minimum of 0."""
    _refuse_atoms(j, arm)
    around = [_extremes(arm.pdf, part) for part in sets(arm)]
    low, high = min(low for low, _ in around), max(high for _, high in around)
    if low.value <= 0:
        raise AssumptionError(
            f"Assumption 1 (a) fails for {_name(j, arm)}: the density is 0 at {low.at:.6g}. It "
            f"needs {remedy}."
        )
    return low, high


def _refuse_atoms(j: int, arm: Distribution) -> None:
    if not arm.has_density:
        raise AssumptionError(f"Assumption 1 needs densities; {_name(j, arm)}, has atoms.")


def _name(j: int, arm: Distribution) -> str:
    return f"arm {j}, {arm!r}"


def _window(window: Window) -> Window:
    if checks.numbers("window", window).shape != (2,):
        raise ParameterError(f"A window is two levels, such as (1e-4, 0.5); got {window!r}.")
    lowest = checks.real("the lower level", window[0], above=0, below=1)
    return lowest, checks.real("the upper level", window[1], least=lowest, below=1)


def _levels(alpha: float, window: Window) -> Array:
    """Return the levels of the window, lowest first; refuse one that does not hold α."""
    lowest, highest = _window(window)
    checks.real("alpha", alpha, least=lowest, most=highest)
    return np.array([lowest, highest])


def _extremes(density: Callable[[Array], Array], part: Ends) -> tuple[_Extreme, _Extreme]:
    """Return the minimum and the maximum of a density on an interval; an unbounded one is ∞."""
    found = []
    for best in (np.argmin, np.argmax):
        points, extremes = np.linspace(*part, GRID), []
        for _ in range(1 + REFINEMENTS):
            values = density(points)
            i = int(best(values))
            extremes.append(_Extreme(float(values[i]), float(points[i])))
            points = np.linspace(points[max(i - 1, 0)], points[min(i + 1, GRID - 1)], GRID)
        found.append(extremes)
    (*_, low), (*_, before, high) = found
    if not high.value <= STILL_GROWING * before.value:
        high = high._replace(value=np.inf)
    return low, high
