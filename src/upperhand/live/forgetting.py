"""How long a reward is remembered: a window, or a half-life; counted in rewards or in seconds.

A window of m rewards holds the last m of all arms together, as in sliding-window UCB (A. Garivier,
E. Moulines, ALT 2011). So an arm that is left alone is forgotten, and tried again; with the last m
of each arm, a loser would keep its old rewards for good, and nobody would notice that it improved.

A half-life h gives each reward a life of its own: the i-th reward of an arm lives h log₂(1/u_i),
with u_i the fractional part of i times the golden ratio. These u_i fill (0, 1) evenly, so of the
rewards of age a a share 2^(−a/h) is alive, in every stretch of time and without any random number.
What is alive is a plain sample: every policy that can forget works with it, with no weights.
"""

import math
import re
from datetime import timedelta
from typing import Any, NamedTuple

from .. import checks
from ..errors import ParameterError

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
ALLOWED = 'a whole number of rewards, such as 500, or a time, such as "10m", "24h" or a timedelta'


class Forgetting(NamedTuple):
    """The rule by which rewards are forgotten."""

    halves: bool  # a half-life, not a window
    seconds: bool  # counted in seconds, not in rewards
    length: float

    def life(self, count: int) -> float:
        """Return how long an arm's reward lives; `count` says the how-manieth of the arm it is."""
        if not self.halves:
            return self.length
        return self.length * math.log2(1.0 / math.fmod(count * GOLDEN, 1.0))

    def __str__(self) -> str:
        span = f"{self.length:g} {'seconds' if self.seconds else 'rewards'}"
        return f"a half-life of {span}" if self.halves else f"the last {span}"


def forgetting(window: Any = None, half_life: Any = None) -> Forgetting | None:
    """Return the rule that is asked for, if any.

    >>> print(forgetting(window="10m"))
    the last 600 seconds
    >>> print(forgetting(half_life=500))
    a half-life of 500 rewards
    """
    if window is None and half_life is None:
        return None
    if window is not None and half_life is not None:
        raise ParameterError("Give window or half_life, not both: a reward is forgotten one way.")
    halves = window is None
    seconds, length = _length("half_life" if halves else "window", half_life if halves else window)
    return Forgetting(halves, seconds, length)


def _length(name: str, given: Any) -> tuple[bool, float]:
    if isinstance(given, timedelta) and given.total_seconds() > 0:
        return True, given.total_seconds()
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*", given)
        if found and float(found[1]) > 0:
            return True, float(found[1]) * SECONDS[found[2]]
    elif not isinstance(given, timedelta):
        return False, float(checks.integer(name, given, least=1))
    raise ParameterError(f"{name} must be {ALLOWED}; got {given!r}.")
