"""The one rule by which a published number is held against ours.

Both are means with standard errors. With d = ours − published they agree if

    |d| ≤ slack + z √(SE² + SE'²),

where the slack is what cannot be read more exactly: a figure's drawing grid, printed digits. z is
the same for all M numbers of the page, Φ(z) = 1 − 0.01 / 2M (Bonferroni): if everything is
reproduced, the chance of a single "differs" on the page is about 1 %. Numbers without any error,
such as the value of a formula, agree if they are equal up to the slack.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

ERROR = 0.01  # the chance of a wrong "differs", for all numbers of the page together


class Verdict(StrEnum):
    """What is said of one number."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_FOUND = "not found"  # nothing is published, or it was not found
    THEORY = "not found; theory holds"  # what stands in its place is what theory says
    NOT_REPRODUCED = "not reproduced"  # published, but we have no number: the notes say why
    NOT_JUDGED = "not judged"  # both are shown, but settings differ: the notes say how


@dataclass(frozen=True)
class Line:
    """One number: which it is, as it was published, and ours."""

    what: tuple[str, ...]  # cells that say which number it is
    published: float | None
    ours: float | None
    published_se: float = 0.0
    our_se: float = 0.0
    slack: float = 0.0
    judged: bool = True
    theory: bool = False  # "published" is what theory says: nothing was published

    @property
    def difference(self) -> float:
        """Ours minus the published number; NaN if one is missing."""
        if self.published is None or self.ours is None:
            return math.nan
        return self.ours - self.published

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return math.hypot(self.published_se, self.our_se)

    @property
    def comparable(self) -> bool:
        """Whether there are two numbers to be judged."""
        return self.judged and self.published is not None and self.ours is not None

    def allowed(self, z: float) -> float:
        """Return by how much the two may differ."""
        return self.slack + z * self.error


def critical(lines: Iterable[Line]) -> float:
    """Return z for all numbers of the page; 0 if there is nothing to be judged."""
    count = sum(line.comparable for line in lines)
    return NormalDist().inv_cdf(1 - ERROR / (2 * count)) if count else 0.0


def verdict(line: Line, z: float) -> Verdict:
    """Judge one number."""
    if line.published is None:
        return Verdict.NOT_FOUND
    if line.ours is None:
        return Verdict.NOT_REPRODUCED
    if not line.judged:
        return Verdict.NOT_JUDGED
    if not math.isfinite(line.difference) or not math.isfinite(line.error):
        return Verdict.DIFFERS
    rounding = 1e-9 * max(abs(line.published), abs(line.ours))
    within = abs(line.difference) <= line.allowed(z) + rounding
    if not within:
        return Verdict.DIFFERS
    return Verdict.THEORY if line.theory else Verdict.AGREES
