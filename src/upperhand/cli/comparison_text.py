"""A comparison for people: tables that fit a terminal, and how to read them."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from ..comparison.result import Comparison
from ..report.comparison_tables import OWN, READING, matrix_table, ratio_table, standing_table
from ..report.comparison_words import size
from ..report.document import Table
from ..text_table import text_table

WIDTH = 108  # columns of a terminal


def comparison_text(comparison: Comparison) -> str:
    """Return one instance in full, or several by their ratios."""
    names = [instance.name for instance in comparison.instances]
    parts = _one(comparison, names[0]) if len(names) == 1 else _several(comparison, names)
    note = fill(f"{size(comparison)}. {READING}", WIDTH)
    return "\n" + "\n\n".join([*parts, note])


def _one(comparison: Comparison, name: str) -> list[str]:
    instance, about = comparison.instances[0], comparison.objectives[name][0].label
    what = instance.note or f"{len(instance.arms)} arms"
    legend = (
        "Best arm: the share of pulls on it. Slope: how fast regret grows in ln t over the last "
        "two decades, against the lower bound."
    )
    return [
        f"{name}: {what}, α = {instance.alpha:g}; regret under the {about}",
        _shown(standing_table(comparison, name)),
        fill(legend, WIDTH),
        f"Regret under each objective;{OWN} marks a policy's own",
        _shown(matrix_table(comparison, name)),
    ]


def _several(comparison: Comparison, names: Sequence[str]) -> list[str]:
    title = (
        f"Regret in units of {comparison.reference}'s, each instance under its own objective. "
        "--csv and --json have the rest."
    )
    return [
        fill(title, WIDTH),
        *(
            _shown(ratio_table(comparison, comparison.policies, part))
            for part in _parts(comparison, names)
        ),
    ]


def _parts(comparison: Comparison, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the instances in as many tables as the width asks for."""
    part: list[str] = []
    for name in names:
        wider = [*part, name]
        text = _shown(ratio_table(comparison, comparison.policies, wider))
        if part and max(map(len, text.splitlines())) > WIDTH:
            yield part
            wider = [name]
        part = wider
    yield part


def _shown(table: Table) -> str:
    return text_table(table.header, table.rows, left=table.left)
