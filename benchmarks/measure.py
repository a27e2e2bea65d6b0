"""One function a figure; each returns numbers, measured side by side in one process."""

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

import upperhand as uh
from naive_numpy import play_naively
from upperhand._kernels.compile import compile_closure
from upperhand._kernels.loop import make_loop
from upperhand.trajectory import play_table, reward_table

ARMS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]  # the paper's


def reward_rows(horizon, seed=0):
    """Return a reward table of the paper's Gaussian arms."""
    rng = np.random.default_rng(seed)
    return reward_table(np.stack([arm.sample(rng, horizon) for arm in ARMS]))


def seconds(function, repeats):
    """Return the fastest of some runs: the least disturbed one."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def step(policy, table, repeats):
    """Return seconds a round of the compiled loop, state and all."""
    rng, horizon = np.random.default_rng(0), table.shape[1]
    return seconds(lambda: play_table(policy, table, rng, horizon), repeats) / horizon


def against_naive(horizon=10_000):
    """Return how many times faster ACP-UCB1 is than the naive NumPy reading, and if both agree."""
    table, policy = reward_rows(horizon), uh.ACPUCB1()
    start = time.perf_counter()
    arms = play_naively(table)
    naive = (time.perf_counter() - start) / horizon
    same = bool(np.array_equal(arms, uh.play(policy, table).arms))
    return naive / step(policy, table, 20), same


def against_ucb1(horizon=10_000):
    """Return the cost of an ACP-UCB1 step in UCB1 steps on the same table, and both in seconds."""
    table = reward_rows(horizon)
    pairs = [(step(uh.ACPUCB1(), table, 5), step(uh.UCB1(), table, 5)) for _ in range(20)]
    acp, ucb = np.min(pairs, axis=0)
    return acp / ucb, acp, ucb


def growth():
    """Return the cost of a step at n = 10⁶ in steps at n = 10⁴."""
    small, large = reward_rows(10_000), reward_rows(1_000_000)
    return step(uh.ACPUCB1(), large, 4) / step(uh.ACPUCB1(), small, 40)


def bytes_an_observation(horizon=1_000_000):
    """Return what the state of ACP-UCB1 holds, and the most it held, a reward."""
    table = reward_rows(horizon)
    play_table(uh.ACPUCB1(), table[:, :100].copy(), np.random.default_rng(0), 100)
    policy, arms = uh.ACPUCB1(), np.empty(horizon, np.int64)
    tracemalloc.start()
    state = policy.kernels.init(policy, len(table), 0)  # grown from nothing, as in live use
    state = _fill(policy, state, table, arms)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / int(state.pulls.sum()), peak / int(state.pulls.sum())


def _fill(policy, state, table, arms):
    """Play a table on a given state; `arms` takes the arm of each round."""
    k = policy.kernels
    loop = compile_closure(make_loop, k.select, k.update, k.full, user=type(policy))
    rng, played = np.random.default_rng(0), 0
    while (played := loop(policy, state, table, rng, played, arms)) < len(arms):
        state = k.grow(state)
    return state


def live(arms=10, observations=100_000, tries=2_000):
    """Return the median seconds of ask + tell, after so many observations of each arm."""
    rng = np.random.default_rng(0)
    policy = uh.ACPUCB1(b=1e6)  # so much exploration that the arms are pulled in turn
    rounds = arms * observations
    table = np.resize(rng.normal(size=2 * observations), (arms, rounds))
    bandit = uh.Bandit([f"arm {j}" for j in range(arms)], policy, seed=0)
    bandit._state = _fill(
        policy, bandit._state, table, np.empty(rounds, np.int64)
    )  # told compiled: a minute saved
    bandit._told = rounds
    times = []
    for reward in rng.normal(size=tries):
        start = time.perf_counter()
        bandit.tell(bandit.ask(), reward)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def import_time(repeats=5):
    """Return the seconds that `import upperhand` adds to starting Python."""
    bare = seconds(lambda: _python("pass"), repeats)
    return seconds(lambda: _python("import upperhand"), repeats) - bare


def paper_run(*, first):
    """Return the wall seconds of `upperhand paper`; the first run has an empty compile cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).parent / "upperhand"), "paper", "--out", folder]
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder} if first else None
        if not first:
            subprocess.run(command, check=True, capture_output=True)
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        return time.perf_counter() - start


def _python(code):
    subprocess.run([sys.executable, "-c", code], check=True)
