"""A shell script that uses an experiment, and what a single ask loads."""

import json
import os
import pty
import shutil
import subprocess
import sys

import pytest

ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
SCRIPT = """
set -euo pipefail
export UPPERHAND_STORAGE=bandits.db
upperhand() { "$PYTHON" -m upperhand "$@"; }
upperhand new model --arm small --arm large --quantile 0.95 --minimize > /dev/null
for ms in 120 180 130; do
    read -r trial arm < <(upperhand ask model)
    echo "$arm $(upperhand tell model "$trial" "$ms")"
done
upperhand ask model -n 2 | while read -r trial arm; do echo "$trial $ms"; done > outcomes
upperhand tell model - < outcomes
read -r trial arm < <(upperhand ask model --storage away.db --default small 2> warning)
upperhand tell model "$trial" --failed
if upperhand tell model 1.1.0 999 2> conflict; then exit 1; else echo "code $?"; fi
upperhand show model > shown
"""


def test_a_script(tmp_path):
    done = subprocess.run(
        [shutil.which("bash"), "-c", SCRIPT], cwd=tmp_path,
        env={"PYTHON": sys.executable, **ENVIRONMENT}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [
        "small told", "large told", "small told", "2 told", "told", "code 4",
    ]  # fmt: skip
    assert "answered the default" in (tmp_path / "warning").read_text()
    assert "was told before: 120, and now 999" in (tmp_path / "conflict").read_text()
    assert "5 asks, 6 outcomes, 0 pending" in (tmp_path / "shown").read_text()
    assert not (tmp_path / "away.db").exists()


def test_ask_and_tell_load_no_laboratory(tmp_path):
    """Nor does an ask draw tables: each is a process of its own, so that loading counts."""
    code = """
import json, sys
from upperhand.__main__ import main
heavy = ("numba", "scipy", "matplotlib", "rich", "upperhand.distributions", "upperhand.figures")
for words in json.loads(sys.argv[1]):
    sys.argv = ["upperhand", *words, "--storage", "b.db"]
    try:
        main()
    except SystemExit as end:
        assert not end.code
    print([name for name in heavy if name in sys.modules])
"""
    steps = [
        ["new", "x", "--arm", "a", "--arm", "b", "--quantile", "0.9", "--minimize"],
        ["ask", "x"],
        ["tell", "x", "1.1.0", "3"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(steps)], cwd=tmp_path, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[1::2] == ["[]"] * 3


@pytest.mark.parametrize("words", [["watch", "x", "--times", "2", "--every", "0.05"]])
def test_a_terminal_is_drawn_over(tmp_path, words):
    """On a terminal the second look takes the place of the first."""

    def upperhand(*given, **options):
        command = [sys.executable, "-m", "upperhand", *given, "--storage", "b.db"]
        return subprocess.run(command, cwd=tmp_path, check=True, **options)

    upperhand("new", "x", "--arm", "a", "--quantile", "0.9", "--minimize", stdout=subprocess.PIPE)
    ours, theirs = pty.openpty()
    upperhand(*words, stdout=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"})
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert shown.count("Experiment 'x'") >= 2
    assert "\x1b[1A" in shown  # the cursor goes up
