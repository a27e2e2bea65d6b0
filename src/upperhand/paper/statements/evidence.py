"""What the chapters share: the paper's arms, luck by chapter, and verdicts from numbers."""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...distributions import Distribution, Normal
from ...objectives import UpperTail
from ...text import significant
from ...theory import assumption_1, theorem_1
from ...theory.assumption_1 import LocalConstants
from ...theory.lower_bounds import bernoulli_kl
from ..claim import Effort, Verdict, worst
from ..families import FAMILIES
from ..settings import ALPHA, GAUSSIAN_ARMS, acp_ucb1

Array = NDArray[np.float64]

ERROR = 1e-6  # the chance that a true statement is judged not to hold by frequencies drawn
ROUNDING = 1e-12  # what doubles may lose in a few operations on numbers near 1
PAPER_ARMS: tuple[Distribution, ...] = (
    *GAUSSIAN_ARMS,
    *(arm for family in FAMILIES.values() for arm in family),
)
EXPERIMENTS_POLICY = acp_ucb1(ALPHA)
WINDOW = EXPERIMENTS_POLICY.level_min, EXPERIMENTS_POLICY.level_max  # of levels, in the appendix


class Instance(NamedTuple):
    """Means and standard deviations of Gaussian arms."""

    means: Array  # (K,)
    sds: Array  # (K,)

    @property
    def arms(self) -> tuple[Normal, ...]:
        """The arms themselves."""
        return tuple(map(Normal, self.means, self.sds))


def _instance(arms: tuple[Distribution, ...]) -> Instance:
    return Instance(np.array([arm.mean for arm in arms]), np.array([arm.sd for arm in arms]))


FIGURE_1 = _instance(GAUSSIAN_ARMS)
FIGURE_3 = _instance(FAMILIES["Gaussian"])


def figure_1_constants() -> LocalConstants:
    """Return the appendix's constants of Figure 1's arms, on the experiments' window.

    The radii are the least that Theorem 1 admits.
    """
    radius = theorem_1.least_radius(UpperTail(ALPHA).gaps(GAUSSIAN_ARMS))
    return assumption_1.gaussian_constants(FIGURE_1.sds, WINDOW, r_y=radius, r_s=radius)


def stream(effort: Effort, *key: int) -> np.random.Generator:
    """Return the luck of one claim: the key is its chapter and its place there."""
    return np.random.default_rng([effort.seed, *key])


def seed_of(effort: Effort, *key: int) -> int:
    """Return a seed for the simulations of one claim."""
    return int(stream(effort, *key).integers(2**62))


def share_of(effort: Effort, part: int, *, least: int = 1) -> int:
    """Return one in `part` of the trials, for checks whose every draw takes long."""
    return max(least, effort.trials // part)


def holds_if(true: bool | np.bool_) -> Verdict:
    """Judge what is either so or not."""
    return Verdict.HOLDS if true else Verdict.FAILS


def frequency_verdict(count: int, trials: int, bound: float, error: float = ERROR) -> Verdict:
    """Judge P ≤ bound: a frequency above the bound is a note, one that luck cannot explain fails.

    By Chernoff's inequality a frequency x > p has a probability of at most exp(−N kl(x, p)): luck
    makes a true bound fail with a chance of at most `error`.
    """
    frequency = count / trials
    if frequency <= bound:
        return Verdict.HOLDS
    surprise = trials * float(bernoulli_kl(frequency, bound))
    return Verdict.NOTE if surprise <= math.log(1 / error) else Verdict.FAILS


STABLE = 1.5  # the largest growth that we call that of a logarithm


def growth(rounds: NDArray[np.int64], values: NDArray[Any]) -> float:
    """Return |value| / ln n at the last round relative to the first one: 1 for a logarithm."""
    rates = np.abs(values) / np.log(rounds)
    return float(rates[-1] / rates[0]) if rates[0] > 0 else math.inf


def growth_verdict(grown: float, linear: float) -> Verdict:
    """Judge a growth: that of a logarithm, at least half of a linear one, or in between."""
    if grown <= STABLE:
        return Verdict.HOLDS
    return Verdict.FAILS if grown >= linear / 2 else Verdict.NOTE


def growth_check(rounds: NDArray[np.int64]) -> str:
    """Say how a growth is judged."""
    return (
        f"Divided by ln n, at n = {rounds[-1]:,} relative to n = {rounds[0]:,}, it is 1 if it "
        f"grows like a logarithm and {growth(rounds, rounds):.1f} if linearly. Holds up to "
        f"{STABLE:g}, does not from half the linear growth on, with a note in between."
    )


def distance_to(levels: Array) -> float:
    """Return sup |Ĝ − G| from the values of G at the sorted sample."""
    after = np.arange(1, len(levels) + 1) / len(levels)
    return float(max(np.max(after - levels), np.max(levels - after + 1 / len(levels))))


def largest(values: ArrayLike) -> float:
    """Return the largest absolute value."""
    return float(np.max(np.abs(values)))


class Tail(NamedTuple):
    """How often an error exceeded ε, and the lemma's bound on how often it may."""

    name: str
    exceeded: int
    trials: int
    bound: float

    def __str__(self) -> str:
        return f"{self.exceeded / self.trials:.4f}, bound {significant(self.bound)}"


def tails_verdict(tails: Collection[Tail]) -> Verdict:
    """Judge whether all bounds are kept; each gets its share of the chance to fail by luck."""
    error = ERROR / len(tails)
    return worst(frequency_verdict(t.exceeded, t.trials, t.bound, error) for t in tails)


TAIL_CHECK = (
    "Holds if no frequency is above its bound; with a note if one is, but luck explains it. The "
    f"chance that luck alone makes any of them fail, though true, is at most {significant(ERROR)}."
)
