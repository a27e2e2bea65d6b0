"""ACI at several steps γ at once, on the same scores: the experts that others aggregate."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.compile import kernel
from .._kernels.sorted_samples import SortedSamples, insert
from .aci import level_score, stepped
from .scores import outside, score, widened

DOUBLING_STEPS = tuple(0.001 * 2**i for i in range(8))  # of Gibbs and Candès 2022


class Experts(NamedTuple):
    """What is remembered of each row: the scores, and each expert's level."""

    scores: SortedSamples  # the scores, sorted
    step: NDArray[np.float64]  # (n,) γ of each expert
    level: NDArray[np.float64]  # (K, n) α_t of each
    correction: NDArray[np.float64]  # (K, n) ĉ of each: for the next outcome


def start_all(alpha: float, steps: Sequence[float], rows: int, room: int) -> Experts:
    """Return the experts before the first outcome: every level at α, every interval the line."""
    shape = (rows, len(steps))
    scores = sorted_samples.empty(rows, room)
    return Experts(scores, np.array(steps), np.full(shape, alpha), np.full(shape, np.inf))


@kernel
def update_all(experts: Experts, row: int, alpha: float, low: float, high: float, y: float) -> None:
    """Judge each expert's interval by the outcome, move its level, keep the score."""
    for k in range(experts.step.shape[0]):
        lower, upper = widened(low, high, float(experts.correction[row, k]))
        missed = outside(y, lower, upper)
        level = float(experts.level[row, k])
        experts.level[row, k] = stepped(level, float(experts.step[k]), alpha, missed)
    insert(experts.scores, row, score(y, low, high))
    for k in range(experts.step.shape[0]):
        level = float(experts.level[row, k])
        experts.correction[row, k] = level_score(experts.scores, row, 0, level)
