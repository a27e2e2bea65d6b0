"""The page of comparisons in docs/: advice, the paper's settings, hard ones, river, a long run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..figures.comparison import growth_figure, one_instance_figure
from ..figures.figure import render
from ..figures.ratios import drawn_policies, ratio_figure
from ..studies.instances import ENTRY, TRAPS
from ..studies.line_up import OURS
from ..studies.result import Comparison
from ..studies.study import LONG_RUN, UNCORRECTED, Study
from ..text import with_error
from . import comparison_words as words
from .advice import advice
from .comparison_page import BRACKETS, drawn, how_made
from .comparison_tables import matrix_table, ratio_table, worst_table
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table
from .entry_section import price_of_entry
from .river_section import river_section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "images"  # next to the page
TAIL = "F⁻¹(1 − α/2), the upper endpoint of the central prediction interval"

RARE = (
    "Where a policy loses much in a few replications, 60 of them may show none: on the headline, "
    "the intervals of UCB-CP, which loses much in 2 % of the replications, cover its mean in 86 %."
)


def study_page(study: Study, command: str) -> Document:
    """Return the page in docs/, with its figures."""
    return Document(
        "Policies compared",
        (
            Paragraph(
                "Every policy of the library that plays for a sum of rewards, on the same rewards: "
                "on the ten settings of the paper's figures, under everyone's objective, on "
                "instances that are hard, next to river's, and in the long run. (Those for one "
                "large reward are in best-of-n.md.) Ours are told τ = 1 − α/2, and those marked H- "
                "to trust an arm's shape by 3 nats; nothing else. The tables, the figures and the "
                "sentences around the numbers are made by one command, below."
            ),
            Paragraph(f"{words.reading(study.paper)} {words.INTERVALS} {RARE} {BRACKETS}"),
            *advice(study),
            *_paper(study.paper),
            *_matrix(study.paper),
            *_hard(study.hard),
            *_worst(study),
            *river_section(study.river, [study.paper, study.hard]),
            *_calibrators(study.calibrators),
            *_long(study.long),
            Heading("What a step costs"),
            Paragraph(
                "Times differ from machine to machine and from run to run, so there are none on "
                "this page. This command measures them, next to regrets, on the headline:"
            ),
            Code("upperhand compare"),
            *how_made(study.paper, command, {"river": study.river.version}),
        ),
    )


def _paper(comparison: Comparison) -> list[Block]:
    names, policies = [i.name for i in comparison.instances], drawn_policies(comparison)
    return [
        Heading("The paper's ten settings"),
        Paragraph(
            f"An arm is worth {TAIL}. The regret at the last round of the policies that play for "
            f"it, in units of {comparison.reference}'s; {words.size(comparison)}. The "
            "headline is Figure 1; alpha-… are the levels of Figure 2 on the same arms, so that "
            "alpha-0.10 is the headline again; the last three are Figure 3."
        ),
        _image("comparison-paper", ratio_figure(comparison), drawn("ratios", comparison)),
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
    figure = one_instance_figure(comparison, name)
    return [
        Heading("Policy × objective"),
        Paragraph(
            "The paper's message in one matrix: changing how an arm is valued changes which arm is "
            f"best, and which policy finds it. The arms of the {name} are {words.laws(arms)}: "
            f"{words.best_arms(objectives, arms)}."
        ),
        _image("comparison-objectives", figure, drawn("matrix", comparison)),
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
    return [
        Heading("Where each loses"),
        Paragraph(f"Instances made to be hard; {words.size(comparison)}."),
        _image("comparison-hard", ratio_figure(comparison), drawn("ratios", comparison)),
        Heading("Rewards that mislead", 3),
        Paragraph(
            "What an arm has shown says little of what it is worth: gaps are small, a quantile "
            "hangs on a little mass, the best arm looks the worst for long, or rewards come in "
            f"another unit. {comparison.reference} is told a unit by its b. Ours look at the order "
            "of the rewards, those marked H- also at distances in standard deviations: on "
            "small-unit they choose as on the headline. Nobody can know of "
            "rewards that have not come yet, but who waits longer for them sees them."
        ),
        *_some(comparison, [each.name for each in TRAPS]),
        Heading("The price of entry", 3),
        Paragraph(
            "A policy that is to be good on all laws needs about ln n / ln(1/τ) rewards of an arm, "
            "τ = 1 − α/2, to rule it out, however poor they are: dear if there are many arms, if "
            f"τ is near 1, or if a glance would do. Where arms lie far apart in the unit of its b, "
            f"{comparison.reference} need not wait so long."
        ),
        *_some(comparison, [each.name for each in ENTRY]),
        *price_of_entry(comparison, [comparison.reference, *drawn_policies(comparison)]),
    ]


def _some(comparison: Comparison, names: Sequence[str]) -> list[Block]:
    """Return the table of those instances, and a line on each."""
    shown = [each for each in comparison.instances if each.name in names]
    return [
        ratio_table(comparison, drawn_policies(comparison), [each.name for each in shown]),
        Bullets(
            tuple(
                (
                    f"{each.name},",
                    f"{each.note} ({words.laws(each.arms)}). {words.losses(comparison, each.name)}",
                )
                for each in shown
            )
        ),
    ]


def _worst(study: Study) -> list[Block]:
    policies = [study.paper.reference, *drawn_policies(study.paper)]
    return [
        Heading("The worst of each", 3),
        Paragraph(
            "Over all of these instances, where each policy for the tail loses most against the "
            "least regret that anyone has:"
        ),
        worst_table([study.paper, study.hard], policies),
    ]


def _calibrators(comparison: Comparison) -> list[Block]:
    names = [instance.name for instance in comparison.instances]
    return [
        Heading("Which calibrator makes the best tail bandit?"),
        Paragraph(
            f"{comparison.reference} corrects an arm's empirical quantiles by the paper's "
            "calibrator: scores computed anew, at a level that adapts near α. Any other of "
            "upperhand.intervals can take its place, by ACP-UCB1's setting calibrator; each has "
            f"its defaults here, and b = 1 as in the paper. Regret in units of the paper's; "
            f"{words.size(comparison)}. {words.calibrators(comparison, UNCORRECTED)}"
        ),
        ratio_table(comparison, comparison.policies, names),
    ]


def _long(comparison: Comparison) -> list[Block]:
    rows = comparison.main(LONG_RUN)
    bound = next(iter(rows.values())).bound
    last, figure = f"at n = {comparison.horizon:,}", growth_figure(comparison, LONG_RUN)
    return [
        Heading("The long run"),
        Paragraph(
            f"The {LONG_RUN} again; {words.size(comparison)}. The lower bound for policies that "
            f"are good on all laws grows by {bound:.3g} per unit of ln n there; the slope of each "
            f"regret is that of a line fitted over the last two decades. {words.growth(rows)}"
        ),
        _image("comparison-long-run", figure, drawn("growth", comparison)),
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


def _image(stem: str, figure: Figure, said: tuple[str, str]) -> Image:
    return Image(f"{FOLDER}/{stem}.png", render(figure, ".png"), *said)
