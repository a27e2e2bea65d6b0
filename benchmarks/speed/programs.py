"""What starting Python, importing the library and the paper's figures take, from the shell.

Python keeps the bytecode of what it imports unless it is told not to; a user's second start finds
it, so the variable that forbids it is taken out of the environment here.
"""

import os
import resource
import subprocess
import sys
import tempfile
from functools import cache

import numpy as np

from measure import seconds
from speed.clock import TURNS, duration, typical, wall
from speed.rows import Measured, Row, Section, at_most


def environment(**more):
    """Return the environment of a user's shell."""
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return usual | more


def python(*words, env=None):
    """Run Python; return CPU and wall seconds, of all its threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *words]
    taken = wall(lambda: subprocess.run(
        command, check=True, capture_output=True, env=env or environment()))  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, taken


def import_time(repeats=7):
    """Return the wall seconds that `import upperhand` adds to starting Python."""
    bare = seconds(lambda: python("-c", "pass"), repeats)
    value = seconds(lambda: python("-c", "import upperhand"), repeats) - bare
    return Measured(value, value, value)


@cache
def paper():
    """Return CPU and wall seconds of `upperhand paper`: (1, 2) with an empty cache, then warm."""
    with tempfile.TemporaryDirectory() as folder:
        given = environment(NUMBA_CACHE_DIR=folder)
        words = ("-m", "upperhand", "paper", "--out", folder)
        first = np.array([python(*words, env=given)])
        return first, np.array([python(*words, env=given) for _ in range(TURNS)])


def first_paper():
    """Return the wall seconds of the first run."""
    (cpu_seconds, taken), = paper()[0]  # fmt: skip
    return Measured(taken, taken, taken, f"CPU time {duration(cpu_seconds)}")


def warm_paper():
    """Return the CPU seconds of the runs after it."""
    found = paper()[1]
    return typical(found[:, 0], f"wall time {duration(np.median(found[:, 1]))}")


def section():
    """Return the rows."""
    rows = (
        Row("import upperhand, wall time", import_time, "ms", at_most(300)),
        Row("upperhand paper, first run with compilation, wall time", first_paper, "s",
            at_most(30)),
        Row("upperhand paper, warm, CPU time", warm_paper, "s", at_most(3)),
    )  # fmt: skip
    return Section("From the shell", rows)
