"""The tables of a comparison, and its report as Markdown."""

import math
from collections.abc import Sequence
from itertools import groupby

from ..comparison.result import Comparison, Row
from ..text import counted, fixed, three_digits, with_error
from .markdown import Block, Code, Figure, Heading, Paragraph, Report, Table

SLOPES_FROM = 1000  # rounds: slopes are over two decades, and the first rounds are no part
OWN = " *"  # after a regret under the policy's own objective
NOTES = (
    "In brackets: what a policy knows (n, the horizon; sd, the largest standard deviation).",
    "Intervals are of 95 %, over replications, corrected for skewness.",
)
RATIOS = (
    "A panel for each instance, a row for each policy",
    "Regret in units of the reference's, the line at 1, with 95 % intervals; filled: the policy's "
    "own objective.",
)
MATRIX = (
    "Regret curves, and a panel for each objective, a row for each policy",
    "Above: regret against ln t, with Student's 95 % intervals. Below: regret at the last round in "
    "units of the reference's, with 95 % intervals; filled: the policy's own objective.",
)


def comparison_report(comparison: Comparison, command: str, plot: str | None = None) -> Report:
    """Return all tables; `plot` is the path of the comparison's figure from the report."""
    names = [instance.name for instance in comparison.instances]
    blocks: list[Block] = [*map(Paragraph, (*size_and_absent(comparison), *NOTES))]
    if plot:
        blocks.append(Figure(plot, b"", *(RATIOS if len(names) > 1 else MATRIX)))
    if len(names) > 1:
        blocks.append(Heading(f"In units of {comparison.reference}'s regret"))
        blocks.append(ratio_table(comparison, comparison.policies, names))
    for name in names:
        blocks += _one_instance(comparison, name)
    runs = comparison.runs[names[0]]
    policies = tuple((label, repr(policy)) for label, policy in runs.policies.items())
    blocks += [
        Heading("How it was made"),
        Code(command),
        Table(("policy", f"settings for {names[0]}"), policies, left=2),
        Table(("what", "value"), tuple(runs.versions.items()), left=2),
    ]
    return Report("Policies compared", tuple(blocks))


def standing_table(comparison: Comparison, instance: str) -> Table:
    """Return everything about each policy under the objective that the instance is about."""
    rows, against = comparison.main(instance).values(), comparison.reference
    heads = ("policy", "regret", "worst run", "difference", "ratio", "best arm", "slope / bound")
    table = [
        (
            row.policy,
            with_error(row.regret, row.regret_se),
            three_digits(row.worst),
            "—" if row.policy == against else with_error(row.difference, row.difference_se),
            ratio_text(row),
            f"{100 * row.best_share:.1f} %",
            fixed(row.slope_ratio, 2) if math.isfinite(row.slope_ratio) else "—",
        )
        for row in rows
    ]
    finite = any(math.isfinite(row.slope_ratio) for row in rows)
    count = len(heads) if finite and comparison.horizon >= SLOPES_FROM else -1
    return Table(heads[:count], tuple(cells[:count] for cells in table))


def matrix_table(comparison: Comparison, instance: str) -> Table:
    labels = [objective.label for objective in comparison.objectives[instance]]
    rows = [
        (policy, *(_marked(rows[label]) for label in labels))
        for policy, rows in comparison.matrix(instance).items()
    ]
    return Table(("policy", *labels), tuple(rows))


def ratio_table(comparison: Comparison, policies: Sequence[str], instances: Sequence[str]) -> Table:
    """Return policy × instance: the regret in units of the reference's."""
    mains = [comparison.main(instance) for instance in instances]
    rows = [(policy, *(ratio_text(main.get(policy)) for main in mains)) for policy in policies]
    return Table(("policy", *instances), tuple(rows))


def ratio_text(row: Row | None) -> str:
    """Return the ratio to the reference with its error if it has one; a dash if unknown."""
    if row is None or math.isnan(row.ratio):
        return "—"
    return with_error(row.ratio, row.ratio_se)


def _one_instance(comparison: Comparison, name: str) -> list[Block]:
    instance = next(each for each in comparison.instances if each.name == name)
    arms = [(str(len(list(same))), repr(arm)) for arm, same in groupby(instance.arms)]
    standing = standing_table(comparison, name)
    return [
        Heading(name),
        *([Paragraph(instance.note)] if instance.note else []),
        Table(("count", "distribution"), tuple(arms), left=2),
        Paragraph(f"Regret under the {comparison.objectives[name][0].label}:"),
        standing,
        *map(Paragraph, columns_of(comparison, standing)),
        Paragraph(f"Regret under each objective;{OWN} marks a policy's own:"),
        matrix_table(comparison, name),
    ]


def columns_of(comparison: Comparison, standing: Table) -> list[str]:
    """Return what the columns of `standing_table` mean."""
    columns = "Best arm: share of pulls on it."
    if "slope / bound" in standing.header:
        columns += " Slope: of regret in ln t over two decades, over the lower bound's."
    return [
        f"Difference and ratio are against {comparison.reference}'s regret in the same runs.",
        columns,
    ]


def size_and_absent(comparison: Comparison) -> list[str]:
    """Return the size of the runs, how to read errors, and which policies are left out."""
    count = comparison.replications
    size = f"{counted(count, 'replication')} of {counted(comparison.horizon, 'round')}"
    where = " on each instance" if len(comparison.instances) > 1 else ""
    errors = "± is one standard error" if count > 1 else "no standard errors"
    by_reason: dict[str, dict[str, None]] = {}
    for absent in comparison.left_out.values():
        for label, reason in absent.items():
            by_reason.setdefault(reason, {})[label] = None
    return [
        f"{size}{where}, seed {comparison.seed}; {errors}; all on the same rewards.",
        *(f"Left out: {', '.join(who)} ({why})." for why, who in by_reason.items()),
    ]


def _marked(row: Row) -> str:
    """Return a regret; the mark is blank for the others, so that columns line up."""
    text = with_error(row.regret, row.regret_se)
    return f"{text}{OWN}" if row.own else f"{text}{' ' * len(OWN)}"
