"""The report: figures, claims with their numbers, final regrets, and how it was made."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..pages.document import Block, Bullets, Document, Heading, Image, Paragraph, Table
from ..policies import UCB1, Policy
from ..text import plus_minus
from .claim import Claim, count_verdicts
from .conditions import Timed
from .experiment import Experiment, Final
from .pages import departures, entry, how_it_was_made
from .reading import ERRORS, HOW_TO_READ
from .settings import ALPHA, CITATION, PAPER, acp_ucb1

TITLE = f"{PAPER}: the experiments, run again"
SOURCE = (
    f"The experiments of {CITATION} (section “Numerical Experiments” and its "
    "appendix), simulated anew from the settings that the paper gives."
)


@dataclass(frozen=True)
class Part:
    """What came out of one experiment."""

    experiment: Experiment[Any]
    replications: int
    files: dict[str, bytes]  # the figure and its table, by suffix: .png, .pdf, .csv
    finals: tuple[Final, ...]
    claims: tuple[Claim, ...]


def write_up(parts: Sequence[Part], conditions: Timed) -> Document:
    """Return the report."""
    claims = all_claims(parts)
    return Document(
        TITLE,
        (
            Paragraph(SOURCE),
            *departures(conditions),
            Paragraph(
                f"{count_verdicts(claims)} “How to read this”, below, says what was chosen "
                "where the paper leaves a choice."
            ),
            *(block for part in parts for block in _figure(part, conditions.horizon)),
            Heading("Final regrets"),
            Paragraph(regret_words(parts)),
            regret_table(parts),
            Heading("How to read this"),
            Bullets(tuple(r for r in HOW_TO_READ if r is not ERRORS or not _single(parts))),
            *how_it_was_made(conditions, Bullets(_settings(parts))),
        ),
    )


def all_claims(parts: Iterable[Part]) -> list[Claim]:
    """Return every claim that was judged."""
    return [claim for part in parts for claim in part.claims]


def _single(parts: Iterable[Part]) -> bool:
    """Whether there is one replication only, so that no error is known."""
    return all(part.replications == 1 for part in parts)


def regret_words(parts: Iterable[Part]) -> str:
    """Say what the table of final regrets shows."""
    error = "of one replication" if _single(parts) else "± one standard error"
    return f"Final regret {error}."


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


def _figure(part: Part, horizon: int) -> list[Block]:
    experiment = part.experiment
    title = f"Figure {experiment.number}. {experiment.title}"
    caption = experiment.caption(part.replications, horizon)
    return [
        Heading(title),
        Image(f"{experiment.stem}.png", part.files[".png"], title, caption),
        *map(entry, part.claims),
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
