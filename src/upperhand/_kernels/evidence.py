"""Evidence that a coin's chance is above a level, valid at every moment.

Toss a coin whose chance of heads is at most q. For any fixed q' > q, the likelihood ratio

    (q'/q)^heads ((1−q')/(1−q))^tails

is a nonnegative supermartingale that begins at 1: a toss multiplies it by a factor of mean at most
1. So is a mixture of such ratios. By Ville's inequality the mixture ever reaches 1/δ with
probability at most δ, however the moment of looking is chosen: its value is evidence that the
chance is above q. It grows with the number of heads, since each of its ratios does.

The mixture is over twelve q', with logit q' = logit q + x, x geometric from 0.03 to 4. Half of the
weight is spread evenly, half is ∝ x exp(−x²/2σ²), σ² = 11.5 / (1000 q (1−q)): most at what about
1,000 tosses can show. Any weights fixed beforehand are valid. A value costs twelve exponentials.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

POINTS = 12
NEAREST, FARTHEST = 0.03, 4.0  # how far from the level the first and last point lie, in logits
SPREAD = 11.5 / 1000.0  # σ² times q (1−q)

# Two coins: evidence of the first alone, of the second alone, of both at once. The weights sum to 1.
FIRST, SECOND, BOTH = 0.4, 0.03, 0.57


class Evidence(NamedTuple):
    """The mixture against one level, each point by its logarithms."""

    weight: NDArray[np.float64]  # (POINTS,) of the weight
    heads: NDArray[np.float64]  # (POINTS,) of the factor that heads adds to that of any toss
    toss: NDArray[np.float64]  # (POINTS,) of the factor of any toss


def evidence_above(level: float) -> Evidence:
    """Return the mixture against chances of at most `level`."""
    x = np.geomspace(NEAREST, FARTHEST, POINTS)
    likely = x * np.exp(-(x**2) * level * (1.0 - level) / (2.0 * SPREAD))
    weight = 0.5 / POINTS + 0.5 * likely / likely.sum()
    return Evidence(np.log(weight), x, -np.log1p(level * np.expm1(x)))


@kernel
def log_evidence(evidence: Evidence, heads: int, tosses: int) -> float:
    """Return the logarithm of the mixture after so many heads among so many tosses."""
    most = -math.inf
    for i in range(POINTS):
        most = max(most, _term(evidence, i, heads, tosses))
    total = 0.0
    for i in range(POINTS):
        total += math.exp(_term(evidence, i, heads, tosses) - most)
    return most + math.log(total)


@kernel
def _term(evidence: Evidence, i: int, heads: int, tosses: int) -> float:
    gained = heads * float(evidence.heads[i]) + tosses * float(evidence.toss[i])
    return float(evidence.weight[i]) + gained


@kernel
def log_joint(first: float, second: float, shares: float) -> float:
    """Return ln{0.05 A + (0.05 B + 0.9 A B) / c} for A, B and c given by their logarithms."""
    one = math.log(FIRST) + first
    other = math.log(SECOND) + second - shares
    both = math.log(BOTH) + first + second - shares
    most = max(one, other, both)
    return most + math.log(math.exp(one - most) + math.exp(other - most) + math.exp(both - most))
