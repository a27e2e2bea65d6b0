"""The page of a comparison: tables, the figure, and how it was made."""

from ..studies.result import Comparison
from . import comparison_words as words
from .comparison_tables import OWN, READING, held_against, matrix_table, ratio_table, standing_table
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table

BRACKETS = (
    "In brackets is what a policy was told: n the horizon, sd the largest standard deviation of "
    "the arms, span 1 a range of rewards."
)
RATIOS = "A row for each instance, a dot for each policy"
RATIOS_DRAWN = (
    "Regret in units of the reference's, the line at 1; bars are 95 % intervals of the ratio, from "
    "paired replications."
)
MATRIX = "Regret curves, and a table of regrets, policies by objectives"
MATRIX_DRAWN = (
    "(a) Regret against ln t, with 95 % bands; grey lines are the other policies, which may leave "
    "through the top. (b) The regret at the last round under each objective, darker the larger it "
    "is in its column; a frame marks a policy's own objective."
)


def comparison_page(comparison: Comparison, command: str, image: Image | None = None) -> Document:
    """Return the page of one comparison: all that the terminal shows, and the figure if any."""
    names = [instance.name for instance in comparison.instances]
    several: list[Block] = [
        Heading(f"In units of {comparison.reference}'s regret"),
        ratio_table(comparison, comparison.policies, names),
    ]
    return Document(
        "Policies compared",
        (
            Paragraph(
                f"{words.size(comparison)}. {words.left_out(comparison)}{READING} "
                f"{words.INTERVALS} {BRACKETS}"
            ),
            *([image] if image else []),
            *(several if len(names) > 1 else []),
            *(block for name in names for block in _one_instance(comparison, name)),
            *how_made(comparison, command),
        ),
    )


def _one_instance(comparison: Comparison, name: str) -> list[Block]:
    instance = next(each for each in comparison.instances if each.name == name)
    about = comparison.objectives[name][0].label
    note = f"{instance.note}. " if instance.note else ""
    return [
        Heading(name),
        Paragraph(
            f"{note}Arms: {words.laws(instance.arms)}. Regret under the {about}. "
            f"{held_against(comparison)}"
        ),
        standing_table(comparison, name),
        Paragraph(f"Regret under each objective;{OWN} marks a policy's own:"),
        matrix_table(comparison, name),
    ]


def linked(path: str, comparison: Comparison) -> Image:
    """Return the figure of `comparison_figure`, which was written to a file, for its page."""
    if len(comparison.instances) > 1:
        return Image(path, b"", RATIOS, RATIOS_DRAWN)
    return Image(path, b"", MATRIX, MATRIX_DRAWN)


def how_made(comparison: Comparison, command: str) -> list[Block]:
    """Return the command, the policies as they would be typed, and what the numbers depend on."""
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
