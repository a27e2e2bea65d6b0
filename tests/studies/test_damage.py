"""What is damaged: no wrong number, no undamaged block lost, and one plain sentence."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels import compiler
from upperhand.errors import ConflictError, FileError
from upperhand.reports.study import write_report
from upperhand.studies import Folder, plan, read_plan, run_plan
from upperhand.studies.results import results, status_of
from upperhand.studies.run import missing

from .files import TEXT, blocks, digest, written

QUIET = {"progress": False}


def other_series(path):
    """Return the same place in another series of the same horizon."""
    return next(p for p in blocks(path.parents[2]) if p.name == path.name and p != path)


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def exchange(path):
    mine, theirs = path.read_bytes(), other_series(path).read_bytes()
    path.write_bytes(theirs)
    other_series(path).write_bytes(mine)


def doubled(path):
    shutil.copy(path, path.with_name("000000900-000000903.npy"))


# What is done to one block, and how many are to be played again.
DAMAGES = {
    "moved to another range": (lambda p: p.rename(p.with_name("000000000-000000099.npy")), 1),
    "moved to another policy": (lambda p: p.rename(other_series(p)), 2),
    "copied to another policy": (lambda p: shutil.copy(p, other_series(p)), 1),
    "exchanged": (exchange, 2),
    "doubled": (doubled, 0),
    "another hash": (lambda p: flip(p, -1), 1),
    "a bit of its numbers flipped": (lambda p: flip(p, 300), 1),
    "a bit of what it says flipped": (lambda p: flip(p, -120), 1),
    "short": (lambda p: p.write_bytes(p.read_bytes()[:-5]), 1),
    "written twice": (lambda p: p.write_bytes(p.read_bytes() * 2), 1),
    "empty": (lambda p: p.write_bytes(b""), 1),
    "deleted": (lambda p: p.unlink(), 1),
    "half of a crash": (lambda p: (p.parent / f".{p.stem}.01.part.npy").write_bytes(b"half"), 0),
    "another code": (lambda p: p.parent.rename(p.parent.with_name(p.parent.name[:-2] + "zz")), 6),
}


def test_damaged_blocks_are_played_again(tmp_path, study, once, capsys):
    for name, (damage, lost) in DAMAGES.items():
        out = shutil.copytree(once, tmp_path / name)
        path = blocks(out)[3]
        kept = {p: p.read_bytes() for p in blocks(out)}
        damage(path)
        moved = [p for p in blocks(out) if p.read_bytes() != kept.get(p)]
        seen = sum(len(task.series) for task in missing(study, Folder(out))[1])
        status = status_of(study, Folder(out))
        assert seen == lost, name
        assert (status.done < study.steps) == (lost > 0), name
        for each in results(study, Folder(out)):  # says nothing that is wrong
            assert all(count <= 12 for count in each.replications.values()), name
        capsys.readouterr()
        ran = run_plan(study, out, **QUIET)
        said = capsys.readouterr().err.splitlines()
        assert ran.played == lost, name
        if name == "another code":
            moved, (line,) = [], said  # it is another folder's blocks as a whole
            assert "6 blocks" in line
            assert "are kept aside there and played again" in line
        assert len(said) == len(moved) + (name == "another code"), name
        assert all("is damaged: it is kept as .damaged" in each for each in said if moved), name
        assert {p: p.read_bytes() for p in kept} == kept, name
        assert len(missing(study, Folder(out))[1]) == 0, name


FILES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "another seed": lambda p: p.write_text(p.read_text().replace('"seed": 3', '"seed": 4')),
    "deep": lambda path: path.write_text("[" * 100_000),
    "no JSON": lambda path: path.write_bytes(b"\xff{"),
    "of something else": lambda path: path.write_text("[1]"),
}


def test_what_a_folder_says_of_its_study_is_written_again(tmp_path, study, once, capsys):
    for name, damage in FILES.items():
        out = shutil.copytree(once, tmp_path / name)
        damage(out / "study.json")
        for call in (lambda: Folder(out).read_plan(), lambda: write_report(Folder(out))):  # noqa: B023
            with pytest.raises(FileError, match="blocks are kept: upperhand study run FILE --out"):
                call()
        capsys.readouterr()
        assert run_plan(study, out, **QUIET).played == 0, name
        assert "was lost or damaged, and is written again" in capsys.readouterr().err
        assert Folder(out).read_plan() == study
        assert digest(out) == digest(once)
        damage(out / "upperhand.lock")
        assert status_of(study, Folder(out)).done == study.steps
        assert run_plan(study, out, **QUIET).played == 0, name


def test_what_blocks_say_of_their_study_counts(tmp_path, study, out, once, capsys):
    """A TOML of another seed cannot take the folder over, and a strange study.json is noticed."""
    other = read_plan(written(tmp_path, TEXT.replace("seed = 3", "seed = 4"), "other.toml"))
    (out / "study.json").unlink()
    with pytest.raises(ConflictError, match=r"blocks in .* are of seed 3, and the file says 4"):
        run_plan(other, out, **QUIET)
    costs = read_plan(written(tmp_path, 'direction = "minimize"\n' + TEXT, "costs.toml"))
    with pytest.raises(ConflictError, match="direction 'maximize', and the file says 'minimize'"):
        run_plan(costs, out, **QUIET)
    assert [path.name for path in out.glob("study.json")] == []
    with Folder(tmp_path).locked():
        Folder(tmp_path).open_for(other)
    shutil.copy(tmp_path / "study.json", out)
    with pytest.raises(ConflictError, match="are of seed 3"):
        run_plan(other, out, **QUIET)
    assert run_plan(study, out, **QUIET).played == 0
    assert "study.json in " in (said := capsys.readouterr().err)
    assert "was of another study, and is written again" in said
    assert (Folder(out).read_plan(), digest(out)) == (study, digest(once))


def test_what_cannot_be_a_block_or_a_note_counts_for_nothing(study, out):
    (path,) = blocks(out)[3:4]
    shutil.copy(path, path.with_name(f"000000004-{10**19}.npy"))
    (out / "upperhand.lock").write_text('{"failures": "abc"}')
    status = status_of(study, Folder(out))
    assert (status.done, status.failures) == (study.steps, [])


def test_the_report_of_a_damaged_study(study, out):
    """Each policy counts with what it has, and the report says what is missing."""
    for path in blocks(out):
        if path.parent.name.startswith(study.cells[0].series[2].key):  # UCB1 has nothing left
            path.write_bytes(b"")
    cell = next(iter(results(study, Folder(out))))
    assert cell.replications == {"Quantile-UCB b=0.5": 12, "Quantile-UCB b=1": 12, "UCB1": 0}
    assert {row.policy for row in cell.rows} == {"Quantile-UCB b=0.5", "Quantile-UCB b=1"}
    write_report(Folder(out))
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "UCB1: 0 of 12 replications" in page
    assert "Without 3 damaged blocks. Run the study again" in page
    shutil.rmtree(next(out.glob(f"blocks/{study.cells[0].series[0].key}-*")))
    (best, _) = next(iter(results(study, Folder(out)))).rows  # of one policy, the reference is gone
    assert best.regret > 0
    assert np.isnan([best.difference, best.ratio, best.ratio_low]).all()


def test_a_policy_that_lacks_a_block_is_paired_where_it_can_be(study, out, once):
    full = next(iter(results(study, Folder(once))))
    series = study.cells[0].series[1]
    first = min((out / "blocks" / f"{series.key}-{series.code}").glob("*.npy"))
    first.unlink()
    cell = next(iter(results(study, Folder(out))))
    assert cell.replications[series.label] == 8
    for row, whole in zip(cell.rows, full.rows, strict=True):
        assert (row == whole) == (row.policy != series.label)
        if row.policy == series.label:
            final = full.curves[row.objective][row.policy].final[4:]
            reference = full.curves[row.objective]["Quantile-UCB b=0.5"].final[4:]
            assert row.regret == final.mean()
            assert row.difference == pytest.approx(np.mean(final - reference))


def test_others(tmp_path, study, once, out, monkeypatch):
    """Folders that are not this study's are left as they are."""
    seed = written(tmp_path, TEXT.replace("seed = 3", "seed = 4"), "other.toml")
    with pytest.raises(ConflictError, match="are of seed 3, and the file says 4"):
        run_plan(read_plan(seed), out, **QUIET)
    assert digest(out) == digest(once)
    for name in ("thesis.tex", "study.json", "run.log", "blocks/0/plan.npy"):
        mine = tmp_path / f"with {Path(name).name}"
        (mine / name).parent.mkdir(parents=True)
        (mine / name).write_text("{}")
        with pytest.raises(ConflictError, match="not empty, and no study"):
            run_plan(study, mine, **QUIET)
        assert [p for p in mine.rglob("*") if p.is_file()] == [mine / name]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="Cannot write to the folder"):
        run_plan(study, tmp_path / "file", **QUIET)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".study.0123456789abcdef.part.json").write_text("half")
    monkeypatch.setattr("upperhand.studies.run.missing", lambda *_: (0, []))
    run_plan(study, tmp_path / "new", **QUIET)
    assert not list((tmp_path / "new").glob(".*.part*"))


