"""Evidence that a coin's chance is above a level, valid at every moment.

Toss a coin whose chance of heads is at most q. For any fixed q' > q, the likelihood ratio

    (q'/q)^heads ((1−q')/(1−q))^tails

is a nonnegative supermartingale that begins at 1: a toss multiplies it by a factor of mean at most
1. So is a mixture of such ratios. By Ville's inequality the mixture ever reaches 1/δ with
probability at most δ, however the moment of looking is chosen: its value is evidence that the
chance is above q. It grows with the number of heads, since each of its ratios does.

The mixture is over sixteen q', logit q' = logit q + x, x geometric up to 4, and ln x is logistic
about ln σ: the weight is ∝ 1/cosh²(ln(x/σ)). With a tolerance ε, what matters are differences in
chance of that order: σ = 1.5 ε / (q (1−q)), and x begins at 0.15 σ, less than ε makes. Without one,
σ² = 6 / (1000 q (1−q)), most at what 1,000 tosses can show, and x begins at 0.005: a chance that is
above q by less than half of that (in logits) is not found out. With a small ε neither is less than
that: σ is at least 0.9 of it. Any weights fixed beforehand are
valid; these were chosen by simulation (docs/best-arm.md). A value costs sixteen exponentials.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

POINTS = 16
FARTHEST = 4.0  # how far from the level the last point lies, in logits
TOGETHER = 20.0  # evidence of two coins at once weighs so much more than of the second alone


class Evidence(NamedTuple):
    """The mixture against one level, each point by its logarithms."""

    weight: NDArray[np.float64]  # (POINTS,) of the weight
    heads: NDArray[np.float64]  # (POINTS,) of the factor that heads adds to that of any toss
    toss: NDArray[np.float64]  # (POINTS,) of the factor of any toss


def evidence_above(level: float, epsilon: float = 0.0) -> Evidence:
    """Return the mixture against chances of at most `level`, for a tolerance ε of the finding."""
    width = level * (1.0 - level)
    spread = math.sqrt(0.006 / width)
    if epsilon > 0.0:
        spread = max(1.5 * epsilon / width, 0.9 * spread)
    nearest = max(0.225 * epsilon / width, 0.005)
    x = np.geomspace(min(nearest, FARTHEST / 2), FARTHEST, POINTS)
    likely = np.cosh(np.log(x / spread)) ** -2.0
    return Evidence(np.log(likely / likely.sum()), x, -np.log1p(level * np.expm1(x)))


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
def log_weights(shares: int) -> tuple[float, float, float]:
    """Return the logarithms of the weights of A, B and A B in `log_joint`."""
    total = shares + 1.0 + TOGETHER
    second = -math.log(shares * total)
    return math.log(shares / total), second, second + math.log(TOGETHER)


@kernel
def log_joint(first: float, second: float, shares: int) -> float:
    """Return ln{c A + (B + 20 A B) / c} − ln(c + 21) for A and B given by their logarithms."""
    alone, other, both = log_weights(shares)
    one, two, three = alone + first, other + second, both + first + second
    most = max(one, two, three)
    return most + math.log(math.exp(one - most) + math.exp(two - most) + math.exp(three - most))
