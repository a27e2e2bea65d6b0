"""The pages of comparisons: of any one, and of the study in docs/."""

from collections.abc import Sequence

from ..comparison.line_up import OURS
from ..comparison.result import Comparison
from ..comparison.study import LONG_RUN, Study
from . import comparison_words as words
from .comparison import growth_figure, one_instance_figure
from .comparison_tables import OWN, READING, matrix_table, ratio_table, standing_table
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table
from .figure import render
from .ratios import drawn_policies, ratio_figure
from .tables import with_error

FOLDER = "images"  # next to the page
BRACKETS = (
    "In brackets is what a policy was told: n the horizon, sd the largest standard deviation of "
    "the arms, span 1 a range of rewards."
)
TAIL = "F⁻¹(1 − α/2), the upper endpoint of the central prediction interval"


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
            Paragraph(f"{words.size(comparison)}. {READING} {BRACKETS}"),
            *([image] if image else []),
            *(several if len(names) > 1 else []),
            *(block for name in names for block in _one_instance(comparison, name)),
            *_made([comparison], command),
        ),
    )


def _one_instance(comparison: Comparison, name: str) -> list[Block]:
    instance = next(each for each in comparison.instances if each.name == name)
    about = comparison.objectives[name][0].label
    arms = ", ".join(map(repr, instance.arms))
    return [
        Heading(name.capitalize()),
        Paragraph(f"{instance.note or 'Arms'}: {arms}. Regret under the {about}:"),
        standing_table(comparison, name),
        Paragraph(f"Regret under each objective;{OWN} marks a policy's own:"),
        matrix_table(comparison, name),
    ]


def study_page(study: Study, command: str) -> Document:
    """Return the page in docs/, with its figures."""
    return Document(
        "Policies compared",
        (
            Paragraph(
                "Every policy of the library on the same rewards: on the ten settings of the "
                "paper's figures, under everyone's objective, on instances that are hard, and in "
                "the long run. Nothing is tuned to an instance. The tables, the figures and the "
                "sentences around the numbers are made by one command, below."
            ),
            Paragraph(f"{READING} {BRACKETS}"),
            *_paper(study.paper),
            *_matrix(study.paper),
            *_hard(study.hard),
            *_long(study.long),
            Heading("What a step costs"),
            Paragraph(
                "Times differ from machine to machine and from run to run, so there are none on "
                "this page. This command measures them, next to regrets, on the headline:"
            ),
            Code("upperhand compare"),
            *_made(study, command),
        ),
    )


def _paper(comparison: Comparison) -> list[Block]:
    names, policies = [i.name for i in comparison.instances], drawn_policies(comparison)
    return [
        Heading("The paper's ten settings"),
        Paragraph(
            f"An arm is worth {TAIL}. The regret at the last round of the policies that play for "
            f"it, in units of {comparison.reference}'s; {words.size(comparison)} each. The "
            "headline is Figure 1; alpha-… are the levels of Figure 2 on the same arms, so that "
            "alpha-0.10 is the headline again; the last three are Figure 3."
        ),
        _image("comparison-paper", render(ratio_figure(comparison), ".png"), RATIOS_DRAWN),
        ratio_table(comparison, policies, names),
        Bullets(
            tuple(
                (f"{label}:", words.range_of_ratios(comparison, label))
                for label in OURS
                if label in policies
            )
        ),
    ]


def _matrix(comparison: Comparison) -> list[Block]:
    name = comparison.instances[0].name
    objectives = comparison.objectives[name]
    matrix, arms = comparison.matrix(name), comparison.instances[0].arms
    figure = render(one_instance_figure(comparison, name), ".png")
    return [
        Heading("Policy × objective"),
        Paragraph(
            "The paper's message in one matrix: changing how an arm is valued changes which arm is "
            f"best, and which policy finds it. The arms of the {name} are "
            f"{', '.join(map(repr, arms))}."
        ),
        _image("comparison-objectives", figure, MATRIX_DRAWN),
        matrix_table(comparison, name),
        Bullets(
            tuple(
                (
                    f"{objective.label}, best arm {objective.best(arms) + 1}:",
                    words.best_under(rows[objective.label] for rows in matrix.values()),
                )
                for objective in objectives
            )
        ),
    ]


