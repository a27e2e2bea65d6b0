"""``make reproductions``: published numbers next to ours, in the tables of a page.

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
from upperhand.reports.markdown import Table, with_tables
from upperhand.text import significant

from . import aci_agaci, decaying_steps, howard_ramdas, kl_ucb, q_sar, sequences, ucb_cp
from .judging import Line, Verdict, critical, verdict
from .section import Effort, Section, size_text, tables

PAGE = Path(__file__).parents[1] / "docs" / "reproductions.md"
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
    parser.add_argument("--page", type=Path, help=f"write its tables (default: {PAGE})")
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
        text = with_tables(page.read_text("utf-8"), page_tables(sections))
        with replacing(page) as temporary:
            temporary.write_text(text, "utf-8")
        print(f"Wrote {page}")
    return 0


def page_tables(sections: Sequence[Section]) -> dict[str, Table]:
    """Return the tables of the page by the names of their places."""
    z = critical([line for section in sections for line in section.lines])
    found = {"overview": _overview(sections, z)}
    for section in sections:
        found |= tables(section, z)
    return found


def summary(lines: Sequence[Line]) -> str:
    """Return how many numbers fared how."""
    z = critical(lines)
    counts = Counter(verdict(line, z) for line in lines)
    parts = [f"{counts[kind]} {kind}" for kind in Verdict if counts[kind]]
    return f"{len(lines)} numbers: {', '.join(parts)}."


def differing(lines: Iterable[Line], z: float) -> list[Line]:
    """Return the numbers that differ."""
    return [line for line in lines if verdict(line, z) is Verdict.DIFFERS]


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
