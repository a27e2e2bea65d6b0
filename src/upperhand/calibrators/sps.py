"""SPS: calibration when an outcome is seen only if the interval covered it (semi-bandit feedback).

H. Ge, H. Bastani, O. Bastani, "Stochastic Online Conformal Prediction with Semi-Bandit Feedback",
ICML 2025, arXiv:2405.13268. A user finds the document if it is in the list shown; a bid shows its
value if the offer reaches it. In the paper larger scores are better; here s is the score, smaller
is better, and nothing needs it to lie in [0, 1]. [ℓ, u] becomes [ℓ − q_t, u + q_t], q_1 = +∞, and

    q_{t+1} = min(q_t, inf{q : Ĝ_t(q) + √(ln(2/δ) / (2t)) ≤ α}),   δ = 1/T²,

Ĝ_t(q) the share of the first t scores above q, an outcome outside its interval counting as above
every q. So `update` takes nothing from such a y but that it was missed: hand in any value outside.

For i.i.d. scores no q_t of t ≤ T is below q*, their 1 − α quantile, with probability at least
1 − 1/T (a union of T inequalities of Dvoretzky, Kiefer and Wolfowitz, each failing with probability
δ; one reader's public notes quote 1 − 2/T). So every interval holds the best fixed one, and covers.
What it is too large by sums up to O(√(T ln T)). It needs ln(2T²)/(2α²) outcomes, 726 at T = 1000
and α = 0.1, before it can leave the whole line. Of the paper's text only its beginning was found;
the radius, δ and the monotone threshold are as in those notes. O(log t) an outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.samples import Samples, rank
from .._kernels.sorted_samples import SortedSamples, insert, value_at
from ..parameters import derived, parameter
from .base import Calibrator, CalibratorFunctions, outside, score, scores_full, widened


class SPS(Calibrator):
    """Narrow a threshold on the scores only as far as is sure, learning only from what it covers.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.SPS(alpha=0.5, horizon=20)
    >>> for y in range(20):
    ...     calibrator.update(y % 10, forecast=0.0)
    >>> calibrator.predict(0.0)
    Interval(lower=-8.0, upper=8.0)
    """

    name = "SPS"

    horizon: int = parameter("How many outcomes there will be, T.", least=1)

    @derived
    def radius(self) -> float:
        """√(ln(2/δ) / 2): over √t it is how far the share of scores may be off."""
        return math.sqrt(math.log(2.0 * self.horizon**2) / 2)


class State(NamedTuple):
    """What is remembered of each row, after t outcomes."""

    scores: SortedSamples  # the scores of the outcomes that were covered, sorted
    threshold: NDArray[np.float64]  # (K,) q_{t+1}
    seen: NDArray[np.int64]  # (K,) t, those not covered included


def start(calibrator: SPS, rows: int, capacity: int) -> State:
    return State(
        sorted_samples.empty(rows, capacity), np.full(rows, np.inf), np.zeros(rows, np.int64)
    )


@kernel
def interval(
    calibrator: SPS, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    return widened(low, high, float(state.threshold[row]))


@kernel
def update(
    calibrator: SPS, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Keep the score if the outcome was covered, count it if not, and narrow the threshold."""
    lower, upper = interval(calibrator, state, past, row, low, high)
    if not outside(y, lower, upper):
        insert(state.scores, row, score(y, low, high))
    t = int(state.seen[row]) + 1
    state.seen[row] = t
    above = calibrator.alpha - calibrator.radius / math.sqrt(t)  # the share that may be above q
    if above >= 0.0:
        k = rank(1.0 - above, t)
        if k <= int(state.scores.size[row]):
            least = value_at(state.scores, row, 0, k)
            state.threshold[row] = min(float(state.threshold[row]), least)


SPS.functions = CalibratorFunctions(start, interval, update, scores_full)