def _hard(comparison: Comparison) -> list[Block]:
    names = [instance.name for instance in comparison.instances]
    return [
        Heading("Where each loses"),
        Paragraph(
            f"Instances made to be hard; {words.size(comparison)} each. Policies on ranks "
            "must see about ln n / ln(1/τ) rewards of an arm before they can rule it out, τ = "
            "1 − α/2, whatever its rewards are: dear if there are many arms, or if τ is near 1. "
            "Where many rewards are equal, ranks tell little about them; and where the rewards' "
            f"scale suits its b, {comparison.reference} gains from knowing it."
        ),
        _image("comparison-hard", render(ratio_figure(comparison), ".png"), RATIOS_DRAWN),
        ratio_table(comparison, drawn_policies(comparison), names),
        Bullets(
            tuple(
                (f"{each.name},", f"{each.note}. {words.losses(comparison, each.name)}")
                for each in comparison.instances
            )
        ),
    ]


def _long(comparison: Comparison) -> list[Block]:
    rows = comparison.main(LONG_RUN)
    bound = next(iter(rows.values())).bound
    last = f"at n = {comparison.horizon:,}"
    return [
        Heading("The long run"),
        Paragraph(
            f"The {LONG_RUN} again; {words.size(comparison)}. The lower bound for policies that "
            f"are good on all laws grows by {bound:.3g} per unit of ln n there; the slope of each "
            f"regret is that of a line fitted over the last two decades. {words.growth(rows)}"
        ),
        _image("comparison-long-run", render(growth_figure(comparison, LONG_RUN), ".png"), GROWN),
        Table(
            ("policy", f"regret {last}", "slope in ln n", "slope / bound's"),
            tuple(
                (
                    label,
                    with_error(row.regret, row.regret_se),
                    with_error(row.slope, row.slope_se),
                    words.slope_text(row),
                )
                for label, row in rows.items()
            ),
        ),
    ]


RATIOS_DRAWN = (
    "Regret in units of the reference's, the line at 1; bars are 95 % intervals of the ratio, from "
    "paired replications."
)
MATRIX_DRAWN = (
    "(a) Regret against ln t, with 95 % bands; grey lines are the other policies, which may leave "
    "through the top. (b) The regret at the last round under each objective, darker the larger it "
    "is in its column; a frame marks a policy's own objective."
)
GROWN = (
    "(a) Regret against ln t, with 95 % bands. (b) The slope of regret in ln t in units of the "
    "lower bound's, with 95 % intervals; within a factor of two is shaded."
)


def linked(path: str, comparison: Comparison) -> Image:
    """Return the figure of `comparison_figure`, which was written to a file, for its page."""
    drawn = RATIOS_DRAWN if len(comparison.instances) > 1 else MATRIX_DRAWN
    return Image(path, b"", drawn.partition(";")[0], drawn)


def _image(stem: str, png: bytes, drawn: str) -> Image:
    return Image(f"{FOLDER}/{stem}.png", png, drawn.partition(";")[0].rstrip("."), drawn)


def _made(comparisons: Sequence[Comparison], command: str) -> list[Block]:
    """Return the command, the policies as they would be typed, and what the numbers depend on."""
    first = comparisons[0]
    runs = first.runs[first.instances[0].name]
    policies = tuple((f"{label}:", repr(policy)) for label, policy in runs.policies.items())
    return [
        Heading("How it was made"),
        Code(command),
        Paragraph(f"The policies, as they are set for {first.instances[0].name}:"),
        Bullets(policies),
        Table(("what", "value"), tuple(runs.versions.items()), left=2),
    ]
