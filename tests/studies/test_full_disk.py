"""A disk that is really full, as the kernel says: blocks stay, nothing is half, and it resumes."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from upperhand.errors import FileError
from upperhand.studies import plan, read_plan, run_plan

from .files import TEXT, digest, written


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 200)


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


def blocks(folder):
    return {path: path.stat().st_mtime_ns for path in (folder / "blocks").rglob("*.npy")}


def resumes(tmp_path, study, out, kept):
    """Tell that nothing is half, and that the study goes on from what is there."""
    assert 0 < len(kept) < 72
    assert not [path for path in out.rglob("*") if ".part" in path.name]
    assert run_plan(study, out, progress=False).there == len(kept)
    assert kept.items() <= blocks(out).items()
    assert all((path.parent / "about.json").stat().st_size > 0 for path in blocks(out))
    run_plan(study, tmp_path / "once", progress=False)
    assert digest(out) == digest(tmp_path / "once")


def test_a_small_disk(tmp_path):
    study, disk = read_plan(written(tmp_path)), tmp_path / "disk"
    with small_disk(disk, "200k"):
        with pytest.raises(FileError, match=r"No space left.*Make room.*again to resume"):
            run_plan(study, disk / "out", progress=False)
        kept = blocks(disk / "out")
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)  # noqa: S607
        resumes(tmp_path, study, disk / "out", kept)


LIMITED = """
import resource, sys
from upperhand.errors import FileError
from upperhand.studies import Folder, plan, read_plan, run_plan
plan.LEAST_ROUNDS, real, calls = 200, Folder.write, []

def write(folder, *args):
    calls.append(1)
    if len(calls) == 9:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
    real(folder, *args)

Folder.write = write
try:
    run_plan(read_plan(sys.argv[1]), sys.argv[2], progress=False)
except FileError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no limit of a file's size")
def test_a_limit_of_a_files_size(tmp_path):
    path, out = written(tmp_path), tmp_path / "out"
    command = [sys.executable, "-c", LIMITED, path, out]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd(), timeout=120)
    assert ended.returncode == 1
    assert "File too large" in ended.stderr
    assert "run the study again to resume" in ended.stderr
    assert len(blocks(out)) == 8
    resumes(tmp_path, read_plan(path), out, blocks(out))


def test_a_folder_that_was_left_without_its_description_gets_one(tmp_path):
    """A disk may be full after the folder of a series is made, and before anything is in it."""
    study, out = read_plan(written(tmp_path)), tmp_path / "out"
    run_plan(study, tmp_path / "once", progress=False)
    run_plan(read_plan(written(tmp_path, TEXT.replace("[60, 100]", "60"))), out, progress=False)
    for _, series in study.each():
        (out / "blocks" / series.key).mkdir(exist_ok=True)
    run_plan(study, out, progress=False)
    assert all((path.parent / "about.json").stat().st_size > 0 for path in blocks(out))
    assert digest(out) == digest(tmp_path / "once")
