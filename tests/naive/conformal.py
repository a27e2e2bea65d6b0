"""The twins of the conformal policies: ACP-UCB1 and UCB-CP."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .ranks import SLACK, exact_rank, order_statistic
from .rounds import Table, best


class Interval(NamedTuple):
    """The empirical conformal interval of section 3.1."""

    low: float
    high: float
    correction: float

    @property
    def lower(self) -> float:
        return self.low - self.correction

    @property
    def upper(self) -> float:
        return self.high + self.correction

    def score(self, y: float) -> float:
        return max(self.low - y, y - self.high)

    def missed(self, y: float) -> bool:
        return self.score(y) > self.correction


class Outcome(NamedTuple):
    """The arms pulled, and what is known of each arm at the end."""

    arms: list[int]
    level: list[float]
    lower: list[float]
    upper: list[float]


def conformal(history: Sequence[float], level: float, alpha: Fraction) -> Interval:
    """Rescore all of the history against its own quantiles, and take the quantile of the scores."""
    m = len(history)
    low = order_statistic(history, exact_rank(alpha / 2, m))
    high = order_statistic(history, exact_rank(1 - alpha / 2, m))
    base = Interval(low, high, math.nan)
    scores = [base.score(y) for y in history]
    return base._replace(
        correction=order_statistic(scores, exact_rank(1 - Fraction(level), m, SLACK))
    )


def acp_ucb1(
    table: Table,
    *,
    alpha: str | Fraction,
    b: float = 1.0,
    eta: float = 0.01,
    eta_decay: float = 0.0,
    lam: float = 1.0,
    level_min: float = 1e-4,
    level_max: float = 0.5,
    init: int = 2,
    tail: str = "upper",
    scale: str = "unit",
    costs: bool = False,
) -> Outcome:
    """Play ACP-UCB1 (section 3) on a table of rewards or costs; scale="auto" counts in widths."""
    nominal, a = Fraction(alpha), float(Fraction(alpha))
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]
    levels = [a for _ in table]

    def interval(j: int) -> Interval:
        return conformal(histories[j], levels[j], nominal)

    def index(j: int, t: int, unit: float) -> float:
        endpoint = interval(j).lower if tail == "lower" else interval(j).upper
        bonus = b * unit * math.sqrt(math.log(t) / len(histories[j]))
        return (-endpoint if costs else endpoint) + bonus if unit > 0 else math.inf

    def widest() -> float:
        ends = [interval(j) for j in range(len(table))]
        width = max(end.high - end.low for end in ends)
        return width or max(end.high for end in ends) - min(end.low for end in ends)

    for t in range(1, len(table[0]) + 1):
        if t <= init * len(table):
            j = (t - 1) % len(table)
        else:
            unit = widest() if scale == "auto" else 1.0
            j = best([index(j, t, unit) for j in range(len(table))], histories)
        s = len(histories[j]) + 1
        y = table[j][s - 1]
        if s >= 2:
            step = eta * s**-eta_decay if eta_decay else eta
            psi = math.sqrt(math.log(s) / s)
            stepped = levels[j] + step * (a - interval(j).missed(y))
            inside = max(stepped, level_min, a - lam * psi)
            levels[j] = min(inside, level_max, a + lam * psi)
        histories[j].append(y)
        arms.append(j)

    ends = [interval(j) for j in range(len(table))]
    return Outcome(arms, levels, [end.lower for end in ends], [end.upper for end in ends])


def ucb_cp(
    table: Table,
    *,
    seed: int,
    score: str = "U",
    alpha: float = 0.1,
    eta: float = 0.01,
    lam: float = 0.7,
    decay: float = 0.4,
    level_min: float = 1e-4,
    level_max: float = 0.5,
) -> Outcome:
    """Play Conformal Bandits: intervals one reward old, scores kept as they were, ε-greedy."""
    rng = np.random.default_rng(seed)
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]
    scores: list[list[float]] = [[] for _ in table]
    levels = [alpha for _ in table]
    stored = [Interval(-math.inf, math.inf, 0.0) for _ in table]
    worth: dict[str, Callable[[Interval], float]] = {
        "U": lambda interval: interval.upper,
        "L": lambda interval: interval.lower,
        "UL": lambda interval: (interval.upper + interval.lower) / 2,
        "comb": lambda interval: (1 - lam) * interval.upper + lam * interval.lower,
    }

    def choice(t: int) -> int:
        if t <= 2 * len(table):
            return (t - 1) % len(table)
        explores = rng.random() < 0.5 * (t - 1) ** -decay
        top = best([worth[score](interval) for interval in stored], histories)
        others = [arm for arm in range(len(table)) if arm != top]
        return others[int(rng.random() * len(others))] if explores and others else top

    def interval(j: int) -> Interval:
        low, high = (float(np.quantile(histories[j], p)) for p in (alpha / 2, 1 - alpha / 2))
        wanted = exact_rank(1 - Fraction(levels[j]), len(scores[j]) + 1, SLACK)
        found = order_statistic(scores[j], min(wanted, len(scores[j]))) if scores[j] else 0.0
        return Interval(low, high, found)

    for t in range(1, len(table[0]) + 1):
        j = choice(t)
        y = table[j][len(histories[j])]
        if histories[j]:
            stored[j] = interval(j)
            missed = y < stored[j].lower or y > stored[j].upper
            levels[j] = min(max(levels[j] + eta * (alpha - missed), level_min), level_max)
            scores[j].append(stored[j].score(y))
        histories[j].append(y)
        arms.append(j)

    return Outcome(arms, levels, [end.lower for end in stored], [end.upper for end in stored])
