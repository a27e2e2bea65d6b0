"""References for the policies that look for the best arm: full histories, every rank a fraction."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .quantile_bounds import ranks
from .ranks import SLACK, exact_rank, quantile
from .rounds import Histories, Table


class Search(NamedTuple):
    """What a search did: the arm of each round, whether it stopped, what it recommends."""

    arms: list[int]
    stopped: bool
    answer: list[int]


# A course yields the arm to pull, or the answer; it sees the histories as they grow.
Course = Iterator[int | list[int]]


def run(
    table: Table, cap: int, course: Callable[[Histories], Course], guess: Callable[..., list[int]]
) -> Search:
    """Pull the arms that the course wants, until it has an answer or the cap is reached."""
    histories: list[list[float]] = [[] for _ in table]
    arms: list[int] = []
    for wanted in course(histories):
        if isinstance(wanted, list):
            return Search(arms, True, wanted)
        if len(arms) == cap:
            break
        histories[wanted].append(table[wanted][len(histories[wanted])])
        arms.append(wanted)
    return Search(arms, False, guess(histories))


def largest(values: dict[int, float]) -> int:
    """Return the lowest arm with the largest value."""
    return min(values, key=lambda arm: (-values[arm], arm))


def guess_among(left: Sequence[int], tau: Fraction) -> Callable[[Histories], list[int]]:
    """Return the guess: the largest empirical quantile of the arms that are left."""

    def guess(histories: Histories) -> list[int]:
        seen = {arm: quantile(histories[arm], tau) for arm in left if histories[arm]}
        return [largest(seen)]

    return guess


def at(values: Sequence[float], k: int) -> float:
    """Return x_(k), −∞ before the first and +∞ after the last."""
    return [-math.inf, *sorted(values), math.inf][min(max(k, 0), len(values) + 1)]


def judged(
    left: list[int], lower: dict, upper: dict, lower_more: dict, upper_more: dict
) -> int | None:
    """Drop from `left` the arms that cannot be an answer; return one that is, if any."""
    floor, ceilings = max(lower.values()), dict(upper)
    for arm in list(left):
        if all(lower_more[arm] > ceilings[other] for other in ceilings if other != arm):
            return arm
        if upper_more[arm] < floor:
            left.remove(arm)
    return left[0] if len(left) == 1 else None


def qpac(
    table: Table,
    cap: int,
    *,
    tau: str,
    epsilon: str,
    delta: float,
    radius: str = "dkw",
    t_opt: int = 1000,
) -> Search:
    """Passes over the arms that are left; confidence intervals of error δ/K at τ and τ + ε."""
    left, levels = list(range(len(table))), (Fraction(tau), Fraction(tau) + Fraction(epsilon))
    error = delta / len(table) * (2 if radius == "beta-binomial" else 1)  # one end's, or both ends'

    def course(histories: Histories) -> Course:
        n = 0
        while True:
            yield from list(left)
            n += 1
            (low, up), (low_more, up_more) = (
                ranks(radius, float(level), error, t_opt, n) for level in levels
            )
            ends = [
                {arm: at(histories[arm], k) for arm in left} for k in (low, up, low_more, up_more)
            ]
            found = judged(left, *ends)
            if found is not None:
                yield [found]

    return run(table, cap, course, guess_among(left, levels[0]))


def max_q(
    table: Table, cap: int, *, tau: str, epsilon: str, delta: float, doubled: bool = False
) -> Search:
    """Every arm ⌊3L/λ⌋ + 1 times; then the arm with the largest m-th largest reward."""
    arms, rare = len(table), 1 - Fraction(tau)
    pulls = 10 * float(rare) * math.log(1 / delta) / float(Fraction(epsilon)) ** 2
    steps = max(1, math.log(2 * pulls) / math.log(2)) if doubled else 1 + pulls
    effort = math.log((arms * steps) ** 6 / delta)

    def bound(past: Sequence[float]) -> float:
        share = float(rare * len(past))
        return sorted(past, reverse=True)[math.floor(share - math.sqrt(3 * share * effort))]

    def course(histories: Histories) -> Course:
        yield from list(range(arms)) * (math.floor(3 * effort / float(rare)) + 1)
        while True:
            best = largest(dict(enumerate(map(bound, histories))))
            if len(histories[best]) > 10 * float(rare) * effort / float(Fraction(epsilon)) ** 2:
                yield [best]
            yield from [best] * (len(histories[best]) if doubled else 1)

    return run(table, cap, course, guess_among(range(arms), Fraction(tau)))


def doubled_max_q(table: Table, cap: int, **settings) -> Search:
    """Max-Q with twice the pulls instead of one more."""
    return max_q(table, cap, doubled=True, **settings)


def quantile_elimination(table: Table, cap: int, *, tau: str, epsilon: str, delta: float) -> Search:
    """Passes over the arms that are left; quantiles at τ ± D."""
    left, level = list(range(len(table))), Fraction(tau)

    def empirical(past: Sequence[float], p: Fraction) -> float:
        if p <= 0:
            return -math.inf
        return math.inf if p > 1 else at(past, exact_rank(p, len(past), SLACK))

    def course(histories: Histories) -> Course:
        n = 0
        while True:
            yield from list(left)
            n += 1
            d = Fraction(math.sqrt(math.log(4 * len(table) * n**2 / delta) / (2 * n)))
            shifted = (level - d, level + d, level + Fraction(epsilon) - d, level + d)
            found = judged(
                left, *({arm: empirical(histories[arm], p) for arm in left} for p in shifted)
            )
            if found is not None:
                yield [found]

    return run(table, cap, course, guess_among(left, level))


def phases(rule: str, budget: int, arms: int, top: int) -> list[int]:
    """Return the pulls of each arm that is left at the end of each phase, in fractions."""
    if rule == "batch":
        each = max(1, math.floor(budget / (Fraction(arms - 1) * (1 + Fraction(arms, 2)))))
        return [each * p for p in range(1, arms - top + 1)]
    if rule == "SAR":
        number, log = arms - 1, Fraction(1, 2) + sum(Fraction(1, i) for i in range(2, arms + 1))
    else:
        number = arms - top
        log = Fraction(top, top + 1) + sum(Fraction(1, arms + 1 - i) for i in range(1, number + 1))
    return [
        max(1, math.ceil(Fraction(budget - arms) / (log * (arms + 1 - p))))
        for p in range(1, number + 1)
    ]


def successive(
    table: Table, cap: int, *, rule: str, tau: str, budget: int, top: int, interpolated: bool
) -> Search:
    """Phases; at the end of each an arm is rejected, or with "SAR" perhaps accepted."""
    left, accepted = list(range(len(table))), []

    def worth(past: Sequence[float]) -> float:
        if not past:
            return -math.inf
        return float(np.quantile(past, float(tau))) if interpolated else quantile(past, tau)

    def ranked(histories: Histories) -> list[tuple[float, int]]:
        return sorted(((worth(histories[arm]), arm) for arm in left), key=lambda x: (-x[0], x[1]))

    def named(histories: Histories) -> list[int]:
        best = ranked(histories)[: top - len(accepted)]
        return sorted([*accepted, *(arm for _, arm in best)])

    def course(histories: Histories) -> Course:
        before = 0
        for goal in phases(rule, budget, len(table), top):
            yield from left * (goal - before)
            before, order, slots = goal, ranked(histories), top - len(accepted)
            values = [value for value, _ in order]
            if rule == "SAR" and values[0] - values[slots] > values[slots - 1] - values[-1]:
                accepted.append(order[0][1])
                left.remove(order[0][1])
            else:
                left.remove(order[-1][1])
            if len(left) == top - len(accepted):
                break
        yield named(histories)

    return run(table, cap, course, named)
