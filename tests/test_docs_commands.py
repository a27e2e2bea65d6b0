"""Every `upperhand` command and program in blocks of the README and the docs runs, on small sizes.

Python examples with prompts are doctests (`test_docstrings.py`).
"""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from upperhand.cli import commands

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
STUDY = 'instances = ["headline"]\npolicies = [{name = "ucb1"}]\nhorizon = 60\nreplications = 2\n'
SMALL = ["--horizon", "60", "--replications", "2"]
PROGRAM = re.compile(r"^```python\n(?!>>>)(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```sh\n(.*?)^```|^((?:    upperhand .*\n)+)", re.MULTILINE | re.DOTALL)


def typed(page):
    """Return the words of each command in a page's blocks, except those that need a cluster."""
    blocks = ["".join(filter(None, pair)) for pair in BLOCK.findall(page.read_text("utf-8"))]
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    found = [re.search(r"<\((upperhand .*?)\)|^\s*(upperhand .*)", line) for line in lines]
    words = [shlex.split(match[1] or match[2], comments=True)[1:] for match in found if match]
    return [each for each in words if not {"--executor", "--scheduler"} & set(each)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_program_and_command_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPPERHAND_STORAGE", "bandits.db")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    rows = [f"{i % 7},{(i + 1) % 7},{i % 5},{i % 5 + 3}\n" for i in range(60)]
    (tmp_path / "series.csv").write_text("".join(["y,yhat,lo,hi\n", *rows]))
    (tmp_path / "study.toml").write_text(STUDY)
    known = {"__name__": "page"}
    for program in PROGRAM.findall(page.read_text("utf-8")):
        exec(program, known)  # noqa: S102
    trial = ""
    for words in typed(page):
        given = ["study.toml" if word.endswith(".toml") else word for word in words]
        given = [trial if word == "$trial" else word for word in given]
        sized = [*given, *SMALL] if words[0] in ("simulate", "compare") else given
        done = CliRunner().invoke(commands, sized, prog_name="upperhand", catch_exceptions=False)
        assert done.exit_code == 0, (words, done.output)
        trial = done.output.split("\t")[0] if words[0] == "ask" else trial
