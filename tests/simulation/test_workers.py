"""Workers: blocks of replications, threads, and results that do not pile up."""

import gc
import os
import subprocess
import sys
import tracemalloc
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest

import upperhand as uh
from upperhand.simulation import rewards, workers
from upperhand.simulation.rewards import lent
from upperhand.simulation.workers import BYTES_PER_BLOCK, Workers, cut

ARMS = [uh.Normal(0, 1), uh.Normal(1, 1)]


@pytest.mark.parametrize("progress", [None, True])
def test_nowhere_to_show_progress(monkeypatch, progress):
    """Standard error may be closed, missing, or an object that can do nothing but write."""
    closed, foreign = StringIO(), SimpleNamespace(write=len, flush=lambda: None)
    closed.close()
    for stream in (closed, None, foreign):
        monkeypatch.setattr(sys, "stderr", stream)
        uh.simulate(ARMS, uh.UCB1(), 5, 2, progress=progress)


def test_too_little_memory_names_what_takes_it(monkeypatch):
    """Pull counts grow with replications and arms; a policy's rewards with the horizon."""

    def advice(*sizes):
        with pytest.raises(MemoryError) as told:
            uh.simulate(ARMS, uh.UCB1(), *sizes, seed=0, progress=False)
        return told.value.__notes__

    assert advice(200, 2**40) == ["Use fewer replications or arms."]
    monkeypatch.setattr(rewards, "_draw_row", lambda *_: np.empty(2**50))
    assert advice(5, 2) == ["Use a smaller horizon, fewer arms or fewer workers."]


def test_a_script_without_a_guard(tmp_path):
    """Spawned processes import the script, which starts a simulation again, and end."""
    script = tmp_path / "script.py"
    script.write_text(
        "import concurrent.futures, multiprocessing, upperhand as uh\n"
        "context = multiprocessing.get_context('spawn')\n"
        "pool = concurrent.futures.ProcessPoolExecutor(1, context)\n"
        "uh.simulate([uh.Normal(0, 1)], uh.UCB1(), 5, 2, executor=pool)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    *_, told = done.stderr.splitlines()
    assert "ClusterError: The executor's processes ended: guard the script's main part" in told
    assert "if __name__ == '__main__'" in told


def test_results_do_not_pile_up():
    """Of 40 blocks' results, at most the last is there when the next is given."""

    class Result:
        """What a block of replications gives."""

    seen, alive = [], []
    for _, result in Workers.checked(40, 10, None, False).results("", lambda *_: Result(), 1):
        alive.append(sum(each() is not None for each in seen))
        seen.append(weakref.ref(result))
    assert len(seen) == 40
    assert max(alive) <= 1


def test_an_error_of_the_caller_stops_the_workers():
    stops = []

    def play(_block, stop):
        stops.append(stop)

    def fail():
        for _ in Workers.checked(40, 2, None, False).results("", play, 1):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert stops[0].is_set()


def test_blocks():
    blocks = cut(1000, length=100_000, pieces=8)
    assert max(map(len, blocks)) <= 10
    assert [i for block in blocks for i in block] == list(range(1000))
    assert len(cut(60, length=10_000, pieces=8)) == 8
    assert len(cut(3, length=10_000, pieces=8)) == 3
    blocks = cut(10_000, length=200, size=24_000, pieces=8)  # small against the memory
    assert len(blocks) >= 10_000 * 24_000 / BYTES_PER_BLOCK
    assert len(cut(3, length=200, size=10**9, pieces=8)) == 3


def test_how_many_replications_a_process_plays():
    def of_one(executor):
        return Workers.checked(10, 4, executor, False).replications_of_one

    with ThreadPoolExecutor(4) as threads, ProcessPoolExecutor(4) as processes:
        assert [of_one(each) for each in (None, threads, processes)] == [10, 10, 3]


def test_one_worker_for_each_core_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {1, 5, 7}, raising=False)
    made = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, count):
            made.append(count)
            super().__init__(count)

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Threads)
    uh.simulate(ARMS, uh.UCB1(), 5, 2)
    uh.simulate(ARMS, uh.UCB1(), 5, 2, workers=2)
    assert made == [3, 2]


def simulated(replications):
    policies = [uh.UCB1(), uh.QuantileTS()]
    uh.simulate(ARMS, policies, 6, replications, seed=0, rounds=1, progress=False)


def identified(replications):
    uh.identify(ARMS, uh.QLUCB(), 0.1, cap=6, replications=replications, seed=0, progress=False)


@pytest.mark.parametrize("play", [simulated, identified])
def test_nothing_stays_of_a_replication(play):
    """A generator of each would be 2 kB: 0.5 MB or more here."""
    tracemalloc.start()
    try:
        play(40)  # what is made once is there
        before = tracemalloc.get_traced_memory()[0]
        play(290)  # its result goes at once
        gc.collect()
        stays = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert stays < 200_000


def test_a_generator_comes_back_after_an_error_too():
    rng, same = np.random.default_rng(3), np.random.default_rng(3)

    def fail():
        with lent(rng) as own:
            own.random(5)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    same.random(5)
    assert rng.random() == same.random()
