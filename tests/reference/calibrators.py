"""Calibrators the slow way: full lists, shares counted one by one, ranks by fractions.

Each reference has `interval(low, high)` and `update(low, high, y)`. Settings come as text,
so that a level of 0.1 is one tenth and not the double next to it.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from .ranks import SLACK, exact_rank, order_statistic, quantile
from .rounds import Table, best

Ends = tuple[float, float]
EMPTY = (math.inf, -math.inf)


def first_reaching(values: Sequence[float], weights: Sequence[int], target: Fraction) -> float:
    """Return the smallest value at or below which the weights reach the target, or +∞."""
    total, least = 0, math.ceil(target)
    for value, weight in sorted(zip(values, weights, strict=True)):
        total += weight
        if total >= least:
            return value
    return math.inf


class Split:
    """What the references share: α, and all scores in the order in which they came."""

    def __init__(self, alpha: str = "0.1") -> None:
        self.nominal, self.alpha = Fraction(alpha), float(alpha)
        self.scores: list[float] = []

    def correction(self) -> float:
        """Return ĉ."""
        return self.of_all_and_one_more(self.scores, 1 - self.nominal)

    def of_all_and_one_more(self, scores: list[float], level: Fraction) -> float:
        """Return the first score that as many reach as are `level` of all with the next one."""
        return first_reaching(scores, [1] * len(scores), level * (len(scores) + 1))

    def interval(self, low: float, high: float) -> Ends:
        ends = low - self.correction(), high + self.correction()
        return ends if ends[0] <= ends[1] else EMPTY

    def missed(self, low: float, high: float, y: float) -> bool:
        lower, upper = self.interval(low, high)
        return y < lower or y > upper

    def update(self, low: float, high: float, y: float) -> None:
        self.scores.append(max(low - y, y - high))

    def saw(self, y: float) -> None:
        """Take note of an outcome without a forecast."""


class Asymmetric(Split):
    """CQR with an end at a time."""

    def __init__(self, alpha: str = "0.1") -> None:
        super().__init__(alpha)
        self.steps: list[tuple[float, float, float]] = []

    def interval(self, low: float, high: float) -> Ends:
        level = 1 - self.nominal / 2
        lower = low - self.of_all_and_one_more([lo - y for lo, _, y in self.steps], level)
        upper = high + self.of_all_and_one_more([y - hi for _, hi, y in self.steps], level)
        return (lower, upper) if lower <= upper else EMPTY

    def update(self, low: float, high: float, y: float) -> None:
        self.steps.append((low, high, y))


class ACI(Split):
    """The level has been through floats, as the library's: see `ranks.SLACK`."""

    def __init__(self, alpha: str = "0.1", gamma: float = 0.005) -> None:
        super().__init__(alpha)
        self.gamma, self.level = gamma, self.alpha

    def correction(self) -> float:
        if not 1e-12 < self.level < 1 - 1e-12:  # 0 and 1 themselves, through floats
            return math.inf if self.level < 0.5 else -math.inf
        target = max(1, (1 - Fraction(self.level)) * len(self.scores) - SLACK)
        return first_reaching(self.scores, [1] * len(self.scores), target)

    def update(self, low: float, high: float, y: float) -> None:
        self.level += self.gamma * (self.alpha - self.missed(low, high, y))
        super().update(low, high, y)


class ClippedACI(Split):
    def __init__(self, alpha: str = "0.1", eta: float = 0.01) -> None:
        super().__init__(alpha)
        self.eta, self.level = eta, self.alpha

    def interval(self, low: float, high: float) -> Ends:
        wanted = exact_rank(1 - Fraction(self.level), len(self.scores) + 1, SLACK)
        found = sorted(self.scores)[: min(wanted, len(self.scores))][-1:] or [0.0]
        return low - found[0], high + found[0]

    def update(self, low: float, high: float, y: float) -> None:
        stepped = self.level + self.eta * (self.alpha - self.missed(low, high, y))
        self.level = sorted([1e-4, stepped, 0.5])[1]
        super().update(low, high, y)


