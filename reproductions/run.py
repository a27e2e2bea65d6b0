"""``make reproductions``: all published numbers next to ours, as docs/reproductions.md.

    python -m reproductions.run [--quick] [--only kl_ucb …] [--page FILE]

Everything has a fixed seed: the same code gives the same page. --quick runs everything with few
replications, to see that it works; its verdicts mean nothing, and it writes no page unless told to.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

from upperhand.files import replacing
from upperhand.reports.markdown import (
    Block,
    Bullets,
    Code,
    Heading,
    Note,
    Paragraph,
    Report,
    Table,
    to_markdown,
)
from upperhand.text import fixed, significant

from . import aci_agaci, decaying_steps, howard_ramdas, kl_ucb, q_sar, sequences, ucb_cp
from .judging import ERROR, Line, Verdict, critical, verdict
from .section import Comparison, Effort, Section, blocks, size_text

PAGE = Path(__file__).parents[1] / "docs" / "reproductions.md"
TITLE = "Published numbers, and ours"
PAPERS: dict[str, Callable[[Effort], Section]] = {
    "howard_ramdas": howard_ramdas.section,
    "sequences": sequences.section,
    "q_sar": q_sar.section,
    "aci_agaci": aci_agaci.section,
    "decaying_steps": decaying_steps.section,
    "kl_ucb": kl_ucb.section,
    "ucb_cp": ucb_cp.section,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for, print a summary, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few replications: a smoke test")
    parser.add_argument("--only", nargs="+", choices=PAPERS, help="these papers, without a page")
    parser.add_argument("--page", type=Path, help=f"the file to write (default: {PAGE})")
    given = parser.parse_args(arguments)
    sections = []
    for name in given.only or PAPERS:
        began = time.perf_counter()
        sections.append(PAPERS[name](Effort(given.quick)))
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    lines = [line for section in sections for line in section.lines]
    print(summary(lines))
    for line in differing(lines, critical(lines)):
        print("differs:", *line.what, size_text(line))
    page = given.page or (None if given.quick or given.only else PAGE)
    if page is not None:
        with replacing(page) as temporary:
            temporary.write_text(to_markdown(document(sections, quick=given.quick)), "utf-8")
        print(f"Wrote {page}")
    return 0


def document(sections: Sequence[Section], *, quick: bool = False) -> Report:
    """Return the page: the rule, what differs first, then paper by paper."""
    lines = [line for section in sections for line in section.lines]
    z = critical(lines)
    shown: list[Block] = [Note("A quick run: its numbers mean nothing.")] if quick else []
    shown += [
        Paragraph(
            "Each number that others published, next to the one that this library gives, with "
            "standard errors and a verdict. The verdicts are given by code, from the numbers."
        ),
        Code("make reproductions"),
        Paragraph(
            "The rule: two means agree if they differ by at most z √(SE² + SE²), and by what a "
            "figure or printed digits leave open. z is the same for the whole page, "
            f"{fixed(z, 2)}: with {sum(line.comparable for line in lines)} numbers judged, the "
            f"chance of a single wrong “differs” is {100 * ERROR:g} % (Bonferroni). Values of a "
            "formula must be equal to the printed digits. “Not judged” stands where the settings "
            "are not the same, “not found” where there is no published number, “not reproduced” "
            "where there is none of ours; the notes say why."
        ),
        Paragraph(summary(lines)),
        Heading("What differs"),
        *_differing(sections, z),
        Heading("Paper by paper"),
        Paragraph(
            "“Seen from”: a number that is off by more than this would be called different; half "
            "of the paper's numbers have less."
        ),
        _overview(sections, z),
    ]
    for section in sections:
        shown += blocks(section, z)
    return Report(TITLE, tuple(shown))


def summary(lines: Sequence[Line]) -> str:
    """Return how many numbers fared how."""
    z = critical(lines)
    counts = Counter(verdict(line, z) for line in lines)
    parts = [f"{counts[kind]} {kind}" for kind in Verdict if counts[kind]]
    return f"{len(lines)} numbers: {', '.join(parts)}."


def differing(lines: Iterable[Line], z: float) -> list[Line]:
    """Return the numbers that differ."""
    return [line for line in lines if verdict(line, z) is Verdict.DIFFERS]


def _differing(sections: Sequence[Section], z: float) -> list[Block]:
    items = tuple(
        (f"{section.title}.", f"{_named(comparison, line)}: {size_text(line)}.")
        for section in sections
        for comparison in section.comparisons
        for line in differing(comparison.lines, z)
    )
    return [Bullets(items)] if items else [Paragraph("Nothing.")]


def _named(comparison: Comparison, line: Line) -> str:
    return ", ".join(f"{h} {w}" for h, w in zip(comparison.heads, line.what, strict=True))


def _overview(sections: Sequence[Section], z: float) -> Table:
    rows = []
    for section in sections:
        counts = Counter(verdict(line, z) for line in section.lines)
        seen = [line.allowed(z) / abs(line.published) for line in section.lines
                if line.comparable and line.published]  # fmt: skip
        power = f"{significant(100 * median(seen), 2)} %" if seen else "—"
        rows.append((section.title, *(str(counts[kind] or "—") for kind in Verdict), power))
    return Table(("paper", *Verdict, "seen from"), tuple(rows))


if __name__ == "__main__":
    sys.exit(main())
