"""Without the lab extra: the live bandit works, and the laboratory says what to install."""

import subprocess
import sys

import pytest

BARE = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("numba", "scipy", "matplotlib", "apsw", "psycopg"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""

ARMS = ["--arm", "normal:0,1", "--arm", "normal:1,1"]


def run(code):
    return subprocess.run(
        [sys.executable, "-c", BARE + code], capture_output=True, text=True, check=False
    )


def test_every_public_name_loads():
    done = run("import upperhand as uh\nfor name in uh.__all__: getattr(uh, name)\nprint('all')")
    assert (done.stdout, done.stderr) == ("all\n", "")


def test_the_live_bandit_works():
    code = (
        "import upperhand as uh; b = uh.Bandit(['a'], uh.ACPUCB1()); b.tell(b.ask(), 1.0); print(b)"
    )
    done = run(code)
    assert done.stderr == ""


def test_a_log_says_what_to_install():
    done = run("from upperhand.live.log import open_storage; open_storage(None).log('a').last()")
    assert done.stderr == ""
    done = run("from upperhand.live.log import open_storage; open_storage('x.db')")
    assert "pip install 'upperhand[live]'" in done.stderr
    done = run("from upperhand.live.log import open_storage; open_storage('postgresql://')")
    assert "pip install 'upperhand[postgres]'" in done.stderr


def test_calibration_needs_no_laboratory():
    done = run("import upperhand as uh; print(uh.calibrate(range(20), range(20)))")
    assert done.stderr == ""
    assert "AgACI" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare"],
        ["identify", *ARMS, "--policy", "uniform-sampling:budget=9"],
        ["simulate", "--arm", "normal:0,1"],
        ["theory", *ARMS],
        ["paper"],
    ],
)
def test_the_laboratory_says_what_to_install(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = f"sys.argv = {['upperhand', *arguments]!r}\nfrom upperhand.cli import main\nmain()"
    done = run(code)
    assert done.returncode == 1
    assert "pip install 'upperhand[lab]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
