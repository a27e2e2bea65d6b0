"""Tables in plain text: the same on a terminal, in a file and in a `repr`."""

from collections.abc import Sequence


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return aligned columns, the first `left` of them to the left and the others to the right."""
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    return "\n".join(_line(row, widths, left) for row in cells)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    aligned = [
        cell.ljust(width) if column < left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(aligned).rstrip()
