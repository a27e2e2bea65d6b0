"""References for AgACI and DtACI: levels as fractions, weights in 50 digits, scores in a list.

The levels, so all ranks, scores and misses, are exact. Weights are decimals: exp, ln and √ of 50
digits, of which the fast code's doubles are roundings.
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from .ranks import SLACK, exact_rank, order_statistic

Pair = tuple[float, float]
DIGITS = 50
AMBIGUOUS = Fraction(1, 10**11)  # a level this near to 0 or 1, and not it: taken for it
AUTHORS_STEPS = ["0", "0.000005", "0.00005"]
AUTHORS_STEPS += [f"0.{zeros}{digit}" for zeros in ("000", "00", "0") for digit in range(1, 10)]
EIGHT_STEPS = ["0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "0.064", "0.128"]


class Experts:
    """ACI at several steps on the same scores; the references below aggregate it."""

    def __init__(self, alpha: str, steps: Sequence[str]) -> None:
        self.nominal, self.steps = alpha, steps
        self.levels = [Fraction(alpha)] * len(steps)
        self.scores: list[float] = []

    def saw(self, y: float) -> None:
        """Take note of an outcome without a forecast: nothing."""

    def corrections(self) -> list[float]:
        return [correction(self.scores, level) for level in self.levels]

    def learn(self, low: float, high: float, y: float) -> None:
        """Move each level by whether its own interval missed, and keep the score."""
        for k, width in enumerate(self.corrections()):
            lower, upper = corrected(low, high, width)
            err = 0 if lower <= y <= upper else 1
            self.levels[k] += Fraction(self.steps[k]) * (Fraction(self.nominal) - err)
        self.scores.append(max(low - y, y - high))


def correction(scores: Sequence[float], level: Fraction) -> float:
    """Return the 1 − level quantile of the scores, ±∞ where ACI has no score for it."""
    assert level in {0, 1} or min(abs(level), abs(1 - level)) > AMBIGUOUS, "choose another α"
    if level >= 1:
        return -math.inf
    if level <= 0 or not scores:
        return math.inf
    return order_statistic(scores, exact_rank(1 - level, len(scores), SLACK))


def corrected(low: float, high: float, width: float) -> Pair:
    lower, upper = low - width, high + width
    return (lower, upper) if lower <= upper else (math.inf, -math.inf)


class DtACI(Experts):
    """Gibbs and Candès's Algorithm 1, with the mean level."""

    def __init__(self, alpha: str, memory: int = 100) -> None:
        super().__init__(alpha, EIGHT_STEPS)
        self.weights = [Decimal(1) / 8] * 8
        with localcontext(prec=DIGITS):
            a = Decimal(alpha)
            size = (1 - a) ** 2 * a**3 + a**2 * (1 - a) ** 3
            root = ((Decimal(memory * 8).ln() + 2) / size).sqrt()
            self.eta, self.sigma = (Decimal(3) / memory).sqrt() * root, 1 / Decimal(2 * memory)

    def interval(self, low: float, high: float) -> Pair:
        exact = list(map(Fraction, self.weights))
        mean = sum(w * level for w, level in zip(exact, self.levels, strict=True)) / sum(exact)
        return corrected(low, high, correction(self.scores, mean))

    def update(self, low: float, high: float, y: float) -> None:
        with localcontext(prec=DIGITS):
            if self.scores:
                self._reweigh(sum(s >= max(low - y, y - high) for s in self.scores))
            self.learn(low, high, y)

    def _reweigh(self, at_least: int) -> None:
        beta = Fraction(at_least, len(self.scores))
        losses = [pinball(beta - level, Fraction(self.nominal)) for level in self.levels]
        pairs = zip(self.weights, losses, strict=True)
        kept = [w * (-self.eta * loss).exp() for w, loss in pairs]
        self.weights = [(1 - self.sigma) * w / sum(kept) + self.sigma / 8 for w in kept]


def pinball(error: Fraction, level: Fraction) -> Decimal:
    loss = level * error if error >= 0 else (level - 1) * error
    return Decimal(loss.numerator) / Decimal(loss.denominator)


class Bernstein:
    """BOA in decimals, from the formula: sums over all regrets so far, anew for each outcome."""

    def __init__(self, n: int) -> None:
        self.weights = [Decimal(1) / n] * n
        self.regrets: list[list[Decimal]] = [[] for _ in range(n)]
        self.rates: list[list[Decimal]] = [[] for _ in range(n)]

    def mean(self, values: Sequence[Decimal]) -> Decimal:
        mean = sum((w * v for w, v in zip(self.weights, values, strict=True)), Decimal(0))
        return min(max(mean, min(values)), max(values))

    def learn(self, values: Sequence[Decimal], y: Decimal, tau: Decimal) -> None:
        mixed = self.mean(values)
        below = y <= mixed if tau > 0.5 else y < mixed  # at a tie, either is a subgradient
        raw = []
        for past, rates, value in zip(self.regrets, self.rates, values, strict=True):
            past.append((below - tau) * (mixed - value))
            rates.append(rate(past, len(values)))
            learned = sum(r - eta * r * r for r, eta in zip(past, rates, strict=True))
            raw.append((rates[-1] * learned).exp())
        self.weights = [each / sum(raw) for each in raw]


def rate(past: Sequence[Decimal], n: int) -> Decimal:
    """Return min{1/(2 max|r|), √(ln n / Σ r²)}, and 0 where all regrets are 0: it does not matter.

    Experts that agree have a mixture that is theirs up to the 50th digit: regrets below 10⁻³⁰.
    """
    largest = max(map(abs, past))
    if largest < Decimal("1e-30"):
        return Decimal(0)
    return min(1 / (2 * largest), (Decimal(n).ln() / sum(r * r for r in past)).sqrt())


class AgACI(Experts):
    """Zaffran et al.: both ends mixed by BOA, each under its own pinball loss."""

    def __init__(self, alpha: str, steps: Sequence[str]) -> None:
        super().__init__(alpha, steps)
        self.ends = [Bernstein(len(steps)), Bernstein(len(steps))]
        self.taus = [Decimal(alpha) / 2, 1 - Decimal(alpha) / 2]

    def interval(self, low: float, high: float) -> tuple[Decimal, Decimal]:
        raw = self.corrections()
        with localcontext(prec=DIGITS):
            if self._agreed():
                lower, upper = map(Decimal, corrected(low, high, raw[0]))
            else:
                bounds = self._bounds(low, high)
                lower, upper = (e.mean(v) for e, v in zip(self.ends, bounds, strict=True))
        return (lower, upper) if lower <= upper else (Decimal("inf"), Decimal("-inf"))

    def update(self, low: float, high: float, y: float) -> None:
        with localcontext(prec=DIGITS):
            if not self._agreed():
                for end, bounds, tau in zip(
                    self.ends, self._bounds(low, high), self.taus, strict=True
                ):
                    end.learn(bounds, Decimal(y), tau)
            self.learn(low, high, y)

    @property
    def weights(self) -> list[Decimal]:
        return self.ends[0].weights + self.ends[1].weights

    def _agreed(self) -> bool:
        raw = set(self.corrections())
        return len(raw) == 1 and math.isinf(min(raw))

    def _bounds(self, low: float, high: float) -> list[list[Decimal]]:
        least, most = min(self.scores), max(self.scores)
        shut = [Decimal(min(max(c, least), most)) for c in self.corrections()]
        return [[Decimal(low) - c for c in shut], [Decimal(high) + c for c in shut]]
