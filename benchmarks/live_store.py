"""Figures of the durable store: cold starts of 10⁶ events, and ask + tell against Optuna.

``python benchmarks/live_store.py [events] [seconds]``. Only ratios that were measured side by side,
in small alternating blocks, mean something on a shared machine.
"""

import json
import logging
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np

from upperhand.live import Experiment
from upperhand.live.log import Event, Kind, open_storage
from upperhand.live.trial import ASKS
from upperhand.text import text_table

ROOT = Path(__file__).parents[1]
ARMS = ["small", "large", "mix"]
PLUS = "kl-qucb:plus=true"
MADE = {"arms": ARMS, "quantile": 0.95, "direction": "minimize", "seed": 0, "policy": PLUS}
CHUNK = 50_000
SPREAD = np.array([1.0, 1.2, 1.5])
UNDER_WAY = 8  # asks that are open at a time, in the simulated log


# A long log


def simulated(pairs, seed=0):
    """Return the events of so many asks and tells: arms mostly the best one, some tells late."""
    rng = np.random.default_rng(seed)
    arms = np.where(rng.random(pairs) < 0.9, 0, rng.integers(0, 3, pairs))
    values = rng.lognormal(0.0, 1.0, pairs) * SPREAD[arms]
    now, events = time.time() - pairs, []
    for i in range(pairs + UNDER_WAY):
        if i < pairs:
            trial = ASKS + i + 1
            events.append(Event(Kind.ASKED, trial, 0, int(arms[i]), 1.0, now + i))
        if i >= UNDER_WAY:
            j = i - UNDER_WAY
            told = (ASKS + j + 1, 0, int(arms[j]), float(values[j]))
            events.append(Event(Kind.TOLD, *told, now + min(i, pairs - 1)))
    return events


def build(storage, events):
    """Make an experiment whose log has about so many events; return the seconds that took."""
    begin = time.perf_counter()
    exp = Experiment("long", storage=storage, **MADE)
    exp.ask()  # the first epoch is taken
    exp.storage.close()
    log = open_storage(storage).log("long")
    rows = simulated(events // 2)[1:]  # the first ask was made above
    for first in range(0, len(rows), CHUNK):
        part = rows[first : first + CHUNK]
        log.transact(lambda found, part=part: found.append(part), durable=False)
    return time.perf_counter() - begin


OPENING = """
import json, sys, time
if sys.argv[2] == "without":
    sys.modules["numba"] = None
    import importlib.util
    find = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *a: None if name == "numba" else find(name, *a)
from upperhand.live import Experiment
from upperhand.live.log import open_storage
from upperhand.live.opening import stored
from upperhand.live.replay import Replay
log = open_storage(sys.argv[1]).log("long")
settings = stored(log)
def read_and_replay():
    a = time.perf_counter()
    events = log.read()
    b = time.perf_counter()
    machine = Replay(settings).from_events(events)
    return len(events.n), b - a, time.perf_counter() - b
def snapshot():
    begin = time.perf_counter()
    exp = Experiment("long", storage=sys.argv[1])
    found = time.perf_counter() - begin
    return len(exp), found
if sys.argv[2] == "snapshot":
    snapshot()
    print(json.dumps(min(snapshot()[1] for _ in range(3))))
else:
    first = read_and_replay()
    second = read_and_replay()
    print(json.dumps([first, second]))
"""


def opening(storage, how):
    """Run `OPENING` in a process of its own; return what it measured."""
    command = [sys.executable, "-c", OPENING, str(storage), how]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    found = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if found.returncode:
        return found.stderr.strip().splitlines()[-1]
    return json.loads(found.stdout)


def cold_starts(storage, events):
    """Return lines of a table: what opening a long log costs."""
    place = str(storage).split(":")[0] if "://" in str(storage) else "sqlite"
    rows = [[f"{place}: write {events:,} events", f"{build(storage, events):.1f} s", ""]]
    for how, target in (("with", "≤ 2 s"), ("without", "≤ 10 s")):
        found = opening(storage, how)
        if isinstance(found, str):
            rows.append([f"{place}: replay {how} Numba", found[:60], target])
            continue
        (count, read, replay), (_, again, warm) = found
        shown = f"{read:.2f} + {replay:.2f} s, again {again:.2f} + {warm:.2f} s"
        rows.append([f"{place}: read + replay {count:,}, {how} Numba", shown, target])
    exp = Experiment("long", storage=storage)
    exp.close()  # leaves a snapshot
    found = opening(storage, "snapshot")
    shown = found[:60] if isinstance(found, str) else f"{found:.3f} s"
    rows.append([f"{place}: open from a snapshot", shown, "≤ 0.2 s"])
    return rows


# Ask and tell, against Optuna


def our_pairs(path, seconds):
    """Ask and tell for so long; return pairs a second."""
    exp = Experiment("bench", storage=path, **MADE)
    exp.tell(exp.ask(), 1.0)
    _together()
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        exp.tell(exp.ask(), 1.0 + count % 7)
        count += 1
    rate = count / (time.perf_counter() - begin)
    exp.storage.close()
    return rate


def optuna_pairs(path, seconds):
    """Do the same by Optuna, on SQLite as it is by default."""
    import optuna

    optuna.logging.set_verbosity(logging.ERROR)
    study = optuna.create_study(
        storage=f"sqlite:///{path}", study_name="bench", load_if_exists=True,
        sampler=optuna.samplers.RandomSampler(seed=0),
    )  # fmt: skip
    _together()
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        trial = study.ask()
        trial.suggest_categorical("arm", ARMS)
        study.tell(trial, 1.0 + count % 7)
        count += 1
    return count / (time.perf_counter() - begin)


_barrier = []  # of the processes of one block: all have opened before any is timed


def _together():
    for barrier in _barrier:
        barrier.wait(120)


def _begin(barrier):
    _barrier[:] = [barrier]


def by_processes(work, path, seconds, processes):
    """Run the same in several processes at once; return pairs a second of all of them."""
    if processes == 1:
        return work(path, seconds)
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _begin, (context.Barrier(processes),)) as pool:
        return sum(pool.starmap(work, [(path, seconds)] * processes, chunksize=1))


