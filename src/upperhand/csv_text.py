"""Columns as CSV: numbers with every digit."""

import csv
import math
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any


def to_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns of equal length as CSV, numbers with every digit."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    rows = zip(*columns.values(), strict=True)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> str:
    """Write a number so that reading it back gives the same one; an unknown one is left empty."""
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return "" if isinstance(value, float) and math.isnan(value) else str(value)
