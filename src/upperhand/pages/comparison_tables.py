"""The tables of a comparison: for the terminal and for pages alike."""

import math
from collections.abc import Sequence

from ..comparison.result import Comparison, Row
from ..text import fixed, three_digits, with_error
from .document import Table

SLOPES_FROM = 1000  # rounds: slopes are over two decades, and the first rounds are no part
OWN = " *"  # after a regret under the policy's own objective


def standing_table(comparison: Comparison, instance: str) -> Table:
    """Return everything about each policy under the objective that the instance is about."""
    rows, against = comparison.main(instance), comparison.reference
    finite = any(math.isfinite(row.slope_ratio) for row in rows.values())
    bounded = finite and comparison.horizon >= SLOPES_FROM
    return Table(
        (
            "policy",
            "regret",
            "worst run",
            "difference",
            "ratio",
            "best arm",
            *(["slope / bound"] if bounded else []),
        ),
        tuple(
            (
                row.policy,
                with_error(row.regret, row.regret_se),
                three_digits(row.worst),
                "—" if row.policy == against else with_error(row.difference, row.difference_se),
                ratio_text(row),
                f"{100 * row.best_share:.1f} %",
                *([_or_dash(row.slope_ratio, 2)] if bounded else []),
            )
            for row in rows.values()
        ),
    )


def matrix_table(comparison: Comparison, instance: str) -> Table:
    """Return the regret of each policy under each objective, its own one marked."""
    matrix = comparison.matrix(instance)
    labels = [objective.label for objective in comparison.objectives[instance]]
    return Table(
        ("policy", *labels),
        tuple(
            (policy, *(_marked(rows[label]) for label in labels)) for policy, rows in matrix.items()
        ),
    )


def ratio_table(comparison: Comparison, policies: Sequence[str], instances: Sequence[str]) -> Table:
    """Return policy × instance: the regret in units of the reference's."""
    main = {instance: comparison.main(instance) for instance in instances}
    return Table(
        ("policy", *instances),
        tuple(
            (policy, *(ratio_text(main[instance].get(policy)) for instance in instances))
            for policy in policies
        ),
    )


def ratio_text(row: Row | None) -> str:
    """Write the ratio to the reference with its error if it has one; a dash if unknown."""
    if row is None or math.isnan(row.ratio):
        return "—"
    return with_error(row.ratio, row.ratio_se)


def _marked(row: Row) -> str:
    """Write a regret; the mark is blank for the others, so that columns line up."""
    text = with_error(row.regret, row.regret_se)
    return f"{text}{OWN}" if row.own else f"{text}{' ' * len(OWN)}"


def _or_dash(value: float, digits: int) -> str:
    return fixed(value, digits) if math.isfinite(value) else "—"
