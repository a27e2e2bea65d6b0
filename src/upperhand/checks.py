"""What a parameter may be: one check for each kind, one form of message for all.

Each check returns the value coerced to the plain Python type that the kernels expect (an
``alpha=1`` that stayed an ``int`` would make Numba compile everything again).
"""

import math
import operator
from typing import SupportsFloat, SupportsIndex

import numpy as np

from .errors import ParameterError

Real = SupportsFloat | SupportsIndex

MOST = 2**62  # whole numbers beyond this do not fit the kernels' integers


def real(
    name: str,
    value: Real,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
) -> float:
    """Return a finite float with above < value < below and least ≤ value ≤ most."""
    number = as_float(value)
    if math.isfinite(number) and above < number < below and least <= number <= most:
        return number
    raise ParameterError(
        f"{name} must be a finite number{_range(above, below, least, most)}; got {value!r}."
    )


def integer(name: str, value: SupportsIndex, *, least: int, most: int = MOST) -> int:
    """Return an int from `least` to `most`; a float such as 3.0 is refused, not rounded."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is not None and not isinstance(value, bool) and least <= number <= most:
        return number
    limit = f", and at most {most}" if number is not None and number > most else ""
    raise ParameterError(f"{name} must be a whole number, {least} or more{limit}; got {value!r}.")


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed strings."""
    if isinstance(value, str) and value in allowed:
        return value
    raise ParameterError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")


def flag(name: str, value: object) -> bool:
    """Return a bool; 0, 1 and strings are refused."""
    if isinstance(value, bool):
        return value
    raise ParameterError(f"{name} must be True or False; got {value!r}.")


def number_in(text: str) -> int | float | None:
    """Return the number that a text is, a whole one as an int; None if it is no number."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def as_float(value: object) -> float:
    """Return the float that `value` is, or NaN if it is no number (a string or bool is none)."""
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _range(above: float, below: float, least: float, most: float) -> str:
    """Write the bounds that are there, e.g. ' > 0 and ≤ 1'."""
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in ((">", above), ("≥", least), ("<", below), ("≤", most))
        if math.isfinite(bound)
    ]
    return " " + " and ".join(bounds) if bounds else ""
