"""AgACI: ACI at thirty steps, and the ends of their intervals aggregated apart.

M. Zaffran, O. Féron, Y. Goude, J. Josse, A. Dieuleveut, "Adaptive Conformal Predictions for Time
Series", ICML 2022, arXiv:2202.07282. Experts run ACI at steps γ_k on the same scores. Their lower
ends are mixed by BOA (`_kernels/experts.py`) under the pinball loss of level α/2, their upper ends
under that of 1 − α/2, with linearised losses, so that no step need be chosen:

    [Σ_k w_k (ℓ − ĉ_k), Σ_k v_k (u + ĉ_k)].

The BOA is that of opera 1.1.1 (2021). Their script calls opera's without a version, and its rule
changed twice since; but their stored results are those of this rule and of no later one
(`_kernels/experts.py`). The steps of "paper" are those of their script, 0 to .09; "doubling" are
DtACI's eight. At a tie of an outcome with a mixed end, where the pinball loss has two slopes, the
outcome counts as covered, at both ends; in opera at the lower one alone.

An expert's end may be infinite, and no mean can hold that. The authors put ±1000 in its place, in
the unit of their data: for their numbers, feed such ends to `_kernels/experts.py`. Here the line
counts as ĉ = the largest score so far, and the empty interval as the smallest, so that the unit
makes no difference. (Ten times the scores' range further out, coverage was higher by 0.2 to 2.8
points and intervals wider by 3 to 33 %, the most on a series that jumps and grows.) The interval is
the whole line before the first score and where all experts say so; it is empty where all are, or
where its ends cross.

There is no coverage theorem, only BOA's regret in pinball loss. O(n log m) an outcome, n experts.
`DtACI` aggregates the same kind of experts.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.experts import Aggregation, equal_weights, learn, mixture
from .._kernels.samples import Samples
from .._kernels.sorted_samples import SortedSamples, insert, value_at
from ..parameters import derived, parameter
from .aci import level_score, stepped
from .base import Calibrator, CalibratorFunctions, outside, score, widened

DOUBLING_STEPS = tuple(0.001 * 2**i for i in range(8))  # of Gibbs and Candès 2022
PAPER_STEPS = (0, 5e-6, 5e-5, *(n / 10**e for e in (4, 3, 2) for n in range(1, 10)))
SIDES = 2  # lower, upper


class AgACI(Calibrator):
    """Run ACI at thirty steps and mix the ends of their intervals by Bernstein aggregation.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.AgACI(alpha=0.2)
    >>> for y in (1.0, -2.0, 0.5, 4.0):
    ...     calibrator.update(y, forecast=0.0)
    >>> calibrator.predict(10.0)
    Interval(lower=6.0, upper=14.0)
    """

    name = "AgACI"

    experts: Literal["paper", "doubling"] = parameter(
        "The steps γ: the authors' thirty from 0 to .09, or .001, .002, …, .128.", default="paper"
    )

    @derived
    def doubling(self) -> bool:
        """Whether the steps are the eight doubling ones."""
        return self.experts == "doubling"


class Experts(NamedTuple):
    """ACI at several steps γ on the same scores, for each row."""

    scores: SortedSamples  # the scores, sorted
    step: NDArray[np.float64]  # (n,) γ of each expert
    level: NDArray[np.float64]  # (K, n) α_t of each
    correction: NDArray[np.float64]  # (K, n) ĉ of each: for the next outcome


class State(NamedTuple):
    """What AgACI keeps of each row; its sides are rows 2K and 2K + 1 of the mixtures."""

    experts: Experts
    finite: NDArray[np.float64]  # (K, n) the experts' corrections, infinite ones replaced
    mixtures: Aggregation  # (2K, n)
    correction: NDArray[np.float64]  # (K, 2) of the lower and the upper end, for the next outcome


def start(calibrator: AgACI, rows: int, capacity: int) -> State:
    steps = DOUBLING_STEPS if calibrator.doubling else PAPER_STEPS
    return State(
        experts=start_all(calibrator.alpha, steps, rows, capacity),
        finite=np.zeros((rows, len(steps))),
        mixtures=equal_weights(SIDES * rows, len(steps)),
        correction=np.full((rows, SIDES), np.inf),
    )


@kernel
def interval(
    calibrator: AgACI, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    lower = low - float(state.correction[row, 0])
    upper = high + float(state.correction[row, 1])
    return (lower, upper) if lower <= upper else (math.inf, -math.inf)


@kernel
def update(
    calibrator: AgACI, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Let both mixtures learn from the ends that they gave, then each expert from its own."""
    for side in range(SIDES):
        mixed = float(state.correction[row, side])
        if math.isfinite(mixed):  # the pinball loss's subgradient in the end's correction
            beyond = y < low - mixed if side == 0 else y > high + mixed
            slope = calibrator.alpha / 2 - (1.0 if beyond else 0.0)
            learn(state.mixtures, SIDES * row + side, state.finite, row, mixed, slope)
    update_all(state.experts, row, calibrator.alpha, low, high, y)
    agreed = replace_infinite(state, row)
    for side in range(SIDES):
        mixed = mixture(state.mixtures.weight, SIDES * row + side, state.finite, row)
        state.correction[row, side] = agreed if math.isinf(agreed) else mixed


@kernel
def replace_infinite(state: State, row: int) -> float:
    """Set `finite`; return the infinite correction that all experts agree on, or 0."""
    scores, n = state.experts.scores, state.finite.shape[1]
    least = value_at(scores, row, 1, 1)
    most = value_at(scores, row, 2, int(scores.size[row]))
    agreed = float(state.experts.correction[row, 0])
    for k in range(n):
        correction = float(state.experts.correction[row, k])
        agreed = agreed if correction == agreed else 0.0
        state.finite[row, k] = min(max(correction, least), most)
    return agreed if math.isinf(agreed) else 0.0


@kernel
def full(calibrator: Any, state: Any, row: int) -> bool:
    return sorted_samples.full(state.experts.scores, row)


def start_all(alpha: float, steps: Sequence[float], rows: int, capacity: int) -> Experts:
    """Return the experts before the first outcome: every level at α, every interval the line."""
    shape = (rows, len(steps))
    scores = sorted_samples.empty(rows, capacity)
    return Experts(scores, np.array(steps), np.full(shape, alpha), np.full(shape, np.inf))


@kernel
def update_all(experts: Experts, row: int, alpha: float, low: float, high: float, y: float) -> None:
    """Compare each expert's interval with the outcome, move its level, keep the score."""
    for k in range(experts.step.shape[0]):
        lower, upper = widened(low, high, float(experts.correction[row, k]))
        missed = outside(y, lower, upper)
        level = float(experts.level[row, k])
        experts.level[row, k] = stepped(level, float(experts.step[k]), alpha, missed)
    insert(experts.scores, row, score(y, low, high))
    for k in range(experts.step.shape[0]):
        level = float(experts.level[row, k])
        experts.correction[row, k] = level_score(experts.scores, row, 0, level)


AgACI.functions = CalibratorFunctions(start, interval, update, full)
