"""How far a study is: lines, a bar, and a note for other shells."""

import sys
import time

import pytest

from upperhand.studies import Folder, plan, progress, read_plan, run_plan
from upperhand.studies.progress import Pace, noted, status_of

from .files import TEXT, written


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 200)


def test_a_pace_in_words():
    assert str(Pace(3, 12, 25_000_000, 100_000_000, 10.0)) == (
        "3 of 12 blocks, 25 %, 2.5 million steps a second, 30 s left"
    )
    assert str(Pace(0, 1, 0, 100, 0.0)) == "0 of 1 block, 0 %, 0 million steps a second"


def test_lines_where_there_is_no_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINES", 0.0)
    run_plan(read_plan(written(tmp_path)), tmp_path / "out")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("Which b?: ")
    assert "100 %" in lines[-1]


def test_a_bar_on_a_terminal(tmp_path, capsys, monkeypatch):
    title = "a {title} with {0} braces and [bold]markup[/bold]"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    text = TEXT.replace("Which b?", title)
    run_plan(read_plan(written(tmp_path, text)), tmp_path / "out")
    assert title in capsys.readouterr().err


def test_another_shell_sees_the_pace_of_a_run(tmp_path):
    study, folder = read_plan(written(tmp_path)), Folder(tmp_path / "out")
    run_plan(study, folder.path, progress=False)
    note = noted(folder)
    assert note is not None
    assert note["done"] == note["blocks"] > 0
    assert status_of(study, folder).pace is None  # nobody runs it now
    with folder.locked():
        status = status_of(study, folder)
        assert status.running
        assert status.pace is not None
        assert status.pace.steps == study.steps
    assert time.time() - note["at"] < 60


def test_a_note_that_is_damaged_is_none(tmp_path):
    study, folder = read_plan(written(tmp_path)), Folder(tmp_path / "out")
    run_plan(study, folder.path, progress=False)
    (folder.path / progress.NOTE).write_text('{"done": 1}')
    assert noted(folder) is None
    assert status_of(study, folder).done == study.steps
