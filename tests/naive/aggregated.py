"""The twins of AgACI and DtACI: levels as fractions, weights in 50 digits, scores in a list.

The levels, so all ranks, scores and misses, are exact. Weights are decimals: exp, ln and √ of 50
digits, of which the fast code's doubles are roundings.
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from .ranks import SLACK, exact_rank, order_statistic

Pair = tuple[float, float]
DIGITS = 50
AMBIGUOUS = Fraction(1, 10**12)  # a level this near to 0 or 1: the double may be on either side
AUTHORS_STEPS = ["0", "0.000005", "0.00005"]
AUTHORS_STEPS += [f"0.{zeros}{digit}" for zeros in ("000", "00", "0") for digit in range(1, 10)]
EIGHT_STEPS = ["0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "0.064", "0.128"]


class Twin(NamedTuple):
    """The interval before each outcome and after the last; the weights after each outcome."""

    intervals: list[tuple[Decimal, Decimal]]
    weights: list[list[Decimal]]
    levels: list[list[Fraction]]


def correction(scores: Sequence[float], level: Fraction) -> float:
    """Return the 1 − level quantile of the scores, ±∞ where ACI has no score for it."""
    assert min(abs(level), abs(1 - level)) > AMBIGUOUS, "choose other data"
    if level >= 1:
        return -math.inf
    if level <= 0 or not scores:
        return math.inf
    return order_statistic(scores, exact_rank(1 - level, len(scores), SLACK))


def corrected(forecast: Pair, width: float) -> Pair:
    lower, upper = forecast[0] - width, forecast[1] + width
    return (lower, upper) if lower <= upper else (math.inf, -math.inf)


def next_levels(
    levels: Sequence[Fraction], steps: Sequence[str], alpha: str,
    scores: Sequence[float], forecast: Pair, y: float,
) -> list[Fraction]:  # fmt: skip
    """Return the levels after an outcome, each by whether its own interval missed."""
    moved = []
    for level, step in zip(levels, steps, strict=True):
        lower, upper = corrected(forecast, correction(scores, level))
        hit = lower <= y <= upper
        moved.append(level + Fraction(step) * (Fraction(alpha) - (0 if hit else 1)))
    return moved


def score(forecast: Pair, y: float) -> float:
    return max(forecast[0] - y, y - forecast[1])


def dtaci(forecasts: Sequence[Pair], ys: Sequence[float], alpha: str, memory: int = 100) -> Twin:
    """Run DtACI straight from the paper."""
    steps, scores = EIGHT_STEPS, []
    with localcontext(prec=DIGITS):
        a = Decimal(alpha)
        size = (1 - a) ** 2 * a**3 + a**2 * (1 - a) ** 3
        eta = (Decimal(3) / memory).sqrt() * ((Decimal(memory * 8).ln() + 2) / size).sqrt()
        sigma = 1 / Decimal(2 * memory)
        levels, weights = [Fraction(alpha)] * 8, [Decimal(1) / 8] * 8
        out = Twin([], [], [])
        for t in range(len(ys) + 1):
            exact = map(Fraction, weights)
            mean = sum(w * level for w, level in zip(exact, levels, strict=True))
            mean /= sum(map(Fraction, weights))
            forecast = forecasts[min(t, len(ys) - 1)]
            out.intervals.append(corrected(forecast, correction(scores, mean)))
            if t == len(ys):
                return out
            new = score(forecast, ys[t])
            if scores:
                beta = Fraction(sum(each >= new for each in scores), len(scores))
                losses = [pinball(beta - level, Fraction(alpha)) for level in levels]
                kept = [w * (-eta * loss).exp() for w, loss in zip(weights, losses, strict=True)]
                total = sum(kept)
                weights = [(1 - sigma) * w / total + sigma / 8 for w in kept]
            levels = next_levels(levels, steps, alpha, scores, forecast, ys[t])
            scores.append(new)
            out.weights.append(weights)
            out.levels.append(levels)
    raise AssertionError


def pinball(error: Fraction, level: Fraction) -> Decimal:
    loss = level * error if error >= 0 else (level - 1) * error
    return Decimal(loss.numerator) / Decimal(loss.denominator)


class Bernstein:
    """BOA of opera 1.2.1 in decimals, its floor in units of the largest regret."""

    def __init__(self, n: int) -> None:
        self.weights = [Decimal(1) / n] * n
        self.regrets: list[list[Decimal]] = [[] for _ in range(n)]
        self.learned = [Decimal(0)] * n

    def mean(self, values: Sequence[Decimal]) -> Decimal:
        mean = sum((w * v for w, v in zip(self.weights, values, strict=True)), Decimal(0))
        return min(max(mean, min(values)), max(values))

    def learn(self, values: Sequence[Decimal], y: Decimal, tau: Decimal) -> None:
        n, mixed = len(values), self.mean(values)
        gradient = (1 if y < mixed else 0) - tau
        for past, value in zip(self.regrets, values, strict=True):
            past.append(gradient * (mixed - value) if max(values) != min(values) else Decimal(0))
        largest = [max(map(abs, past)) for past in self.regrets]
        if max(largest) == 0:
            return
        rates = []
        for k, past in enumerate(self.regrets):
            scale = max(up_to_two(largest[k]), up_to_two(max(largest)) / 2**20)
            squares, r = sum(each * each for each in past), past[-1]
            rates.append(min([1 / scale] + ([(Decimal(n).ln() / squares).sqrt()] * (squares > 0))))
            self.learned[k] += (r - rates[k] * r * r + scale * (rates[k] * r > Decimal("0.5"))) / 2
        raw = [rate * (rate * past).exp() for rate, past in zip(rates, self.learned, strict=True)]
        self.weights = [each / sum(raw) for each in raw]


def up_to_two(value: Decimal) -> Decimal:
    """Return the smallest power of two that is at least the value, by doubling and halving."""
    power = Decimal(1)
    while power < value:
        power *= 2
    while 0 < value <= power / 2:
        power /= 2
    return power if value else Decimal(0)


def agaci(forecasts: Sequence[Pair], ys: Sequence[float], alpha: str, steps: Sequence[str]) -> Twin:
    """Run AgACI straight from the paper; the weights are the lower end's, then the upper's."""
    with localcontext(prec=DIGITS):
        ends = [Bernstein(len(steps)), Bernstein(len(steps))]
        taus = [Decimal(alpha) / 2, 1 - Decimal(alpha) / 2]
        levels, scores, out = [Fraction(alpha)] * len(steps), [], Twin([], [], [])
        for t in range(len(ys) + 1):
            forecast = forecasts[min(t, len(ys) - 1)]
            raw = [correction(scores, level) for level in levels]
            agreed = len(set(raw)) == 1 and math.isinf(raw[0])
            shut = [min(max(each, min(scores)), max(scores)) for each in raw if scores]
            exact = list(map(Decimal, shut))
            bounds = [
                [Decimal(forecast[0]) - c for c in exact],
                [Decimal(forecast[1]) + c for c in exact],
            ]
            given = (
                [end.mean(values) for end, values in zip(ends, bounds, strict=True)] if shut else []
            )
            if agreed:
                given = list(map(Decimal, corrected(forecast, raw[0])))
            out.intervals.append(
                tuple(given) if given[0] <= given[1] else (Decimal("inf"), -Decimal("inf"))
            )
            if t == len(ys):
                return out
            if not agreed:
                for end, values, tau in zip(ends, bounds, taus, strict=True):
                    end.learn(values, Decimal(ys[t]), tau)
            levels = next_levels(levels, steps, alpha, scores, forecast, ys[t])
            scores.append(score(forecast, ys[t]))
            out.weights.append(ends[0].weights + ends[1].weights)
            out.levels.append(levels)
    raise AssertionError
