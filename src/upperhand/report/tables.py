"""Numbers as text: columns to CSV, and a value with its error."""

import csv
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..files import replacing


def write_csv(path: str | os.PathLike[str], columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of equal length, numbers with every digit, whole or not at all."""
    rows = zip(*columns.values(), strict=True)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in rows)


def columns(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Return rows as named columns."""
    return {head: [row[place] for row in rows] for place, head in enumerate(heads)}


def plus_minus(value: float, error: float, digits: int = 1) -> str:
    """Return e.g. '165.7 ± 4.0', or the value alone if the error is not known.

    >>> plus_minus(165.68, 4.02)
    '165.7 ± 4.0'
    """
    known = f" ± {fixed(error, digits)}" if math.isfinite(error) else ""
    return fixed(value, digits) + known


def fixed(value: float, digits: int = 1) -> str:
    """Return the number with that many decimals and a true minus sign; never '−0.0'."""
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) != 0 else text.lstrip("-")


def _cell(value: Any) -> str:
    """Write a number so that reading it back gives the same one; an unknown one is left empty."""
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return "" if isinstance(value, float) and math.isnan(value) else str(value)
