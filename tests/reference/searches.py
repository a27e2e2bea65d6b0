"""Searches for the best arm from raw histories: lists, sorted again at every look."""

import math

import numpy as np


def rewards(law, arm, seed, replication, count, *, negated=False):
    """Return the first rewards of an arm as a list: its stream, in chunks of 1024, 1024, 2048, …"""
    key = np.random.SeedSequence(seed, spawn_key=(replication, 0, arm))
    rng, drawn, chunk = np.random.Generator(np.random.PCG64(key)), [], 1024
    while len(drawn) < count:
        drawn += [-y if negated else y for y in law.sample(chunk, rng).tolist()]
        chunk = len(drawn)
    return drawn[:count]


def quantile(history, level):
    """Return the smallest value with a share of at least `level` at or below it."""
    return sorted(history)[max(1, math.ceil(round(level * len(history), 9))) - 1]


def bands(table, tau, delta, epsilon, cap):
    """Look on round-robin rewards (lists, one an arm): return samples, decided, arm, pulls."""
    arms = len(table)
    for t in range(arms, cap + 1):
        histories = [row[: (t - arm + arms - 1) // arms] for arm, row in enumerate(table)]
        sure = _above_all(histories, tau, delta, epsilon)
        if sure is not None or t == cap:
            pulls = [len(history) for history in histories]
            values = [quantile(history, tau) for history in histories]
            return t, sure is not None, values.index(max(values)) if sure is None else sure, pulls
    raise ValueError(cap)


def _above_all(histories, tau, delta, epsilon):
    """Return the first arm whose lower end is at least all other arms' upper ends, or None."""
    ends = []
    for history in histories:
        n = len(history)
        r = math.sqrt(math.log(2.0 * len(histories) * n * (n + 1) / delta) / (2.0 * n))
        low = quantile(history, tau + epsilon - r) if tau + epsilon - r > 0 else -math.inf
        ends.append((low, quantile(history, tau + r) if tau + r < 1 else math.inf))
    for arm, (low, _) in enumerate(ends):
        if low > -math.inf and all(low >= up for j, (_, up) in enumerate(ends) if j != arm):
            return arm
    return None


def uniform(table, tau, budget, top):
    """Return the arms with the largest quantiles after a round-robin, and the pulls of each."""
    arms = len(table)
    histories = [row[: (budget - arm + arms - 1) // arms] for arm, row in enumerate(table)]
    values = [quantile(history, tau) for history in histories]
    best = sorted(range(arms), key=lambda arm: (-values[arm], arm))
    return best[:top], [len(history) for history in histories]
