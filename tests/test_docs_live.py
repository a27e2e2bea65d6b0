"""The page of live experiments names all that one can call, be answered and count."""

import re
from pathlib import Path

import pytest

import upperhand as uh
from upperhand.live.state import COUNTED

PAGE = (Path(__file__).parents[1] / "docs" / "live.md").read_text(encoding="utf-8")
PUBLIC = [name for name in dir(uh.Experiment) if not name.startswith("_")]
PUBLIC = [name for name in PUBLIC if not name.endswith("_by")]  # where the table and plot are


@pytest.mark.parametrize("name", PUBLIC)
def test_every_method_is_named(name):
    assert re.search(rf"\b{name}\b", PAGE)


def test_every_count_is_told():
    said = re.search(r"What `counts\(\)` says.*?\n\n(\|.*?)\n\n", PAGE, re.DOTALL)[1]
    assert set(COUNTED) <= set(re.findall(r"`(\w+)`", said))


def test_every_way_to_a_probability_is_told():
    said = {"deterministic", "exact", "monte-carlo", "not computed", "pinned", "sticky"}
    said |= {"failures", "default"}
    assert all(f"`{how}`" in PAGE for how in said)


def test_every_answer_of_a_tell_is_told():
    assert all(f'`"{answer}"`' in PAGE for answer in ("told", "again", "late", "lost", "kept"))
