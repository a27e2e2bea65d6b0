"""What is said of one policy on one instance under one objective, from replications.

In each replication all policies meet the same rewards, so a policy and the one that it is held
against are compared pair by pair: what is random to both cancels.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..simulation.intervals import mean_interval, standard_error

Array = NDArray[np.float64]
Z_95 = 1.959963984540054  # the 97.5 % quantile of the standard normal law
DECADES = 2  # of rounds, at the end of a run, over which growth is measured


class Estimate(NamedTuple):
    """A mean over replications, its standard error, and its 95 % interval.

    All but the value are NaN if there is one replication only.
    """

    value: float
    se: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan, math.nan)


def estimate(samples: Array, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """Return the mean of samples (R,) with its errors; it cannot be below `least` or above `most`.

    >>> estimate(np.array([0.9, 1.0, 1.0]), 0, 1).high
    1.0
    """
    low, high = mean_interval(samples, least, most)
    return Estimate(float(samples.mean()), float(standard_error(samples)), float(low), float(high))


def share_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a chance from `count` successes in independent trials.

    E. B. Wilson, JASA 22:209–212, 1927: it stays within [0, 1], and has a width if all succeed.

    >>> low, high = share_interval(90, 100)
    >>> round(low, 4), round(high, 4)
    (0.8256, 0.9448)
    """
    weight = Z_95**2 / total
    middle = (count / total + weight / 2) / (1 + weight)
    share = count / total * (1 - count / total)
    radius = math.sqrt(weight * share + weight**2 / 4) / (1 + weight)
    low, high = middle - radius, middle + radius
    return (low if count > 0 else 0.0), (high if count < total else 1.0)


def paired_difference(regrets: Array, reference: Array) -> Estimate:
    """Return by how much the regrets (R,) exceed those of the reference, pair by pair."""
    return estimate(regrets - reference)


def paired_ratio(regrets: Array, reference: Array) -> Estimate:
    """Return r = mean regret / mean regret of the reference, with its errors.

    By the delta method, they are those of the mean of yᵢ − r xᵢ, divided by the mean of x. NaN
    where the reference has no regret.
    """
    whole = float(reference.mean())
    if whole <= 0:
        return UNKNOWN
    ratio = float(regrets.mean()) / whole
    _, se, low, high = estimate(regrets - ratio * reference)
    return Estimate(ratio, se / whole, max(ratio + low / whole, 0.0), ratio + high / whole)


class PerReplication(NamedTuple):
    """What the statistics of one policy under one objective are made of, one number each (R,)."""

    regret: Array  # at the last round
    slope: Array  # of regret in ln t, over the last two decades of rounds; NaN if too few
    share: Array  # of pulls on the best arms

    @classmethod
    def of(
        cls, rounds: NDArray[np.int64], pulls: NDArray[np.integer], gaps: Array
    ) -> "PerReplication":
        """Return them from pulls (R, G, K): each replication's from its own pulls alone."""
        regrets = regrets_of(pulls, gaps)
        last = regrets[:, -1].copy()  # a view would keep all of them
        return cls(last, slopes(rounds, regrets), best_shares(pulls[:, -1], gaps))


def regrets_of(pulls: NDArray[np.integer], gaps: Array) -> Array:
    """Return the regrets (R, G); the same bits however replications are cut into blocks."""
    return np.asarray((pulls * gaps).sum(axis=-1))


def best_shares(pulls: NDArray[np.integer], gaps: Array) -> Array:
    """Return the share of final pulls (R, K) on the best arms, those without a gap."""
    return np.asarray(pulls[:, gaps == 0].sum(axis=1) / pulls.sum(axis=1))


def slopes(rounds: NDArray[np.int64], regrets: Array) -> Array:
    """Return the growth of regrets (R, G) per unit of ln t over the last two decades of rounds.

    It is the slope of the least-squares line through the recorded rounds; being linear in the
    regrets, it is fitted to each replication, and the mean is the slope of the mean.
    """
    first = int(np.argmax(rounds * 10**DECADES >= rounds[-1]))
    x = np.log(rounds[first:])
    if len(x) < 2:
        return np.full(len(regrets), math.nan)
    centred = x - x.mean()
    weighted = np.ascontiguousarray(regrets[:, first:] * centred)  # or rows are summed otherwise
    return np.asarray(weighted.sum(axis=1) / (centred * centred).sum())


def recorded(horizon: int, count: int = 150) -> NDArray[np.int64]:
    """Return rounds at even steps of ln t, from 1 to the horizon."""
    return np.unique(np.geomspace(1, horizon, count).round().astype(np.int64))
