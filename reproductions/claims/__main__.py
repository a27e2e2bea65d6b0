"""``make claims``: judge every claim of the paper and write docs/claims.md.

    python -m reproductions.claims [--replications N] [--trials N] [--out DIR] …

Everything has a fixed seed: the same code gives the same page. With other sizes than the paper's
it prints the claims, and writes a page only into --out.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from upperhand.errors import UpperhandError
from upperhand.files import replacing
from upperhand.pages.terminal import block_text
from upperhand.paper.claim import count_verdicts
from upperhand.paper.settings import HORIZON

from .evidence import TRIALS
from .judge import judge_paper
from .ledger import claims_table

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the claims, print a table of them, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.claims", description=__doc__)
    parser.add_argument("--replications", type=int, help="default: the paper's 60, 30 and 30")
    parser.add_argument("--horizon", type=int, default=HORIZON, help="rounds of a replication")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=TRIALS, help="draws of a Monte-Carlo check")
    parser.add_argument("--workers", type=int, help="threads (default: one for each core)")
    parser.add_argument("--out", type=Path, help="a folder for the page instead of docs/")
    given = vars(parser.parse_args(arguments))
    out = given.pop("out")
    with tempfile.TemporaryDirectory() as temporary:
        try:
            judged = judge_paper(temporary if out is None else out, **given)
        except UpperhandError as error:
            print(f"Error: {error}", file=sys.stderr)
            return 2
        print(block_text(claims_table(judged.claims)))
        print(f"\n{judged.conditions.notice}\n{count_verdicts([c.claim for c in judged.claims])}")
        if out is None and not judged.conditions.departures:
            with replacing(PAGE) as page:
                page.write_text(judged.page.with_suffix(".md").read_text("utf-8"), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
