"""Randomness: one seed in, independent streams by purpose and by replication out.

A stream is keyed by what it is for, never by who draws from it, so results do not depend on the
number of workers, on the order of the work, or on which other policies and arms take part.
"""

import numpy as np

from .errors import ParameterError

REWARDS, POLICY = 0, 1


def settled(seed: int | None) -> int:
    """Return the seed, or fresh entropy if there is none, as a number that can be written down."""
    if seed is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise ParameterError(f"seed must be a whole number, 0 or more, or None; got {seed!r}.")


def reward_stream(seed: int, replication: int, arm: int) -> np.random.Generator:
    """Return the stream of one arm's rewards in one replication: every policy meets the same."""
    return _stream(seed, replication, REWARDS, arm)


def policy_stream(seed: int, replication: int) -> np.random.Generator:
    """Return the stream from which a policy draws in one replication."""
    return _stream(seed, replication, POLICY)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
