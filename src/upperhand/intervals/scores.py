"""Scores: how far an interval must widen to cover a value; and their quantiles (section 2.2)."""

import math

from .._kernels.compile import compiled_body_of, kernel
from .._kernels.ranks import rank
from .._kernels.samples import Samples, value_at
from .._kernels.sorted_samples import SortedSamples, span

LEFT, RIGHT = 2, 3  # the cursors of the two ends of a window
NEAR = 8  # windows that compiled code weighs at once; at n = 10⁴, 99 % are found among them


@kernel
def score(y: float, low: float, high: float) -> float:
    """Return s(y; ℓ, u) = max{ℓ − y, y − u}: how far [ℓ, u] must widen to cover y (section 2.2)."""
    return max(low - y, y - high)


@kernel
def widened(low: float, high: float, correction: float) -> tuple[float, float]:
    """Return {y: s(y; ℓ, u) ≤ ĉ} = [ℓ − ĉ, u + ĉ], which may be empty."""
    return ordered(low - correction, high + correction)


@kernel
def ordered(lower: float, upper: float) -> tuple[float, float]:
    """Return the interval as it is, or (∞, −∞), the empty one, if its ends cross."""
    return (lower, upper) if lower <= upper else (math.inf, -math.inf)


@kernel
def outside(y: float, lower: float, upper: float) -> bool:
    """Tell whether an interval misses y; the empty one always does."""
    return not lower <= y <= upper


@kernel
def pinball(error: float, level: float) -> float:
    """Return the loss of a quantile forecast that is `error` below what came."""
    return level * error - min(0.0, error)


@kernel
def covering_score(scores: SortedSamples, row: int, level: float) -> float:
    """Return the score of rank ⌈level (m + 1)⌉ among m, or +∞ if that is m + 1.

    The next of m + 1 exchangeable scores is at most this with probability at least `level`.
    """
    m = int(scores.size[row])
    k = rank(level, m + 1)
    return value_at(scores, row, 0, k) if k <= m else math.inf


@kernel
def score_quantile(
    samples: Samples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    """Return the k-th smallest score (eq. conf_quantile), and the window where it was found.

    A score is a V in y, so the k smallest scores always fill a window x_(i), …, x_(i+k−1) of the
    sorted rewards, and the largest score in a window is at one of its ends:

        ĉ = min_i max{ℓ − x_(i), x_(i+k−1) − u},    i = 1, …, m − k + 1.

    The first term falls in i and the second rises, so ĉ is at the first window that leans right
    (its right end weighs at least as much), or one before. Rounding keeps both terms monotone, so
    this is the k-th smallest computed score to the bit. The search gallops away from `guess`.
    """
    return _gallop(samples, arm, low, high, k, guess)


@compiled_body_of(score_quantile, first=SortedSamples)
def _score_quantile_compiled(
    samples: SortedSamples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    last = int(samples.size[arm]) - k + 1
    guess = min(max(guess, 1), last)
    value_at(samples, arm, LEFT, guess)
    value_at(samples, arm, RIGHT, guess + k - 1)
    # The windows begin + 1, … have both ends in the two blocks where the cursors are now.
    at, until_left = span(samples, arm, LEFT)
    behind, until_right = span(samples, arm, RIGHT)
    begin, end = max(at, behind - k + 1), min(until_left, until_right - k + 1, last)
    if end - begin >= NEAR:
        begin = min(max(guess - NEAR // 2, begin), end - NEAR)
        lefts = samples.values[samples.held[arm, LEFT], begin - at :]
        rights = samples.values[samples.held[arm, RIGHT], begin + k - 1 - behind :]
        leaning = 0  # to the left, before all that lean right
        for i in range(NEAR):
            leaning += 1 if rights[i] - high < low - lefts[i] else 0
        if (leaning > 0 or begin == 0) and (leaning < NEAR or begin + NEAR == last):
            correction = rights[leaning] - high if leaning < NEAR else math.inf
            if leaning > 0:
                correction = min(correction, low - lefts[leaning - 1])
            return correction, min(begin + leaning + 1, last)
    return _gallop(samples, arm, low, high, k, guess)


@kernel
def _gallop(
    samples: Samples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    """Do what `score_quantile` says, window by window."""
    last = int(samples.size[arm]) - k + 1
    before, until = 0, last  # the first window that leans right is in (before, until], or is `last`
    correction, step = math.inf, 1
    i = min(max(guess, 1), last - 1)
    while until - before > 1:
        left = low - value_at(samples, arm, LEFT, i)
        right = value_at(samples, arm, RIGHT, i + k - 1) - high
        correction = min(correction, max(left, right))
        if right >= left:
            until = i
            i = max(until - step, (before + until) // 2)
        else:
            before = i
            i = min(before + step, (before + until) // 2)
        step *= 2
    if until == last:  # the one window that the search may end on without having weighed it
        left = low - value_at(samples, arm, LEFT, last)
        right = value_at(samples, arm, RIGHT, last + k - 1) - high
        correction = min(correction, max(left, right))
    return correction, until
