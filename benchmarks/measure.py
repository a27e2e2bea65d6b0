"""One function a figure; each returns numbers, measured side by side in one process."""

import math
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np

import upperhand as uh
from naive_numpy import LADDER
from upperhand._kernels import sorted_samples
from upperhand._kernels.compile import compile_closure
from upperhand._kernels.loop import make_search
from upperhand._kernels.ordered import grow
from upperhand.intervals import CALIBRATORS, contract, parse_calibrator
from upperhand.simulation.tables import reward_table
from upperhand.simulation.trajectory import play_rounds
from upperhand.studies.instances import GAUSSIAN_ARMS, INSTANCES
from upperhand.studies.line_up import line_up
from upperhand.theory import guarantees, population


def reward_rows(horizon, seed=0):
    """Return a reward table of the paper's Gaussian arms."""
    rng = np.random.default_rng(seed)
    return reward_table(np.stack([arm.sample(rng, horizon) for arm in GAUSSIAN_ARMS]))


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


def final_state(policy, table, room):
    """Play a table from an empty state that has room for so many rewards."""
    state, arms = (
        policy.functions.start(policy.parameters, len(table), room),
        np.empty(table.shape[1], np.int64),
    )
    return play_rounds(policy, state, table, np.random.default_rng(0), arms)


def ladder(horizon=10_000, tables=3):
    """Return how many times faster ACP-UCB1 is than each rung of `LADDER`: median, least, most.

    A rung is timed only if it chooses our arms, on a short table before and on each table that it
    is timed on. Our side is timed before and after each, as a shared machine changes its speed, and
    all in CPU time, as others may use it meanwhile.
    """
    policy, short = uh.ACPUCB1(), reward_rows(2_000)
    for name, play in LADDER.items():
        check_same(name, play(short), policy, short)
    ratios = {name: [] for name in LADDER}
    for seed in range(tables):
        table = reward_rows(horizon, seed)
        for name, play in LADDER.items():
            before, start = typical_step(policy, horizon), time.process_time()
            arms = play(table)
            slow = (time.process_time() - start) / horizon
            check_same(name, arms, policy, table)
            ratios[name].append(2 * slow / (before + typical_step(policy, horizon)))
    return {name: (float(np.median(each)), min(each), max(each)) for name, each in ratios.items()}


def check_same(name, arms, policy, table):
    """Stop if a rung of the ladder chose other arms than the library."""
    if not np.array_equal(arms, uh.play(policy, table).arms):
        raise SystemExit(f"Not timed: {name!r} chose other arms than the library.")


def typical_step(policy, horizon, tables=20):
    """Return the median seconds a round over fresh tables."""
    return np.median([step(policy, reward_rows(horizon, seed), 1) for seed in range(tables)])


def against_ucb1(horizon=10_000):
    """Return the cost of an ACP-UCB1 step in UCB1 steps, and both in seconds.

    Medians over fresh tables, each played once by both: on a table that it has met before, the
    processor predicts the branches of UCB1.
    """
    tables = [reward_rows(horizon, seed) for seed in range(100)]
    pairs = np.array([(step(uh.ACPUCB1(), t, 1), step(uh.UCB1(), t, 1)) for t in tables])
    acp, ucb = np.median(pairs, axis=0)
    return np.median(pairs[:, 0] / pairs[:, 1]), acp, ucb


def every_step(horizon=10_000, tables=40):
    """Return the cost of each policy's step in UCB1 steps, and in seconds; played by turns."""
    policies = {
        **line_up(INSTANCES["headline"], horizon),
        "KL-UCB (Bernoulli)": uh.KLUCB(),
        "Thompson sampling (Beta)": uh.ThompsonSampling(),
        "Thompson sampling (sd)": uh.ThompsonSampling("gaussian", sd=0.15),
    }
    rows = [reward_rows(horizon, seed) for seed in range(tables + 1)]
    _, *turns = [[step(policy, table, 1) for policy in policies.values()] for table in rows]
    times = np.array(turns)  # the first turn may compile
    ratios = times / times[:, [list(policies).index("UCB1")]]
    medians = zip(np.median(ratios, axis=0), np.median(times, axis=0), strict=True)
    return dict(zip(policies, medians, strict=True))


def qlucb_step(arms=10, horizon=100_000, turns=7):
    """Return the cost of a QLUCB step in UCB1 steps, with ten equal arms, and both in seconds."""
    table = reward_table(np.random.default_rng(0).normal(0.0, 1.0, (arms, horizon)))
    policy, mean = uh.QLUCB(0.95), uh.UCB1()
    f, parameters = policy.functions, policy.parameters
    functions = (f.index, f.select, f.update, f.full, f.stop)
    search = compile_closure(make_search, *functions, user=type(policy))
    drawn, rng = np.full(arms, horizon + 1), np.random.default_rng(0)

    def searched():
        state = f.start(parameters, arms, 2 * horizon)
        assert search(parameters, state, table, drawn, rng, 0, horizon) == (horizon, False)

    searched()
    times = [
        (seconds(searched, 1, time.process_time) / horizon, step(mean, table, 1))
        for _ in range(turns)
    ]
    ratio = float(np.median([mine / base for mine, base in times]))
    return ratio, *np.median(times, axis=0)


def make_calibration(interval, update, full, insert, no_room):
    """Return the loop over a stream for one calibrator, ready to be compiled."""

    def calibration(calibrator, state, past, low, high, values, done):
        """Go on after so many values to the last, or until there is no room; return how many."""
        for i in range(done, len(values)):
            if full(calibrator, state, 0) or no_room(past, 0):
                return i
            lower, upper = interval(calibrator, state, past, 0, low, high)
            update(calibrator, state, past, 0, low, high, values[i] + 0.0 * (lower > upper))
            insert(past, 0, values[i])
        return len(values)

    return calibration


