"""The page of the theory names every public function, and no other."""

import inspect
import re
from pathlib import Path

from upperhand import theory

PAGE = (Path(__file__).parents[1] / "docs" / "theory.md").read_text(encoding="utf-8")
MODULES = {path.stem for path in Path(theory.__file__).parent.glob("*.py")}


def public_functions():
    found = {name: getattr(theory, name) for name in theory.__all__}
    return {name for name, value in found.items() if inspect.isfunction(value)} - {"theory_card"}


def test_every_function_is_on_the_page():
    table = PAGE[PAGE.index("## Where each statement is") : PAGE.index("## What we found")]
    listed = {
        name
        for row in table.splitlines()
        if not row.startswith("| **")
        for name in re.findall(r"`(\w+)`", row.rsplit("|", 2)[1] if row.count("|") > 1 else "")
    }
    assert listed == public_functions()


def test_every_module_of_statements_is_on_the_page():
    named = set(re.findall(r"`theory/(\w+)\.py`", PAGE))
    assert named == MODULES - {"__init__", "binomial_sums", "card"}
