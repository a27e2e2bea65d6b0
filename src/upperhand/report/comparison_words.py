"""What a comparison says, in sentences: every number comes from its rows."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from ..comparison.line_up import OURS
from ..comparison.result import Comparison, Row
from ..distributions import Distribution
from .comparison_tables import ratio_text
from .slopes import FACTOR
from .tables import plus_minus, with_error

SURE = 2.0  # standard errors from 1 on: a ratio that is surely above or below


def size(comparison: Comparison) -> str:
    """Say how much was played."""
    where = " on each instance" if len(comparison.instances) > 1 else ""
    rounds = f"{comparison.replications} replications of {comparison.horizon:,} rounds"
    return f"{rounds}{where}, seed {comparison.seed}"


def laws(arms: Iterable[Distribution]) -> str:
    """Write the arms in their order, equal ones in a row only once.

    >>> import upperhand as uh
    >>> laws([uh.Normal(0, 1), uh.Uniform(0, 1), uh.Uniform(0, 1)])
    'Normal(loc=0.0, scale=1.0), 2 × Uniform(low=0.0, high=1.0)'
    """
    counts = [(len(list(same)), law) for law, same in groupby(map(repr, arms))]
    return ", ".join(f"{count} × {law}" if count > 1 else law for count, law in counts)


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
    """Say who has the least regret, and which of ours lose to the reference, win, or neither."""
    rows = comparison.main(instance)
    fates: dict[str, dict[str, Row]] = {"worse": {}, "better": {}, "not surely apart": {}}
    for label in OURS:
        if label in rows:
            fates[_fate(rows[label])][label] = rows[label]
    against = "; ".join(f"{fate}: {_ratios(found)}" for fate, found in fates.items() if found)
    said = f"Least regret: {_least(rows.values())}."
    return f"{said} Against {comparison.reference}, {against}." if against else said


def _fate(row: Row) -> str:
    if row.ratio - SURE * row.ratio_se > 1:
        return "worse"
    return "better" if row.ratio + SURE * row.ratio_se < 1 else "not surely apart"


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
