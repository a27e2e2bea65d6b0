"""A study's blocks: the same bytes whoever plays them, in whatever order, however interrupted."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ClusterError, ConflictError, FileError
from upperhand.studies import Folder, plan, read_plan, read_written, run, run_plan
from upperhand.studies.run import gaps, missing

from .files import TEXT, digest, written

QUIET = {"progress": False}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Cut the small study into many blocks."""
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 200)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the digest of the study, played by one thread."""
    folder = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "LEAST_ROUNDS", 200)
        run_plan(read_plan(written(folder)), folder / "out", workers=1, **QUIET)
    return digest(folder / "out")


class TestSameBytes:
    def test_any_number_of_workers(self, tmp_path, expected):
        for workers in (2, 7):
            out = tmp_path / str(workers)
            run_plan(read_plan(written(tmp_path)), out, workers=workers, **QUIET)
            assert digest(out) == expected

    def test_processes(self, tmp_path, expected):
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            study = read_plan(written(tmp_path))
            run_plan(study, tmp_path / "out", executor=executor, **QUIET)
        assert digest(tmp_path / "out") == expected

    def test_interrupted_at_any_block_and_resumed(self, tmp_path, expected, monkeypatch):
        rng, study = random.Random(0), read_plan(written(tmp_path))
        real, interrupts = Folder.write, 0
        for _ in count():
            left = rng.randrange(1, 6)

            def failing(folder, *args):
                nonlocal left
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                real(folder, *args)

            monkeypatch.setattr(Folder, "write", failing)
            try:
                run_plan(study, tmp_path / "out", workers=2, **QUIET)
                break
            except KeyboardInterrupt:
                interrupts += 1
        assert interrupts >= 3
        assert digest(tmp_path / "out") == expected

    def test_other_blocks_say_the_same(self, tmp_path, monkeypatch):
        """Cut otherwise, the files differ, and what is in them does not."""
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "a", **QUIET)
        monkeypatch.setattr(plan, "LEAST_ROUNDS", 200_000)
        run_plan(study, tmp_path / "b", **QUIET)
        assert digest(tmp_path / "a") != digest(tmp_path / "b")
        for _cell, series in study.each():
            assert np.array_equal(*(whole(Folder(tmp_path / name), series) for name in "ab"))


def whole(folder, series):
    return np.concatenate([folder.read(block) for block in folder.blocks(series)])


def test_the_numbers_are_those_of_simulate(tmp_path):
    study = read_plan(written(tmp_path))
    run_plan(study, tmp_path / "out", **QUIET)
    for cell in study.cells:
        runs = uh.simulate(cell.arms, dict(cell.policies), cell.horizon, 12, seed=3, progress=False)
        for series in cell.series:
            assert np.array_equal(whole(Folder(tmp_path / "out"), series), runs.pulls[series.label])


class TestGrowing:
    def test_what_is_there_is_not_played_again(self, tmp_path):
        first = TEXT.replace("replications = 12", "replications = 7")
        first = first.replace('[[policies]]\nname = "ucb1"', "").replace("[60, 100]", "60")
        run_plan(read_plan(written(tmp_path, first)), tmp_path / "out", **QUIET)
        files = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "blocks").rglob("*.npy")}
        study = read_plan(written(tmp_path))
        ran = run_plan(study, tmp_path / "out", **QUIET)
        assert ran.there == len(files) > 0
        assert all(path.stat().st_mtime_ns == at for path, at in files.items())
        for cell in study.cells:
            alone = read_plan(written(tmp_path)).cells[study.cells.index(cell)]
            assert alone.series == cell.series
        run_plan(study, tmp_path / "fresh", **QUIET)
        for _cell, series in study.each():
            both = [whole(Folder(tmp_path / name), series) for name in ("out", "fresh")]
            assert np.array_equal(*both)

    def test_a_run_that_is_complete_plays_nothing(self, tmp_path):
        study = read_plan(written(tmp_path))
        first = run_plan(study, tmp_path / "out", **QUIET)
        again = run_plan(study, tmp_path / "out", **QUIET)
        assert (again.played, again.failures) == (0, [])
        assert first.there == 0 < again.there

    def test_the_folder_knows_its_plan(self, tmp_path):
        text = TEXT + '\n[[policies]]\nname = "acp-ucb1"\ncalibrator = "aci"\n'
        study = read_plan(written(tmp_path, text))
        run_plan(study, tmp_path / "out", **QUIET)
        again = read_written(Folder(tmp_path / "out"))
        assert again == study
        assert [s.key for _, s in again.each()] == [s.key for _, s in study.each()]


class TestDamage:
    @pytest.mark.parametrize("damage", ["flipped", "short", "empty"])
    def test_a_damaged_block_is_played_again(self, tmp_path, expected, damage):
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "out", **QUIET)
        path = sorted((tmp_path / "out" / "blocks").rglob("*.npy"))[3]
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        kept = {"flipped": bytes(content), "short": bytes(content[:-5]), "empty": b""}[damage]
        path.write_bytes(kept)
        ran = run_plan(study, tmp_path / "out", **QUIET)
        assert ran.played == 1
        assert digest(tmp_path / "out") == expected

    def test_a_block_under_another_name_is_none(self, tmp_path):
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "out", **QUIET)
        path = sorted((tmp_path / "out" / "blocks").rglob("*.npy"))[0]
        path.rename(path.with_name(f"000000000-000000099.{path.suffixes[-2][1:]}.npy"))
        run_plan(study, tmp_path / "out", **QUIET)
        assert missing(study, Folder(tmp_path / "out"))[1] == []

    def test_a_disk_that_cannot_be_read_is_no_damage(self, tmp_path, monkeypatch):
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "out", **QUIET)
        before = digest(tmp_path / "out")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_bytes", lambda _: (_ for _ in ()).throw(OSError(24, "many")))
            with pytest.raises(FileError, match="Cannot read"):
                run_plan(study, tmp_path / "out", **QUIET)
        assert digest(tmp_path / "out") == before

    def test_half_a_file_of_a_crash_is_no_block(self, tmp_path, expected):
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "out", **QUIET)
        path = sorted((tmp_path / "out" / "blocks").rglob("*.npy"))[0]
        (path.parent / f".{path.stem}.0123.part.npy").write_bytes(b"half")
        assert run_plan(study, tmp_path / "out", **QUIET).played == 0
        assert digest(tmp_path / "out") == expected  # and it is swept away

    def test_a_full_disk_ends_the_run_and_loses_nothing(self, tmp_path, expected, monkeypatch):
        study, real, writes = read_plan(written(tmp_path)), Folder.write, count()

        def full(folder, *args):
            if next(writes) == 5:
                raise FileError("Cannot write: No space left on device. Choose another path.")
            real(folder, *args)

        monkeypatch.setattr(Folder, "write", full)
        with pytest.raises(FileError, match="No space left"):
            run_plan(study, tmp_path / "out", **QUIET)
        monkeypatch.setattr(Folder, "write", real)
        assert run_plan(study, tmp_path / "out", **QUIET).there >= 5
        assert digest(tmp_path / "out") == expected


class TestOthers:
    def test_the_folder_of_another_study(self, tmp_path):
        run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)
        other = read_plan(written(tmp_path, TEXT.replace("seed = 3", "seed = 4")))
        with pytest.raises(ConflictError, match="holds another study: its seed is 3"):
            run_plan(other, tmp_path / "out", **QUIET)

    def test_a_folder_of_something_else(self, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.tex").write_text("mine")
        with pytest.raises(ConflictError, match="is not empty, and no study is in it"):
            run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)

    def test_another_version(self, tmp_path):
        study = read_plan(written(tmp_path))
        run_plan(study, tmp_path / "out", **QUIET)
        told = json.loads((tmp_path / "out" / "study.json").read_text())
        told["versions"]["upperhand"] = "0.0.1"
        (tmp_path / "out" / "study.json").write_text(json.dumps(told))
        with pytest.raises(ConflictError, match=r"made by upperhand 0\.0\.1 \(here"):
            run_plan(study, tmp_path / "out", **QUIET)

    def test_a_crash_at_the_very_beginning(self, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / ".study.0123456789abcdef.part.json").write_text("half")
        run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)
        assert not list((tmp_path / "out").glob(".*.part*"))

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "out").write_text("mine")
        with pytest.raises(FileError, match="Cannot write to the folder"):
            run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)

    def test_two_runs_at_a_time(self, tmp_path):
        study, folder = read_plan(written(tmp_path)), Folder(tmp_path / "out")
        folder.make()
        with folder.locked():
            assert folder.is_running()
            with pytest.raises(ConflictError, match="is being run already"):
                run_plan(study, tmp_path / "out", **QUIET)
        assert not folder.is_running()


def test_a_block_that_fails_three_times_is_told_and_the_rest_goes_on(tmp_path, monkeypatch):
    study, real, tries = read_plan(written(tmp_path)), plan.play_block, []

    def failing(kind, job, block, stop=None):
        if job.horizon == 100 and block.start == 0 and len(job.arms) == 2:
            tries.append(1)
            raise MemoryError("too much")
        return real(kind, job, block, stop)

    monkeypatch.setattr(run, "play_block", failing)
    ran = run_plan(study, tmp_path / "out", **QUIET)
    assert len(tries) == 3 + 3 * 3  # all policies together, then each by itself
    assert {failure.task.labels for failure in ran.failures} == {
        (label,) for label in study.cells[0].policies
    }
    _, left = missing(study, Folder(tmp_path / "out"))
    assert [task.block for task in left] == [ran.failures[0].task.block]


def test_one_policy_that_fails_does_not_sink_the_others(tmp_path, monkeypatch):
    study, real = read_plan(written(tmp_path)), plan.play_block

    def failing(kind, job, block, stop=None):
        if "UCB1" in job.policies:
            raise MemoryError("too much")
        return real(kind, job, block, stop)

    monkeypatch.setattr(run, "play_block", failing)
    ran = run_plan(study, tmp_path / "out", **QUIET)
    assert {failure.task.labels for failure in ran.failures} == {("UCB1",)}
    _, left = missing(study, Folder(tmp_path / "out"))
    assert {task.labels for task in left} == {("UCB1",)}


def test_a_process_of_a_pool_is_killed(tmp_path, expected, monkeypatch):
    """The run ends with a sentence; what was played stays, and another pool resumes."""
    study, real, kept = read_plan(written(tmp_path)), Folder.write, []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:

        def write(folder, *args):
            real(folder, *args)
            kept.append(1)
            if len(kept) == 6:
                os.kill(next(iter(executor._processes)), signal.SIGKILL)

        with monkeypatch.context() as patch:
            patch.setattr(Folder, "write", write)
            with pytest.raises(ClusterError, match=r"executor is broken.*again to resume"):
                run_plan(study, tmp_path / "out", executor=executor, **QUIET)
    assert run_plan(study, tmp_path / "out", **QUIET).there == len(kept) >= 6
    assert digest(tmp_path / "out") == expected


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP])
def test_a_disk_without_locks(tmp_path, expected, monkeypatch, number):
    fcntl = pytest.importorskip("fcntl", reason="Windows has no such locks")

    def flock(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)
    assert digest(tmp_path / "out") == expected
    assert not Folder(tmp_path / "out").is_running()


def test_gaps():
    for _ in range(200):
        rng = random.Random(_)
        edges = sorted(rng.sample(range(30), 6))
        known = [range(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        block = range(*sorted(rng.sample(range(30), 2)))
        found = [i for gap in gaps(block, known) for i in gap]
        assert found == [i for i in block if not any(i in each for each in known)]


KILLED = """
import sys
from upperhand.studies import plan, read_plan, run_plan
plan.LEAST_ROUNDS = 200
run_plan(read_plan(sys.argv[1]), sys.argv[2], workers=2, progress=False)
"""


def killed_again_and_again(folder, kills):
    """Run the study in processes that are killed, and return how often that was."""
    rng, path, done = random.Random(kills), written(folder), 0
    for _ in range(50 * kills):
        process = subprocess.Popen([sys.executable, "-c", KILLED, path, folder / "out"])
        started = time.monotonic()
        blocks = lambda: sum(1 for _ in (folder / "out").rglob("*.npy"))  # noqa: E731
        before, wanted = blocks(), rng.randrange(1, 4)
        while process.poll() is None and time.monotonic() - started < 60:
            if done < kills and blocks() >= before + wanted:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
                break
            time.sleep(0.002)
        if process.wait() == 0:
            return done
    raise AssertionError("The study did not end.")


def test_killed_and_resumed(tmp_path, expected):
    assert killed_again_and_again(tmp_path, kills=2) >= 1
    assert digest(tmp_path / "out") == expected


@pytest.mark.slow
def test_killed_a_hundred_times_and_resumed(tmp_path, monkeypatch):
    """N5: a larger study, so that there is something to kill."""
    text = TEXT.replace("replications = 12", "replications = 300")
    written(tmp_path, text)
    monkeypatch.setattr(sys.modules[__name__], "written", lambda folder: folder / "study.toml")
    assert killed_again_and_again(tmp_path, kills=100) >= 50
    run_plan(read_plan(tmp_path / "study.toml"), tmp_path / "once", workers=1, **QUIET)
    assert digest(tmp_path / "out") == digest(tmp_path / "once")


def test_nothing_is_left_behind(tmp_path):
    run_plan(read_plan(written(tmp_path)), tmp_path / "out", **QUIET)
    names = {path.suffix for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert names <= {".npy", ".json", ""}
    assert set(os.listdir(tmp_path)) == {"study.toml", "out"}
