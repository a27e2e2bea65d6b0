"""How long a reward is remembered: a window, or a half-life, of rewards, rounds or seconds.

A window of 500 holds the last 500 rewards of each arm. An arm that is left alone then keeps its old
ones, and is tried again only as exploration asks for it. A window of "2000 rounds" holds the last
2,000 rewards of all arms together, as in sliding-window UCB (A. Garivier, E. Moulines, ALT 2011),
and one of "10m" those of the last ten minutes: what an arm did long ago is forgotten, and it is
tried again. Which is better depends on how arms change: `benchmarks/drift.py` compares them.

A half-life h gives each reward a life of its own: the i-th reward of an arm lives h log₂(1/u_i),
with u_i the fractional part of i times the golden ratio. These u_i fill (0, 1) evenly, so of the
rewards of age a a share 2^(−a/h) is alive, in every stretch of time and without any random number.
What is alive is a plain sample: every policy that can forget works with it, with no weights.
"""

import math
import re
from datetime import timedelta
from typing import Any, Literal, NamedTuple

from .. import checks
from ..errors import ParameterError

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
ALLOWED = (
    'a whole number of rewards of each arm, such as 500, a number of "2000 rounds", or a time, '
    'such as "10m", "24h" or a timedelta'
)
Unit = Literal["rewards", "rounds", "seconds"]


class Forgetting(NamedTuple):
    """The rule by which rewards are forgotten."""

    halves: bool  # a half-life, not a window
    unit: Unit  # rewards of the arm, rewards of all arms, or seconds
    length: float

    def life(self, count: int) -> float:
        """Return how long an arm's reward lives; `count` says the how-manieth of the arm it is."""
        if not self.halves:
            return self.length
        return self.length * math.log2(1.0 / math.fmod(count * GOLDEN, 1.0))

    def __str__(self) -> str:
        of_each = " of each arm" if self.unit == "rewards" else ""
        span = f"{self.length:g} {self.unit}{of_each}"
        return f"by a half-life of {span}" if self.halves else f"for the last {span}"


def forgetting(window: Any = None, half_life: Any = None) -> Forgetting | None:
    """Return the rule that is asked for, if any.

    >>> print(forgetting(window="10m"))
    for the last 600 seconds
    >>> print(forgetting(half_life=500))
    by a half-life of 500 rewards of each arm
    """
    if window is None and half_life is None:
        return None
    if window is not None and half_life is not None:
        raise ParameterError("Give window or half_life, not both: a reward is forgotten one way.")
    halves = window is None
    return Forgetting(
        halves, *_span("half_life" if halves else "window", half_life if halves else window)
    )


def _span(name: str, given: Any) -> tuple[Unit, float]:
    if isinstance(given, timedelta) and given.total_seconds() > 0:
        return "seconds", given.total_seconds()
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]|rounds)\s*", given)
        number = float(found[1]) if found else 0.0
        if found and found[2] == "rounds" and number.is_integer() and number > 0:
            return "rounds", number
        if found and found[2] != "rounds" and number > 0:
            return "seconds", number * SECONDS[found[2]]
    elif not isinstance(given, timedelta):
        return "rewards", float(checks.integer(name, given, least=1))
    raise ParameterError(f"{name} must be {ALLOWED}; got {given!r}.")
