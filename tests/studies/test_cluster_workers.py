"""Workers of a cluster that are not as they should be, from the start or joining late."""

from contextlib import ExitStack, contextmanager

import pytest

from upperhand.errors import ClusterError
from upperhand.studies import plan, read_plan, run_plan
from upperhand.studies.folder import Folder
from upperhand.studies.run import missing

from .dask_processes import OLDER, OTHER, WITHOUT, scheduler, wait_for_workers, workers
from .files import TEXT, digest, written

LONG = TEXT.replace("replications = 12", "replications = 60").replace("[300, 500]", "20_000")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 1_000)


@contextmanager
def joined_late(monkeypatch, address, before, ready):
    """Let another worker join after six blocks, and wait until it is ready."""
    real, kept = Folder.write, []
    with ExitStack() as stack, monkeypatch.context() as patch:

        def write(folder, *args):
            real(folder, *args)
            kept.append(1)
            if len(kept) == 6:
                ready(*stack.enter_context(workers(address, 1, before)))

        patch.setattr(Folder, "write", write)
        yield kept


@pytest.mark.parametrize("before", [OTHER, OLDER], ids=["it says so", "it cannot tell"])
def test_a_worker_of_another_version_joins_late(tmp_path, monkeypatch, before):
    """It plays nothing, and the run ends at once; the next one resumes to the same bytes."""
    study = read_plan(written(tmp_path, LONG))
    with scheduler() as (_, address), workers(address, 1):
        ready = lambda _: wait_for_workers(address, 2)  # noqa: E731
        refused = pytest.raises(ClusterError, match=r"has upperhand 0\.0\.1 \(here .*resume")
        with refused, joined_late(monkeypatch, address, before, ready) as kept:
            run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert len(kept) >= 6
    assert run_plan(study, tmp_path / "out", progress=False).there == len(kept)
    run_plan(study, tmp_path / "once", progress=False)
    assert digest(tmp_path / "out") == digest(tmp_path / "once")


def test_a_worker_without_upperhand(tmp_path):
    study = read_plan(written(tmp_path))
    with scheduler() as (_, address), workers(address, 1, WITHOUT):
        wait_for_workers(address, 1)
        with pytest.raises(ClusterError, match=r"No module named 'upperhand'.*Install upperhand"):
            run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert not list((tmp_path / "out").rglob("*.npy"))


def test_a_worker_without_upperhand_cannot_join_late(tmp_path, monkeypatch):
    """It cannot read the arms that it is sent first, so it ends, and the others go on."""
    study, codes = read_plan(written(tmp_path, LONG)), []
    with scheduler() as (_, address), workers(address, 1):
        ready = lambda process: codes.append(process.wait(60))  # noqa: E731
        with joined_late(monkeypatch, address, WITHOUT, ready):
            ran = run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert codes == [1]
    assert ran.failures == []
    assert missing(study, Folder(tmp_path / "out"))[1] == []


def test_arms_are_taken_back_from_the_workers(tmp_path):
    from distributed import Client

    study = read_plan(written(tmp_path))
    with scheduler() as (_, address), workers(address, 1), Client(address) as client:
        client.wait_for_workers(1, timeout=60)
        ran = run_plan(study, tmp_path / "out", scheduler=address, progress=False)
        (plugins,) = client.run(lambda dask_worker: list(dask_worker.plugins)).values()
    assert ran.played > 0
    assert [name for name in plugins if name.startswith("upperhand")] == []
