"""Mistakes at the commands on live experiments: a sentence, an exit code, and nothing written."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

import pytest

from upperhand.live import Experiment
from upperhand.live.log import open_storage

NEW = ["--arm", "a", "--arm", "b", "--quantile", "0.5", "--minimize"]
COMMANDS = {
    "ask": ["ask", "model"],
    "tell": ["tell", "model", "1.1.0", "3"],
    "show": ["show", "model"],
    "watch": ["watch", "model", "--times", "1"],
    "log": ["log", "model"],
    "steer": ["steer", "model", "--unpin"],
    "export": ["export", "model"],
    "import": ["import", "model", "t.csv"],
    "check": ["check", "model"],
    "clock": ["clock", "model"],
}
ALL = {"new": ["new", "model", *NEW], **COMMANDS}


READING = ("show", "watch", "log", "export", "check")


@contextmanager
def ordinary_user():
    """Be nobody for a while, if this is root, who may write everywhere."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def model(call, monkeypatch, tmp_path):
    """Return `call` in a folder with an experiment and a table."""
    monkeypatch.setenv("UPPERHAND_STORAGE", "b.db")
    (tmp_path / "t.csv").write_text("arm,value\na,1\n")
    with Experiment("model", list("ab"), quantile=0.5, direction="minimize", storage="b.db") as exp:
        exp.tell(exp.ask(), 1.0)
    return call


def contents(folder):
    """Return every event of every experiment in a folder's stores, and the names of its files."""
    found = {}
    for path in sorted(folder.glob("*.db")):
        store = open_storage(path, create=False)
        found |= {name: store.log(name).read().value.tolist() for name in store.names()}
        store.close()
    return found, sorted(p.name for p in folder.iterdir() if not p.name.endswith(".lock"))


def refused(call, folder, words, code, *messages):
    """Check that words are refused by one sentence, and that nothing is written."""
    before = contents(folder)
    found, out, err = call(*words)
    assert (found, out) == (code, ""), err
    assert "Traceback" not in err
    for message in messages:
        assert message in err
    assert contents(folder) == before


def test_every_command_needs_an_experiment_that_is_there(model, tmp_path):
    open_storage("empty.db").close()
    for words in COMMANDS.values():
        other = [words[0], "modell", *words[2:]]
        refused(model, tmp_path, other, 2, "Unknown experiment 'modell'. Did you mean 'model'?")
        empty = [*words, "--storage", "empty.db"]
        refused(model, tmp_path, empty, 2, "store is empty", "upperhand new model")
        refused(model, tmp_path, [*words, "--storage", "c.db"], 1, "There is no file")
    assert not (tmp_path / "c.db").exists()


def test_every_command_needs_a_store_of_ours(model, tmp_path):
    connection = sqlite3.connect(tmp_path / "theirs.sqlite")
    connection.execute("create table t (x)")
    connection.commit()
    connection.close()
    (tmp_path / "text.sqlite").write_text("not a log, but longer than the header of a file\n" * 9)
    (tmp_path / "folder.sqlite").mkdir()
    for words in ALL.values():
        for name in ("theirs.sqlite", "text.sqlite"):
            before = (tmp_path / name).read_bytes()
            refused(model, tmp_path, [*words, "--storage", name], 1, "no log of upperhand")
            assert (tmp_path / name).read_bytes() == before
        refused(model, tmp_path, [*words, "--storage", "folder.sqlite"], 1, "Is a directory")
        for storage in ("memory://", "b.csv", "mysql://x"):
            refused(model, tmp_path, [*words, "--storage", storage], 2, "postgresql://")
        refused(model, tmp_path, [*words, "--storage", ""], 2, "--storage bandits.db")


@pytest.mark.parametrize("words", ALL.values(), ids=ALL)
def test_a_file_that_cannot_be_written(model, words, monkeypatch):
    with tempfile.TemporaryDirectory() as folder:  # where an ordinary user may go too
        shutil.copy("b.db", folder)
        shutil.copy("t.csv", folder)
        monkeypatch.chdir(folder)
        model(*words)  # loads what is needed, as the user that may read it
        os.chmod("b.db", 0o444)
        os.chmod(folder, 0o555)  # noqa: S103
        with ordinary_user():
            code, out, err = model(*words)
        monkeypatch.undo()
    assert "Traceback" not in err
    assert (code, out) == (1, "") or words[0] in READING
    assert words[0] in READING or "cannot be written" in err


def test_help_says_where_and_how(call):
    for command in ALL:
        code, out, _ = call(command, "--help")
        assert (code, "UPPERHAND_STORAGE" in out) == (0, True)


