"""Documents as text: tables that fit the terminal, heads that stay short, nothing left out."""

import os
import re
import sys

import pytest

import upperhand as uh
from upperhand.pages.card_page import card_page
from upperhand.pages.comparison_page import comparison_summary
from upperhand.pages.document import Bullets, Code, Document, Entry, Heading, Image, Notice, Table
from upperhand.pages.html import to_html
from upperhand.pages.markdown import to_markdown
from upperhand.pages.simulation_page import simulation_page
from upperhand.pages.terminal import NARROWEST, WIDTH, block_text, terminal_width, to_text
from upperhand.simulation.runs import summarise
from upperhand.text import cell_width
from upperhand.theory.card import theory_card

from ..comparison.samples import TIED, small

LONG = "ACP-UCB1 b=0.25 eta=0.05"
OBJECTIVES = [uh.UpperTail(0.1), uh.LowerTail(0.1), uh.Mean(), uh.CVaR(0.1), uh.MeanVariance(1.0)]


@pytest.fixture(scope="module")
def one():
    policies = {LONG: uh.ACPUCB1(b=0.25), "UCB1": uh.UCB1()}
    return small(policies=policies, objectives=OBJECTIVES, reference=LONG)


def comparison_text(comparison, width=None):
    return to_text(comparison_summary(comparison), width)


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
    assert f"Difference and ratio are against {LONG}'s regret" in text


def test_slopes_are_explained_where_there_are_any(one):
    arms = [uh.Normal(0, 1), uh.Uniform(0, 1)]
    unbounded = small(arms, [uh.UCB1()], objectives=[uh.Mean()], replications=2)

    assert "Slope: " in comparison_text(small(policies=[uh.UCB1()], horizon=1000))
    for text in (comparison_text(one), comparison_text(small(policies=[uh.UCB1()], horizon=999))):
        assert "slope" not in text.lower()  # there are no two decades after the first rounds
    assert "Slope" not in comparison_text(unbounded)
    assert "Best arm: " in comparison_text(unbounded)


@pytest.mark.parametrize(("columns", "width"), [(200, 200), (90, 90), (50, 50), (20, NARROWEST)])
def test_a_terminal_gives_the_width(monkeypatch, columns, width):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((columns, 24)))
    assert terminal_width() == width


@pytest.mark.parametrize("width", [40, 60])
def test_prose_and_tables_fill_a_narrow_terminal(monkeypatch, width):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((width, 24)))
    assert width - 8 < widest(comparison_text(small())) <= width


def test_a_closed_output_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert terminal_width() == WIDTH
    assert block_text(Table(("a", "b"), (("1", "2"),))) == "a  b\n1  2"


def test_a_file_has_a_width_of_its_own(one):
    assert terminal_width() == WIDTH
    assert comparison_text(one) == comparison_text(one, WIDTH)


ARMS = [uh.Normal(0.1, 0.05), uh.Normal(0, 0.15)]


@pytest.fixture(scope="module")
def lone():
    """Return a simulation of one replication."""
    return simulation_page(
        summarise(uh.simulate(ARMS, [uh.UCB1()], 50, 1, seed=0), uh.UpperTail(0.1))
    )


def test_every_builder_has_three_forms(one, lone):
    """Each number of the terminal is on the other two pages as well."""
    card = card_page(theory_card(ARMS, uh.ACPUCB1()))
    for document in (card, comparison_summary(one), lone):
        numbers = set(re.findall(r"\d+\.\d+", to_text(document)))
        assert len(numbers) > 3
        for other in (to_markdown(document), to_html(document)):
            assert numbers <= set(re.findall(r"\d+\.\d+", other))


def test_one_replication_has_no_standard_error(lone):
    alone = small(policies=[uh.UCB1()], replications=1)

    for text in (to_text(lone), comparison_text(alone)):
        assert "±" not in text
        assert "1 replication of" in text
    assert "Regret of one replication" in to_text(lone)
    assert "One replication has no standard errors." in comparison_text(alone)


def test_every_block_is_written():
    blocks = (
        Heading("the head"),
        Notice("a notice"),
        Code("a command"),
        Bullets((("bold", "item"),)),
        Image("name.png", b"", "alternative", "a caption"),
        Entry("Holds", "good", "a claim", (("gap", "0.1"),), "Check: it."),
    )
    assert to_text(Document("Title", blocks)).splitlines() == [
        *("", "Title", "", "the head", "────────", "a notice", "", "    a command", "- bold item"),
        *("", "alternative: name.png", "", "Holds. a claim", "- gap: 0.1", "Check: it."),
    ]


def test_wide_characters_line_up():
    table = Table(("policy", "regret"), (("上信頼限界", "12.5"), ("UCB1", "7.0")))
    lines = block_text(table).splitlines()

    assert {cell_width(line) for line in lines} == {10 + 2 + 6}
    assert lines[1] == "上信頼限界    12.5"


def test_prose_in_a_table_is_wrapped_on_a_terminal_only(monkeypatch):
    table = Table(("no.", "statement"), (("1", "word " * 40), ("2", "short")), left=2)
    assert len(block_text(table).splitlines()) == 3
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    lines = block_text(table, 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1] == "───  " + "─" * (len(lines[1]) - 5)
    assert [line[:1] for line in lines] == ["n", "─", "1", " ", " ", "2"]
