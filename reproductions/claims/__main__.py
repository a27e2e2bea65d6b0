"""``make claims``: check every claim of the paper and regenerate the tables of docs/claims.md.

    python -m reproductions.claims [--replications N] [--trials N] [--seed N] [--page FILE]

Seeds are fixed: the same code gives the same page. Other sizes write a page only to a FILE.
"""

import argparse
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from upperhand.files import replacing
from upperhand.paper.claims import Claim, Verdict, claims_of, count_verdicts
from upperhand.paper.experiments import EXPERIMENTS, Size

from . import definitions, lemmas, theorem, trade_off
from .evidence import TRIALS, Effort

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"
Chapters = dict[str, list[Claim]]  # in the order of the paper
THEORY = {
    "Section 2: problem formulation": definitions.section_2,
    "Section 3: methodology": definitions.section_3,
    "Section 4.1 and appendix A.1.1: local regularity": definitions.section_4_1,
    "Appendix A.1.2: auxiliary lemmas": lemmas.appendix_a_1_2,
    "Section 4.2 and appendix A.1.3: the regret guarantee": theorem.section_4_2,
    "Theorem 1 and the paper's own experiments": theorem.own_experiments,
    "Section 4.3.1: the Gaussian utility path": trade_off.section_4_3_1,
    "Section 4.3.2 and appendix A.1.4: the metric trade-off": trade_off.section_4_3_2,
    "Section 4.3.3: logarithmic constants": trade_off.section_4_3_3,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Check the claims, print how they fared, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.claims", description=__doc__)
    parser.add_argument("--replications", type=int, help="default: the paper's 60, 30 and 30")
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each random check")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", type=Path, help=f"default: {PAGE}")
    given = parser.parse_args(arguments)
    chapters = check_all(given.replications, Effort(given.seed, given.trials))
    print(summary(chapters))
    full = (given.replications, given.trials, given.seed) == (None, TRIALS, 0)
    if page := given.page or (PAGE if full else None):
        text = with_tables(page.read_text("utf-8"), chapters)
        with replacing(page) as temporary:
            temporary.write_text(text, "utf-8")


def check_all(replications: int | None, effort: Effort) -> Chapters:
    """Return all claims by their chapters: the theory, then the experiments."""
    chapters = {title: judge(effort) for title, judge in THEORY.items()}
    for experiment in EXPERIMENTS.values():
        size = Size(replications or experiment.replications, seed=effort.seed)
        claims = claims_of(experiment, experiment.run(size), size)
        chapters[f"Section 5: numerical experiments, Figure {experiment.number}"] = claims
    return chapters


def summary(chapters: Chapters) -> str:
    """Return how many claims there are of each verdict, the paper's and ours."""
    claims = [claim for own in chapters.values() for claim in own]
    papers, ours = ([c for c in claims if c.ours is mark] for mark in (False, True))
    counts = f"{len(papers)} claims of the paper: {count_verdicts(papers)}."
    return f"{counts} {len(ours)} of ours: {count_verdicts(ours)}."


def with_tables(page: str, chapters: Chapters) -> str:
    """Return the page with new tables between its markers: the counts, and one a chapter."""
    head, rest = page.split(BEGIN)
    parts, numbers = [BEGIN, count_table(chapters)], itertools.count(1)
    for title, claims in chapters.items():
        parts += [f"## {title}", claim_table(claims, numbers)]
    return head + "\n\n".join([*parts, END]) + rest.split(END)[1]


def count_table(chapters: Chapters) -> str:
    """Return a table with the number of claims of each verdict, the paper's and ours."""
    judged = {claim.verdict for claims in chapters.values() for claim in claims}
    verdicts = [v for v in Verdict if v is not Verdict.UNDECIDED or v in judged]
    rows = [f"| claims | {' | '.join(verdicts)} |", "| --- |" + " ---: |" * len(verdicts)]
    for whose, ours in ("of the paper", False), ("ours", True):
        found = [c.verdict for own in chapters.values() for c in own if c.ours is ours]
        counts = (str(found.count(verdict)) for verdict in verdicts)
        rows.append(f"| {whose} | {' | '.join(counts)} |")
    return "\n".join(rows)


def claim_table(claims: Sequence[Claim], numbers: Iterator[int]) -> str:
    """Return a table with a row for each claim of a chapter."""
    rows = ["| no. | where | claim | verdict | numbers |", "| --- | --- | --- | --- | --- |"]
    for claim in claims:
        where = f"{claim.where} (ours)" if claim.ours else claim.where
        found = "<br>".join(escaped(f"{name}: {n}") for name, n in claim.numbers.items())
        cells = str(next(numbers)), where, escaped(claim.statement), claim.verdict, found
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def escaped(text: str) -> str:
    """Return text in which Markdown finds no markup."""
    return re.sub(r"([\\`*_\[\]<>|~])", r"\\\1", text)


if __name__ == "__main__":
    main()
