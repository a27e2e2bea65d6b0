"""What the chapters share: random numbers by claim, long runs, and verdicts from numbers.

The page must be the same on every machine. So an error that is rounding only is printed as its
limit, never as a number: its digits differ between processors and builds of NumPy.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from upperhand.distributions import Distribution
from upperhand.paper.claim import Verdict, steady, worst
from upperhand.policies import Policy
from upperhand.simulation.runs import Runs
from upperhand.simulation.simulate import simulate
from upperhand.text import significant
from upperhand.theory.lower_bounds import bernoulli_kl

Array = NDArray[np.float64]

ERROR = 1e-6  # the probability that a true statement is judged not to hold by random frequencies
TRIALS = 2_000  # of a Monte-Carlo check: a frequency is then known to about one percent
ROUNDING = 1e-12  # what doubles may lose in a few operations on numbers near 1


class Effort(NamedTuple):
    """What a check of the theory may draw: its seed, and how many trials."""

    seed: int = 0
    trials: int = TRIALS


def stream(effort: Effort, *key: int) -> np.random.Generator:
    """Return the random numbers of one claim: the key is its chapter and its place there."""
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


def largest(values: ArrayLike) -> float:
    """Return the largest absolute value."""
    return float(np.max(np.abs(values)))


def shown(error: float, allowed: float = ROUNDING) -> str:
    """Return an error for print: its limit if it is within it, and a number only beyond."""
    return f"at most {significant(allowed)}" if error <= allowed else significant(error, 2)


def distance_to(levels: Array) -> float:
    """Return sup |Ĝ − G| from the values of G at the sorted sample."""
    after = np.arange(1, len(levels) + 1) / len(levels)
    return float(max(np.max(after - levels), np.max(levels - after + 1 / len(levels))))


LONG_ROUNDS = 10 ** np.arange(3, 7)  # the recorded rounds of a long run, a decade apart
STABLE = 1.5  # the largest growth that we call that of a logarithm
LINEAR_GROWTH = 10 * math.log(LONG_ROUNDS[-2]) / math.log(LONG_ROUNDS[-1])
GROWTH_CHECK = (
    f"Divided by ln n, at n = {LONG_ROUNDS[-1]:,} relative to n = {LONG_ROUNDS[-2]:,}, it is 1 if "
    f"it grows like a logarithm and {LINEAR_GROWTH:.1f} if linearly. Holds up to {STABLE:g}, does "
    "not hold from half the linear growth on, with a note in between."
)


@cache
def long_runs(
    arms: tuple[Distribution, ...], policies: tuple[Policy, ...], replications: int, seed: int
) -> Runs:
    """Play policies for a million rounds. Several claims look at the same runs."""
    named = {policy.name: policy for policy in policies}
    horizon = int(LONG_ROUNDS[-1])
    return simulate(arms, named, horizon, replications, seed, rounds=LONG_ROUNDS, progress=False)


def growth(values: ArrayLike) -> float:
    """Return |value| / ln n at the end of the last decade relative to its start."""
    rates = np.abs(np.asarray(values, dtype=np.float64)[-2:]) / np.log(LONG_ROUNDS[-2:])
    return float(rates[1] / rates[0]) if rates[0] > 0 else math.inf


def growth_verdict(grown: float) -> Verdict:
    """Judge a growth: that of a logarithm, at least half of a linear one, or in between."""
    if grown <= STABLE:
        return Verdict.HOLDS
    return Verdict.FAILS if grown >= LINEAR_GROWTH / 2 else Verdict.NOTE


def growths_verdict(values: Iterable[ArrayLike]) -> Verdict:
    """Judge several values: all have to grow like a logarithm."""
    return worst(growth_verdict(growth(each)) for each in values)


def described(values: Mapping[str, Array]) -> dict[str, str]:
    """Return values at the recorded rounds with three digits, and their growth."""
    said = {name: (", ".join(map(_three_digits, v)), growth(v)) for name, v in values.items()}
    return {name: f"{listed}; growth {grown:.2f}" for name, (listed, grown) in said.items()}


def _three_digits(value: float) -> str:
    return f"{float(f'{steady(value):.3g}'):,.10g}"


class Tail(NamedTuple):
    """How often an error exceeded ε, and the lemma's bound on the probability of that."""

    name: str
    exceeded: int
    trials: int
    bound: float

    def __str__(self) -> str:
        bound = "above 1" if self.bound >= 1 else significant(self.bound)
        return f"{self.exceeded / self.trials:.4f}, bound {bound}"


def frequency_verdict(count: int, trials: int, bound: float, error: float = ERROR) -> Verdict:
    """Judge P ≤ bound: a frequency above it is a note, one that chance cannot explain fails.

    By Chernoff's inequality a frequency x > p has a probability of at most exp(−N kl(x, p)):
    a true bound fails with a probability of at most `error`.
    """
    frequency = count / trials
    if frequency <= bound:
        return Verdict.HOLDS
    surprise = trials * float(bernoulli_kl(frequency, bound))
    return Verdict.NOTE if surprise <= math.log(1 / error) else Verdict.FAILS


def tails_verdict(tails: Collection[Tail]) -> Verdict:
    """Judge whether all bounds are kept; each gets its share of the probability of error."""
    error = ERROR / len(tails)
    return worst(frequency_verdict(t.exceeded, t.trials, t.bound, error) for t in tails)


TAIL_CHECK = (
    "Holds if no frequency is above its bound; with a note if one is, but chance explains it. The "
    f"probability that any of them fails though true is at most {significant(ERROR)}."
)
