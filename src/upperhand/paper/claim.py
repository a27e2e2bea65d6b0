"""What the paper says, how much work a check may take, and how a claim fared."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

TRIALS = 2_000  # of a Monte-Carlo check: a frequency is then known to about one percent


class Verdict(StrEnum):
    """How a claim fared, best first."""

    HOLDS = "holds"
    NOTE = "holds with a note"
    FAILS = "does not hold"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what was looked at, the numbers, and what they say."""

    statement: str
    check: str  # when it holds, and when with a note
    numbers: dict[str, str]
    verdict: Verdict
    where: str = ""  # in the paper: "Lemma 2", "equation (15)", "section 5.1"


class Effort(NamedTuple):
    """What a check of the theory may draw: where its luck comes from, and how much of it."""

    seed: int = 0
    trials: int = TRIALS


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts: a claim about several things needs all of them."""
    return max(verdicts, key=list(Verdict).index)


def count_verdicts(claims: Sequence[Claim]) -> str:
    """Say how the claims fared, e.g. '12 claims: holds 11, holds with a note 1, …'."""
    counts = Counter(claim.verdict for claim in claims)
    listed = ", ".join(f"{verdict} {counts[verdict]}" for verdict in Verdict)
    return f"{len(claims)} claims: {listed}."
