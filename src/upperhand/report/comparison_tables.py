"""The tables of a comparison: for the terminal and for pages alike."""

import math
from collections.abc import Sequence

from ..comparison.result import Comparison, Row
from ..comparison.statistics import Estimate
from .document import Table
from .tables import fixed, plus_minus, with_error

OWN = " *"  # after a regret under the policy's own objective
READING = (
    "± is one standard error over replications. All policies meet the same rewards, so differences "
    "and ratios are paired."
)


def standing_table(comparison: Comparison, instance: str) -> Table:
    """Return everything about each policy under the objective that the instance is about."""
    rows, against = comparison.main(instance), comparison.reference
    bounded = any(math.isfinite(row.slope_ratio) for row in rows.values())
    timed = any(math.isfinite(row.step_ns) for row in rows.values())
    objective = next(iter(rows.values())).objective
    return Table(
        (
            "policy",
            f"regret, {objective}",
            f"minus {against}'s",
            f"× {against}'s",
            "best arm",
            *(["slope / bound"] if bounded else []),
            *(["ns a step"] if timed else []),
        ),
        tuple(
            (
                row.policy,
                with_error(row.regret, row.regret_se),
                with_error(row.difference, row.difference_se),
                ratio_text(row),
                f"{100 * row.best_share:.1f} %",
                *([_or_dash(row.slope_ratio, 2)] if bounded else []),
                *([_or_dash(row.step_ns, 0)] if timed else []),
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


def ratio_table(
    comparison: Comparison, policies: Sequence[str], instances: Sequence[str]
) -> Table:
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
    """Write the ratio to the reference with its error; a dash if there is none."""
    if row is None or math.isnan(row.ratio):
        return "—"
    return plus_minus(*Estimate(row.ratio, row.ratio_se or math.nan), 2)


def _marked(row: Row) -> str:
    """Write a regret; the mark is blank for the others, so that columns line up."""
    text = with_error(row.regret, row.regret_se)
    return f"{text}{OWN}" if row.own else f"{text}{' ' * len(OWN)}"


def _or_dash(value: float, digits: int) -> str:
    return fixed(value, digits) if math.isfinite(value) else "—"
