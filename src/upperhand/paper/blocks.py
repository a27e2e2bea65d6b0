"""What the report and the ledger share: a claim, the departures, and how it was made."""

from ..pages.document import Block, Code, Entry, Heading, Notice, Table, Tone
from .claim import Claim, Verdict
from .conditions import Conditions

TONES: dict[Verdict, Tone] = {
    Verdict.HOLDS: "good",
    Verdict.NOTE: "doubtful",
    Verdict.FAILS: "bad",
}


def entry(claim: Claim) -> Entry:
    """Return a claim with its verdict, its numbers and its check."""
    return Entry(
        claim.verdict.capitalize(),
        TONES[claim.verdict],
        claim.statement,
        tuple(claim.numbers.items()),
        f"Check: {claim.check}",
    )


def departures(conditions: Conditions) -> list[Block]:
    """Return a warning if the sizes are not the paper's."""
    said = conditions.departure
    return [Notice(f"{said} {conditions.concern}")] if said else []


def how_it_was_made(conditions: Conditions, *settings: Block) -> list[Block]:
    """Return the command, the settings, and everything else that the numbers depend on."""
    return [
        Heading("How it was made"),
        Code(conditions.command),
        *settings,
        Table(("what", "value"), tuple(conditions.provenance.items()), left=2),
    ]
