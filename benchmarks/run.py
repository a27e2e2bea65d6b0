"""``make bench``: the figures that the project lives by, against their goals.

python benchmarks/run.py                              everything, about ten minutes
python benchmarks/run.py --only river                 the rows whose name has the word
python benchmarks/run.py --page docs/performance.md   everything, also into the tables of the page
"""

import argparse
import sys
from pathlib import Path

from speed.catalogue import sections
from speed.curves import against_arms, against_rounds
from speed.page import HEADER, counted, curve_table, write_page
from speed.rows import run_row
from upperhand.text import text_table


def chosen(word):
    """Return the sections with the rows whose name has the word; all of them without one."""
    low = (word or "").lower()
    found = [
        section._replace(rows=tuple(row for row in section.rows if low in row.name.lower()))
        for section in sections()
    ]
    return [section for section in found if section.rows]


def run(wanted):
    """Measure all rows, telling each as it is found; return sections with their results."""
    by_section = []
    for section in wanted:
        print(f"\n{section.title}", flush=True)
        found = []
        for row in section.rows:
            found.append(run_row(row))
            print(f"  {row.name}: {found[-1].shown}", flush=True)
        by_section.append((section, found))
    return by_section


def main():
    """Measure, print the table, and write the page if asked to; 1 if a row failed."""
    parser = argparse.ArgumentParser(description="The benchmarks, against their goals.")
    parser.add_argument("--only", metavar="WORD", help="only rows whose name has this word")
    parser.add_argument("--page", type=Path, help="write the tables of this page, and its figure")
    given = parser.parse_args()
    if given.only and given.page:
        parser.error("--page is made of all rows: leave --only out.")
    if given.page and not given.page.is_file():
        parser.error(f"{given.page} does not exist: only the tables of a page are written.")
    wanted = chosen(given.only)
    if not wanted:
        parser.error(f"no row has {given.only!r} in its name")
    by_section = run(wanted)
    results = [result for _, found in by_section for result in found]
    table = [[result.row.name, result.shown, result.goal] for result in results]
    print("\n" + text_table(list(HEADER), table, left=3))
    print("\n" + counted(results))
    if not given.only:
        for head, found in (("rounds n", against_rounds()), ("arms K", against_arms())):
            curve = curve_table(head, found)
            print("\n" + text_table(list(curve.header), [list(row) for row in curve.rows]))
    if given.page:
        write_page(given.page, by_section)
    return int(any(result.failed for result in results))


if __name__ == "__main__":
    sys.exit(main())
