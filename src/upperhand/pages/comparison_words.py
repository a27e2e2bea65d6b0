"""What a comparison says, in sentences: every number comes from its rows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from ..distributions import Distribution, Empirical
from ..figures.dots import FACTOR
from ..objectives import Objective
from ..policies.spec import endpoint_alpha
from ..studies.line_up import OURS
from ..studies.result import Comparison, Row
from ..text import counted, plus_minus, with_error
from .comparison_tables import ratio_text

FEW_VALUES = 6  # of data that is written out
INTERVALS = (
    "Intervals are of 95 %, corrected for skewness; where policies are called better, worse or "
    "surely apart, their intervals say so. They know only what the replications show."
)


def size(comparison: Comparison) -> str:
    """Say how much was played."""
    where = " on each instance" if len(comparison.instances) > 1 else ""
    played = counted(comparison.replications, "replication")
    return f"{played} of {counted(comparison.horizon, 'round')}{where}, seed {comparison.seed}"


def title(comparison: Comparison) -> str:
    """Say what a comparison on one instance is about."""
    (instance,) = comparison.instances
    what = instance.note or counted(len(instance.arms), "arm")
    objective = comparison.objectives[instance.name][0]
    median = hasattr(objective, "tau") and endpoint_alpha(objective) is None
    alpha = "" if median else f", α = {instance.alpha:g}"  # the median is the end of no interval
    return f"{instance.name}: {what}{alpha}; regret under the {objective.label}"


def reading(comparison: Comparison) -> str:
    """Say how to read the errors, of which a single replication has none."""
    same = "All policies meet the same rewards, so differences and ratios are paired."
    if comparison.replications == 1:
        return f"One replication has no standard errors. {same}"
    left_out = "and left out where all of them agree"
    return f"± is one standard error over replications, {left_out}. {same}"


def left_out(comparison: Comparison) -> str:
    """Say which policies of the default line-up do not take part, and why; empty if all do."""
    by_reason: dict[str, dict[str, None]] = {}
    for absent in comparison.left_out.values():
        for label, reason in absent.items():
            by_reason.setdefault(reason, {})[label] = None
    said = [f"{', '.join(labels)} ({reason})" for reason, labels in by_reason.items()]
    return f"Left out: {'; '.join(said)}. " if said else ""


def laws(arms: Iterable[Distribution]) -> str:
    """Write the arms in their order, equal ones in a row only once.

    >>> import upperhand as uh
    >>> laws([uh.Normal(0, 1), uh.Uniform(0, 1), uh.Uniform(0, 1)])
    'Normal(loc=0.0, scale=1.0), 2 × Uniform(low=0.0, high=1.0)'
    """
    counts = [(len(list(same)), _law(law)) for law, same in groupby(arms)]
    return ", ".join(f"{count} × {law}" if count > 1 else law for count, law in counts)


def _law(law: Distribution) -> str:
    """Write a law; data of few values by their shares."""
    if isinstance(law, Empirical):
        values, counts = np.unique(law.data, return_counts=True)
        if len(values) <= FEW_VALUES:
            shares = zip(values, 100 * counts / counts.sum(), strict=True)
            return " / ".join(f"{value:g} with {share:g} %" for value, share in shares)
    return repr(law)


def range_of_ratios(comparison: Comparison, policy: str) -> str:
    """Say on which instances the policy's ratio is the smallest and the largest."""
    mains = [comparison.main(instance.name) for instance in comparison.instances]
    rows = [main[policy] for main in mains if policy in main]
    least, most = (pick(rows, key=lambda row: row.ratio) for pick in (min, max))
    first = rows[0]
    return (
        f"{ratio_text(first)} on {first.instance}; everywhere from {ratio_text(least)} "
        f"({least.instance}) to {ratio_text(most)} ({most.instance})."
    )


def best_under(rows: Iterable[Row]) -> str:
    """Say who has the smallest regret among rows of one objective, and who of those it is not for.

    A policy for the objective should win; if one for another does, the sentence says it.
    """
    rows = list(rows)
    own, others = [r for r in rows if r.own], [r for r in rows if not r.own]
    if not own or not others:
        return f"{_least(rows)} has the least regret."
    beaten = min(others, key=_regret).regret < min(own, key=_regret).regret
    but = "beaten by" if beaten else "ahead of"
    return f"{_least(own)} is the best of those that play for it, {but} {_least(others)}."


