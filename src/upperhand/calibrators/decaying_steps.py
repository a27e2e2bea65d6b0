"""Decaying steps: one threshold on the scores that follows the misses in ever smaller steps.

A. Angelopoulos, R. F. Barber, S. Bates, "Online conformal prediction with decaying step sizes",
ICML 2024, PMLR 235:1616–1630, arXiv:2402.01139. [ℓ, u] becomes [ℓ − q_t, u + q_t], and

    q_{t+1} = q_t + η_t (1{s_t > q_t} − α),   η_t = η t^{−1/2−ε},

a miss if y_t lies outside the interval. As in the authors' code q_1 = s_1 and ε = 0.1; so the first
interval, for which no score is known yet, is the whole line, and it covers. On every sequence of
scores in an interval of length B, an adversary's too,

    |coverage of 1..T − (1 − α)| ≤ (B + max_t η_t) / (η_T T),

and if the scores are i.i.d. with a continuous distribution, q_t converges to their 1 − α quantile,
which no constant step does. ε = −1/2 is the constant step η, quantile tracking. η is in the unit of
the scores: with η = 1, the default, scores should be of the order of 1. O(1) an outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kernel
from .._kernels.samples import Samples
from ..parameters import parameter
from .base import Calibrator, CalibratorFunctions, outside, score, widened


class DecayingSteps(Calibrator):
    """Move one threshold on the scores up at a miss and down at a hit, by ever smaller steps.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.DecayingSteps(alpha=0.5, eta=2.0)
    >>> calibrator.predict(10.0)
    Interval(lower=-inf, upper=inf)
    >>> calibrator.update(14.0)
    >>> calibrator.predict(10.0)
    Interval(lower=7.0, upper=13.0)
    """

    name = "Decaying steps"

    eta: float = parameter("The first step η, in the unit of the scores.", default=1.0, least=0)
    epsilon: float = parameter(
        "The t-th step is η t^(−1/2−ε); −1/2 is a constant one.",
        default=0.1, least=-0.5, below=0.5,
    )  # fmt: skip


class State(NamedTuple):
    """What is remembered of each row, after t − 1 outcomes."""

    threshold: NDArray[np.float64]  # (K,) q_t, +∞ before the first outcome
    seen: NDArray[np.int64]  # (K,) t − 1


def start(calibrator: DecayingSteps, rows: int, capacity: int) -> State:
    return State(np.full(rows, np.inf), np.zeros(rows, np.int64))


@kernel
def interval(
    calibrator: DecayingSteps, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    return widened(low, high, float(state.threshold[row]))


@kernel
def update(
    calibrator: DecayingSteps,
    state: State,
    past: Samples,
    row: int,
    low: float,
    high: float,
    y: float,
) -> None:
    """Judge the corrected forecast by the outcome, and move the threshold."""
    lower, upper = interval(calibrator, state, past, row, low, high)
    missed = outside(y, lower, upper)
    t = int(state.seen[row]) + 1
    threshold = score(y, low, high) if t == 1 else float(state.threshold[row])
    step = calibrator.eta * math.pow(t, -0.5 - calibrator.epsilon)
    state.threshold[row] = threshold + step * ((1.0 if missed else 0.0) - calibrator.alpha)
    state.seen[row] = t


DecayingSteps.functions = CalibratorFunctions(start, interval, update)
