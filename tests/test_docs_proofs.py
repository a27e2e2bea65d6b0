"""The page of the proofs names functions that are there, and bounds as they are computed."""

import importlib
import re
import runpy
from pathlib import Path

import pytest

from upperhand.theory import quantile_policies

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "pulls.py"))
CELL = re.compile(r"([\d.]+) \(([\d.]+)\) / ([\d.,]+)")


def test_every_function_is_there():
    rows = "\n".join(re.findall(r"^\| \[.*$", PAGE, re.M))
    named = re.findall(r"`(\w+)\.(\w+)`", rows)
    assert len(named) > 8
    for module, function in named:
        assert hasattr(importlib.import_module(f"upperhand.theory.{module}"), function)


def test_every_theorem_is_stated_once():
    stated = re.findall(r"^\*\*Theorem (\w+)\.\*\*", PAGE, re.M)
    assert stated == [*(f"Q{number}" for number in range(1, 8)), "F"]


@pytest.mark.parametrize("name", SCRIPT["TABLE"])
def test_the_table_has_the_bounds_of_today(name):
    """What was simulated is not simulated again: it is below the bound."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {name} |"))
    arms, tau, arm = SCRIPT["TABLE"][name]
    cells = CELL.findall(line)
    for policy, (mean, error, bound) in zip(SCRIPT["policies"](tau).values(), cells, strict=True):
        expected = quantile_policies.pulls(policy, arms, SCRIPT["N"])[arm]
        assert bound == f"{expected:,.1f}"
        assert float(mean) <= expected + 5 * float(error)
