"""What several benchmarks use: tables, the compiled loop and its step, a bandit that learned."""

import math
import time
from functools import partial

import numpy as np

import upperhand as uh
from upperhand.comparison.instances import GAUSSIAN_ARMS
from upperhand.simulation.player import play_rounds
from upperhand.simulation.rewards import reward_table


def reward_rows(horizon, seed=0):
    """Return a reward table of the paper's Gaussian arms."""
    rng = np.random.default_rng(seed)
    return reward_table(np.stack([arm.sample(horizon, rng) for arm in GAUSSIAN_ARMS]))


def seconds(function, repeats, clock=time.perf_counter):
    """Return the fastest of some runs: the least disturbed one."""
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def step(policy, table, repeats):
    """Return CPU seconds a round of the compiled loop, from an empty state on."""
    horizon = table.shape[1]
    play = partial(final_state, policy, table, horizon)
    return seconds(play, repeats, time.process_time) / horizon


def final_state(policy, table, room, rounds=None):
    """Play a table from an empty state that has room for so many rewards.

    No arm may be pulled more often than the table has columns.
    """
    state, arms = (
        policy.functions.start(policy.parameters, len(table), room),
        np.empty(table.shape[1] if rounds is None else rounds, np.int64),
    )
    return play_rounds(policy, state, table, np.random.default_rng(0), arms)


def typical_step(policy, horizon, tables=20):
    """Return the median seconds a round over fresh tables."""
    return np.median([step(policy, reward_rows(horizon, seed), 1) for seed in range(tables)])


def live(arms=10, observations=100_000, tries=2_000):
    """Return the median seconds of ask + tell with so many observations an arm."""
    rng = np.random.default_rng(0)
    policy = uh.ACPUCB1(b=1e6)  # so much exploration that the arms are pulled in turn
    rounds = arms * observations
    table = np.resize(rng.normal(size=2 * observations), (arms, rounds))
    bandit = uh.Bandit([f"arm {j}" for j in range(arms)], policy, seed=0)
    player = bandit._known.learners[0]  # told by the compiled loop: a minute saved
    player.state = final_state(policy, table, 0)
    player.count_many(player.state.pulls, np.zeros(arms, np.int64))
    bandit._known.counts["outcomes"] = rounds
    bandit._next_advice = math.inf  # b is far from the spread on purpose
    assert bandit.pulls("arm 0") > 0
    times = []
    for reward in rng.normal(size=tries):
        start = time.perf_counter()
        bandit.tell(bandit.ask(), reward)
        times.append(time.perf_counter() - start)
    return float(np.median(times))
