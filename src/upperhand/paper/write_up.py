"""The report: figures, claims with their numbers, final regrets, and how it was made."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..policies import UCB1, Policy
from ..report.document import (
    Block,
    Bullets,
    Code,
    Document,
    Entry,
    Heading,
    Image,
    Notice,
    Paragraph,
    Table,
    Tone,
)
from ..report.tables import plus_minus
from .conditions import Conditions
from .experiment import Claim, Experiment, Final, Verdict
from .reading import HOW_TO_READ
from .settings import ALPHA, acp_ucb1

TITLE = "Conformal-Style Quantile Analyses for Stochastic Bandits: the experiments, run again"
SOURCE = (
    "The experiments of C. Du, M. Xu, arXiv:2605.07115 (section “Numerical Experiments” and its "
    "appendix), simulated anew from the settings that the paper gives."
)
TONES: dict[Verdict, Tone] = {
    Verdict.HOLDS: "good",
    Verdict.NOTE: "doubtful",
    Verdict.FAILS: "bad",
}


@dataclass(frozen=True)
class Part:
    """What came out of one experiment."""

    experiment: Experiment[Any]
    replications: int
    files: dict[str, bytes]  # the figure and its table, by suffix: .png, .pdf, .csv
    finals: tuple[Final, ...]
    claims: tuple[Claim, ...]


def write_up(parts: Sequence[Part], conditions: Conditions) -> Document:
    """Return the report."""
    claims = all_claims(parts)
    return Document(
        TITLE,
        (
            Paragraph(SOURCE),
            *_departures(conditions),
            Paragraph(
                f"{count_verdicts(claims)} “How to read this”, below, says what was chosen "
                "where the paper leaves a choice."
            ),
            *(block for part in parts for block in _figure(part, conditions.horizon)),
            Heading("Final regrets"),
            Paragraph("Mean over replications ± one standard error."),
            regret_table(parts),
            Heading("How to read this"),
            Bullets(HOW_TO_READ),
            Heading("How it was made"),
            Code(conditions.command),
            Bullets(_settings(parts)),
            Table(("what", "value"), tuple(conditions.provenance.items()), left=2),
        ),
    )


def all_claims(parts: Iterable[Part]) -> list[Claim]:
    """Return every claim that was judged."""
    return [claim for part in parts for claim in part.claims]


def count_verdicts(claims: Sequence[Claim]) -> str:
    """Say how the claims fared, e.g. '12 claims: holds 11, holds with a note 1, …'."""
    counts = Counter(claim.verdict for claim in claims)
    listed = ", ".join(f"{verdict} {counts[verdict]}" for verdict in Verdict)
    return f"{len(claims)} claims: {listed}."


def regret_table(parts: Iterable[Part]) -> Table:
    """Return the final regrets, policies side by side."""
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for part in parts:
        for final in part.finals:
            row = cells.setdefault((str(part.experiment.number), final.setting, final.metric), {})
            row[final.policy] = plus_minus(final.mean, final.se)
    policies = list(dict.fromkeys(policy for row in cells.values() for policy in row))
    return Table(
        ("figure", "arms and level", "regret", *policies),
        tuple((*key, *(row.get(policy, "") for policy in policies)) for key, row in cells.items()),
        left=3,
    )


def _departures(conditions: Conditions) -> list[Block]:
    if not conditions.departures:
        return []
    return [
        Notice(
            f"Not the paper's size: {'; '.join(conditions.departures)}. The figures and verdicts "
            "below are about this run only."
        )
    ]


def _figure(part: Part, horizon: int) -> list[Block]:
    experiment = part.experiment
    title = f"Figure {experiment.number}. {experiment.title}"
    size = f"{part.replications} replications of {horizon:,} rounds"
    caption = f"{experiment.drawn}. {size}."
    return [
        Heading(title),
        Image(f"{experiment.stem}.png", part.files[".png"], title, caption),
        *map(_entry, part.claims),
    ]


def _settings(parts: Iterable[Part]) -> tuple[tuple[str, str], ...]:
    """Return the arms of each figure and the policies as they would be typed."""
    arms = [
        (f"Figure {part.experiment.number}, {label} arms:", ", ".join(map(repr, laws)))
        for part in parts
        for label, laws in part.experiment.arms.items()
    ]
    policies: list[Policy] = [acp_ucb1(ALPHA), UCB1()]
    return (*arms, *((f"{policy.name}:", repr(policy)) for policy in policies))


def _entry(claim: Claim) -> Entry:
    return Entry(
        claim.verdict.capitalize(),
        TONES[claim.verdict],
        claim.statement,
        tuple(claim.numbers.items()),
        f"Check: {claim.check}",
    )
