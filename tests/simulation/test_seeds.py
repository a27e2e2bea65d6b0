"""Streams: one seed in; keyed by purpose, replication and arm; none like another."""

import numpy as np
import pytest

from upperhand import checks
from upperhand.errors import ParameterError
from upperhand.simulation.rewards import policy_stream, reward_stream


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**127, np.int64(7), np.uint8(3)])
def test_a_seed_is_kept_as_a_plain_int(seed):
    assert checks.seed(seed) == seed
    assert type(checks.seed(seed)) is int


@pytest.mark.parametrize("bad", [-1, 1.0, "1", True, False, [1], np.float64(1), np.bool_(True)])
def test_what_is_no_seed(bad):
    with pytest.raises(ParameterError, match="seed must be a whole number, 0 or more, or None"):
        checks.seed(bad)


def test_no_seed_is_fresh_entropy_that_can_be_written_down():
    seeds = {checks.seed(None) for _ in range(20)}
    assert len(seeds) == 20
    assert all(type(seed) is int and seed >= 0 for seed in seeds)


def test_the_same_key_the_same_stream():
    assert reward_stream(3, 1, 2).random() == reward_stream(3, 1, 2).random()
    assert policy_stream(3, 1).random() == policy_stream(3, 1).random()


def test_another_key_another_stream():
    keys = [(seed, r, arm) for seed in (0, 1, 2**64) for r in range(10) for arm in range(10)]
    draws = [reward_stream(*key).random() for key in keys]
    draws += [policy_stream(*key[:2]).random() for key in keys[::10]]
    assert len(set(draws)) == len(keys) + len(keys) // 10


def test_streams_are_pinned():
    """Another generator or another key would silently change every published number.

    Pinned from NumPy alone: PCG64(SeedSequence(seed, spawn_key=(replication, purpose, arm))), with
    purpose 0 for rewards, and without an arm, purpose 1, for the policy.
    """
    assert reward_stream(0, 0, 0).integers(2**63) == 5559497400832831700
    assert reward_stream(7, 3, 2).integers(2**63) == 1945310180055556990
    assert policy_stream(0, 0).integers(2**63) == 3364714723560915154
