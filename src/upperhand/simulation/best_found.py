"""The best reward that was found: what counts where only one of many draws is kept.

Runs keep pull counts alone. That is enough: arm j was pulled s times, so its rewards were the first
s of its row, and the rows are drawn again from the seed.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from .runs import Runs
from .tables import draw_table

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def best_found(
    runs: Runs, others: Mapping[str, Counts] | None = None
) -> dict[str, Array]:  # each (R, G)
    """Return the best reward up to each recorded round, the highest or of costs the lowest.

    `others` are pull counts (G, K) of choices that look at no reward, such as one arm for ever:
    they meet the same rewards as the policies.
    """
    fixed = dict(others or {})
    shape = (runs.replications, len(runs.rounds))
    found = {name: np.empty(shape) for name in (*runs.pulls, *fixed)}
    for replication in range(runs.replications):
        best = best_so_far(runs.arms, runs.horizon, runs.seed, replication, runs.minimize)
        pulls = {name: each[replication] for name, each in runs.pulls.items()} | fixed
        for name, counts in pulls.items():
            found[name][replication] = best_of_pulls(best, counts, runs.minimize)
    return found


def best_so_far(
    arms: tuple[Distribution, ...], horizon: int, seed: int, replication: int, minimize: bool
) -> Array:
    """Return the best of each arm's first s rewards, (K, n), s = 1, …, n."""
    table = draw_table(arms, horizon, seed, replication)
    best: Array = (np.minimum if minimize else np.maximum).accumulate(table, axis=1)
    return best


def best_of_pulls(best: Array, counts: Counts, minimize: bool) -> Array:
    """Return the best of all arms, (G,), after so many pulls of each, (G, K)."""
    nothing = np.inf if minimize else -np.inf
    arms = np.arange(counts.shape[1])
    seen = np.where(counts > 0, best[arms, np.maximum(counts, 1) - 1], nothing)
    return np.asarray(seen.min(axis=1) if minimize else seen.max(axis=1))
