"""The pages have a place for each table of docs/tools/tables.py, with the policies of today."""

import math
import re
import runpy
from pathlib import Path

import upperhand as uh
from upperhand.comparison.default_policies import EXTREMES, default_policies
from upperhand.comparison.instances import HARD, INSTANCES, PAPER, extreme_instances

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
    players = default_policies(INSTANCES["headline"], 10_000)
    for name, instances in (("settings", PAPER), ("misleading", HARD[:7]), ("early", HARD[7:])):
        assert found[name][0][1:] == [each.name for each in instances]
    assert found["objectives"][1] == list(players)
    assert len(found) == 6


def test_best_of_n():
    found = tables("best-of-n.md")
    names = [each.name for each in extreme_instances()]
    assert found["instances"][1] == found["largest"][0][1:] == names
    assert set(EXTREMES) < set(found["shares"][1])
    assert len(found) == 4


def test_from_which_n_on_the_quantile_names_the_best_arm():
    draws_needed = runpy.run_path(str(DOCS / "tools" / "tables.py"))["draws_needed"]
    found = [draws_needed(each.arms, 10_000) for each in extreme_instances()]
    assert found == [(3, 1), (6, 1), (5, 1), (14, 2), (1, 1), (2, 290), (0, 3), (0, 2)]
    assert draws_needed([uh.Normal(0, 1), uh.Normal(0, 1)], 50) == (0, 1)  # they tie to the end
    crossing = (1 / 0.2) ** (1 / 0.4)  # of the tails of extreme-6: 0.2 x^−1.1 = x^−1.5
    assert found[5][1] == math.ceil(math.log(2) / -math.log1p(-(crossing**-1.5)))
