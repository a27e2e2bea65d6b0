"""What report and ledger share: blocks of a page, and files written all or none."""

from collections.abc import Mapping
from pathlib import Path

from ..files import check_writable, replacing
from ..pages.document import Block, Code, Document, Entry, Heading, Notice, Table, Tone
from ..pages.html import to_html
from ..pages.markdown import to_markdown
from .claim import Claim, Verdict
from .conditions import Conditions

TONES: dict[Verdict, Tone] = {
    Verdict.HOLDS: "good",
    Verdict.NOTE: "doubtful",
    Verdict.UNDECIDED: "doubtful",
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
    return [Notice(conditions.notice)] if conditions.notice else []


def how_it_was_made(conditions: Conditions, *settings: Block) -> list[Block]:
    """Return the command, the settings, and everything else that the numbers depend on."""
    return [
        Heading("How it was made"),
        Code(conditions.command),
        *settings,
        Table(("what", "value"), tuple(conditions.provenance.items()), left=2),
    ]


def pages(stem: str, document: Document) -> dict[str, bytes]:
    """Return the document as Markdown and as a web page, by the names of the files."""
    texts = {f"{stem}.md": to_markdown(document), f"{stem}.html": to_html(document)}
    return {name: text.encode() for name, text in texts.items()}


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files in their order, or, if one of them could not be written, nothing."""
    for name in files:
        check_writable(folder / name)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
