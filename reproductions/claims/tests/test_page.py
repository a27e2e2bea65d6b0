"""The page of claims agrees with itself and with the code; nothing is simulated.

If one of these fails, `make claims` writes the page anew.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from reproductions.claims.conditions import Judged
from reproductions.claims.evidence import TRIALS
from reproductions.claims.ledger import OURS, THEORY, experiment_chapter
from upperhand.paper.claim import Verdict
from upperhand.paper.registry import EXPERIMENTS
from upperhand.paper.settings import HORIZON

PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
DECIDED = (Verdict.HOLDS, Verdict.NOTE, Verdict.FAILS)  # at full size nothing is left open
VERDICTS = "|".join(verdict.capitalize() for verdict in DECIDED)
ENTRY = re.compile(rf"^\*\*(\d+)\\\. ({VERDICTS})\.\*\* (.+)$", re.M)
ROW = re.compile(r"^\| (\d+) \| (.*?) \| (.+?) \| (.+) \|$", re.M)
BULLET = re.compile(r"^- \*\*(\d+)\\\. (.+?):\*\* (.+)$", re.M)
MARKED = re.compile(rf"^- \*\*(\d+)\\\. ({VERDICTS})\. (.+?):\*\* (.+)$", re.M)


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def entries(text):
    """Return number, verdict and title of each entry."""
    return [(int(n), mark.lower(), title) for n, mark, title in found(ENTRY, text)]


def plain(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


def found(pattern, markdown):
    """Return the groups of each match as plain text."""
    return [tuple(map(plain, groups)) for groups in pattern.findall(markdown)]


def section(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def is_ours(title):
    return title.startswith("Ours, on ")


def fared(entries, *, ours):
    """Say how many there are of each verdict."""
    counts = Counter(mark for _, mark, title in entries if is_ours(title) is ours)
    return counts.total(), ", ".join(f"{verdict} {counts[verdict]}" for verdict in DECIDED)


def test_numbers_have_no_gaps(entries):
    assert entries
    assert [number for number, *_ in entries] == list(range(1, len(entries) + 1))


def test_the_count_is_that_of_the_marks(text, entries):
    (papers, theirs), (ours, own) = fared(entries, ours=False), fared(entries, ours=True)
    assert ours
    assert (
        f"\n{papers} claims of the paper: {theirs}. {ours} of ours about its experiments, "
        f"which the paper does not claim: {own}.\n"
    ) in text


def test_the_table_lists_the_entries(text, entries):
    rows = found(ROW, section(text, "All claims"))
    assert [(int(n), verdict, f"{where}: {said}") for n, where, verdict, said in rows] == entries


@pytest.mark.parametrize(
    ("title", "verdict"),
    [("What does not hold", Verdict.FAILS), ("What holds with a note", Verdict.NOTE)],
)
def test_the_reader_meets_them_first(text, entries, title, verdict):
    listed = found(BULLET, section(text, title))
    expected = [(n, said) for n, mark, said in entries if mark == verdict and not is_ours(said)]
    assert [(int(n), f"{where}: {said}") for n, where, said in listed] == expected
    assert text.index(f"## {title}") < text.index("## All claims")


def test_what_is_ours_has_a_list_of_its_own(text, entries):
    listed = found(MARKED, section(text, OURS))
    expected = [entry for entry in entries if is_ours(entry[2])]
    assert [(int(n), mark.lower(), f"{at}: {said}") for n, mark, at, said in listed] == expected
    assert text.index("## What holds with a note") < text.index(f"## {OURS}")
    assert text.index(f"## {OURS}") < text.index("## All claims")


def test_every_chapter_is_there_and_no_other(text):
    headings = re.findall(r"^## (.+)$", text, re.M)
    chapters = headings[headings.index("All claims") + 1 : headings.index("How it was made")]
    figures = [experiment_chapter(e, []).title for e in EXPERIMENTS.values()]
    assert [plain(title) for title in chapters] == [title for title, _ in THEORY] + figures


def test_it_was_made_at_the_papers_size(text):
    papers = {name: e.replications for name, e in EXPERIMENTS.items()}
    assert f"\n    {Judged(papers, HORIZON, 0, TRIALS).command}\n" in text
    assert "Not the paper's size" not in text


def test_it_tells_no_time_no_place_and_no_version(text):
    assert not re.search(r"wall time|\b\d{4}-\d\d-\d\d\b|/(home|work|tmp|Users)/", text)
    assert not re.search(r"numpy|numba|scipy|python \||platform|linux|e−1[3-9]\b", text)
