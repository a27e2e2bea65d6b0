"""The twin of Quantile-Evidence's stopping rule: all thresholds, from raw lists, each round."""

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
        sigma = Decimal("1.5") * e / width if e else (Decimal("0.0115") / width).sqrt()
        first = min(Decimal("0.15") * sigma, Decimal(2)) if e else Decimal("0.005")
        ratio = ((4 / first).ln() / (POINTS - 1)).exp()
        x = [first * ratio**i for i in range(POINTS)]
        likely = [each * (-((each / sigma) ** 2) / 2).exp() for each in x]
        weights = [
            Decimal("0.15") / POINTS + Decimal("0.85") * each / sum(likely) for each in likely
        ]
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
    sigma = 1.5 * e / (q * (1 - q)) if e else math.sqrt(0.0115 / (q * (1 - q)))
    first = min(0.15 * sigma, 2.0) if e else 0.005
    x = np.array([first * (4 / first) ** (i / 15) for i in range(POINTS)], np.longdouble)
    likely = x * np.exp(-((x / sigma) ** 2) / 2)
    p = q * np.exp(x) / (1 - q + q * np.exp(x))
    return 0.15 / POINTS + 0.85 * likely / likely.sum(), np.log(p / q), np.log((1 - p) / (1 - q))


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
        found.append(0.4 * own + (0.03 * other + 0.57 * own * other) / shares)
    return min(found)


class Judge:
    """The rule over a run's arms and rewards: who is discarded, and when it is over."""

    def __init__(self, arms: int, *, tau: str, delta: float, epsilon: str) -> None:
        self.tau, self.epsilon, self.enough = tau, epsilon, 1 / delta
        self.past: list[list[float]] = [[] for _ in range(arms)]
        self.led: list[tuple[int, float]] = []  # who led and was pulled, and what came
        self.discarded: set[tuple[int, int]] = set()  # (h, a); (0, a) if ε = 0
        self.leader, self.found = 0, -1

    def learn(self, arm: int, reward: float) -> None:
        """One more reward."""
        if arm == self.leader and self.past[arm]:
            self.led.append((arm, reward))
        self.past[arm].append(reward)
        worth = [quantile(y, Fraction(self.tau)) if y else -math.inf for y in self.past]
        self.leader = worth.index(max(worth))
        if all(self.past) and self.found < 0:
            self.weigh()

    def weigh(self) -> None:
        """Discard, and see who is left."""
        exact, arms, h = self.epsilon == "0", range(len(self.past)), self.leader
        row = 0 if exact else h
        for a in arms:
            if a != h and (row, a) not in self.discarded:
                pooled = [reward for arm, reward in self.led if arm != a]
                least = least_evidence(
                    self.past[a],
                    pooled if exact else self.past[h],
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
