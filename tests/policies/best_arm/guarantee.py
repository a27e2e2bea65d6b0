"""Is the answer wrong no more often than it may be? And would the test notice if it were?

Ten uniform arms: nine are 0.01 in level too bad to be a right answer, one is the best. The bound on
the number of errors is exceeded with probability 10⁻⁶ if each run errs with probability δ.
"""

from collections.abc import Iterator

import numpy as np
from scipy import stats

from upperhand.policies import Policy

from .runs import search

CHANCE = 1e-6


def near_ties(runs: int, n: int, epsilon: float, arms: int = 10) -> Iterator[np.ndarray]:
    """Yield tables in which the last arm is the only right answer, by little."""
    rng = np.random.default_rng(20)
    for _ in range(runs):
        table = rng.random((arms, n))
        table[-1] += epsilon + 0.01
        yield table


def errors(policy: Policy, tables: Iterator[np.ndarray], *, compiled: bool = False) -> int:
    """Return how many runs gave a wrong answer; all must give one."""
    wrong = 0
    for seed, table in enumerate(tables):
        found, _ = search(policy, table, table.size, seed=seed, compiled=compiled)
        assert found.stopped
        wrong += found.answer != [len(table) - 1]
    return wrong


def most_errors(runs: int, delta: float) -> int:
    """Return how many errors are not too many."""
    return int(stats.binom.ppf(1 - CHANCE, runs, delta))
