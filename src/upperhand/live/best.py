"""Which arm has the best quantile, and how sure that is, whenever one looks.

For the arm h that looks best and any other arm a, let E(u) be the evidence, at a threshold u, that
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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.evidence import evidence_above, log_evidences, log_weights
from .._kernels.ranks import rank

Values = NDArray[np.float64]
Places = NDArray[np.intp]
GRID = 128


class Best(NamedTuple):
    """The arm that looks best, and how sure that is."""

    arm: str | None  # None: nothing was told
    confidence: float  # that no other arm has a better quantile, whenever one looks
    rival: str | None  # the arm that is hardest to rule out; None: there is no other
    tau: float  # the level of the quantile that arms are compared by


def best_of(
    names: Sequence[str],
    told: Sequence[Values],
    tau: float,
    *,
    minimize: bool = False,
    ranges: Sequence[tuple[Values, Values]] | None = None,
    ever: int | None = None,
) -> Best:
    """Return the best arm by what each arm paid so far, or cost.

    Where outcomes are known in part, `told` are estimates, and `ranges` each arm's worst and best
    possible outcomes: the leader is judged by its worst, the others by their best. `ever` is how
    many arms there ever were, if some are left out: the guarantee is for all of them.
    """
    seen = [arm for arm, values in enumerate(told) if len(values)]
    if len(names) == 1:
        return Best(names[0], 1.0, None, tau)
    if not seen:
        return Best(None, 0.0, None, tau)
    sign = -1.0 if minimize else 1.0
    # Of costs, the lower τ-quantile is the upper 1−τ one of their negatives.
    worth = {arm: sign * np.sort(told[arm])[rank(tau, len(told[arm])) - 1] for arm in seen}
    leader = max(seen, key=worth.__getitem__)
    level = 1 - tau if minimize else tau
    worst, best = zip(*ranges, strict=True) if ranges else (told, told)
    witness = np.sort(sign * worst[leader])
    others = (len(names) if ever is None else ever) - 1
    against = {
        arm: least_evidence(np.sort(sign * best[arm]), witness, level, others)
        for arm in range(len(names))
        if arm != leader
    }
    rival = min(against, key=against.__getitem__)
    return Best(names[leader], max(0.0, -float(np.expm1(-against[rival]))), names[rival], tau)


def least_evidence(values: Values, witness: Values, tau: float, others: int) -> float:
    """Return min_u ln E(u) for the sorted values of an arm, and of the arm that looks best."""
    if not len(values):
        return 0.0
    low, high = evidence_above(tau), evidence_above(1 - tau)
    one, other, both = log_weights(others)
    last = len(values)
    thresholds = np.append(values, np.inf)
    below = np.searchsorted(values, thresholds)
    above = len(witness) - np.searchsorted(witness, thresholds, side="right")

    def evidence(first: Places, second: Places) -> Values:
        own = log_evidences(low, below[first], last)
        shared = log_evidences(high, above[second], len(witness))
        result: Values = np.logaddexp.reduce((one + own, other + shared, both + own + shared))
        return result

    grid = np.unique(np.linspace(0, last, GRID).astype(np.intp))
    least = float(evidence(grid, grid).min())
    open_ = np.flatnonzero(evidence(grid[:-1], grid[1:]) < least)
    if len(open_):
        inner = np.concatenate([np.arange(grid[i], grid[i + 1]) for i in open_])
        least = min(least, float(evidence(inner, inner).min()))
    return least
