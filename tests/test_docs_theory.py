"""The page of the theory names every function, and no other."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from upperhand import theory

PAGE = (Path(__file__).parents[1] / "docs" / "theory.md").read_text(encoding="utf-8")
MODULES = [
    name
    for _, name, is_package in pkgutil.iter_modules(theory.__path__)
    if name[0] != "_" and not is_package  # the card states nothing of its own
]


def functions(name):
    module = importlib.import_module(f"upperhand.theory.{name}")
    return {
        function
        for function, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and function[0] != "_"
    }


def test_every_function_is_on_the_page():
    table = PAGE[PAGE.index("## Where each statement is") : PAGE.index("## What we found")]
    listed = {
        name
        for row in table.splitlines()
        if not row.startswith("| **")
        for name in re.findall(r"`(\w+)`", row.rsplit("|", 2)[1] if row.count("|") > 1 else "")
    }
    assert listed == set().union(*map(functions, MODULES))


def test_every_module_is_on_the_page():
    assert set(re.findall(r"`theory/(\w+)\.py`", PAGE)) == set(MODULES)
