"""Many policies in one figure: a few in colour, the others in grey behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..comparison.line_up import OURS
from ..comparison.result import Comparison, Row
from .style import Look, looks

MOST = 6  # in colour: as many as the eye keeps apart
QUIET = Look("#b4b4b4", "-", "o")


def highlighted(rows: Mapping[str, Row], reference: str) -> list[str]:
    """Return the labels to draw in colour: all of a few, or ours, the reference and the best.

    In the order of the rows.
    """
    best = sorted(rows, key=lambda label: rows[label].regret)
    wanted = dict.fromkeys([reference, *(label for label in OURS if label in rows), *best])
    chosen = set(list(wanted)[:MOST])
    return [label for label in rows if label in chosen]


def policy_looks(labels: Sequence[str], chosen: Sequence[str]) -> dict[str, Look]:
    """Return the look of each policy: its own if it was chosen, otherwise the quiet one."""
    loud = looks(chosen)
    return {label: loud.get(label, QUIET) for label in labels}


def comparison_looks(comparison: Comparison, instance: str) -> dict[str, Look]:
    """Return the looks of all policies, with those in colour that matter on this instance."""
    rows = comparison.main(instance)
    return policy_looks(comparison.policies, highlighted(rows, comparison.reference))
