"""Randomness: one seed in, independent streams by purpose and by replication out.

A stream is keyed by what it is for, never by who draws from it, so results do not depend on the
number of workers, on the order of the work, or on which other policies and arms take part.
"""

import numpy as np

REWARDS, POLICY = 0, 1


def reward_stream(seed: int, replication: int, arm: int) -> np.random.Generator:
    """Return the stream of one arm's rewards in one replication: every policy meets the same."""
    return _stream(seed, replication, REWARDS, arm)


def policy_stream(seed: int, replication: int) -> np.random.Generator:
    """Return the stream from which a policy draws in one replication."""
    return _stream(seed, replication, POLICY)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