class Rescored(Split):
    def __init__(self, alpha: str = "0.1", eta: float = 0.01, lam: float = 1.0) -> None:
        super().__init__(alpha)
        self.eta, self.lam, self.level = eta, lam, self.alpha
        self.past: list[float] = []

    def anew(self, low: float, high: float) -> float:
        scores = [max(low - y, y - high) for y in self.past]
        return order_statistic(scores, exact_rank(1 - Fraction(self.level), len(scores), SLACK))

    def interval(self, low: float, high: float) -> Ends:
        if not self.past:
            return -math.inf, math.inf
        return low - self.anew(low, high), high + self.anew(low, high)

    def update(self, low: float, high: float, y: float) -> None:
        s = len(self.past) + 1
        if self.past:
            err = max(low - y, y - high) > self.anew(low, high)
            radius = self.lam * math.sqrt(math.log(s) / s)
            bounds = max(1e-4, self.alpha - radius), min(0.5, self.alpha + radius)
            self.level = sorted([*bounds, self.level + self.eta * (self.alpha - err)])[1]
        self.past.append(y)

    def saw(self, y: float) -> None:
        self.past.append(y)


class DecayingSteps(Split):
    """The threshold anew from all misses, each time."""

    def __init__(self, alpha: str = "0.1", eta: float = 1.0, epsilon: float = 0.1) -> None:
        super().__init__(alpha)
        self.eta, self.power, self.misses = eta, -0.5 - epsilon, [False]

    def correction(self) -> float:
        if not self.scores:
            return math.inf
        threshold = self.scores[0]
        for t, missed in enumerate(self.misses[: len(self.scores)], start=1):
            threshold += self.eta * float(t) ** self.power * (missed - self.alpha)
        return threshold

    def update(self, low: float, high: float, y: float) -> None:
        if self.scores:
            self.misses.append(self.missed(low, high, y))
        super().update(low, high, y)


class NexCP(Split):
    """All weights, as whole numbers: those of ρ = p/q, times qⁿ."""

    def __init__(self, alpha: str = "0.1", decay: str = "0.99") -> None:
        super().__init__(alpha)
        self.p, self.q = Fraction(decay).as_integer_ratio()

    def correction(self) -> float:
        n, p, q = len(self.scores), self.p, self.q
        weights = [p ** (n + 1 - i) * q ** (i - 1) for i in range(1, n + 1)]
        target = (1 - self.nominal) * (q**n + sum(weights)) - SLACK * q**n
        return first_reaching(self.scores, weights, target)


class SPS(Split):
    """Every score seen is tried as the threshold."""

    def __init__(self, alpha: str = "0.1", horizon: int = 100) -> None:
        super().__init__(alpha)
        self.horizon, self.count, self.threshold = horizon, 0, math.inf

    def correction(self) -> float:
        return self.threshold

    def update(self, low: float, high: float, y: float) -> None:
        if not self.missed(low, high, y):
            super().update(low, high, y)
        self.count += 1
        radius = math.sqrt(math.log(2 * self.horizon**2) / (2 * self.count))
        unseen = self.count - len(self.scores)
        for q in set(self.scores):
            above = unseen + sum(score > q for score in self.scores)
            if above / self.count + radius <= self.alpha + 1e-11:
                self.threshold = min(self.threshold, q)


def acp_ucb1(
    table: Table, make: Callable[[], Split], *, alpha: str, b: float = 1.0
) -> tuple[list[int], list[Ends]]:
    """Play ACP-UCB1's choice on a calibrator's intervals; return the arms, and the last ends."""
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]
    references = [make() for _ in table]

    def base(j: int) -> Ends:
        low, high = (quantile(histories[j], p) for p in tail_levels)
        return low, high

    def interval(j: int) -> Ends:
        ends = references[j].interval(*base(j))
        return ends if ends[0] <= ends[1] else base(j)

    tail_levels = Fraction(alpha) / 2, 1 - Fraction(alpha) / 2
    for t in range(1, len(table[0]) + 1):
        j = (t - 1) % len(table)
        if t > 2 * len(table):
            bonus = [b * math.sqrt(math.log(t) / len(history)) for history in histories]
            j = best([interval(i)[1] + bonus[i] for i in range(len(table))], histories)
        y = table[j][len(histories[j])]
        if histories[j]:
            references[j].update(*base(j), y)
        else:
            references[j].saw(y)
        histories[j].append(y)
        arms.append(j)
    return arms, [interval(j) for j in range(len(table))]
