"""UCB1 with its draws by `simulate`, next to other libraries and to vectorised NumPy.

A replication of a peer takes as long as any other, so a few are timed and the time of all 60 is
told from them; NumPy and the library play all of theirs.
"""

from functools import cache, partial

import numpy as np

import upperhand as uh
from speed.clock import both, by_turns, cpu, duration, ratio
from speed.numpy_ucb1 import CHUNKS, TUNED, in_chunks, plain
from speed.peers import PEERS
from speed.rows import Row, Section, at_least
from upperhand.comparison.instances import GAUSSIAN_ARMS

HORIZON, REPLICATIONS = 10_000, 60
MEANS = np.array([arm.mean for arm in GAUSSIAN_ARMS])
SDS = np.array([arm.sd for arm in GAUSSIAN_ARMS])
GRID = np.linspace(0, HORIZON, 201).round().astype(int)[1:].tolist()  # 200 points of a curve
TRIED = 200  # rounds on which the fastest way in NumPy is found
PEER_GOALS = {"river": 75, "SMPyBandits": 340}
PLAIN_GOALS = {60: 5, 100: 4}
TUNED_GOALS = {1_000: 1, 10_000: 1}
SIZES = (*PLAIN_GOALS, *TUNED_GOALS)
CPU, WALL = "CPU time, one worker", "wall time, default workers"


def ours(replications, workers):
    """Let the library play; return CPU and wall seconds."""
    simulate = partial(uh.simulate, GAUSSIAN_ARMS, uh.UCB1(), HORIZON, seed=0, progress=False)
    return both(partial(simulate, replications=replications, workers=workers))


def next_to(replications, other, *, warm=True):
    """Return by turns what the library and another take; it returns CPU and wall seconds."""
    sides = {CPU: partial(ours, replications, 1), WALL: partial(ours, replications, None)}
    return by_turns({**sides, "other": other}, warm=warm)


def times_faster(taken, clock, said=""):
    """Return how many times faster the library is, by one of the clocks."""
    place = (CPU, WALL).index(clock)
    mine, other = taken[clock][:, place], taken["other"][:, place]
    sides = f"{duration(np.median(other))} against {duration(np.median(mine))}"
    return ratio(other, mine, f"{sides}{said}")


@cache
def against_peer(name):
    """Return by turns what a peer and the library take for all replications."""
    rng = np.random.default_rng(0)

    def play():
        once = both(lambda: PEERS[name](MEANS, SDS, HORIZON, rng))
        return tuple(REPLICATIONS * each for each in once)

    PEERS[name](MEANS, SDS, 10, rng)  # skipped before anything is timed
    return next_to(REPLICATIONS, play)


@cache
def against_plain(replications):
    """Return by turns what NumPy, vectorised as one does it first, and the library take."""
    rng = np.random.default_rng(0)
    play = partial(plain, MEANS, SDS, replications, GRID, rng)
    return next_to(replications, partial(both, play))


@cache
def against_tuned(replications):
    """Return the fastest way in NumPy by name, and by turns what it and the library take."""
    rng, found = np.random.default_rng(0), {}
    chunks = [chunk for chunk in CHUNKS if chunk < replications] or [replications]
    for name, play in TUNED.items():
        for chunk in chunks:
            way = partial(in_chunks, play, chunk, MEANS, SDS, replications)
            tried = [cpu(partial(way, [TRIED], rng)) for _ in range(3)]
            found[f"{name}, {chunk:,} at a time"] = min(tried), way
    name, (_, way) = min(found.items(), key=lambda each: each[1][0])
    other = partial(both, partial(way, GRID, rng))
    return name, next_to(replications, other, warm=replications <= 1_000)


def rows():
    """Return the rows: both clocks for each rival."""
    for clock in (CPU, WALL):
        for name in PEERS:
            goal = at_least(PEER_GOALS[name]) if name in PEER_GOALS else None
            measure = partial(lambda n, c: times_faster(against_peer(n), c), name, clock)
            yield Row(f"UCB1 end to end, R = 60, times faster than {name}: {clock}", measure,
                      "×", goal)  # fmt: skip
        for size, goal in PLAIN_GOALS.items():
            measure = partial(lambda s, c: times_faster(against_plain(s), c), size, clock)
            yield Row(f"UCB1 end to end, times faster than plain NumPy over R = {size}: {clock}",
                      measure, "×", at_least(goal))  # fmt: skip
        for size in SIZES:
            goal = at_least(TUNED_GOALS[size]) if size in TUNED_GOALS else None
            yield Row(f"UCB1 end to end, times faster than tuned NumPy over R = {size:,}: {clock}",
                      partial(tuned_row, size, clock), "×", goal)  # fmt: skip


def tuned_row(size, clock):
    """Return a row against tuned NumPy, with the way that was the fastest."""
    name, taken = against_tuned(size)
    return times_faster(taken, clock, f" ({name})")


def section():
    """Return the section."""
    return Section("UCB1 end to end", tuple(rows()))
