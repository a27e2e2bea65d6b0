"""Studies on Dask: a real scheduler and workers, as processes of their own; some are killed."""

import signal
import time
from contextlib import ExitStack, contextmanager

import pytest

from upperhand.errors import ClusterError, ParameterError
from upperhand.studies import cluster, plan, read_plan, run_plan
from upperhand.studies.folder import Folder
from upperhand.studies.run import missing

from .dask_processes import OLDER, OTHER, WITHOUT, scheduler, wait_for_workers, workers
from .files import TEXT, blocks, digest, written

LONG = TEXT.replace("replications = 12", "replications = 60").replace("[60, 100]", "20_000")


pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "LEAST_ROUNDS", 200)
        study = read_plan(written(folder, LONG))
        run_plan(study, folder / "out", progress=False)
    return digest(folder / "out")


def test_a_worker_is_killed_in_the_middle(tmp_path, expected, monkeypatch):
    study, real, kept = read_plan(written(tmp_path, LONG)), Folder.write, []
    with scheduler() as (_, address), workers(address, 2) as processes:

        def write(folder, *args):
            kept.append(1)
            if len(kept) == 6:
                processes[0].send_signal(signal.SIGKILL)
            real(folder, *args)

        monkeypatch.setattr(Folder, "write", write)
        ran = run_plan(study, tmp_path / "out", scheduler=address, progress=False)
        assert processes[0].wait(10) == -signal.SIGKILL
    assert ran.failures == []
    assert digest(tmp_path / "out") == expected


def test_the_scheduler_is_lost_and_the_study_resumed(tmp_path, expected, monkeypatch):
    study, real, kept = read_plan(written(tmp_path, LONG)), Folder.write, []
    with scheduler() as (process, address), workers(address, 1):

        def write(folder, *args):
            kept.append(1)
            real(folder, *args)
            if len(kept) == 6:
                process.kill()

        monkeypatch.setattr(Folder, "write", write)
        with pytest.raises(ClusterError, match=r"is lost.*run the study again to resume"):
            run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert run_plan(study, tmp_path / "out", progress=False).there >= 6
    assert digest(tmp_path / "out") == expected


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    study = read_plan(written(tmp_path))
    with pytest.raises(ClusterError, match=r"No scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        run_plan(study, tmp_path / "out", scheduler="tcp://127.0.0.1:9", progress=False)


def test_a_scheduler_has_its_own_workers(tmp_path):
    study = read_plan(written(tmp_path))
    with pytest.raises(ParameterError, match="has its own workers; got workers = 3"):
        run_plan(study, tmp_path / "out", scheduler="tcp://127.0.0.1:9", workers=3)
    with pytest.raises(ParameterError, match="address is empty"):
        run_plan(study, tmp_path / "out", scheduler="", progress=False)


def test_no_worker_comes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "ALONE", 1.0)
    monkeypatch.setattr(cluster, "EVERY", 0.2)
    study, begun = read_plan(written(tmp_path)), time.monotonic()
    with scheduler() as (_, address), pytest.raises(ClusterError, match="has had no worker"):
        run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert time.monotonic() - begun < 60
    assert "waiting" in capsys.readouterr().err


def test_workers_of_another_version_are_refused(tmp_path, study):
    with scheduler() as (_, address), workers(address, 1, OTHER):
        wait_for_workers(address, 1)
        with pytest.raises(ClusterError, match=r"has upperhand 0\.0\.1 \(here "):
            run_plan(study, tmp_path / "out", scheduler=address, progress=False)


def test_workers_of_other_sources_play_nothing(tmp_path, study, monkeypatch):
    maker = plan.maker_of(study.cells[0].series[0].policy) | {"sources": "0123"}
    monkeypatch.setattr(cluster, "maker_of", lambda _: maker)
    refused = pytest.raises(ClusterError, match="has another state of the sources")
    with scheduler() as (_, address), workers(address, 1), refused:
        run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert not blocks(tmp_path / "out")


def test_two_studies_on_one_scheduler(tmp_path, expected, monkeypatch):
    """The one that ends first leaves the other its arms, which are the same."""
    study, real, kept = read_plan(written(tmp_path, LONG)), Folder.write, []
    short = read_plan(written(tmp_path, LONG.replace("replications = 60", "replications = 2"), "s"))
    with scheduler() as (_, address), workers(address, 2):

        def write(folder, *args):
            kept.append(1)
            if len(kept) == 6:
                ran = run_plan(short, tmp_path / "short", scheduler=address, progress=False)
                assert ran.failures == []
            real(folder, *args)

        monkeypatch.setattr(Folder, "write", write)
        ran = run_plan(study, tmp_path / "out", scheduler=address, progress=False)
    assert ran.failures == []
    assert digest(tmp_path / "out") == expected


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
