"""The command line as its users call it."""

import sys

import pytest

from upperhand.cli import main


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return a function that runs `upperhand` in an empty folder: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def called(*words):
        monkeypatch.setattr(sys, "argv", ["upperhand", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return called
