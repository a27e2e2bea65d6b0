"""CQR: conformalised quantile regression, for forecasts that are intervals.

Y. Romano, E. Patterson, E. Candès, "Conformalized Quantile Regression", NeurIPS 2019.
A forecast is [ℓ, u], say the α/2 and 1 − α/2 quantiles of a regression. The
symmetric score of an outcome is max{ℓ − y, y − u}, negative inside, and [ℓ, u] becomes

    [ℓ − ĉ, u + ĉ],   ĉ the score of rank ⌈(1 − α)(m + 1)⌉ of m, or +∞ if that is m + 1.

The asymmetric form keeps the two ends apart: [ℓ − ĉ₁, u + ĉ₂], ĉ₁ of rank ⌈(1 − α/2)(m + 1)⌉ among
the scores ℓ − y, and ĉ₂ among the scores y − u. Then each end holds on its own, at the
price of a wider interval. If the scores are exchangeable, either covers with probability at least
1 − α; the symmetric one with at most 1 − α + 1/(m + 1) if they have no ties. As in split conformal,
the rank is never clipped to m: with fewer than 1/α − 1 scores (2/α − 1) the whole line is given.
An interval that narrows until its ends cross is empty. O(log m) an outcome.
"""

from typing import NamedTuple

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.samples import Samples
from .._kernels.sorted_samples import SortedSamples, insert
from ..parameters import parameter
from .base import Calibrator, CalibratorFunctions, covering_score, ordered, score, widened


class CQR(Calibrator):
    """Widen or narrow both ends of an interval by past scores, together or each by its own.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.CQR(alpha=0.5, symmetric=False)
    >>> for y in (2.0, 5.0, 9.0):
    ...     calibrator.update(y, forecast=(3.0, 4.0))
    >>> calibrator.predict((3.0, 4.0))
    Interval(lower=2.0, upper=9.0)
    """

    name = "CQR"

    symmetric: bool = parameter(
        "One correction for both ends, or one for each at level α/2.", default=True
    )


class State(NamedTuple):
    scores: SortedSamples  # the symmetric scores, or those of the upper end, y − u
    below: SortedSamples  # those of the lower end, ℓ − y; empty if symmetric


def start(calibrator: CQR, rows: int, capacity: int) -> State:
    apart = 0 if calibrator.symmetric else capacity
    return State(sorted_samples.empty(rows, capacity), sorted_samples.empty(rows, apart))


@kernel
def interval(
    calibrator: CQR, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    """Return [ℓ − ĉ, u + ĉ], or [ℓ − ĉ₁, u + ĉ₂]."""
    if calibrator.symmetric:
        return widened(low, high, covering_score(state.scores, row, 1.0 - calibrator.alpha))
    level = 1.0 - calibrator.alpha / 2
    lower = low - covering_score(state.below, row, level)
    return ordered(lower, high + covering_score(state.scores, row, level))


@kernel
def update(
    calibrator: CQR, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Keep the score of the outcome, or those of both ends."""
    if calibrator.symmetric:
        insert(state.scores, row, score(y, low, high))
    else:
        insert(state.scores, row, y - high)
        insert(state.below, row, low - y)


@kernel
def full(calibrator: CQR, state: State, row: int) -> bool:
    return sorted_samples.full(state.scores, row) or (
        not calibrator.symmetric and sorted_samples.full(state.below, row)
    )


CQR.functions = CalibratorFunctions(start, interval, update, full)
