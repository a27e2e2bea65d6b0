"""Does a policy fit the rewards? Their spread, which b is measured by, and their range."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.compile import kernel

FAILURES = 1e200  # beyond all rewards; failed trials are learned as ±1e300
TOO_SMALL, TOO_LARGE = 0.1, 100.0  # b in spreads: below, arms are dropped too soon; above, never


@kernel
def widest(low: Any, high: Any) -> float:
    """Return the largest width q̂ʰⁱᵍʰ − q̂ˡᵒʷ of any arm; if all are 0, that of all arms together.

    An arm without rewards has the ends +∞ and −∞, and no part in it; nor has one with an end among
    failed trials. Without any arm it is 0.
    """
    spread, least, most = 0.0, math.inf, -math.inf
    for arm in range(len(low)):
        lower, upper = float(low[arm]), float(high[arm])
        if lower > -FAILURES and upper < FAILURES:
            spread = max(spread, upper - lower)
            least, most = min(least, lower), max(most, upper)
    return spread if spread > 0.0 else max(most - least, 0.0)


def spread_told(
    pulls: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> float:
    """Return `widest` of the arms that have rewards, 0 if none has."""
    told = pulls > 0
    return widest(low[told], high[told]) if told.any() else 0.0


def scale_advice(b: float, spread: float, remedy: str) -> str | None:
    """Return a warning if b is far from the spread, None if it is not or nothing is known yet."""
    if spread == 0.0 or b == 0.0 or TOO_SMALL <= b / spread <= TOO_LARGE:
        return None
    if b < spread:
        verdict = "small: a good arm may be dropped after a few bad rewards"
    else:
        verdict = "large: the arms will be played almost evenly for a long time"
    return (
        f"b = {b:g} is in the unit of the rewards, which spread over about {spread:.3g}. That is "
        f"very {verdict}. {remedy}"
    )


def unit_advice(state: Any, instead: str) -> str | None:
    """Return a warning if some arm's mean is not in [0, 1], where the rewards must be."""
    outside = [float(mean) for mean in state.mean if not 0.0 <= mean <= 1.0]
    if not outside:
        return None
    return (
        f"rewards must lie in [0, 1], and the mean of an arm is {outside[0]:.3g}: what is outside "
        f"is clipped, and arms are not told apart. Rescale what you tell, or use {instead}."
    )
