"""Many policies in one figure: a few in colour, the others in grey behind them."""

from __future__ import annotations

from ..studies.line_up import OURS
from ..studies.result import Comparison
from .style import Look, looks

MOST = 6  # in colour: as many as the eye keeps apart
QUIET = Look("#b4b4b4", "-", "o")


def comparison_looks(comparison: Comparison, instance: str) -> dict[str, Look]:
    """Return the looks of the policies on an instance: their own in colour, the quiet one if not.

    In colour are all of a few, or else the reference, ours, and those with the least regret.
    """
    rows = comparison.main(instance)
    best = sorted(rows, key=lambda label: rows[label].regret)
    ours = [label for label in OURS if label in rows]
    chosen = list(dict.fromkeys([comparison.reference, *ours, *best]))[:MOST]
    loud = looks(label for label in rows if label in chosen)
    return {label: loud.get(label, QUIET) for label in rows}
