"""A reference for Quantile-Evidence's stopping rule: all thresholds, from raw lists, each round."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from .ranks import quantile

POINTS = 16


def exact_evidence(level: str, epsilon: str, heads: int, tosses: int) -> Decimal:
    """The mixture itself, by powers of likelihood ratios, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        q, e = Decimal(level), Decimal(epsilon)
        width = q * (1 - q)
        sigma = (Decimal("0.006") / width).sqrt()
        sigma = max(Decimal("1.5") * e / width, Decimal("0.9") * sigma) if e else sigma
        first = min(max(Decimal("0.225") * e / width, Decimal("0.005")), Decimal(2))
        ratio = ((4 / first).ln() / (POINTS - 1)).exp()
        x = [first * ratio**i for i in range(POINTS)]
        likely = [(each / sigma + sigma / each) ** -2 for each in x]
        weights = [each / sum(likely) for each in likely]
        chances = [1 / (1 + (1 - q) / q * (-each).exp()) for each in x]
        return sum(
            (
                w * (p / q) ** heads * ((1 - p) / (1 - q)) ** (tosses - heads)
                for w, p in zip(weights, chances, strict=True)
            ),
            Decimal(0),
        )


@cache
def _table(level: str, epsilon: str) -> tuple[list[np.longdouble], ...]:
    """The points and weights once more, in long doubles."""
    q, e = float(level), float(epsilon)
    sigma = math.sqrt(0.006 / (q * (1 - q)))
    sigma = max(1.5 * e / (q * (1 - q)), 0.9 * sigma) if e else sigma
    first = min(max(0.225 * e / (q * (1 - q)), 0.005), 2.0)
    x = np.array([first * (4 / first) ** (i / 15) for i in range(POINTS)], np.longdouble)
    likely = (x / sigma + sigma / x) ** -2
    p = q * np.exp(x) / (1 - q + q * np.exp(x))
    return likely / likely.sum(), np.log(p / q), np.log((1 - p) / (1 - q))


@cache
def evidence(level: str, epsilon: str, heads: int, tosses: int) -> float:
    """The mixture in long doubles, whose range a few thousand tosses do not leave."""
    weight, head, tail = _table(level, epsilon)
    return np.sum(weight * np.exp(heads * head + (tosses - heads) * tail))


def least_evidence(
    values: Sequence[float],
    witness: Sequence[float],
    *,
    tau: str,
    epsilon: str,
    shares: int,
    closed: bool,
) -> float:
    """inf E(u) over all real u: at every value of both, between any two of them, and outside."""
    points = sorted({*values, *witness})
    between = [(a + b) / 2 for a, b in pairwise(points)]
    found = []
    for u in (-math.inf, *points, *between, math.inf):
        below = sum(y < u for y in values)
        above = sum(y >= u if closed else y > u for y in witness)
        own = evidence(tau, epsilon, below, len(values))
        high = str(float(1 - Fraction(tau) - Fraction(epsilon)))
        other = evidence(high, epsilon, above, len(witness))
        joint = (other + 20 * own * other) / shares
        found.append((shares * own + joint) / (shares + 21))
    return min(found)


class Judge:
    """The rule over a run's arms and rewards: who is discarded, and when it is over."""

    def __init__(self, arms: int, *, tau: str, delta: float, epsilon: str) -> None:
        self.tau, self.epsilon, self.enough = tau, epsilon, 1 / delta
        self.past: list[list[float]] = [[] for _ in range(arms)]
        self.pooled: list[list[float]] = [[] for _ in range(arms)]  # of those who led all but a
        self.discarded: set[tuple[int, int]] = set()  # (h, a); (0, a) if ε = 0
        self.order, self.found = list(range(arms)), -1  # the arms, the best first

    @property
    def leader(self) -> int:
        """The best so far."""
        return self.order[0]

    def learn(self, arm: int, reward: float) -> None:
        """One more reward."""
        for a, pool in enumerate(self.pooled):
            if arm == next((j for j in self.order if j != a), a):
                pool.append(reward)
        self.past[arm].append(reward)
        level = Fraction(self.tau) + Fraction(self.epsilon) / 2

        def worth(j: int) -> tuple[float, Fraction]:
            values = self.past[j]
            if not values:
                return -math.inf, Fraction(0)
            best = quantile(values, level)
            return best, -Fraction(sum(y < best for y in values), len(values))

        self.order = sorted(range(len(self.past)), key=worth, reverse=True)
        if all(self.past) and self.found < 0:
            self.weigh()

    def weigh(self) -> None:
        """Discard, and see who is left."""
        exact, arms, h = self.epsilon == "0", range(len(self.past)), self.leader
        row = 0 if exact else h
        for a in arms:
            if a != h and (row, a) not in self.discarded:
                least = least_evidence(
                    self.past[a],
                    self.pooled[a] if exact else self.past[h],
                    tau=self.tau,
                    epsilon=self.epsilon,
                    shares=1 if exact else len(self.past) - 1,
                    closed=not exact,
                )
                if least >= self.enough:
                    self.discarded.add((row, a))
        left = [a for a in arms if (row, a) not in self.discarded]
        if exact and len(left) == 1:
            self.found = left[0]
        if not exact and set(left) <= {h}:
            self.found = h