MISTAKES = [
    ("new x --arm a --arm a --quantile 0.5 --minimize", 2, "given twice: a"),
    ("new x --arm a --quantile 1.5 --minimize", 2, "quantile must be"),
    ("new x --arm a --quantile 0.5", 2, "--minimize, as of latencies"),
    ("new x --arm a --minimize", 2, "--quantile 0.95 for a p95, or --best-of 8"),
    ("new x --arm a --minimize --best-of 0", 2, "best_of must be a whole number, 1 or more"),
    ("new x --arm a --minimize --best-of 8 --quantile 0.5", 2, "both say what an arm is worth"),
    ("new x --arm a --quantile 0.5 --minimize --policy ucb11", 2, "Did you mean"),
    ("new x --arm a --quantile 0.5 --minimize --lease 0", 2, "lease must be"),
    ("new x --arm a --quantile 0.5 --minimize --window 9 --half-life 9", 2, "not both"),
    ("new x --arm a --quantile 0.5 --minimize --seed -1", 2, "seed must be"),
    ("ask model --among c", 2, "Unknown arm 'c'"),
    ("ask model -n 0", 2, "count must be"),
    ("ask model -n 2.5", 2, "not a whole number"),
    ("ask model -n 2 --key k", 2, "-n takes neither"),
    ("ask model --timeout -1", 2, "timeout must be"),
    ("tell model", 2, "Give a trial"),
    ("tell model 1.1.0", 2, "There is no outcome"),
    ("tell model 1.1.0 3 4", 2, "Give a trial"),
    ("tell model 1.1.0 three", 2, "An outcome must be"),
    ("tell model 1.1.0 nan", 2, "must be a finite number"),
    ("tell model 1.1.0 3 --failed", 2, "Tell one thing"),
    ("tell model 1.1.0 --failed --at-least 3", 2, "Tell one of"),
    ("tell model 1.1.0 --fialed", 2, "There is no option --fialed"),
    ("tell model 1.1.0 3 --by eu", 2, "--by goes with --arm"),
    ("tell model --arm c 3", 2, "Unknown arm 'c'"),
    ("tell model --arm a", 2, "There is no outcome"),
    ("tell model - --failed", 2, "takes no other options"),
    ("tell model 1.1.0 2", 4, "was told before: 1, and now 2"),
    ("tell model 1.1.1 2", 4, "answered with arm 'a'"),
    ("tell model 9.9.0 2", 4, "No trial has the id"),
    ("show model --confidence 1", 2, "confidence must be"),
    ("show --by eu", 2, "Missing argument 'NAME'"),
    ("show model --plot no/where.png", 1, "its folder must be there"),
    ("watch model --every 0", 2, "every must be"),
    ("watch model --times 0", 2, "times must be"),
    ("log model --since -1", 2, "since must be"),
    ("export model --out x.txt", 2, "must end in .csv or .jsonl"),
    ("export model --out x.csv --json", 2, "ends in .jsonl"),
    ("export model --out no/x.csv", 1, "its folder must be there"),
    ("import model nothing.csv", 1, "No such file"),
    ("import model b.db", 1, "not UTF-8"),
    ("steer model", 2, "Give one thing to do"),
    ("steer model --pin a --note x", 2, "got --pin and --note"),
    ("steer model --pin c", 2, "Unknown arm 'c'"),
    ("steer model --share a", 2, "A share must be ARM=NUMBER"),
    ("steer model --share a=0.7 --share b=0.7", 2, "must be at most 1"),
    ("steer model --correct 1.1.0 x", 2, "An outcome must be"),
    ("steer model --correct 2.1.0 3", 4, "nothing to correct"),
]


def test_mistakes_in_what_is_typed(model, tmp_path):
    for words, code, message in MISTAKES:
        refused(model, tmp_path, words.split(), code, message)


def test_a_first_mistake_makes_no_store(call, tmp_path):
    """`new` may make a file, but not for an experiment that cannot be."""
    refused(call, tmp_path, ["new", "x", "--arm", "a", "--quantile", "2", "--minimize",
                             "--storage", "c.db"], 2, "quantile must be")  # fmt: skip
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["watch", "model", "--every", "0.1"], ["log", "model", "--follow"]]
)
def test_an_interrupt_ends_what_goes_on(model, words):
    process = subprocess.Popen(
        [sys.executable, "-m", "upperhand", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may ignore it
    )  # fmt: skip
    assert process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "Interrupted.\n")