def best_arms(objectives: Iterable[Objective], arms: Sequence[Distribution]) -> str:
    """Say which arm is the best under which objectives."""
    by_arm: dict[int, list[str]] = {}
    for objective in objectives:
        by_arm.setdefault(objective.best(arms), []).append(objective.label)
    said = [f"arm {arm + 1} is the best under {' and '.join(who)}" for arm, who in by_arm.items()]
    return "; ".join(said)


def losses(comparison: Comparison, instance: str) -> str:
    """Say who has the least regret, and which of ours lose to the reference, win, or neither."""
    rows = comparison.main(instance)
    fates: dict[str, dict[str, Row]] = {"worse": {}, "better": {}, "not surely apart": {}}
    for label in OURS:
        if label in rows:
            fates[_fate(rows[label])][label] = rows[label]
    against = "; ".join(f"{fate}: {_ratios(found)}" for fate, found in fates.items() if found)
    said = f"Least regret: {_least(rows.values())}{_close(rows.values())}."
    return f"{said} Against {comparison.reference}, {against}." if against else said


def calibrators(comparison: Comparison, uncorrected: str) -> str:
    """Say which calibrators have less regret everywhere than the reference's, than none, and more.

    Less and more are by the 95 % intervals of the ratio and of the regrets.
    """
    mains = [comparison.main(instance.name) for instance in comparison.instances]
    others = [label for label in mains[0] if label not in (comparison.reference, uncorrected)]
    fates = {label: [_fate(main[label]) for main in mains] for label in (*others, uncorrected)}
    count = len(mains)
    settled = fates[uncorrected].count("better")
    said = (
        f"No correction at all (η = 0) is better than {comparison.reference}'s in {settled} of "
        f"{count} settings. "
    )
    rivals = {
        label: sum(main[label].regret_high < main[uncorrected].regret_low for main in mains)
        for label in others
    }
    better = [f"{label} ({wins} of {count})" for label, wins in rivals.items() if wins]
    said += (
        f"Surely better than no correction somewhere: {', '.join(better)}."
        if better
        else "No calibrator is surely better than no correction in any of them."
    )
    worse = [label for label in others if fates[label].count("worse") == count]
    if worse:
        said += f" Worse than {comparison.reference}'s in all: {', '.join(worse)}."
    return said


def _fate(row: Row) -> str:
    if row.ratio_low > 1:
        return "worse"
    return "better" if row.ratio_high < 1 else "not surely apart"


def growth(rows: Mapping[str, Row]) -> str:
    """Say whose slope lies within a factor of two of the lower bound's, and whose does not."""
    near = [label for label, row in rows.items() if 1 / FACTOR <= row.slope_ratio <= FACTOR]
    far = [label for label in rows if label not in near]
    said = f"Within a factor of {FACTOR:g} of the bound's slope: {', '.join(near) or 'none'}."
    said += f" Not within it: {', '.join(far)}." if far else ""
    below = [label for label, row in rows.items() if row.slope_ratio < 1]
    if below:
        said += (
            f" The bound is for n → ∞, and no contradiction to {', '.join(below)}: at a finite n a "
            "policy that spends less than ln n on a bad arm lies below it, and comes up to it "
            "slowly."
        )
    return said


def slope_text(row: Row) -> str:
    """Write the slope over the bound's with its error."""
    return plus_minus(row.slope_ratio, row.slope_se / row.bound, 2)


def _least(rows: Iterable[Row]) -> str:
    row = min(rows, key=_regret)
    return f"{row.policy} ({with_error(row.regret, row.regret_se)})"


def _close(rows: Iterable[Row]) -> str:
    """Name those that may be as good as the one with the least regret, by both intervals.

    The lower end of the difference of two means follows from their ends, as if independent; runs on
    the same rewards are further apart, if anything.
    """
    best, *others = sorted(rows, key=_regret)
    near = [
        row.policy
        for row in others
        if row.regret - best.regret
        <= math.hypot(row.regret - row.regret_low, best.regret_high - best.regret)
    ]
    return f", not surely apart from {', '.join(near)}" if near else ""


def _regret(row: Row) -> float:
    return row.regret


def _ratios(rows: Mapping[str, Row]) -> str:
    return ", ".join(f"{label} {ratio_text(row)}" for label, row in rows.items())
