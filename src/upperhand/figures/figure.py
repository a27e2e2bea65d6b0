"""Figures on disk: whole or not at all, and the same bytes from the same input."""

from __future__ import annotations

import os
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from ..files import replacing
from .fonts import without_layout_tables
from .style import drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 200
# None takes a field out: dates and versions would make each file differ from the last.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}


def save_single(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write one file in the format of its suffix: .png, .pdf or .svg."""
    rendered = render(figure, check_suffix(path))
    with replacing(path) as temporary:
        temporary.write_bytes(rendered)


def render(figure: Figure, suffix: str) -> bytes:
    """Return the figure as the content of a file with that suffix: .png, .pdf or .svg."""
    content = BytesIO()
    with drawing(), without_layout_tables() if suffix == ".pdf" else nullcontext():
        figure.savefig(content, format=suffix[1:], dpi=DPI, metadata=METADATA[suffix])
    return content.getvalue()


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a figure's path; refuse a format that is not ours."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise ParameterError(
            f"A figure's name must end in {', '.join(METADATA)}; got {os.fspath(path)!r}."
        )
    return suffix
