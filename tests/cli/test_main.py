"""The command line as a whole: streams, memory, exit codes."""

import os
import subprocess
import sys

import pytest

from upperhand import cli


def test_a_pipe_that_is_not_utf8():
    command = [sys.executable, "-c", "from upperhand.cli import main; main()", "simulate"]
    arguments = [
        "--arm",
        "t:0,1,1",
        "--arm",
        "normal:0,1",
        "--horizon",
        "20",
        "--replications",
        "2",
    ]
    done = subprocess.run(
        command + arguments,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_too_little_memory_is_a_sentence(monkeypatch, capsys):
    def exhausted(**_options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(cli, "commands", exhausted)
    with pytest.raises(SystemExit) as stop:
        cli.main()

    assert stop.value.code == 1
    told = capsys.readouterr().err
    assert "not enough memory (Unable to allocate 7 TiB)" in told
    assert "Use a smaller horizon or fewer replications" in told


def test_version(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["upperhand", "--version"])
    with pytest.raises(SystemExit) as stop:
        cli.main()

    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("upperhand, version 0.")
