"""Two policies on the same reward tables: paired differences, and what they say."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..simulation.regret import Curve, half_width
from ..simulation.runs import Runs
from ..text import plus_minus
from .claim import Verdict, steady

ORDER_CHECK = (
    "Paired differences of the final regrets: holds if the 95 % interval of their mean lies above "
    "0, with a note if only the mean does."
)


class Difference(NamedTuple):
    """The mean of paired differences and the half-width of its 95 % interval."""

    mean: float
    half: float  # NaN if there is one replication only

    def __str__(self) -> str:
        return plus_minus(steady(self.mean), steady(self.half))

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is positive, surely or only on average."""
        if self.mean - self.half > 0:
            return Verdict.HOLDS
        return Verdict.NOTE if self.mean > 0 else Verdict.FAILS


def excess(worse: Curve, better: Curve) -> Difference:
    """Return by how much the final regret of `worse` exceeds that of `better`."""
    difference = worse.final - better.final
    return Difference(float(difference.mean()), float(half_width(difference)))


def ratio_of(part: float, whole: float) -> float:
    """Return part / whole, infinite if there is no whole."""
    return part / whole if whole > 0 else math.inf


class Halves(NamedTuple):
    """How often each arm is pulled per round in the first and in the last half of a run."""

    first: NDArray[np.float64]  # (R, K)
    last: NDArray[np.float64]  # (R, K)


def halves(runs: Runs, policy: str) -> Halves:
    """Return the shares of the arms in each half."""
    middle = int(np.searchsorted(runs.rounds, runs.horizon // 2))
    pulls, split = runs.pulls[policy], int(runs.rounds[middle])
    early = pulls[:, middle]
    return Halves(early / split, (pulls[:, -1] - early) / (runs.horizon - split))
