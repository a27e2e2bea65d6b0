"""A comparison as text: tables that fit the terminal, heads that stay short."""

import os
import re
import sys

import pytest
from upperhand.pages.comparison_text import NARROWEST, WIDTH, comparison_text, terminal_width

import upperhand as uh
from tests.studies.samples import TIED, small

LONG = "ACP-UCB1 b=0.25 eta=0.05"
OBJECTIVES = [uh.UpperTail(0.1), uh.LowerTail(0.1), uh.Mean(), uh.CVaR(0.1), uh.MeanVariance(1.0)]


@pytest.fixture(scope="module")
def one():
    policies = {LONG: uh.ACPUCB1(b=0.25), "UCB1": uh.UCB1()}
    return small(policies=policies, objectives=OBJECTIVES, reference=LONG)


def widest(text):
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("width", [80, 100, 140, 400])
def test_everything_fits_the_width(one, width):
    several = small(["headline", TIED, "gaussian", "ties", "far-tail"], replications=2)

    for comparison in (one, several):
        text = comparison_text(comparison, width)
        assert widest(text) <= width


def test_a_table_that_is_split_has_every_column_once_and_the_names_in_each_part(one):
    narrow, wide = comparison_text(one, 80), comparison_text(one, 1000)

    assert narrow.count("\nUCB1 ") > wide.count("\nUCB1 ") == 2
    for label in ("lower endpoint (p5)", "CVaR 10 %", "mean-variance (ρ=1)", "best arm"):
        assert narrow.count(f"  {label}") == wide.count(f"  {label}") == 1


def test_the_reference_is_named_above_and_not_in_the_heads(one):
    text = comparison_text(one, 400)
    head = next(line for line in text.splitlines() if line.startswith("policy"))

    assert re.search(r"  difference +ratio  ", head)
    assert LONG not in head
    assert f"Difference and ratio: minus and × {LONG}'s regret" in text


def test_slopes_are_explained_where_there_are_any(one):
    arms = [uh.Normal(0, 1), uh.Uniform(0, 1)]
    unbounded = small(arms, [uh.UCB1()], objectives=[uh.Mean()], replications=2)

    assert "Slope: " in comparison_text(one)
    assert "Slope" not in comparison_text(unbounded)
    assert "Best arm: " in comparison_text(unbounded)


@pytest.mark.parametrize(("columns", "width"), [(200, 200), (90, 90), (40, NARROWEST)])
def test_a_terminal_gives_the_width(monkeypatch, columns, width):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((columns, 24)))
    assert terminal_width() == width


def test_a_file_has_a_width_of_its_own(one):
    assert terminal_width() == WIDTH
    assert comparison_text(one) == comparison_text(one, WIDTH)
