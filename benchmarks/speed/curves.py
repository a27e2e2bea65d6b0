"""What a step costs against the number of rounds and of arms, for the main policies."""

from functools import cache

import numpy as np

from measure import reward_rows, step
from speed.arms import INDEX_POLICIES, SIZES, steps_at

MAIN = ("UCB1", "ACP-UCB1", "Quantile-UCB", "Quantile-IMED", "KL-QUCB")
ROUNDS = {10**3: 40, 10**4: 40, 10**5: 7, 10**6: 3, 10**7: 1}  # and on how many tables
ARMS = (2, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


@cache
def against_rounds():
    """Return for each number of rounds n the mean step over all n of each policy, K = 3."""
    found = {}
    for horizon, tables in ROUNDS.items():
        turns = []
        for seed in range(tables):
            table = reward_rows(horizon, seed)
            turns.append([step(INDEX_POLICIES[name], table, 1) for name in MAIN])
        found[horizon] = dict(zip(MAIN, np.median(turns, axis=0), strict=True))
    return found


@cache
def against_arms():
    """Return for each number of arms K the step of each policy after the first pulls."""
    found = {}
    for arms in ARMS:
        taken = steps_at(arms) if arms in SIZES else steps_at(arms, MAIN, 3)
        found[arms] = {name: float(np.median(taken[name])) for name in MAIN}
    return found
