"""References for the conformal policies: ACP-UCB1 and UCB-CP."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .ranks import SLACK, exact_rank, order_statistic
from .rounds import Histories, Late, Past, Table, best, play_choice, pulls


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
    late: Late | None = None,
) -> Outcome:
    """Play ACP-UCB1 (section 3) on a table of rewards or costs; scale="auto" counts in widths."""
    nominal, a = Fraction(alpha), float(Fraction(alpha))
    levels = [a for _ in table]
    seen: Histories = [Past() for _ in table]

    def interval(j: int) -> Interval:
        return conformal(seen[j], levels[j], nominal)

    def index(j: int, t: int, unit: float) -> float:
        if pulls(seen[j]) < init or not seen[j] or unit == 0:
            return math.inf
        endpoint = interval(j).lower if tail == "lower" else interval(j).upper
        bonus = b * unit * math.sqrt(math.log(t) / pulls(seen[j]))
        return (-endpoint if costs else endpoint) + bonus

    def widest() -> float:
        ends = [interval(j) for j in range(len(table)) if seen[j]]
        width = max((end.high - end.low for end in ends), default=0.0)
        if width or not ends:
            return width
        return max(end.high for end in ends) - min(end.low for end in ends)

    def choice(histories: Histories, t: int) -> int:
        nonlocal seen
        seen = histories
        unit = widest() if scale == "auto" else 1.0
        return best([index(j, t, unit) for j in range(len(table))], histories)

    def learn(histories: Histories, j: int, y: float) -> None:
        nonlocal seen
        seen, s = histories, len(histories[j]) + 1
        if s >= 2:
            step = eta * s**-eta_decay if eta_decay else eta
            psi = math.sqrt(math.log(s) / s)
            stepped = levels[j] + step * (a - interval(j).missed(y))
            inside = max(stepped, level_min, a - lam * psi)
            levels[j] = min(inside, level_max, a + lam * psi)

    arms = play_choice(table, choice, late, learn)
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
    late: Late | None = None,
) -> Outcome:
    """Play Conformal Bandits: intervals one reward old, scores kept as they were, ε-greedy."""
    rng = np.random.default_rng(seed)
    scores: list[list[float]] = [[] for _ in table]
    levels = [alpha for _ in table]
    stored = [Interval(-math.inf, math.inf, 0.0) for _ in table]
    worth: dict[str, Callable[[Interval], float]] = {
        "U": lambda interval: interval.upper,
        "L": lambda interval: interval.lower,
        "UL": lambda interval: (interval.upper + interval.lower) / 2,
        "comb": lambda interval: (1 - lam) * interval.upper + lam * interval.lower,
    }

    def choice(histories: Histories, t: int) -> int:
        def value(j: int) -> float:
            known = pulls(histories[j]) >= 2 and stored[j].upper < math.inf
            return worth[score](stored[j]) if known else math.inf

        top = best([value(j) for j in range(len(table))], histories)
        if pulls(histories[top]) < 2:
            return top
        explores = rng.random() < 0.5 * (t - 1) ** -decay
        others = [arm for arm in range(len(table)) if arm != top]
        return others[int(rng.random() * len(others))] if explores and others else top

    def interval(past: Sequence[float], j: int) -> Interval:
        low, high = (float(np.quantile(past, p)) for p in (alpha / 2, 1 - alpha / 2))
        wanted = exact_rank(1 - Fraction(levels[j]), len(scores[j]) + 1, SLACK)
        found = order_statistic(scores[j], min(wanted, len(scores[j]))) if scores[j] else 0.0
        return Interval(low, high, found)

    def learn(histories: Histories, j: int, y: float) -> None:
        if histories[j]:
            stored[j] = interval(histories[j], j)
            missed = y < stored[j].lower or y > stored[j].upper
            levels[j] = min(max(levels[j] + eta * (alpha - missed), level_min), level_max)
            scores[j].append(stored[j].score(y))

    arms = play_choice(table, choice, late, learn)
    return Outcome(arms, levels, [end.lower for end in stored], [end.upper for end in stored])
