"""Published numbers, one file a table; the lines with # say where they come from."""

import csv
from pathlib import Path

FOLDER = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table, as text, by the names of its columns."""
    return list(csv.DictReader(_lines(name, comments=False)))


def source(name: str) -> str:
    """Return what the file says about itself: what the numbers are, and where they come from."""
    return " ".join(line.lstrip("# ") for line in _lines(name, comments=True))


def _lines(name: str, *, comments: bool) -> list[str]:
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("#") == comments]
