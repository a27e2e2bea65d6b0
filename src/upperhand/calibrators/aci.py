"""ACI: adaptive conformal inference, the level that follows the misses.

I. Gibbs, E. Candès, "Adaptive Conformal Inference Under Distribution Shift", NeurIPS 2021,
arXiv:2106.00170. ĉ is the 1 − α_t quantile of the past scores, each kept as it was, and
[ℓ, u] becomes [ℓ − ĉ, u + ĉ]. A miss lowers the level, a hit raises it:

    α_{t+1} = α_t + γ (α − err_t),   α_1 = α.

The level is not clipped: α_t ≤ 0 gives the whole line, which cannot miss, and α_t ≥ 1 the empty
interval, which always does. So it stays in [−γ, 1 + γ], and for every sequence, an adversary's too,

    |mean err_1..T − α| ≤ (max{α_1, 1 − α_1} + γ) / (γ T)            (Proposition 4.1).

The quantile is the smallest score whose share of the m scores at or below it is at least 1 − α_t:
rank ⌈(1 − α_t) m⌉. The paper's own definition was not found again. Public code agrees that the
level is one of m and not of m + 1: the authors' R takes the interpolated quantile (type 7), as does
that of Zaffran et al. in Python, and the package AdaptiveConformal takes type 1, which is the one
here. Before the first score the interval is the whole line (there: one of no width). With few
scores, and with γ = 0 at all times, it covers a little less than split conformal does, whose rank
counts m + 1. The guarantee holds in all cases.
O(log m) an outcome at a small γ; a step of γ moves the rank by γ m, in steps of a block of 128.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.samples import Samples, rank
from .._kernels.sorted_samples import SortedSamples, insert, value_at
from ..parameters import parameter
from .base import Calibrator, CalibratorFunctions, outside, score, scores_full, widened

# A level of 0 or 1, which steps such as .01 reach, is a double next to it. The slack takes it for
# what it stands for. It leaves the guarantee: at 0 the line still covers, at 1 nothing does.
LEVEL_SLACK = 1e-12


class ACI(Calibrator):
    """Follow the misses with the level, so that the long-run coverage is right on every sequence.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.ACI(alpha=0.2, gamma=0.05)
    >>> for y in (1.0, -2.0, 0.5, 4.0):
    ...     lower, upper = calibrator.predict(0.0)
    ...     calibrator.update(y)
    >>> calibrator.predict(10.0)
    Interval(lower=6.0, upper=14.0)
    >>> calibrator.coverage
    0.5
    """

    name = "ACI"

    gamma: float = parameter(
        "A miss moves the level by γ (α − 1), a hit by γα; 0 leaves it at α.",
        default=0.005, least=0,
    )  # fmt: skip


class State(NamedTuple):
    scores: SortedSamples  # the scores, sorted
    level: NDArray[np.float64]  # (K,) α_t


def start(calibrator: ACI, rows: int, capacity: int) -> State:
    return State(sorted_samples.empty(rows, capacity), np.full(rows, calibrator.alpha))


@kernel
def interval(
    calibrator: ACI, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    return widened(low, high, level_score(state.scores, row, 0, float(state.level[row])))


@kernel
def update(
    calibrator: ACI, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Judge the corrected forecast by the outcome, move the level, keep the score."""
    lower, upper = interval(calibrator, state, past, row, low, high)
    missed = outside(y, lower, upper)
    state.level[row] = stepped(float(state.level[row]), calibrator.gamma, calibrator.alpha, missed)
    insert(state.scores, row, score(y, low, high))


@kernel
def level_score(scores: SortedSamples, row: int, cursor: int, level: float) -> float:
    """Return ĉ, the 1 − α_t quantile of the scores; +∞ if α_t ≤ 0 or there is none, −∞ if ≥ 1."""
    m = int(scores.size[row])
    if level >= 1.0 - LEVEL_SLACK:
        return -math.inf
    if level <= LEVEL_SLACK or m == 0:
        return math.inf
    return value_at(scores, row, cursor, rank(1.0 - level, m))


@kernel
def stepped(level: float, gamma: float, alpha: float, missed: bool) -> float:
    """Return α_{t+1} = α_t + γ (α − err_t)."""
    return level + gamma * (alpha - (1.0 if missed else 0.0))


ACI.functions = CalibratorFunctions(start, interval, update, scores_full)
