"""What the paper says, and how a claim fared."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a claim fared, best first."""

    HOLDS = "holds"
    NOTE = "holds with a note"
    UNDECIDED = "not decided by this run"  # it fails, in a run below the paper's size
    FAILS = "does not hold"


@dataclass(frozen=True)
class Claim:
    """A sentence, of the paper or ours, what was looked at, the numbers, and what they say."""

    statement: str
    check: str  # when it holds, and when with a note
    numbers: dict[str, str]
    verdict: Verdict
    where: str = ""  # in the paper: "Lemma 2", "equation (15)", "section 5.1"
    ours: bool = False  # about the paper's own experiments; the paper does not claim it
    exact: bool = False  # from the true values of the arms: no run is too small for it


def steady(value: float) -> float:
    """Return a number for print, moved by a billionth: halves are rounded alike on all machines.

    Means of counts are often exact halves of the last printed digit, but for rounding.
    """
    return value * (1 + 1e-9)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts: a claim about several things needs all of them."""
    return max(verdicts, key=list(Verdict).index)


def count_verdicts(claims: Sequence[Claim]) -> str:
    """Say how the paper's claims fared, and then those that are ours, if there are any."""
    papers = [claim for claim in claims if not claim.ours]
    ours = [claim for claim in claims if claim.ours]
    said = f"{len(papers)} claims of the paper: {_fared(papers)}."
    if not ours:
        return said
    return (
        f"{said} {len(ours)} of ours about its experiments, which the paper does not claim: "
        f"{_fared(ours)}."
    )


def _fared(claims: Iterable[Claim]) -> str:
    """Return how many there are of each verdict; only small runs leave anything undecided."""
    counts = Counter(claim.verdict for claim in claims)
    said = [v for v in Verdict if v is not Verdict.UNDECIDED or counts[v]]
    return ", ".join(f"{verdict} {counts[verdict]}" for verdict in said)
