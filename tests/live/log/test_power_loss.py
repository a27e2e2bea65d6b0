"""R2: the power goes at any moment. Acknowledged durable events stay, and all is whole."""

import random

import pytest

from tests.live.log.disk import SYNC, traced
from upperhand.live.log.sqlite import SqliteStorage

MODULE = "tests.live.log.on_disk"


def workload(tmp_path, *what):
    folder = tmp_path / "first"
    folder.mkdir()
    SqliteStorage(folder / "log.db").close()
    return traced(MODULE, folder, *what)


def lost_and_corrupt(trace, folder, states, seed):
    """Return how many of the states miss what was acknowledged, and how many are damaged."""
    generator, lost, corrupt = random.Random(seed), 0, 0
    for state in range(states):
        image = folder / f"image-{state}"
        image.mkdir()
        cut = generator.randrange(trace.cuts())
        trace.image(generator, cut, image)
        try:
            found = recovered(image / "log.db")
        except Exception:
            corrupt += 1
            continue
        lost += found < (trace.marked(cut) or 0)
    return lost, corrupt


def recovered(path):
    """Return how many events there are, after a look at each of them."""
    storage = SqliteStorage(path, create=False)
    columns = storage.log("a").read()
    n = len(columns.n)
    assert storage.log("a").check() == n
    assert columns.value.tolist() == list(range(1, n + 1))
    assert columns.extra == {k: {"n": k} for k in range(9, n + 1, 9)}
    snapshot = storage.log("a").snapshot()
    assert snapshot is None or (snapshot[0] <= n and snapshot[1] == bytes([snapshot[0]]) * 3000)
    storage.close()
    return n


def test_one_sync_a_durable_commit_and_none_for_the_others(tmp_path):
    trace, found = workload(tmp_path, "syncs"), []
    for entry in trace.record:
        if entry[0] == "mark":
            found.append([entry[1], 0])
        elif entry[0] == SYNC and found:
            found[-1][1] += 1
    assert found.pop()[0] == "end"
    assert all(count == durable for durable, count in found)


@pytest.mark.parametrize("states", [150, pytest.param(2500, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost(tmp_path, states):
    trace = workload(tmp_path, "power")
    assert trace.syncs("log.db") >= 5  # checkpoints
    assert lost_and_corrupt(trace, tmp_path, states, seed=1) == (0, 0)


@pytest.mark.parametrize("states", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_nothing_is_lost_after_syncs_that_failed(tmp_path, states):
    """A second sync proves nothing, so all is written again."""
    trace = workload(tmp_path, "unsynced")
    assert lost_and_corrupt(trace, tmp_path, states, seed=3) == (0, 0)


@pytest.mark.parametrize("synchronous", ["off", "normal"])
def test_a_store_that_syncs_too_seldom_is_caught(tmp_path, synchronous):
    """Never, or only at checkpoints, which keeps the file whole."""
    trace = workload(tmp_path, "power", synchronous)
    lost, corrupt = lost_and_corrupt(trace, tmp_path, 60, seed=2)
    assert lost > 0
    assert (corrupt > 0) == (synchronous == "off")
