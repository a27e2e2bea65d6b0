"""A real scheduler and real workers, as processes of their own, on this machine."""

import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

DASK = "import sys; from distributed.cli.dask_{} import main; main(sys.argv[1:])"
OTHER = "import upperhand; upperhand.__version__ = '0.0.1'\n"  # a worker of another version
OLDER = f"""{OTHER}
from upperhand.studies import cluster

cluster._play_with = lambda key, kind, job, block: None  # which took no versions
"""
WITHOUT = """
import sys

class Blocker:  # as if upperhand were not installed
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "upperhand":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""


def dask(what, *arguments, before="", errors=subprocess.DEVNULL):
    """Start a scheduler or a worker; `before` is Python that its process runs first."""
    command = [sys.executable, "-c", before + DASK.format(what), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, text=True)


@contextmanager
def scheduler():
    """Give the process and the address of a scheduler on this machine."""
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    process = dask("scheduler", *options, errors=subprocess.PIPE)
    reader = threading.Thread(target=process.stderr.read)  # a full pipe would stop the scheduler
    try:
        for line in process.stderr:
            if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
                break
        else:
            pytest.fail("The scheduler did not say where it is.")
        reader.start()
        yield process, found[0]
    finally:
        process.kill()
        process.wait()
        if reader.is_alive():
            reader.join()
        process.stderr.close()


@contextmanager
def workers(address, count, before=""):
    """Give the processes of so many workers, each with one thread."""
    options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--host", "127.0.0.1")
    processes = [dask("worker", address, *options, before=before) for _ in range(count)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_for_workers(address, count):
    """Wait until so many workers are there."""
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(count, timeout=60)
