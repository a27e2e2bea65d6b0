"""What is held: by a simulation, by an observation, and by a problem with very many arms."""

import subprocess
import sys
import tracemalloc
from functools import partial

import upperhand as uh
from measure import final_state, reward_rows
from speed.rows import Measured, Row, Section, SkippedError, at_most
from upperhand.comparison.instances import GAUSSIAN_ARMS

PEAK = """
held = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(held[0].split()[1]) * 1024)
"""
PLAYED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
import upperhand as uh
uh.simulate({arms}, uh.{policy}, {horizon}, 1, 0, workers=1, progress=False)
"""
MANY_ARMS = PLAYED.format(arms="[uh.Normal(0, 1)] * 10_000", policy="UCB1()", horizon=1_000_000)
HEADLINE = "[uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]"
PATIENCE = 180  # seconds


def simulation(size=10_000):
    """Return the peak of a simulation with 200 points and 5 policies, in sizes of its result."""
    policies = {f"b = {b}": uh.QuantileUCB(b=b) for b in range(5)}
    simulate = partial(uh.simulate, GAUSSIAN_ARMS, policies, 1_000, seed=0, progress=False)
    simulate(replications=20)  # compiled
    tracemalloc.start()
    runs = simulate(replications=size)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    value = peak / sum(pulls.nbytes for pulls in runs.pulls.values())
    return Measured(value, value, value)


def observation(horizon=1_000_000):
    """Return what the state of ACP-UCB1 holds a reward, and the most that it held."""
    policy, table = uh.ACPUCB1(), reward_rows(horizon)
    final_state(policy, table[:, :100].copy(), 100)  # compiled before anything is counted
    tracemalloc.start()
    state = final_state(policy, table, 0)  # grown from nothing, as in live use
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pulls, arms = int(state.pulls.sum()), 8 * horizon  # the list of arms is not the state's
    value = held / pulls
    return Measured(value, value, value, f"{(peak - arms) / pulls:.1f} while growing")


def peak(program):
    """Return the most that a fresh process held which ran a program."""
    command = [sys.executable, "-c", program + PEAK]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SkippedError(f"not done after {PATIENCE} s") from error
    if done.returncode:
        raise SkippedError(f"it needs more than 8 GB: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)


def many_arms():
    """Return the peak of a fresh process that plays 10⁶ rounds of UCB1 with 10⁴ arms."""
    value = peak(MANY_ARMS)
    return Measured(value, value, value, "its result is 16 MB")


def long_run(policy):
    """Return the peak of a fresh process that plays 10⁷ rounds of a policy, compiled before."""
    value = 0.0
    for horizon in (1_000, 10_000_000):
        value = peak(PLAYED.format(arms=HEADLINE, policy=policy, horizon=horizon))
    return Measured(value, value, value)


def section():
    """Return the rows."""
    rows = (
        Row("memory of 10⁴ replications × 200 points × 5 policies, in sizes of the result",
            simulation, "×", at_most(1.2)),
        Row("memory an observation, ACP-UCB1, grown to 10⁶", observation, "bytes", at_most(24)),
        Row("memory of UCB1 with K = 10⁴ arms, n = 10⁶: peak of a fresh process", many_arms, "MB"),
        *(Row(f"memory of {policy}, K = 3, n = 10⁷: peak of a fresh process",
              partial(long_run, policy), "MB")
          for policy in ("UCB1()", "KLQUCB()", "KLQUCB(sketch=1024)")),
    )  # fmt: skip
    return Section("Memory", rows)
