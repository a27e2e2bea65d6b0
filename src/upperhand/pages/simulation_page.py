"""What a simulation says: the arms, who is best, and the policies."""

import math
from typing import Any

from ..text import counted, with_error
from .document import Document, Paragraph, Table

MANY_ARMS = 8  # with more, only the best arms' pulls are shown
BEST = " *best*"


def simulation_page(summary: dict[str, Any]) -> Document:
    """Return the tables of `simulation.summary.summarise`."""
    count = summary["replications"]
    played = f"{counted(count, 'replication')} of {counted(summary['horizon'], 'round')}"
    reading = "Regret ± one standard error" if count > 1 else "Regret of one replication"
    costs = " Arms pay costs: the lowest is best." if summary["minimize"] else ""
    return Document(
        f"{counted(len(summary['arms']), 'arm')}, {played}, seed {summary['seed']}",
        (_arms(summary), _policies(summary), Paragraph(f"{reading}; pulls on average.{costs}")),
    )


def _arms(summary: dict[str, Any]) -> Table:
    labels, best = summary["objectives"], summary["all_best"]
    rows = [
        (str(j + 1), arm["law"], *(_value(arm[key], j in best.get(key, ())) for key in labels))
        for j, arm in enumerate(summary["arms"])
    ]
    return Table(("arm", "law", *labels.values()), tuple(rows), left=2)


def _value(value: float | None, is_best: bool) -> str:
    """Write an arm's value, the best marked; the mark of others is blank: columns line up."""
    return ("—" if value is None else f"{value:.5g}") + (BEST if is_best else " " * len(BEST))


def _policies(summary: dict[str, Any]) -> Table:
    keys = [key for key in summary["objectives"] if key in summary["best"]]
    shown = _shown_arms(summary)
    rows = [
        (
            policy["name"],
            *(_regret(policy["regret"][key]) for key in keys),
            *(f"{policy['pulls'][j]:.0f}" for j in shown),
        )
        for policy in summary["policies"]
    ]
    heads = [f"regret, {summary['objectives'][key]}" for key in keys]
    return Table(("policy", *heads, *(f"pulls of {j + 1}" for j in shown)), tuple(rows))


def _shown_arms(summary: dict[str, Any]) -> list[int]:
    """Return the arms whose pulls are shown: all of a few, of many the best of each objective."""
    count = len(summary["arms"])
    return list(range(count)) if count <= MANY_ARMS else sorted(set(summary["best"].values()))


def _regret(regret: dict[str, Any]) -> str:
    return with_error(regret["mean"], math.nan if regret["se"] is None else regret["se"])
