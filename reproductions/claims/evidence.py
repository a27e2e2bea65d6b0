"""What the chapters share: random numbers by claim, and the kinds of evidence for a verdict.

The page must be the same on every machine. Rounding errors differ between processors and builds
of NumPy, so they are printed as their limit, never as a number.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from upperhand.distributions import Distribution
from upperhand.paper.claims import Claim, Verdict, steady, worst
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
    """The size of a random check: its seed, and how many trials it draws."""

    seed: int = 0
    trials: int = TRIALS


def stream(effort: Effort, *key: int) -> np.random.Generator:
    """Return the random numbers of one claim: the key is its chapter and its place there."""
    return np.random.default_rng([effort.seed, *key])


def seed_of(effort: Effort, *key: int) -> int:
    """Return a seed for the simulations of one claim."""
    return int(stream(effort, *key).integers(2**62))


def share_of(effort: Effort, part: int, *, minimum: int = 1) -> int:
    """Return one in `part` of the trials, for checks whose every draw takes long."""
    return max(minimum, effort.trials // part)


def holds_if(true: bool | np.bool_, *, note_if: bool | np.bool_ = False) -> Verdict:
    """Return the verdict: the statement holds, holds with a note, or does not hold."""
    if true:
        return Verdict.HOLDS
    return Verdict.NOTE if note_if else Verdict.FAILS


def largest(values: ArrayLike) -> float:
    """Return the largest absolute value."""
    return float(np.max(np.abs(values)))


def shown(error: float, allowed: float = ROUNDING) -> str:
    """Return an error for print: its limit if it is within it, otherwise the number."""
    return f"at most {significant(allowed)}" if error <= allowed else significant(error, 2)


def equal(
    where: str, statement: str, check: str, errors: ArrayLike, allowed: float = ROUNDING
) -> Claim:
    """Return a claim that holds if two sides differ by no more than rounding."""
    error = largest(errors)
    numbers = {"largest difference": shown(error, allowed)}
    return Claim(where, statement, check, numbers, holds_if(error <= allowed))


def equivalent(where: str, statement: str, check: str, one: ArrayLike, other: ArrayLike) -> Claim:
    """Return a claim that holds if two sides are true in the same cases."""
    left, right = np.asarray(one), np.asarray(other)
    different = int(np.sum(left != right))
    numbers = {"cases": f"{left.size:,}, true in {int(left.sum()):,}"}
    numbers["disagreements"] = str(different)
    return Claim(where, statement, check, numbers, holds_if(different == 0))


def bounded(where: str, statement: str, check: str, ratios: Mapping[str, ArrayLike]) -> Claim:
    """Return a claim that holds if no ratio to its bound is above 1, up to rounding."""
    found = {name: largest(each) for name, each in ratios.items()}
    numbers = {name: f"{ratio:.4f}" for name, ratio in found.items()}
    return Claim(where, statement, check, numbers, holds_if(max(found.values()) <= 1 + 1e-9))


def distance_to(levels: Array) -> float:
    """Return sup |Ĝ − G| from the values of G at the sorted sample."""
    after = np.arange(1, len(levels) + 1) / len(levels)
    return float(max(np.max(after - levels), np.max(levels - after + 1 / len(levels))))


class Tail(NamedTuple):
    """Whether an error exceeded ε in each trial, and the lemma's bound on the probability."""

    name: str
    exceeded: NDArray[np.bool_]
    bound: float

    def __str__(self) -> str:
        bound = "above 1" if self.bound >= 1 else significant(self.bound)
        return f"{self.exceeded.mean():.4f}, bound {bound}"


def rare(where: str, statement: str, check: str, tails: Sequence[Tail]) -> Claim:
    """Return a claim that holds if no frequency exceeds the bound on its probability.

    By Chernoff's inequality a frequency x > p has a probability of at most exp(−N kl(x, p)). Each
    bound gets its share of the probability of error.
    """
    allowed, verdicts = math.log(len(tails) / ERROR), [Verdict.HOLDS]
    for _, exceeded, bound in tails:
        if (frequency := float(exceeded.mean())) > bound:
            surprise = len(exceeded) * float(bernoulli_kl(frequency, bound))
            verdicts.append(holds_if(False, note_if=surprise <= allowed))
    numbers = {tail.name: str(tail) for tail in tails}
    return Claim(where, statement, check, numbers, worst(verdicts))


LONG_ROUNDS = 10 ** np.arange(3, 7)  # the recorded rounds of a long run, a decade apart
LINEAR_GROWTH = 10 * math.log(LONG_ROUNDS[-2]) / math.log(LONG_ROUNDS[-1])


@cache
def long_runs(
    arms: tuple[Distribution, ...], policies: tuple[Policy, ...], replications: int, seed: int
) -> Runs:
    """Play policies for a million rounds. Several claims use the same runs."""
    named = {policy.name: policy for policy in policies}
    horizon = int(LONG_ROUNDS[-1])
    return simulate(arms, named, horizon, replications, seed, rounds=LONG_ROUNDS, progress=False)


def growth(values: ArrayLike) -> float:
    """Return |value| / ln n at the end of the last decade relative to its start."""
    rates = np.abs(np.asarray(values, dtype=np.float64)[-2:]) / np.log(LONG_ROUNDS[-2:])
    return float(rates[1] / rates[0]) if rates[0] > 0 else math.inf


def logarithmic(
    where: str, statement: str, check: str, values: Mapping[str, Array], *, ours: bool = False
) -> Claim:
    """Return a claim that holds if all values grow like a logarithm.

    The growth of a logarithm is 1. Half of the growth of a linear function refutes the claim.
    """
    grown = max(map(growth, values.values()))
    verdict = holds_if(grown <= 1.5, note_if=grown < LINEAR_GROWTH / 2)
    numbers = {
        name: f"{', '.join(map(_three_digits, each))}; growth {growth(each):.2f}"
        for name, each in values.items()
    }
    return Claim(where, statement, check, numbers, verdict, ours=ours)


def _three_digits(value: float) -> str:
    return f"{float(f'{steady(value):.3g}'):,.10g}"
