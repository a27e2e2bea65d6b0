"""Plain text: numbers, aligned tables and CSV."""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import pairwise
from typing import Any


def plus_minus(value: float, error: float, digits: int = 1) -> str:
    """Return e.g. '165.7 ± 4.0', or the value alone if the error is not known.

    >>> plus_minus(165.68, 4.02)
    '165.7 ± 4.0'
    """
    known = f" ± {fixed(error, digits)}" if math.isfinite(error) else ""
    return fixed(value, digits) + known


def with_error(value: float, error: float) -> str:
    """Return the value with two digits of its error, but six of its own at most.

    An error that is not known, or nothing but rounding, is left out.

    >>> with_error(28.7012, 0.6430), with_error(-136.98, 1.987), with_error(465.435, 7e-15)
    ('28.70 ± 0.64', '−137.0 ± 2.0', '465.435')
    """
    if not error > 1e-9 * abs(value):
        return f"{value:,.6g}".replace("-", "−")
    size = abs(value) or error
    if size < 1e-3:
        return f"{significant(value)} ± {significant(error, 2)}"
    digits = min(1 - math.floor(math.log10(error)), 5 - math.floor(math.log10(size)))
    return plus_minus(value, error, max(digits, 0))


def fixed(value: float, digits: int = 1) -> str:
    """Return the number with that many decimals and a true minus sign; never '−0.0'."""
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) != 0 else text.lstrip("-")


def short(value: float | None) -> str:
    """Return a number with four digits, or all digits of a whole one; '—' if there is none.

    >>> short(215630.08), short(3538116869263758), short(0.000148402), short(2)
    ('215,630', '3.538e15', '0.0001484', '2')
    """
    if value is None or math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞"
    value += 0.0  # −0.0 is 0
    if value and not 1e-4 <= abs(value) < 1e7:
        digits, power = f"{value:.3e}".split("e")
        return f"{digits}e{int(power)}"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits.

    >>> significant(215630.0), significant(2.97e-4), significant(-5e-17, 2)
    ('2.16e5', '0.000297', '−5e−17')
    """
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    power = f"e{int(exponent)}" if exponent else ""
    return f"{mantissa}{power}".replace("-", "−")


def three_digits(value: float) -> str:
    """Return a number in few characters, for narrow cells.

    >>> three_digits(607.99), three_digits(28.701), three_digits(1165.2), three_digits(0.01234)
    ('608', '28.7', '1,165', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:.3g}"


def counted(number: int, noun: str) -> str:
    """Return e.g. '1 replication' or '10,000 rounds'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def spoken_time(seconds: float) -> str:
    """Return a duration in the units that fit.

    >>> spoken_time(8), spoken_time(150), spoken_time(9000), spoken_time(400_000)
    ('8 s', '2 min 30 s', '2 h 30 min', '4 d 15 h')
    """
    whole = round(seconds)
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    for (unit, size), (lesser, small) in pairwise(units):
        if whole >= size:
            rest = whole % size // small
            return f"{whole // size} {unit}" + (f" {rest} {lesser}" if rest else "")
    return f"{whole} s"


def is_terminal(stream: Any) -> bool:
    """Tell whether a stream is a terminal; a closed, missing or foreign one is none."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def printable(text: str) -> str:
    r"""Return the text with line breaks and other control characters escaped, so on one line.

    >>> print(printable("a\nb"))
    a\nb
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def text_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, ruled: bool = False
) -> str:
    """Return aligned columns, the first `left` of them to the left and the others to the right.

    A character may be two columns wide, as Chinese ones are. `ruled` draws a line under the heads.
    """
    cells = [list(heads), *map(list, rows)]
    widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
    if ruled:
        cells.insert(1, ["─" * width for width in widths])
    lines = []
    for row in cells:
        blanks = [" " * (wide - cell_width(cell)) for cell, wide in zip(row, widths, strict=True)]
        padded = [cell + b for cell, b in zip(row[:left], blanks[:left], strict=True)]
        padded += [b + cell for cell, b in zip(row[left:], blanks[left:], strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def cell_width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield rows as lines of CSV, numbers with every digit.

    Text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(value) for value in row])
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _cell(value: Any) -> str:
    """Return a cell: a number with every digit, and nothing for an unknown one."""
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, str):
        value = value.replace("\r", "\n")  # a bare one would end the row
        return f"'{value}" if _runs(value) else value
    return "" if isinstance(value, float) and math.isnan(value) else str(value)


def unguarded(cell: str) -> str:
    """Return the text of a cell that `csv_lines` wrote, without the apostrophe before it.

    >>> unguarded("'=SUM(A1)"), unguarded("'tis")
    ('=SUM(A1)', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _runs(cell[1:]) else cell


def _runs(text: str) -> bool:
    """Tell whether a spreadsheet would run the text as a formula."""
    try:
        number = math.isfinite(float(text))
    except ValueError:
        number = False
    return text.startswith(("=", "+", "-", "@", "\t", "\n")) and not number
