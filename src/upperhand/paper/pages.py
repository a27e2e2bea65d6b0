"""Documents and other files, into a folder: all of them or none."""

from collections.abc import Mapping
from pathlib import Path

from ..files import check_writable, replacing
from ..pages.document import Document
from ..pages.html import to_html
from ..pages.markdown import to_markdown


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
