"""The ledger: every checkable statement of the paper, numbered, and what was found."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from upperhand.pages.document import Block, Bullets, Document, Entry, Heading, Paragraph, Table
from upperhand.paper.claim import Claim, Verdict, count_verdicts
from upperhand.paper.experiment import Experiment
from upperhand.paper.pages import departures, entry, how_it_was_made
from upperhand.paper.settings import CITATION, PAPER

from . import (
    assumption,
    constants,
    coverage,
    lemmas,
    method,
    population,
    proposition,
    theorem,
    trade_off,
)
from .conditions import Judged
from .evidence import Effort

TITLE = f"{PAPER}: the claims, one by one"
SOURCE = (
    f"Every checkable statement of {CITATION}, in the order of the paper: what it says, how it was "
    "checked, the numbers that came out, and whether it holds. The verdicts are given by code, "
    "from the numbers. Where the paper uses a word such as “sharply”, the threshold is ours, and "
    "stated in the check. Some statements are ours: what the paper says, applied to "
    "its own experiments, which the paper does not claim. They are marked as ours, and counted "
    "and listed apart. Numbers have no more digits than are meaningful, and a difference that is "
    "rounding is given as its limit, so that last digits of another machine do not show."
)
OURS = "Ours, about the paper's instances and settings"
ABOUT_OURS = "The paper does not claim these. They say how far its theory covers its experiments."

# The chapters of the theory: their titles and what judges them, in the paper's order.
THEORY: tuple[tuple[str, Callable[[Effort], list[Claim]]], ...] = (
    ("Section 2: problem formulation", population.claims),
    ("Section 3: methodology", method.claims),
    ("Section 4.1 and appendix A.1.1: local regularity", assumption.claims),
    ("Appendix A.1.2: auxiliary lemmas", lemmas.claims),
    ("Section 4.2 and appendix A.1.3: the regret guarantee", theorem.claims),
    ("Theorem 1 and the paper's own experiments", coverage.claims),
    ("Section 4.3.1: the Gaussian utility path", proposition.claims),
    ("Section 4.3.2 and appendix A.1.4: the metric trade-off", trade_off.claims),
    ("Section 4.3.3: logarithmic constants", constants.claims),
)


class Chapter(NamedTuple):
    """A part of the paper, and what it claims."""

    title: str
    claims: tuple[Claim, ...]


class Numbered(NamedTuple):
    """A claim with its place in the ledger."""

    number: int
    chapter: str
    claim: Claim

    @property
    def where(self) -> str:
        """Where in the paper, as the start of a line, and whether the statement is ours."""
        place = self.claim.where
        if self.claim.ours:
            return f"Ours, on {place}" if place else "Ours"
        return place[:1].upper() + place[1:]


def theory_chapters(effort: Effort) -> list[Chapter]:
    """Judge the theory."""
    return [Chapter(title, tuple(judge(effort))) for title, judge in THEORY]


def experiment_chapter(experiment: Experiment[Any], claims: Iterable[Claim]) -> Chapter:
    """Return the chapter of one figure."""
    title = f"Section 5: numerical experiments, Figure {experiment.number}"
    return Chapter(title, tuple(claims))


def numbered(chapters: Iterable[Chapter]) -> list[Numbered]:
    """Return the claims of all chapters in one list, numbered from 1."""
    claims = [(chapter.title, claim) for chapter in chapters for claim in chapter.claims]
    return [Numbered(number, *titled) for number, titled in enumerate(claims, start=1)]


def claims_table(claims: Iterable[Numbered]) -> Table:
    """Return one line for each claim, the statement last: it is the long one."""
    return Table(
        ("no.", "where", "verdict", "statement"),
        tuple((str(c.number), c.where, c.claim.verdict, c.claim.statement) for c in claims),
        left=4,
    )


def ledger_document(claims: Sequence[Numbered], conditions: Judged) -> Document:
    """Return the ledger, what does not hold first, and what is ours apart."""
    return Document(
        TITLE,
        (
            Paragraph(SOURCE),
            *departures(conditions),
            Paragraph(count_verdicts([c.claim for c in claims])),
            *_papers("What does not hold", claims, Verdict.FAILS),
            *_undecided(claims),
            *_papers("What holds with a note", claims, Verdict.NOTE),
            *_ours(claims),
            Heading("All claims"),
            claims_table(claims),
            *_chapters(claims),
            *how_it_was_made(conditions),
        ),
    )


def _papers(title: str, claims: Iterable[Numbered], verdict: Verdict) -> list[Block]:
    """Return the paper's own claims that fared like this."""
    those = [c for c in claims if c.claim.verdict is verdict and not c.claim.ours]
    return [Heading(title), _listed((f"{c.number}.", c) for c in those)]


def _undecided(claims: Sequence[Numbered]) -> list[Block]:
    """Return what a run below the paper's size leaves open; nothing if there is no such claim."""
    some = any(c.claim.verdict is Verdict.UNDECIDED for c in claims)
    return _papers("What this run does not decide", claims, Verdict.UNDECIDED) if some else []


def _ours(claims: Iterable[Numbered]) -> list[Block]:
    """Return what the paper does not claim, however it fared."""
    marked = ((f"{c.number}. {c.claim.verdict.capitalize()}.", c) for c in claims if c.claim.ours)
    return [Heading(OURS), Paragraph(ABOUT_OURS), _listed(marked)]


def _listed(marked: Iterable[tuple[str, Numbered]]) -> Bullets | Paragraph:
    """Return marks, places and statements as a list; say so if there are none."""
    items = tuple(
        (f"{mark} {c.where}:" if c.where else mark, c.claim.statement) for mark, c in marked
    )
    return Bullets(items) if items else Paragraph("None.")


def _chapters(claims: Iterable[Numbered]) -> list[Block]:
    """Return a heading for each chapter and below it what it claims."""
    blocks: list[Block] = []
    for title, own in groupby(claims, key=lambda c: c.chapter):
        blocks += [Heading(title), *map(_entry, own)]
    return blocks


def _entry(line: Numbered) -> Entry:
    plain = entry(line.claim)
    where = f"{line.where}: " if line.where else ""
    return replace(plain, mark=f"{line.number}. {plain.mark}", title=f"{where}{plain.title}")
