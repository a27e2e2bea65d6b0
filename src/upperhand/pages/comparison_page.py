"""A comparison as a document: short for the terminal, or whole with its figure."""

from typing import Literal

from ..simulation.runs import Runs
from ..studies.result import Comparison
from . import comparison_words as words
from .comparison_tables import OWN, matrix_table, ratio_table, standing_table
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table

BRACKETS = (
    "In brackets is what a policy was told: n the horizon, sd the largest standard deviation of "
    "the arms, span 1 a range of rewards."
)
BEST_ARM = "Best arm: the share of pulls on it."
SLOPE = "Slope: how fast regret grows in ln t over the last two decades, against the lower bound."
MATRIX = f"Regret under each objective;{OWN} marks a policy's own:"
DRAWN = {  # what the figures show, their captions, and what a caption says of intervals
    "ratios": (
        "A row for each instance, a dot for each policy",
        "Regret in units of the reference's, the line at 1; bars are 95 % intervals of the ratio, "
        "from paired replications.",
        "; bars are 95 % intervals of the ratio, from paired replications",
    ),
    "matrix": (
        "Regret curves, and a table of regrets, policies by objectives",
        "(a) Regret against ln t, with 95 % bands; grey lines are the other policies, which may "
        "leave through the top. (b) The regret at the last round under each objective, darker the "
        "larger it is in its column; a frame marks a policy's own objective.",
        ", with 95 % bands",
    ),
    "growth": (
        "Regret curves in the long run, and their slopes next to the lower bound's",
        "(a) Regret against ln t. (b) The slope of regret in ln t in units of the lower bound's; "
        "within a factor of two is shaded. Bands and bars are 95 % intervals.",
        " Bands and bars are 95 % intervals.",
    ),
}


def comparison_summary(comparison: Comparison) -> Document:
    """Return one instance in full, or several by their ratios: what the terminal shows."""
    names = [instance.name for instance in comparison.instances]
    if len(names) == 1:
        title, blocks = words.title(comparison), _tables(comparison, names[0])
    else:
        about = f"Regret in units of {comparison.reference}'s, each instance under its own"
        title = f"{about} objective. --csv and --json have the rest."
        blocks = [ratio_table(comparison, comparison.policies, names)]
    said = f"{words.left_out(comparison)}{words.reading(comparison)}"
    note = Paragraph(f"{words.size(comparison)}. {said}")
    return Document(title, (*blocks, note))


def comparison_page(comparison: Comparison, command: str, image: Image | None = None) -> Document:
    """Return the page of one comparison: all that the terminal shows, and the figure if any."""
    names = [instance.name for instance in comparison.instances]
    ratios: list[Block] = [
        Heading(f"In units of {comparison.reference}'s regret"),
        ratio_table(comparison, comparison.policies, names),
    ]
    how = (
        f"{words.size(comparison)}. {words.left_out(comparison)}{words.reading(comparison)} "
        f"{words.INTERVALS} {BRACKETS}"
    )
    return Document(
        "Policies compared",
        (
            Paragraph(how),
            *([image] if image else []),
            *(ratios if len(names) > 1 else []),
            *(block for name in names for block in _one_instance(comparison, name)),
            *how_made(comparison, command),
        ),
    )


def _one_instance(comparison: Comparison, name: str) -> list[Block]:
    instance = next(each for each in comparison.instances if each.name == name)
    note = f"{instance.note}. " if instance.note else ""
    about = f"Regret under the {comparison.objectives[name][0].label}."
    said = Paragraph(f"{note}Arms: {words.laws(instance.arms)}. {about}")
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
    return Image(path, b"", *drawn("ratios" if several else "matrix", comparison))


def drawn(figure: Literal["ratios", "matrix", "growth"], comparison: Comparison) -> tuple[str, str]:
    """Return what a figure shows, and its caption; a single replication has no intervals."""
    alt, caption, intervals = DRAWN[figure]
    return alt, caption if comparison.replications > 1 else caption.replace(intervals, "")


def how_made(
    comparison: Comparison, command: str, more: dict[str, str] | None = None
) -> list[Block]:
    """Return how a comparison was made, on its first instance; `more` are other versions."""
    first = comparison.instances[0].name
    return made_by(command, first, comparison.runs[first], more)


def made_by(
    command: str, instance: str, runs: Runs, more: dict[str, str] | None = None
) -> list[Block]:
    """Return the command, the policies on an instance, and the versions behind its runs."""
    policies = tuple((f"{label}:", repr(policy)) for label, policy in runs.policies.items())
    return [
        Heading("How it was made"),
        Code(command),
        Paragraph(f"The policies, as they are set for {instance}:"),
        Bullets(policies),
        Table(("what", "value"), tuple((runs.versions | (more or {})).items()), left=2),
    ]
