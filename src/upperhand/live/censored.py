"""Samples of which some values are known only to be at least c: the Kaplan–Meier estimate.

E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", J. Amer. Statist.
Assoc. 53:457–481, 1958. With n(x) the number of observations, known or cut, that are at least x,
and d(x) the number of known ones at x,

    1 − F̂(x) = Π_{y ≤ x} (1 − d(y)/n(y)).

Without cuts F̂ is the empirical distribution function. Policies see a sample of N values: the k-th
is the smallest x with F̂(x) ≥ k/N, so all that they ask of ranks and shares is asked of F̂. What
lies beyond the last known value is unknown, and takes the value `beyond`. An observation that was
cut before the first known value says nothing, and does not count in N.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._kernels.samples import ABSOLUTE_SLACK

Values = NDArray[np.float64]


def kaplan_meier(known: Values, cuts: Sequence[float] | Values, beyond: float) -> Values:
    """Return the sample that stands for sorted known values and observations that are ≥ a cut.

    >>> kaplan_meier(np.array([1.0, 2.0, 4.0]), [3.0, 9.0], beyond=np.inf).tolist()
    [1.0, 2.0, 4.0, inf, inf]
    """
    cut = np.sort(np.asarray(cuts, np.float64))
    if not len(known) or known[0] >= beyond:  # nothing is known but failures
        return np.full(len(known) + len(cut), beyond)
    cut = cut[np.searchsorted(cut, known[0]) :]
    if not len(cut):
        return known
    total = len(known) + len(cut)
    x, shares = distribution(known, cut)
    reached = total * shares + total * ABSOLUTE_SLACK
    ranks = np.minimum(np.floor(reached).astype(np.int64), total)  # of each value, its last one
    times = np.diff(ranks, prepend=0, append=total)
    return np.repeat(np.append(x, beyond), times)


def quantile(known: Values, cuts: Sequence[float] | Values, beyond: float, tau: float) -> float:
    """Return the smallest known value x with F̂(x) ≥ τ; `beyond` if there is none.

    >>> quantile(np.array([1.0, 2.0, 4.0]), [3.0, 9.0], np.inf, 0.7)
    4.0
    """
    x, shares = distribution(known, np.sort(np.asarray(cuts, np.float64)))
    place = int(np.searchsorted(shares, tau - ABSOLUTE_SLACK))
    return float(x[place]) if place < len(x) else beyond


def distribution(known: Values, cut: Values) -> tuple[Values, Values]:
    """Return the different known values, and F̂ at each of them; both samples are sorted."""
    total = len(known) + len(cut)
    first = np.flatnonzero(np.diff(known, prepend=-np.inf))  # of each value, where it begins
    x, died = known[first], np.diff(first, append=len(known))
    at_risk = total - first - np.searchsorted(cut, x)  # a cut at x itself is still at risk there
    return x, 1.0 - np.cumprod(1.0 - died / at_risk)
