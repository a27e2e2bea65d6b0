"""Split conformal prediction: the forecast widened by one of the past scores.

V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", Springer 2005; J. Lei,
M. G'Sell, A. Rinaldo, R. Tibshirani, L. Wasserman, "Distribution-Free Predictive Inference for
Regression", JASA 113, 2018. The score of an outcome is how far its forecast lay off, |y − ŷ| for a
point. With m scores the next interval is

    [ŷ − ĉ, ŷ + ĉ],   ĉ the score of rank ⌈(1 − α)(m + 1)⌉, or +∞ if that is m + 1.

If the scores are exchangeable (the forecaster has not learned from them; the series does not
drift), it covers with probability at least 1 − α, and at most 1 − α + 1/(m + 1) if they have no
ties. With fewer than 1/α − 1 scores it is the whole line, and rightly so: the rank is never clipped
to m, as some public code does at a loss of coverage. Every outcome adds its score. For a forecast
[ℓ, u] the score is max{ℓ − y, y − u}, and this is CQR. O(log m) an outcome.
"""

from typing import Any, NamedTuple

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.samples import Samples
from .._kernels.sorted_samples import SortedSamples, insert
from .base import Calibrator, CalibratorFunctions, covering_score, score, scores_full, widened


class SplitConformal(Calibrator):
    """Widen the forecast by the score of rank ⌈(1 − α)(m + 1)⌉ of the m past ones.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.SplitConformal(alpha=0.25)
    >>> for y in (1.0, -2.0, 0.5):
    ...     calibrator.update(y, forecast=0.0)
    >>> calibrator.predict(10.0)
    Interval(lower=8.0, upper=12.0)
    """

    name = "Split conformal"


class State(NamedTuple):
    scores: SortedSamples  # the scores, sorted


def start(calibrator: SplitConformal, rows: int, capacity: int) -> State:
    return State(sorted_samples.empty(rows, capacity))


@kernel
def interval(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    return widened(low, high, covering_score(state.scores, row, 1.0 - calibrator.alpha))


@kernel
def update(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    insert(state.scores, row, score(y, low, high))


SplitConformal.functions = CalibratorFunctions(start, interval, update, scores_full)
