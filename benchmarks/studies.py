"""What blocks, files and a cluster add to a study, next to the bare loop, and what 10¹² steps take.

Run on an otherwise idle machine: ``python benchmarks/studies.py``. Everything is played by turns,
and ratios are medians of these.
"""

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import upperhand as uh
from upperhand.studies.grids import read_plan, run_plan
from upperhand.studies.grids.cluster import dask_team

TURNS = 5
TEXT = """
title = "Overhead"
horizon = {horizon}
replications = {replications}
instances = ["headline"]

[[policies]]
name = "acp-ucb1"
[[policies]]
name = "kl-qucb"
[[policies]]
name = "ucb1"
"""
POLICIES = [uh.ACPUCB1(), uh.KLQUCB(), uh.UCB1()]
ARMS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]


@contextmanager
def study(horizon, replications):
    """Give a study and a fresh folder for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(TEXT.format(horizon=horizon, replications=replications), encoding="utf-8")
        yield read_plan(path), Path(folder) / "out"


def timed(work):
    """Return the seconds on the wall."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_blocks(horizon, replications, **options):
    """Return the seconds of a study in a fresh folder."""
    with study(horizon, replications) as (plan, out):
        return timed(lambda: run_plan(plan, out, progress=False, **options))


def bare(horizon, replications, workers):
    """Return the seconds of the same policies by `simulate`, in memory."""
    return timed(
        lambda: uh.simulate(
            ARMS, POLICIES, horizon, replications, seed=0, workers=workers, progress=False
        )
    )


def by_turns(**sides):
    """Return each side's median over alternated runs, the first of which is not counted."""
    taken = {name: [] for name in sides}
    for _ in range(TURNS + 1):
        for name, side in sides.items():
            taken[name].append(side())
    return {name: median(seconds[1:]) for name, seconds in taken.items()}


def main():
    """Print the figures."""
    size = (10_000, 600)
    found = by_turns(
        bare=lambda: bare(*size, workers=1),
        one=lambda: in_blocks(*size, workers=1),
        two=lambda: in_blocks(*size, workers=2),
    )
    steps = 3 * size[0] * size[1]
    print(f"three policies, {size[1]} × {size[0]:,} rounds, K = 3: {steps:,} steps")
    print(f"  simulate, one thread            {found['bare']:.2f} s")
    print(f"  study, one thread               {found['one']:.2f} s, "
          f"{found['one'] / found['bare'] - 1:+.1%}")  # fmt: skip
    print(f"  study, two threads              {found['two']:.2f} s, "
          f"{found['one'] / found['two']:.2f} × one")  # fmt: skip
    with dask_team("local") as team:
        address = team.client.scheduler.address
        dask = by_turns(
            threads=lambda: in_blocks(*size, workers=2),
            dask=lambda: in_blocks(*size, scheduler=address),
        )
    print(f"  Dask, two processes, loopback   {dask['dask']:.2f} s against {dask['threads']:.2f} s "
          f"by threads, {dask['dask'] / dask['threads'] - 1:+.1%}")  # fmt: skip
    rate = steps / found["two"]
    print(f"  {rate / 1e6:.1f} million steps a second on two cores: 10¹² steps take "
          f"{1e12 / rate / 3600:.1f} hours on this machine, "
          f"{1e12 / rate * 2 / 64 / 3600:.1f} hours on 64 such cores")  # fmt: skip


if __name__ == "__main__":
    main()
