"""What every interval of the library is."""

from typing import NamedTuple


class Interval(NamedTuple):
    """An interval, such as a prediction interval for a reward; ±∞ is an end not known yet."""

    lower: float
    upper: float