def against_optuna(folder, processes, blocks=5, seconds=2.0):
    """Return rates of both, and the median ratio, in alternating blocks."""
    ours, theirs = [], []
    work = [(our_pairs, folder / "ours.db", ours), (optuna_pairs, folder / "optuna.db", theirs)]
    for function, path, _ in work:
        function(path, 0.05)
    for _ in range(blocks):
        for function, path, rates in work:
            rates.append(by_processes(function, path, seconds, processes))
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    return median(ours), median(theirs), ratio


def by_threads(path, threads=32, seconds=2.0):
    """Return pairs a second of threads that share one experiment."""
    exp = Experiment("threads", storage=path, **MADE)
    end = time.perf_counter() + seconds

    def work(_):
        count = 0
        while time.perf_counter() < end:
            exp.tell(exp.ask(), 1.0 + count % 7)
            count += 1
        return count

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, range(threads))) / seconds


def against_others(folder, seconds):
    """Return lines of a table: ask + tell, durable on SQLite."""
    rows = []
    for processes, target in ((1, "≥ 40 ×"), (8, "≥ 80 ×")):
        (folder / str(processes)).mkdir()
        ours, theirs, ratio = against_optuna(folder / str(processes), processes, seconds=seconds)
        shown = f"{ratio:.0f} × ({ours:,.0f} / {theirs:,.0f} a second)"
        rows.append([f"ask + tell, {processes} processes, in Optuna's", shown, target])
    rate = by_threads(folder / "threads.db", seconds=seconds)
    rows.append(["ask + tell, 32 threads", f"{rate:,.0f} a second", ""])
    return rows


def postgres_rows(events):
    """Return the lines for PostgreSQL, on a server of our own; a word if there is none."""
    sys.path.insert(0, str(ROOT))
    from tests.live.log.cluster import Cluster, binaries

    if binaries() is None:
        return [["postgresql", "no server is installed", ""]]
    own = Cluster()
    try:
        return cold_starts(own.url, events)
    finally:
        own.remove()


def main(events=1_000_000, seconds=2.0):
    """Measure everything and print it."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for part in (
            lambda: cold_starts(Path(name) / "long.db", int(events)),
            lambda: postgres_rows(int(events)),
            lambda: against_others(Path(name), float(seconds)),
        ):
            found = part()
            rows += found
            print(*(": ".join(row[:2]) for row in found), sep="\n", flush=True)
    print("\n" + text_table(["figure", "measured", "target"], rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
