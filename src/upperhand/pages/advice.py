"""Which policy to take: a table of cases, reasons, and what the runs say."""

from typing import NamedTuple

from ..studies.line_up import REFERENCE
from ..studies.result import Comparison
from ..studies.study import Study
from ..text import three_digits
from .document import Block, Heading, Paragraph, Table


class Advice(NamedTuple):
    """Whom to take in a case, and why; the numbers are those of the first one."""

    case: str
    take: tuple[str, ...]  # labels of the line-up; left out if one of them does not take part
    why: str
    shown: tuple[str, ...]  # hard instances that tell for it or against it


MUCH = 0.1  # of all there is to lose: a run that went wrong
PROVED = "asymptotically optimal, without a model of the laws"
ADVICE = (
    Advice(
        "nothing is known of the laws, and one bad run costs much",
        ("KL-QUCB",),
        f"{PROVED} (Theorem Q1); explores most of ours, so that rare rewards mislead it least; "
        "only where rewards take few values (ties) it may go wrong more often than KL-QUCB+",
        ("liar", "far-liar", "lognormal", "small-gaps", "ties", "far-tail", "far-apart"),
    ),
    Advice(
        "nothing is known of the laws, and regret shall be small on average",
        ("KL-QUCB+", "Quantile-IMED"),
        f"{PROVED} (Theorem Q2), with about half of KL-QUCB's exploration",
        ("liar", "far-liar", "lognormal", "small-gaps", "ties", "far-tail", "far-apart"),
    ),
    Advice(
        "the arms are bell-shaped, more or less, and they are many or the level is near 1",
        ("H-KL-QUCB+", "H-Quantile-IMED"),
        "an arm's shape rules it out earlier; on other laws they keep a guarantee with a larger "
        "constant (Theorem Q5); of hundreds of arms H-Quantile-IMED rules out more",
        ("many-arms", "hundreds-of-arms", "far-tail", "far-apart", "liar", "far-liar", "lognormal"),
    ),
    Advice(
        "choices must be random, for an analysis that weights them later",
        ("Quantile-TS",),
        f"each choice is a draw; {PROVED} (Theorem Q3)",
        ("liar", "lognormal", "far-apart"),
    ),
    Advice(
        "the arms are surely far apart, and none of them is a liar",
        (f"{REFERENCE} auto", "Quantile-UCB"),
        "a scale rules arms out at a glance, as no order of rewards can; neither is safe from "
        "liars, and b of Quantile-UCB must fit the unit",
        ("far-apart", "far-tail", "hundreds-of-arms", "liar", "lognormal", "small-unit"),
    ),
    Advice(
        "the mean is what matters",
        ("Thompson sampling",),
        "it plays for the mean; its tail regret, to the right, says what that costs in the tail",
        (),
    ),
)


def advice(study: Study) -> list[Block]:
    """Return the section that stands first on the page."""
    rows = [_row(each, study) for each in ADVICE if set(each.take) <= set(study.paper.policies)]
    return [
        Heading("Which policy to take"),
        Paragraph(
            f"Numbers are regrets in units of {study.paper.reference}'s with b = 1, of the policy "
            "that is named first: over the paper's settings, and on instances below that tell for "
            "it or against it. The last column has its worst run on those: the share that it lost "
            "of all there is to lose, where that is a tenth or more. Quantiles serve the best of N "
            "tries too: the median of the best of N draws is the quantile at τ = 2^(−1/N); "
            "best-of-n.md, next to this page, has more."
        ),
        Table(
            ("if", "take", "because", "the paper's settings", "hard instances", "worst runs"),
            tuple(rows),
            left=6,
        ),
    ]


def _row(each: Advice, study: Study) -> tuple[str, ...]:
    first = each.take[0]
    ratios = _ratios(study.paper, first).values()
    ends = " to ".join(dict.fromkeys(map(three_digits, (min(ratios), max(ratios)))))
    hard = _ratios(study.hard, first)
    told = [f"{name} {three_digits(hard[name])}" for name in each.shown if name in hard]
    lost = [f"{name} {_percent(share)}" for name, share in _worst(each, study.hard).items()]
    shown = [", ".join(listed) or "—" for listed in (told, lost)]
    return each.case, " or ".join(each.take), each.why, ends, *shown


def _worst(each: Advice, hard: Comparison) -> dict[str, float]:
    """Return what the worst run lost of all there is to lose, where that is much."""
    shares = {}
    for instance in (i for i in hard.instances if i.name in each.shown):
        row = hard.main(instance.name).get(each.take[0])
        gap = hard.objectives[instance.name][0].gaps(instance.arms).max()
        if row and row.worst >= MUCH * hard.horizon * gap:
            shares[instance.name] = row.worst / (hard.horizon * gap)
    return shares


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _ratios(comparison: Comparison, policy: str) -> dict[str, float]:
    """Return the ratio to the reference on each instance."""
    mains = {each.name: comparison.main(each.name) for each in comparison.instances}
    return {name: rows[policy].ratio for name, rows in mains.items() if policy in rows}
