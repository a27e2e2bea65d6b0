"""What the project's metadata and its front page promise."""

import re
import shlex
import tomllib
from pathlib import Path

from click.testing import CliRunner

from upperhand.cli import commands

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_optional_dependency_is_used():
    source = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*.py"))
    for needed in PROJECT["optional-dependencies"].values():
        for package in needed:
            name = re.match(r"[\w-]+", package).group()
            assert re.search(rf"^\s*(import|from) {name}\b", source, re.MULTILINE), package


def test_metadata():
    assert "Programming Language :: Python :: 3.14" in PROJECT["classifiers"]
    assert PROJECT["urls"]["Paper"].endswith("2605.07115")


def test_the_latencies_of_the_readme_can_be_pasted_and_eu_has_the_lowest_p95(monkeypatch):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.search(r"(upperhand simulate --minimize.*?)```", readme, re.DOTALL)[1]
    words = shlex.split(command.replace("\\\n", " "))[1:]
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(commands, [*words, "--horizon", "20", "--replications", "2"])

    assert done.exit_code == 0
    assert "of which `eu` has the lowest p95" in readme
    assert "Arms by p95, the lowest first: eu (128.4)" in done.output


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
