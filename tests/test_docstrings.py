"""The examples in docstrings and documentation run as printed."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import upperhand

MODULES = [
    m.name
    for m in pkgutil.walk_packages(upperhand.__path__, "upperhand.")
    if m.name != "upperhand.__main__"  # loading it runs the command line
]
ROOT = Path(__file__).parents[1]
FRONT = pytest.param(ROOT / "README.md", marks=pytest.mark.compiled)  # 1.8 million rounds
PAGES = [FRONT, *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0
