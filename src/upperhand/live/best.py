"""Which arm has the best quantile, and how sure that is, whenever one looks.

The arm h that is named has the highest lower end of the 95 % confidence interval of its quantile;
of costs, the lowest upper end. Five outcomes have no such end, so no arm is named by them.

For h and any other arm a, let E(u) be the evidence, at a threshold u, that
a's τ-quantile is below u or h's is not: formula (1) of `policies.best_arm.quantile_evidence` for
the pair, with c = K−1, level 1−τ and only values above u speaking for h.
The confidence in h is 1 − 1/E, E the least over all thresholds u and all a, or 0.

Guarantee: if all arms are sampled by what was seen so far, the chance that a wrong arm ever gets a
confidence of 1 − δ or more is at most δ, for a δ and a τ fixed beforehand (docs/best-arm.md,
Theorem Q9). So one may look as often as one likes, and stop when it is conclusive. Arms that tie
are never told apart.

The cost is a sort of all values. Then thresholds are weighed on a grid, and between two of its
points only where the smaller count of each could be below the least found so far.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.special import evidence_above, log_evidences, log_weights
from ..calibrators.quantile_sequence import central_ranks
from ..checks import LARGEST_REWARD

Values = NDArray[np.float64]
Places = NDArray[np.intp]
GRID = 128
CONFIDENCE = 0.95  # of the interval whose end says which arm is best


class Counted(NamedTuple):
    """A sample by its values in ascending order, and how many outcomes are at most each."""

    values: Values
    upto: NDArray[np.int64]

    @property
    def total(self) -> int:
        """How many outcomes there are."""
        return int(self.upto[-1]) if len(self.upto) else 0

    def at(self, place: int) -> float:
        """Return the place-th smallest outcome."""
        return float(self.values[np.searchsorted(self.upto, place)])

    def first(self, places: Places) -> NDArray[np.int64]:
        """Return how many outcomes are among so many of the first values."""
        return np.append(0, self.upto)[places]

    def negated(self) -> "Counted":
        """Return the sample of the negatives."""
        return Counted(-self.values[::-1], self.total - np.append(0, self.upto)[-2::-1])


def counted(values: Values) -> Counted:
    """Return the sample of these outcomes."""
    return Counted(np.sort(values), np.arange(1, len(values) + 1))


class Best(NamedTuple):
    """The arm with the best confidence bound on its quantile, and how sure that is."""

    arm: Any  # None: no arm has enough outcomes for a bound
    confidence: float  # that no other arm has a better quantile, whenever one looks
    rival: Any  # the arm that is hardest to rule out; None: there is no other
    tau: float  # the level of the quantile that arms are compared by


def best_of(
    names: Sequence[Any],
    worst: Sequence[Counted],
    tau: float,
    *,
    minimize: bool = False,
    best: Sequence[Counted] | None = None,
    ever: int | None = None,
) -> Best:
    """Return the best arm by what each arm paid so far, or cost.

    Where outcomes are known in part, `worst` and `best` are each arm's worst and best possible
    ones: the leader is judged by its worst, the others by their best. `ever` is how many arms there
    ever were, if some are left out: the guarantee is for all of them.
    """
    if len(names) == 1:
        return Best(names[0], 1.0, None, tau)
    bounds = [_bound(sample, tau, minimize=minimize) for sample in worst]
    if max(bounds, default=-np.inf) == -np.inf:
        return Best(None, 0.0, None, tau)
    leader = int(np.argmax(bounds))
    # Of costs, the lower τ-quantile is the upper 1−τ one of their negatives.
    level = 1 - tau if minimize else tau
    best = worst if best is None else best
    if minimize:
        worst, best = ([sample.negated() for sample in each] for each in (worst, best))
    others = (len(names) if ever is None else ever) - 1
    against = {
        arm: least_evidence(best[arm], worst[leader], level, others)
        for arm in range(len(names))
        if arm != leader
    }
    rival = min(against, key=against.__getitem__)
    return Best(names[leader], max(0.0, -float(np.expm1(-against[rival]))), names[rival], tau)


def _bound(worst: Counted, tau: float, *, minimize: bool) -> float:
    """Return the lower end of an arm's interval, of costs less the upper end; −∞ if it has none."""
    lower, upper = central_ranks(tau, 1.0 - CONFIDENCE, worst.total) if worst.total else (0, 1)
    if upper > worst.total if minimize else lower < 1:
        return -np.inf
    bound = -worst.at(upper) if minimize else worst.at(lower)
    return bound if bound >= -LARGEST_REWARD else -np.inf  # it may lie among failures


def least_evidence(sample: Counted, witness: Counted, tau: float, others: int) -> float:
    """Return min_u ln E(u) for the outcomes of an arm, and of the arm that looks best."""
    if not sample.total:
        return 0.0
    low, high = evidence_above(tau), evidence_above(1 - tau)
    one, other, both = log_weights(others)
    last = len(sample.values)
    thresholds = np.append(sample.values, np.inf)
    below = sample.first(np.searchsorted(sample.values, thresholds))
    above = witness.total - witness.first(np.searchsorted(witness.values, thresholds, side="right"))

    def evidence(first: Places, second: Places) -> Values:
        own = log_evidences(low, below[first], sample.total)
        shared = log_evidences(high, above[second], witness.total)
        result: Values = np.logaddexp.reduce((one + own, other + shared, both + own + shared))
        return result

    grid = np.unique(np.linspace(0, last, GRID).astype(np.intp))
    least = float(evidence(grid, grid).min())
    open_ = np.flatnonzero(evidence(grid[:-1], grid[1:]) < least)
    if len(open_):
        inner = np.concatenate([np.arange(grid[i], grid[i + 1]) for i in open_])
        least = min(least, float(evidence(inner, inner).min()))
    return least
