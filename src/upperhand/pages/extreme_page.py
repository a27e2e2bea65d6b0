"""The page on the best of N in docs/: what it is, and when a quantile finds the maximum."""

from collections.abc import Callable

from ..figures.figure import render
from ..figures.ratios import rows_figure
from ..objectives import BestOf
from ..studies.extreme_study import (
    ALONE,
    DRAWS,
    FEW,
    IN_TURN,
    ExtremeStudy,
    Found,
    LargestFound,
)
from ..studies.line_up import EXTREMES
from ..text import with_error
from . import extreme_words as words
from .comparison_page import made_by
from .document import Block, Bullets, Code, Document, Heading, Image, Paragraph, Table

FOLDER = "images"  # next to the page
DRAWN = (*(f"{FEW[0]} {n}" for n in DRAWS), *EXTREMES, f"ACP-UCB1 auto {DRAWS[0]}", IN_TURN)
LEAST = 0.1  # of the figure's scale
SHOWN = (1, 2, 8, 64, 512)  # the N of the first table
COMMANDS = """\
upperhand compare --best-of 8
upperhand simulate --best-of 8 --policy kl-qucb --arm normal:62,4 --arm normal:50,14
upperhand new prompt --best-of 8 --maximize --arm careful --arm creative --storage bandits.db"""


def extreme_page(study: ExtremeStudy, command: str) -> Document:
    """Return the page, with its figure."""
    first = study.all.instances[0].name
    return Document(
        "Best of N",
        (
            *_meaning(study.all),
            *_agreement(study.all),
            *_largest(study.all),
            *(_crossing(study.crossing) if study.crossing else []),
            Heading("What to take"),
            Bullets(words.advice(study.all, study.crossing)),
            *made_by(command, first, study.all.runs[first]),
        ),
    )


def _meaning(found: LargestFound) -> list[Block]:
    rounds = found.horizon
    return [
        Paragraph(
            "Of N answers, restarts or runs only the best one is kept. Then an arm is worth the "
            "best of N draws, not its average. Their maximum has the cdf F to the power N, so its "
            "median is a quantile of a single draw, at the level 2^(−1/N); if small is good, the "
            "median of the minimum is the quantile at 1 − 2^(−1/N). So every policy for quantiles "
            "is one for the best of N: uh.BestOf(N) is the objective, and upperhand compare, "
            "simulate, identify and new take --best-of. Of the two normal arms below, the first "
            "has the higher mean, and the other one the higher best of 8."
        ),
        Code(COMMANDS),
        Table(
            ("N", "level", "of costs", f"least pulls to rule out an arm in {rounds:,} rounds"),
            tuple(
                (
                    f"{n}",
                    f"{BestOf(n).tau:.6f}",
                    f"{BestOf(n).of_costs().tau:.6f}",
                    f"{words.entry(n, rounds):,.0f}",
                )
                for n in SHOWN
            ),
            left=0,
        ),
        Paragraph(
            "The last column is ln n / ln(1/τ) = N log₂ n: a policy that is to be good on all laws "
            "needs about so many rewards of an arm, however poor they are, and more of an arm that "
            "comes near the best one."
        ),
    ]


def _agreement(found: LargestFound) -> list[Block]:
    rounds = found.horizon
    return [
        Heading("Two questions"),
        Bullets(
            (
                (
                    "N draws each time.",
                    "A prompt is asked N times whenever it is used. N is given, the quantile at "
                    "its level is what counts, and there is nothing else to look for.",
                ),
                (
                    "The largest of all draws.",
                    "Every round is one draw, and of all n of them only the largest counts: an "
                    "extreme bandit. N would be n, and the level 2^(−1/n) is out of sight in n "
                    "rounds. A smaller N can stand in for it, if the arm that is best at N stays "
                    "the best up to n.",
                ),
            )
        ),
        Heading("From which N on the quantile names the right arm"),
        Paragraph(
            "The instances are experiments 1 to 8 of D. Baudry, Y. Russac, E. Kaufmann, “Efficient "
            "algorithms for extreme bandits”, AISTATS 2022, with the numbers of the authors' "
            f"program. The best arm is the one whose maximum of {rounds:,} draws has the highest "
            "median; from the N of the table on, it is the best under the best of N too. "
            f"{words.agreement(found)}"
        ),
        Table(
            ("instance", "arms", "best arm", "from N on", "pulls at that N", *words.COSTS),
            tuple(
                (
                    each.name,
                    each.note,
                    f"{found.best[each.name] + 1}",
                    f"{found.draws[each.name]:,}",
                    *words.pulls_at(found, each, (found.draws[each.name], *DRAWS)),
                )
                for each in found.instances
            ),
            left=2,
        ),
        Paragraph(
            "The last columns are pulls to rule out the other arms: a policy that is to be good on "
            f"all laws makes about Σ ln n / kl(F_j(u*), τ) of them in n = {rounds:,} rounds, u* "
            "being the best arm's quantile at the level τ of that N (Theorem Q4, for n → ∞). Where "
            "it is more than n, n rounds are too few to tell all arms apart, as some nearly tie. A "
            "dash: another arm is best at that N."
        ),
    ]


def _largest(found: LargestFound) -> list[Block]:
    names = [each.name for each in found.instances]
    dots = {
        policy: [row and (row.ratio, row.ratio_low, row.ratio_high) for row in rows.values()]
        for policy in DRAWN
        if policy in found.policies and (rows := found.by_instance(policy))
    }
    scale = "Largest reward found / that of the best arm alone (log scale)"
    figure = rows_figure(names, dots, ALONE, scale, LEAST)
    return [
        Heading("The largest reward found"),
        Paragraph(
            f"{words.size(found)}. The number after a policy for quantiles is the N that it is "
            "told; (n) is told the number of rounds. All meet the same rewards, so the largest one "
            "that a policy found is held against what the best arm alone would have given, pair by "
            "pair. Means of such maxima are nearly infinite for the heaviest tails: these are "
            "geometric means, ± one standard error. A dash: too few rounds to begin. "
            f"{words.PUBLISHED}"
        ),
        Image(
            f"{FOLDER}/best-of-n.png",
            render(figure, ".png"),
            "A row for each instance, a dot for each policy",
            "The largest reward found in units of that of the best arm alone, the line at 1, on "
            f"the same rewards: geometric means with 95 % intervals. What is below {LEAST:g} lies "
            "beyond the left edge.",
        ),
        _table(found, _ratio),
        Paragraph("The same by medians: that of the largest rewards found over that of the best arm"
                  " alone."),
        _table(found, lambda row: f"{row.medians:.2f}"),
        Paragraph("The share of pulls on the best arm:"),
        _table(found, lambda row: f"{100 * row.share:.1f} %"),
    ]  # fmt: skip


def _crossing(found: LargestFound) -> list[Block]:
    return [
        Heading("Tails that cross far out"),
        Paragraph(f"{words.size(found)}. {words.told(found)}"),
        Table(
            ("policy", "largest reward", "by medians", "pulls on the best arm"),
            tuple(
                (row.policy, _ratio(row), f"{row.medians:.2f}", f"{100 * row.share:.1f} %")
                for row in found.rows
            ),
        ),
    ]


def _table(found: LargestFound, cell: Callable[[Found], str]) -> Table:
    """Return policy × instance."""
    return Table(
        ("policy", *(each.name for each in found.instances)),
        tuple(
            (policy, *("—" if row is None else cell(row) for row in rows.values()))
            for policy in found.policies
            if (rows := found.by_instance(policy))
        ),
    )


def _ratio(row: Found) -> str:
    return with_error(row.ratio, row.ratio_se)
