"""The tree stays small and one-way: few entries, short files and functions, no cycles, one picture.

The layers themselves are held by import-linter in `make lint`.
"""

import ast
import re
import tomllib
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "upperhand"
FILES = sorted(PACKAGE.rglob("*.py"))
ENTRIES = {
    path.stem
    for path in PACKAGE.iterdir()
    if (path.is_dir() or path.suffix == ".py") and not path.name.startswith("__")
}

MOST_ENTRIES, LONGEST_FILE, LONGEST_BODY = 18, 260, 60


def test_few_entries_at_the_root():
    assert len(ENTRIES) <= MOST_ENTRIES, sorted(ENTRIES)


def test_short_files_of_short_functions():
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        assert source.count("\n") <= LONGEST_FILE, path
        for function in ast.walk(ast.parse(source)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                first, *rest = function.body
                begin = rest[0] if rest and ast.get_docstring(function) else first
                lines = function.body[-1].end_lineno - begin.lineno + 1
                assert lines <= LONGEST_BODY, (path, function.name)


def entries_imported(path):
    """Return the entries at the root that a file imports, also within its functions."""
    here = ["upperhand", *path.relative_to(PACKAGE).parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            top, entry, *_ = [*name.split("."), ""]
            if top == "upperhand" and entry in ENTRIES:
                yield entry


def test_no_cycle_between_entries():
    arrows = {entry: set() for entry in ENTRIES}
    for path in FILES:
        entry = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if entry in ENTRIES:
            arrows[entry] |= set(entries_imported(path)) - {entry}
    assert len(set(chain.from_iterable(arrows.values()))) > 10
    TopologicalSorter(arrows).prepare()  # raises CycleError, which names the cycle


def picture():
    """Return the layers of CONTRIBUTING's picture from top to bottom, each a list of entries."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = re.search(r"```\n(src/upperhand/.*?)```", text, re.DOTALL)[1]
    lines = [line for line in drawn.splitlines()[1:] if line.strip()]
    return [re.findall(r"\S+(?:/|\.py)(?=\s)", line) for line in lines]


def test_contributing_shows_the_tree_as_it_is():
    assert sorted(chain.from_iterable(picture())) == sorted(
        f"{entry}/" if (PACKAGE / entry).is_dir() else f"{entry}.py" for entry in ENTRIES
    )


def test_and_its_layers_as_they_are_held():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    held = [[name.strip().removeprefix("upperhand.") for name in x.split("|")] for x in layers]
    assert [[re.sub(r"/|\.py", "", name) for name in layer] for layer in picture()] == held
