"""The floor of a loop over rounds: what the draws, a bare step and the memory alone take."""

from functools import cache, partial

import numpy as np

import upperhand as uh
from measure import reward_rows, step
from speed.clock import TURNS, by_turns, cpu, duration, ratio, typical
from speed.end_to_end import HORIZON, ours
from speed.rows import Row, Section

NUMBERS = 4_000  # at once: they stay in the first cache
COPIED = 1 << 27  # bytes, far more than a cache


@cache
def normal_number():
    """Return the seconds of a normal number, by NumPy's generator into an array that stays."""
    rng, room = np.random.default_rng(0), np.empty(NUMBERS)

    def draw():
        for _ in range(250):
            rng.standard_normal(out=room)

    return typical(np.array([cpu(draw) for _ in range(2 * TURNS)]) / (250 * NUMBERS))


def bare_ucb1(table, rounds):
    """Play UCB1 as short as it can be: running sums, which are not exact; return the pulls."""
    arms = len(table)
    pulls, sums = np.zeros(arms, np.int64), np.zeros(arms)
    for t in range(1, rounds + 1):
        best, arm = -np.inf, 0
        bonus = 2.0 * np.log(t)
        for j in range(arms):
            seen = pulls[j]
            index = np.inf if seen == 0 else sums[j] / seen + np.sqrt(bonus / seen)
            if index > best:
                best, arm = index, j
        sums[arm] += table[arm, pulls[arm]]
        pulls[arm] += 1
    return pulls


@cache
def bare_loop():
    """Return the compiled loop, which lets other threads run."""
    import numba

    return numba.njit(error_model="numpy", nogil=True)(bare_ucb1)


@cache
def bare_steps():
    """Return the seconds a step of the bare loop and of the library's UCB1, on fresh tables."""
    loop = bare_loop()
    tables = iter([reward_rows(HORIZON, seed) for seed in range(80)])
    loop(next(tables), HORIZON)
    sides = {
        "bare": lambda: cpu(partial(loop, next(tables), HORIZON)) / HORIZON,
        "ours": lambda: step(uh.UCB1(), next(tables), 1),
    }
    return by_turns(sides, 30)


def bare_step():
    """Return the step of the bare loop."""
    return typical(bare_steps()["bare"])


def above_the_bare_loop():
    """Return UCB1's step in bare steps."""
    taken = bare_steps()
    return ratio(taken["ours"], taken["bare"], f"{duration(np.median(taken['ours']))} a step")


@cache
def above_the_floor(replications=100):
    """Return a round of UCB1 by `simulate`, in the time of one draw and one bare step."""
    taken = np.array([ours(replications, 1)[0] for _ in range(TURNS + 1)][1:])
    floor = normal_number().value + float(np.median(bare_steps()["bare"]))
    rounds = taken / (replications * HORIZON)
    said = f"{duration(np.median(rounds))} a round against {duration(floor)}"
    return typical(rounds / floor, said)


def copying():
    """Return the seconds to copy a double from memory to memory."""
    source, target = np.zeros(COPIED // 8), np.empty(COPIED // 8)
    taken = np.array([cpu(lambda: np.copyto(target, source)) for _ in range(TURNS + 1)][1:])
    speed = 2 * COPIED / np.median(taken) / 1e9
    return typical(taken / len(source), f"{speed:.1f} GB/s, read and written")


def section():
    """Return the rows."""
    rows = (
        Row("a normal number by NumPy", normal_number, "ns"),
        Row("a step of UCB1 in a bare compiled loop, K = 3", bare_step, "ns"),
        Row("a double copied in memory", copying, "ns"),
        Row("UCB1 step, in bare steps", above_the_bare_loop, "×"),
        Row("a round of UCB1 end to end, in a draw and a bare step", above_the_floor, "×"),
    )
    return Section("How far from the floor", rows)
