"""What a step costs: the compiled loop, timed on the arms of an instance."""

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..policies import Policy
from ..simulation.seeds import policy_stream
from ..simulation.tables import draw_table
from ..simulation.trajectory import play_rounds
from .instances import Instance

TABLES = 9  # fresh ones: on a table met before, the processor would predict the branches
TIMED_ROUNDS = 10_000  # of a table, if the horizon is longer


def step_times(
    instance: Instance, policies: Mapping[str, Policy], horizon: int, seed: int
) -> dict[str, float]:
    """Return nanoseconds a round of each policy, choosing and learning.

    The median over tables, each played once by all policies in turn, so that a machine that slows
    down slows them all.
    """
    rounds = min(horizon, TIMED_ROUNDS)
    tables = [draw_table(instance.arms, rounds, seed, i) for i in range(TABLES + 1)]
    _, *turns = [  # the first turn may compile
        [_seconds(policy, table, seed) for policy in policies.values()] for table in tables
    ]
    medians = 1e9 / rounds * np.median(turns, axis=0)
    return dict(zip(policies, medians.tolist(), strict=True))


def _seconds(policy: Policy, table: NDArray[np.float64], seed: int) -> float:
    """Return the seconds of one run from an empty state on, without making the state."""
    arms, rng = np.empty(table.shape[1], np.int64), policy_stream(seed, 0)
    state = policy.functions.start(policy.parameters, *table.shape)
    start = time.perf_counter()
    play_rounds(policy, state, table, rng, arms)
    return time.perf_counter() - start
