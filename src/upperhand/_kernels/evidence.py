"""Evidence that a coin's chance is above a level, valid at every moment.

Toss a coin whose chance of heads is at most q. For any fixed q' > q, the likelihood ratio

    (q'/q)^heads ((1−q')/(1−q))^tails

is a nonnegative supermartingale that begins at 1: a toss multiplies it by a factor of mean at most
1. So is a mixture of such ratios. By Ville's inequality the mixture ever reaches 1/δ with
probability at most δ, however the moment of looking is chosen: its value is evidence that the
chance is above q. It grows with the number of heads, since each of its ratios does.

The mixture is over sixteen q', logit q' = logit q + x, x geometric up to 4. 15 % of the weight is
spread evenly, the rest is ∝ x exp(−x²/2σ²). With a tolerance ε, what matters are differences in
chance of that order: σ = 1.5 ε / (q (1−q)), and x begins at 0.15 σ, less than ε makes. Without one,
σ² = 11.5 / (1000 q (1−q)), most at what 1,000 tosses can show, and x begins at 0.005: a chance
that is above q by less than half of that (in logits) is not found out. Any weights fixed
beforehand are valid; these were chosen by simulation (docs/best-arm.md). A value costs sixteen
exponentials.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

POINTS = 16
FARTHEST = 4.0  # how far from the level the last point lies, in logits
EVEN = 0.15  # the part of the weight that is spread evenly

# Of two coins: evidence of the first alone, of the second alone, of both at once. They sum to 1.
FIRST, SECOND, BOTH = 0.4, 0.03, 0.57


class Evidence(NamedTuple):
    """The mixture against one level, each point by its logarithms."""

    weight: NDArray[np.float64]  # (POINTS,) of the weight
    heads: NDArray[np.float64]  # (POINTS,) of the factor that heads adds to that of any toss
    toss: NDArray[np.float64]  # (POINTS,) of the factor of any toss


def evidence_above(level: float, epsilon: float = 0.0) -> Evidence:
    """Return the mixture against chances of at most `level`, for a tolerance ε of the finding."""
    width = level * (1.0 - level)
    spread = 1.5 * epsilon / width if epsilon > 0.0 else math.sqrt(11.5 / (1000.0 * width))
    nearest = 0.15 * spread if epsilon > 0.0 else 0.005
    x = np.geomspace(min(nearest, FARTHEST / 2), FARTHEST, POINTS)
    likely = x * np.exp(-((x / spread) ** 2) / 2.0)
    weight = EVEN / POINTS + (1.0 - EVEN) * likely / likely.sum()
    return Evidence(np.log(weight), x, -np.log1p(level * np.expm1(x)))


def log_evidences(evidence: Evidence, heads: NDArray[np.int64], tosses: int) -> NDArray[np.float64]:
    """Return `log_evidence` for many numbers of heads."""
    gained = np.multiply.outer(evidence.heads, heads) + (evidence.toss * tosses)[:, None]
    result: NDArray[np.float64] = np.logaddexp.reduce(evidence.weight[:, None] + gained)
    return result


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
    """Return ln{0.4 A + (0.03 B + 0.57 A B) / c} for A, B and c given by their logarithms."""
    one = math.log(FIRST) + first
    other = math.log(SECOND) + second - shares
    both = math.log(BOTH) + first + second - shares
    most = max(one, other, both)
    return most + math.log(math.exp(one - most) + math.exp(other - most) + math.exp(both - most))