def test_another_version_plays_blocks_of_its_own(study, out, once, monkeypatch, capsys):
    """Those of the other stay, and the report of each is of its own."""
    before = study.cells[0].series[0].code
    for change in ({"numpy": "1.26"}, {"sources": "0123"}):
        with monkeypatch.context() as patch:
            patch.setattr(plan, "made_by", lambda *_: dict.fromkeys(plan.NUMBERS, "") | change)  # noqa: B023
            later = read_plan(out.parent / "study.toml")
            assert later.cells[0].series[0].code != before
            assert len(missing(later, Folder(out))[1]) > 0
            written_then = Folder(out).read_plan()  # whose report does not change
            assert status_of(written_then, Folder(out)).done == study.steps
            lacking = missing(later, Folder(out))[1]
            assert Folder(out).made_otherwise(lacking).startswith("54 blocks in")
            assert Folder(out).made_otherwise([]) == ""
            later = [task._replace(block=range(12, 20)) for task in lacking]
            assert Folder(out).made_otherwise(later) == ""
    assert digest(out) == digest(once)


def test_an_edit_of_what_chooses_seeds_and_streams_is_another_code(monkeypatch):
    made, real = plan.made_by.__wrapped__, compiler._source_hash
    before = made(uh.UCB1)
    for name in ("simulate", "identify"):
        edited = lambda file: real(file) + bytes(file.endswith(f"simulation/{name}.py"))  # noqa: B023, E731
        monkeypatch.setattr(compiler, "_source_hash", edited)
        assert made(uh.UCB1) != before


