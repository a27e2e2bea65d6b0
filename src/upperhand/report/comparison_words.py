"""What a comparison says, in sentences: every number comes from its rows."""

from collections.abc import Iterable, Mapping

from ..comparison.line_up import OURS
from ..comparison.result import Comparison, Row
from .comparison_tables import ratio_text
from .slopes import FACTOR
from .tables import plus_minus, with_error

SURE = 2.0  # standard errors from 1 on: a ratio that is surely above or below


def size(comparison: Comparison) -> str:
    """Say how much was played."""
    return (
        f"{comparison.replications} replications of {comparison.horizon:,} rounds, seed "
        f"{comparison.seed}"
    )


def range_of_ratios(comparison: Comparison, policy: str) -> str:
    """Say on which instances the policy's ratio is the smallest and the largest."""
    rows = [comparison.main(instance.name)[policy] for instance in comparison.instances]
    least, most = (pick(rows, key=lambda row: row.ratio) for pick in (min, max))
    first = rows[0]
    return (
        f"{ratio_text(first)} on {first.instance}; everywhere from {ratio_text(least)} "
        f"({least.instance}) to {ratio_text(most)} ({most.instance})."
    )


def best_under(rows: Iterable[Row]) -> str:
    """Say who has the smallest regret among rows of one objective, and who of those it is not for.

    A policy for the objective should win; if one for another does, the sentence shows it.
    """
    rows = list(rows)
    own, others = [r for r in rows if r.own], [r for r in rows if not r.own]
    said = [
        f"{_least(group)} is the best of those that {verb}"
        for group, verb in ((own, "play for it"), (others, "do not"))
        if group
    ]
    return f"{', '.join(said)}."


def losses(comparison: Comparison, instance: str) -> str:
    """Say who has the least regret, which of ours lose to the reference, and which surely win."""
    rows = comparison.main(instance)
    ours = {label: rows[label] for label in OURS if label in rows}
    lost = {label: row for label, row in ours.items() if row.ratio - SURE * row.ratio_se > 1}
    won = {label: row for label, row in ours.items() if row.ratio + SURE * row.ratio_se < 1}
    parts = [f"Least regret: {_least(rows.values())}."]
    if lost:
        parts.append(f"Worse than {comparison.reference}: {_ratios(lost)}.")
    if won:
        parts.append(f"Better: {_ratios(won)}.")
    if even := [label for label in ours if label not in lost and label not in won]:
        parts.append(f"Not surely apart: {_ratios({label: ours[label] for label in even})}.")
    return " ".join(parts)


def growth(rows: Mapping[str, Row]) -> str:
    """Say whose slope lies within a factor of two of the lower bound's, and whose does not."""
    near = [label for label, row in rows.items() if 1 / FACTOR <= row.slope_ratio <= FACTOR]
    far = [label for label in rows if label not in near]
    said = f"Within a factor of {FACTOR:g} of the bound's slope: {', '.join(near) or 'none'}."
    return f"{said} Not within it: {', '.join(far)}." if far else said


def slope_text(row: Row) -> str:
    """Write the slope over the bound's with its error."""
    return plus_minus(row.slope_ratio, row.slope_se / row.bound, 2)


def _least(rows: Iterable[Row]) -> str:
    row = min(rows, key=lambda each: each.regret)
    return f"{row.policy} ({with_error(row.regret, row.regret_se)})"


def _ratios(rows: Mapping[str, Row]) -> str:
    return ", ".join(f"{label} {ratio_text(row)}" for label, row in rows.items())