def calibrated(loop, calibrator, values):
    """Let a calibrator see all values; return its CPU seconds, without those for growing."""
    state = calibrator.owner.functions.start(calibrator, 1, 0)
    past, done, taken = sorted_samples.empty(1, 0), 0, 0.0
    while done < len(values):
        begin = time.process_time()
        done = loop(calibrator, state, past, -1.0, 1.0, values, done)
        taken += time.process_time() - begin
        state, past = grow(state), grow(past)
    return taken


def calibrator_steps(short=1_000, long=100_000, turns=5):
    """Return what interval and update take of each calibrator, after few and after many values.

    In seconds a value, on a stream of normal values with the same forecast; the insertion of the
    values themselves, which only `Rescored` needs, is in all of them.
    """
    values = np.random.default_rng(0).normal(0.0, 1.0, long)
    found = {}
    for name, cls in CALIBRATORS.items():
        calibrator = parse_calibrator(name, horizon=long).parameters
        functions = contract.interval, contract.update, contract.full
        kernels = *functions, sorted_samples.insert, sorted_samples.full
        timed = partial(calibrated, compile_closure(make_calibration, *kernels, user=cls))
        timed(calibrator, values[:short])
        few = np.median([timed(calibrator, values[:short]) for _ in range(turns)]) / short
        half, whole = (
            min(timed(calibrator, values[:n]) for _ in range(3)) for n in (long // 2, long)
        )
        found[name] = float(few), (whole - half) / (long - long // 2)
    return found


def growth():
    """Return the cost of a step at n = 10⁶ in steps at n = 10⁴."""
    policy, large = uh.ACPUCB1(), reward_rows(1_000_000)
    turns = [step(policy, large, 1) / typical_step(policy, 10_000) for _ in range(5)]
    return float(np.median(turns))


def bytes_an_observation(horizon=1_000_000):
    """Return what the state of ACP-UCB1 holds, and the most it held, a reward."""
    policy, table = uh.ACPUCB1(), reward_rows(horizon)
    final_state(policy, table[:, :100].copy(), 100)  # compiled before anything is counted
    tracemalloc.start()
    state = final_state(policy, table, 0)  # grown from nothing, as in live use
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pulls, arms = int(state.pulls.sum()), 8 * horizon  # the list of arms is not the state's
    return held / pulls, (peak - arms) / pulls


def live(arms=10, observations=100_000, tries=2_000):
    """Return the median seconds of ask + tell, interpreted, with so many observations an arm."""
    rng = np.random.default_rng(0)
    policy = uh.ACPUCB1(b=1e6)  # so much exploration that the arms are pulled in turn
    rounds = arms * observations
    table = np.resize(rng.normal(size=2 * observations), (arms, rounds))
    bandit = uh.Bandit([f"arm {j}" for j in range(arms)], policy, seed=0, compiled=False)
    player = bandit._machine.players[0]  # told by the compiled loop: a minute saved
    player.state = final_state(policy, table, 0)
    player.count_many(player.state.pulls, np.zeros(arms, np.int64))
    bandit._machine.counts["outcomes"] = rounds
    bandit._way.look_at(math.inf)  # for no advice: b is far from the spread on purpose
    assert len(bandit) == rounds
    assert bandit.pulls("arm 0") > 0
    times = []
    for reward in rng.normal(size=tries):
        start = time.perf_counter()
        bandit.tell(bandit.ask(), reward)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def population_quantities(count=1_000):
    """Return the seconds for u*, G, g and C(β), the last by root-finding, of random arms."""
    rng = np.random.default_rng(0)
    shapes = zip(rng.normal(size=count), rng.uniform(0.1, 2, count), strict=True)
    arms = [_random_law(place, loc, scale, rng) for place, (loc, scale) in enumerate(shapes)]

    def everything():
        for arm in arms:
            population.u_star(arm, 0.1)
            population.score_cdf(arm, 0.1, 0.05)
            population.score_pdf(arm, 0.1, 0.05)
            population.interval(arm, 0.1, 0.05)

    return seconds(everything, 5)


def simulation_memory(replications=10_000):
    """Return the peak of a simulation with 200 points and 5 policies, in sizes of its result."""
    policies = {f"b = {b}": uh.QuantileUCB(b=b) for b in range(5)}
    simulate = partial(uh.simulate, GAUSSIAN_ARMS, policies, 1_000, seed=0, progress=False)
    simulate(replications=20)  # compiled
    tracemalloc.start()
    runs = simulate(replications=replications)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / sum(pulls.nbytes for pulls in runs.pulls.values())


def proved_bounds(n=10_000, tries=5):
    """Return the seconds for what is proved of our four policies, on the headline's arms."""
    policies = guarantees.covered(0.95).values()
    return seconds(lambda: [guarantees.pulls(p, GAUSSIAN_ARMS, n) for p in policies], tries)


def _random_law(place, loc, scale, rng):
    """Return a law of one of five families by turns; three of them are not symmetric."""
    df, skew = rng.uniform(3, 9), rng.uniform(-0.8, 0.8)
    return (
        uh.Normal(loc, scale),
        uh.StudentT(loc, scale, df),
        uh.SkewedStudentT(loc, scale, df, skew),
        uh.Exponential(scale),
        uh.LogNormal(loc, scale),
    )[place % 5]


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
