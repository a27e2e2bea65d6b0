"""A comparison as a document: short for the terminal, or whole with its figure."""

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from ..comparison.result import Comparison
from ..distributions import Distribution, Empirical
from ..policies.parsing import endpoint_alpha
from ..text import counted
from .comparison_tables import OWN, matrix_table, ratio_table, standing_table
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table

BRACKETS = (
    "In brackets is what a policy was told: n the horizon, sd the largest standard deviation of "
    "the arms, span 1 a range of rewards."
)
BEST_ARM = "Best arm: the share of pulls on it."
SLOPE = "Slope: how fast regret grows in ln t over the last two decades, against the lower bound."
MATRIX = f"Regret under each objective;{OWN} marks a policy's own:"
FEW_VALUES = 6  # of data that is written out
INTERVALS = "Intervals are of 95 %, over replications, corrected for skewness."
DRAWN = {  # what the figures show, their captions, and what a caption says of intervals
    "ratios": (
        "A panel for each instance, a row for each policy",
        "Regret in units of the reference's, the line at 1; bars are 95 % intervals of the ratio, "
        "from paired replications. Filled: the objective is the policy's own.",
        "; bars are 95 % intervals of the ratio, from paired replications",
    ),
    "matrix": (
        "Regret curves, and below them a panel for each objective, a row for each policy",
        "Above, regret against ln t, with 95 % bands; grey lines are the other policies, which may "
        "leave through the top. Below, regret at the last round in units of the reference's, with "
        "95 % intervals. Filled: the objective is the policy's own.",
        ", with 95 % bands",
    ),
}


def comparison_summary(comparison: Comparison) -> Document:
    """Return one instance in full, or several by their ratios: what the terminal shows."""
    names = [instance.name for instance in comparison.instances]
    if len(names) == 1:
        title, blocks = _title(comparison), _tables(comparison, names[0])
    else:
        about = f"Regret in units of {comparison.reference}'s, each instance under its own"
        title = f"{about} objective. --csv and --json have the rest."
        blocks = [ratio_table(comparison, comparison.policies, names)]
    said = f"{_left_out(comparison)}{_reading(comparison)}"
    note = Paragraph(f"{_size(comparison)}. {said}")
    return Document(title, (*blocks, note))


def comparison_page(comparison: Comparison, command: str, image: Image | None = None) -> Document:
    """Return the page of one comparison: all that the terminal shows, and the figure if any."""
    names = [instance.name for instance in comparison.instances]
    ratios: list[Block] = [
        Heading(f"In units of {comparison.reference}'s regret"),
        ratio_table(comparison, comparison.policies, names),
    ]
    how = (
        f"{_size(comparison)}. {_left_out(comparison)}{_reading(comparison)} {INTERVALS} {BRACKETS}"
    )
    return Document(
        "Policies compared",
        (
            Paragraph(how),
            *([image] if image else []),
            *(ratios if len(names) > 1 else []),
            *(block for name in names for block in _one_instance(comparison, name)),
            *_how_made(comparison, command),
        ),
    )


def _one_instance(comparison: Comparison, name: str) -> list[Block]:
    instance = next(each for each in comparison.instances if each.name == name)
    note = f"{instance.note}. " if instance.note else ""
    about = f"Regret under the {comparison.objectives[name][0].label}."
    said = Paragraph(f"{note}Arms: {_laws(instance.arms)}. {about}")
    return [Heading(name), said, *_tables(comparison, name)]


def _tables(comparison: Comparison, name: str) -> list[Block]:
    """Return the two tables of an instance, each with how to read it.

    The reference is named here: in the heads, a long name would make columns wide.
    """
    against = f"Difference and ratio are against {comparison.reference}'s regret in the same runs."
    standing = standing_table(comparison, name)
    slope = [SLOPE] if "slope / bound" in standing.header else []
    return [
        Paragraph(" ".join([against, BEST_ARM, *slope])),
        standing,
        Paragraph(MATRIX),
        matrix_table(comparison, name),
    ]


def linked(path: str, comparison: Comparison) -> Image:
    """Return the figure of `comparison_figure`, which was written to a file, for its page."""
    several = len(comparison.instances) > 1
    alt, caption, intervals = DRAWN["ratios" if several else "matrix"]
    shown = caption if comparison.replications > 1 else caption.replace(intervals, "")
    return Image(path, b"", alt, shown)


def _how_made(comparison: Comparison, command: str) -> list[Block]:
    """Return the command, the policies on the first instance, and the versions behind the runs."""
    first = comparison.instances[0].name
    runs = comparison.runs[first]
    policies = tuple((f"{label}:", repr(policy)) for label, policy in runs.policies.items())
    return [
        Heading("How it was made"),
        Code(command),
        Paragraph(f"The policies, as they are set for {first}:"),
        Bullets(policies),
        Table(("what", "value"), tuple(runs.versions.items()), left=2),
    ]


def _size(comparison: Comparison) -> str:
    """Say how much was played."""
    where = " on each instance" if len(comparison.instances) > 1 else ""
    played = counted(comparison.replications, "replication")
    return f"{played} of {counted(comparison.horizon, 'round')}{where}, seed {comparison.seed}"


def _title(comparison: Comparison) -> str:
    """Say what a comparison on one instance is about."""
    (instance,) = comparison.instances
    what = instance.note or counted(len(instance.arms), "arm")
    objective = comparison.objectives[instance.name][0]
    median = hasattr(objective, "tau") and endpoint_alpha(objective) is None
    alpha = "" if median else f", α = {instance.alpha:g}"  # the median is the end of no interval
    return f"{instance.name}: {what}{alpha}; regret under the {objective.label}"


def _reading(comparison: Comparison) -> str:
    """Say how to read the errors, of which a single replication has none."""
    same = "All policies meet the same rewards, so differences and ratios are paired."
    if comparison.replications == 1:
        return f"One replication has no standard errors. {same}"
    left_out = "and left out where all of them agree"
    return f"± is one standard error over replications, {left_out}. {same}"


def _left_out(comparison: Comparison) -> str:
    """Say which policies of the default line-up do not take part, and why; empty if all do."""
    by_reason: dict[str, dict[str, None]] = {}
    for absent in comparison.left_out.values():
        for label, reason in absent.items():
            by_reason.setdefault(reason, {})[label] = None
    said = [f"{', '.join(labels)} ({reason})" for reason, labels in by_reason.items()]
    return f"Left out: {'; '.join(said)}. " if said else ""


def _laws(arms: Iterable[Distribution]) -> str:
    """Write the arms in their order, equal ones in a row only once.

    >>> import upperhand as uh
    >>> _laws([uh.Normal(0, 1), uh.Uniform(0, 1), uh.Uniform(0, 1)])
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
