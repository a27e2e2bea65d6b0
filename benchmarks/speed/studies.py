"""Studies: what blocks, files and a cluster add to the bare loop; what a second worker gains."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import upperhand as uh
from measure import reward_rows
from speed.clock import by_turns, ratio, wall
from speed.floors import bare_loop
from speed.memory import peak
from speed.rows import Measured, Row, Section, SkippedError, at_least, at_most
from upperhand.comparison.instances import GAUSSIAN_ARMS
from upperhand.studies import read_plan, run_plan
from upperhand.studies.cluster import dask_team

HORIZON, REPLICATIONS = 10_000, 600
POLICIES = (uh.ACPUCB1(), uh.KLQUCB(), uh.UCB1())
STEPS = len(POLICIES) * HORIZON * REPLICATIONS
TEXT = f"""
title = "Overhead"
horizon = {HORIZON}
replications = {REPLICATIONS}
instances = ["headline"]
""" + "".join(f'[[policies]]\nname = "{policy.name}"\n' for policy in POLICIES)  # fmt: skip


SHORT = """
horizon = 1000
replications = {}
instances = ["headline"]
[[policies]]
name = "ucb1"
"""
RUN = """
from upperhand.studies import read_plan, run_plan
run_plan(read_plan({!r}), {!r}, workers=2, progress=False)
"""


@contextmanager
def study():
    """Give the study, and a fresh folder for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(TEXT, encoding="utf-8")
        yield read_plan(path), Path(folder) / "out"


def in_blocks(**options):
    """Return the seconds of the study in a fresh folder."""
    with study() as (plan, out):
        return wall(partial(run_plan, plan, out, progress=False, **options))


def in_memory():
    """Return the seconds of the same by `simulate`, on one thread."""
    simulate = partial(uh.simulate, GAUSSIAN_ARMS, POLICIES, HORIZON, REPLICATIONS, seed=0)
    return wall(partial(simulate, workers=1, progress=False))


@cache
def by_threads():
    """Return the seconds in memory, and of the study on one and on two threads."""
    return by_turns(
        {
            "memory": in_memory,
            "one": partial(in_blocks, workers=1),
            "two": partial(in_blocks, workers=2),
        }
    )


def files():
    """Return the study over `simulate`."""
    taken = by_threads()
    return ratio(taken["one"], taken["memory"])


def second_worker():
    """Return one thread over two."""
    taken = by_threads()
    rate = STEPS / float(np.median(taken["two"]))
    note = f"{rate / 1e6:.1f} million steps a second by two: 10¹² take {1e12 / rate / 3600:.0f} h"
    return ratio(taken["one"], taken["two"], note)


def second_loop():
    """Return what a second thread gains for a bare compiled loop, which is all its own."""
    loop, tables = bare_loop(), [reward_rows(HORIZON, seed) for seed in range(2)]

    def play(place):
        for _ in range(2_000):
            loop(tables[place], HORIZON)

    def together():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(play, range(2)))

    taken = by_turns({"one": partial(wall, partial(play, 0)), "both": partial(wall, together)})
    return ratio(2 * taken["one"], taken["both"])


def dask():
    """Return the study by Dask's processes on this machine over that by two threads."""
    if not find_spec("distributed"):
        raise SkippedError("Dask is not installed")
    with dask_team("local") as team:
        taken = by_turns(
            {
                "threads": partial(in_blocks, workers=2),
                "dask": partial(in_blocks, scheduler=team.client.scheduler.address),
            }
        )
    return ratio(taken["dask"], taken["threads"])


def replications_more():
    """Return the memory of a study of 10,000 short replications over that of 100."""
    held = []
    for replications in (100, 100, 10_000):  # the first one compiles
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.toml"
            path.write_text(SHORT.format(replications), encoding="utf-8")
            held.append(peak(RUN.format(str(path), str(Path(folder) / "out"))))
    note = f"{held[2] / 1e6:.0f} MB against {held[1] / 1e6:.0f} MB"
    return Measured(*[held[2] / held[1]] * 3, note)


def section():
    """Return the rows."""
    return Section(
        "Studies",
        (
            Row("a study against simulate, one thread", files, "×", at_most(1.1)),
            Row("a study on two threads, against one", second_worker, "×", at_least(1.7)),
            Row("for a study's second thread: two bare loops at once", second_loop, "×"),
            Row("memory of a study, 10,000 replications against 100", replications_more, "×",
                at_most(1.2)),
            Row("a study by Dask, two processes, against threads", dask, "×", at_most(1.2)),
        ),
    )  # fmt: skip
