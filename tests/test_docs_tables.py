"""The pages have a place for each table of docs/tools/tables.py, with the policies of today."""

import re
from pathlib import Path

from upperhand.comparison.default_policies import EXTREMES, line_up
from upperhand.comparison.instances import ENTRY, EXPERIMENTS, INSTANCES, PAPER, TRAPS

DOCS = Path(__file__).parents[1] / "docs"


def tables(name):
    """Return the header and the first column of each table between markers."""
    text = (DOCS / name).read_text(encoding="utf-8")
    found = {}
    for table, rows in re.findall(r"<!-- ([\w-]+) -->\n\n(.*?)\n\n<!-- end -->", text, re.DOTALL):
        head, _, *body = ([c.strip() for c in row.split(" | ")] for row in rows.splitlines())
        found[table] = [c.strip("| ") for c in head], [row[0].strip("| ") for row in body]
    made = re.findall(r'yield "([\w-]+)"', (DOCS / "tools" / "tables.py").read_text("utf-8"))
    assert set(found) <= {*made, "largest", "shares"}
    return found


def test_comparison():
    found = tables("comparison.md")
    players = line_up(INSTANCES["headline"], 10_000)
    for name, instances in (("settings", PAPER), ("misleading", TRAPS), ("early", ENTRY)):
        assert found[name][0][1:] == [each.name for each in instances]
    assert found["objectives"][1] == list(players)
    assert len(found) == 6


def test_best_of_n():
    found = tables("best-of-n.md")
    assert found["instances"][1] == found["largest"][0][1:] == [each.name for each in EXPERIMENTS]
    assert set(EXTREMES) < set(found["shares"][1])
    assert len(found) == 4