def test_a_disk_that_cannot_be_read_is_no_damage(study, out, once, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda _: (_ for _ in ()).throw(OSError(24, "many")))
        with pytest.raises(FileError, match="Cannot read"):
            run_plan(study, out, **QUIET)
    assert digest(out) == digest(once)


def test_a_folder_that_may_only_be_read(study, out, once, monkeypatch):
    """Root may write anywhere, so the system's answer is made here."""
    real = os.open

    def refused(path, flags, *mode):
        if flags & (os.O_RDWR | os.O_CREAT):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *mode)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused)
        with pytest.raises(FileError, match=r"Cannot write to the folder.*change its permissions"):
            run_plan(study, out, **QUIET)
        assert status_of(study, Folder(out)).done == study.steps
    assert digest(out) == digest(once)


def test_two_runs_at_a_time(study, out):
    folder = Folder(out)
    with folder.locked():
        assert folder.is_running()
        with pytest.raises(ConflictError, match=rf"run already, by process {os.getpid()}\."):
            run_plan(study, out, **QUIET)
    assert not folder.is_running()


def test_a_disk_without_locks(study, out, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="Windows has no such locks")

    def flock(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert run_plan(study, out, **QUIET).played == 0
    assert not Folder(out).is_running()


FORKED = """
import os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from upperhand.studies import Folder
with Folder(sys.argv[1]).locked():
    pool = ProcessPoolExecutor(2, mp_context=get_context("fork"))
    child = pool.submit(os.getpid).result()
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_forked_process_does_not_keep_the_lock(study, out):
    command = [sys.executable, "-c", FORKED, out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        child = int(process.stdout.readline())
        process.wait(60)
        try:
            os.kill(child, 0)  # it lives on
            assert run_plan(study, out, **QUIET).played == 0
        finally:
            os.kill(child, signal.SIGKILL)


@contextmanager
def small_disk(path, size):
    """Give a disk of that size in memory; say why not where nobody may mount one."""
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"No disk can be mounted here ({error}): the test of the limit stands for it.")
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)  # noqa: S607


def resumes(study, out, once):
    """Tell that nothing is half, and that the study goes on from what is there."""
    kept = {path: path.stat().st_mtime_ns for path in blocks(out)}
    assert 0 < len(kept) < len(blocks(once))
    assert not [path for path in out.rglob("*") if ".part" in path.name]
    assert run_plan(study, out, **QUIET).there == len(kept)
    assert all(path.stat().st_mtime_ns == at for path, at in kept.items())
    assert digest(out) == digest(once)


def test_a_small_disk(tmp_path, study, once):
    disk = tmp_path / "disk"
    with small_disk(disk, "100k"):
        with pytest.raises(FileError, match=r"No space left.*Make room.*again to resume"):
            run_plan(study, disk / "out", **QUIET)
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)  # noqa: S607
        resumes(study, disk / "out", once)


def test_a_limit_of_a_files_size(tmp_path, study, once, monkeypatch):
    """What the system says when a file cannot grow; the limit is this process's."""
    real, calls = Folder.write, []
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def write(folder, *args):
        calls.append(1)
        if len(calls) == 9:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
        real(folder, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "write", write)
        try:
            with pytest.raises(FileError, match=r"File too large.*run the study again to resume"):
                run_plan(study, tmp_path / "out", **QUIET)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(blocks(tmp_path / "out")) == 8
    resumes(study, tmp_path / "out", once)
