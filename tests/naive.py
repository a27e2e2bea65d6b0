"""The obvious twins: ACP-UCB1 and UCB1 straight from the paper, rebuilt from raw histories.

Nothing here comes from upperhand. Ranks are exact: a nominal level is given as it is written down
("0.14") and stays a rational number. What the fast code finds must be *equal* (==), not close.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

# The adaptive level α_{j,s} has been through floats: α + η (α − err) is the double next to 0.101,
# not 0.101, and twenty more steps leave it a few more units off in the last place. Where the level
# that is meant makes (1 − level) m whole, its double makes it a hair more or less, and an exact
# comparison of the double would pick the rank by the sign of a rounding error. So the definition
# is an exact rational comparison that forgives 1e-9 of a rank: above what those errors add up to in
# thousands of steps (some 1e-17 a step, times m), far below the distance of any product that is not
# meant to be whole. It is rational, so that it does not depend on how a product was rounded.
SLACK = Fraction(1, 10**9)


def exact_rank(level: Fraction, m: int, slack: Fraction = Fraction(0)) -> int:
    """Return the smallest k ≥ 1 with k/m ≥ level, up to the slack."""
    return max(1, math.ceil(level * m - slack))


def order_statistic(values: Sequence[float], k: int) -> float:
    """Return x_(k)."""
    return sorted(values)[k - 1]


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


class Outcome(NamedTuple):
    """The arms pulled, and what is known of each arm at the end."""

    arms: list[int]
    level: list[float]
    lower: list[float]
    upper: list[float]


def acp_ucb1(
    table: Sequence[Sequence[float]],
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
) -> Outcome:
    """Play ACP-UCB1 (section 3) on a reward table."""
    nominal, a = Fraction(alpha), float(Fraction(alpha))
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]
    levels = [a for _ in table]

    def interval(j: int) -> Interval:
        return conformal(histories[j], levels[j], nominal)

    def index(j: int, t: int) -> float:
        endpoint = interval(j).lower if tail == "lower" else interval(j).upper
        return endpoint + b * math.sqrt(math.log(t) / len(histories[j]))

    for t in range(1, len(table[0]) + 1):
        if t <= init * len(table):
            j = (t - 1) % len(table)
        else:
            j = _first_best([index(j, t) for j in range(len(table))])
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


def running_mean(history: Sequence[float]) -> float:
    """Return the mean as UCB1 documents it: each reward moves it by (y − mean) / s."""
    mean = 0.0
    for s, y in enumerate(history, start=1):
        mean += (y - mean) / s
    return mean


def exact_mean(history: Sequence[float]) -> float:
    """Return the mean without any rounding but the last."""
    return float(sum(map(Fraction, history)) / len(history))


def ucb1(
    table: Sequence[Sequence[float]], mean: Callable[[Sequence[float]], float] = running_mean
) -> list[int]:
    """Return the arms that UCB1 pulls on a reward table."""
    arms: list[int] = []
    histories: list[list[float]] = [[] for _ in table]

    def index(j: int, t: int) -> float:
        return mean(histories[j]) + math.sqrt(2 * math.log(t) / len(histories[j]))

    for t in range(1, len(table[0]) + 1):
        untried = t <= len(table)
        j = t - 1 if untried else _first_best([index(j, t) for j in range(len(table))])
        histories[j].append(table[j][len(histories[j])])
        arms.append(j)
    return arms


def _first_best(indices: Sequence[float]) -> int:
    """Return the lowest arm among those with the largest index."""
    return indices.index(max(indices))
