"""Mean and variance of each arm, one reward at a time, as if rounded once.

So the order of the rewards makes no difference: arms that have seen the same ones tie. Squares are
summed around the arm's first reward, so that rewards far from zero keep their digits.

Sums, products and quotients are pairs of doubles, 106 bits: the rounded result and its error.
D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B, and T. J. Dekker,
"A floating-point technique for extending the available precision", Numerische Mathematik
18:224–242, 1971: the error of a rounded sum or product is itself a double, and can be computed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel

HALF = 134217729.0  # 2²⁷ + 1: a product with it cuts a double in two halves of 26 bits


class CompensatedSums(NamedTuple):
    """A sum for each of K arms: the double next to it, and what that double lacks."""

    rounded: NDArray[np.float64]  # (K,)
    lost: NDArray[np.float64]  # (K,)


def no_sums(arms: int) -> CompensatedSums:
    return CompensatedSums(rounded=np.zeros(arms), lost=np.zeros(arms))


@kernel
def add(sums: CompensatedSums, arm: int, value: float, rest: float) -> tuple[float, float]:
    """Add value + rest, the rest small against the value; return the sum, rounded, and the error.

    With its sign turned a value is taken out again: a 10¹² that comes and goes leaves no trace.
    Numbers with few digits, such as 0/1 or prices, are summed without any error.
    """
    rounded, error = two_sum(float(sums.rounded[arm]), value)
    rounded, lost = two_sum(rounded, float(sums.lost[arm]) + (error + rest))
    sums.rounded[arm], sums.lost[arm] = rounded, lost
    return rounded, lost


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b, rounded, and the error."""
    rounded = a + b
    arrived = rounded - a
    return rounded, (a - (rounded - arrived)) + (b - arrived)


@kernel
def halves(a: float) -> tuple[float, float]:
    """Return a as the sum of two doubles of 26 bits each."""
    scaled = a * HALF
    high = scaled - (scaled - a)
    return high, a - high


@kernel
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a · b, rounded, and the error."""
    rounded = a * b
    a_high, a_low = halves(a)
    b_high, b_low = halves(b)
    error = rounded - a_high * b_high - a_low * b_high - a_high * b_low
    return rounded, a_low * b_low - error


@kernel
def two_quotient(a: float, rest: float, n: int) -> tuple[float, float]:
    """Return (a + rest) / n, rounded, and the error; the rest is small against a, n below 2²⁷."""
    rounded = a / n
    high, low = halves(rounded)
    return rounded, (((a - high * n) - low * n) + rest) / n


class Means(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) T_j; in live use, asks without an outcome may be among them
    seen: NDArray[np.int64]  # (K,) the rewards that the mean is of
    mean: NDArray[np.float64]  # (K,) X̄_j
    sums: CompensatedSums  # (K,) Σ Y


class Moments(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) T_j, as above
    seen: NDArray[np.int64]  # (K,) the rewards that the moments are of
    mean: NDArray[np.float64]  # (K,) X̄_j
    squares: NDArray[np.float64]  # (K,) Σ (Y − X̄_j)²
    first: NDArray[np.float64]  # (K,) Y_{j,1}
    sums: CompensatedSums  # (K,) Σ d, with d = Y − Y_{j,1}
    d_squares: CompensatedSums  # (K,) Σ d²


def start_means(policy: Any, arms: int, capacity: int) -> Means:
    return Means(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        mean=np.zeros(arms),
        sums=no_sums(arms),
    )


def no_moments(arms: int) -> Moments:
    return Moments(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        mean=np.zeros(arms),
        squares=np.zeros(arms),
        first=np.zeros(arms),
        sums=no_sums(arms),
        d_squares=no_sums(arms),
    )


def start_moments(policy: Any, arms: int, capacity: int) -> Moments:
    return no_moments(arms)


@kernel
def update_mean(policy: Any, state: Any, arm: int, reward: float) -> None:
    _count_in_mean(state, arm, reward, int(state.pulls[arm]) + 1)


@kernel
def forget_mean(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Take a reward that was learned out of pulls, sum and mean.

    What is left is the exact sum of the others if 106 bits hold them all, including the one that
    leaves. Empty sums are always 0 again.
    """
    pulls = int(state.pulls[arm]) - 1
    if pulls > 0:
        _count_in_mean(state, arm, -reward, pulls)
    elif pulls == 0:
        state.pulls[arm] = state.seen[arm] = 0
        state.mean[arm] = state.sums.rounded[arm] = state.sums.lost[arm] = 0.0


@kernel
def _count_in_mean(state: Any, arm: int, value: float, pulls: int) -> None:
    """Add a value, so that the sum is that of so many rewards."""
    state.pulls[arm] = state.seen[arm] = pulls
    total, lost = add(state.sums, arm, value, 0.0)
    mean, error = two_quotient(total, lost, pulls)
    state.mean[arm] = mean + error


@kernel
def update_moments(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Learn a reward, where the moments are all that a policy keeps."""
    learn_moments(state, arm, reward)


@kernel
def learn_moments(state: Any, arm: int, reward: float) -> None:
    """Count the reward in pulls, sums, mean and squares, by its distance d from the first one.

    X̄_j = Y_{j,1} + Σ d / T_j and Σ (Y − X̄_j)² = Σ d² − (Σ d)² / T_j. The first reward is one of
    them, so Σ d² is at most T_j times that: the difference of 106 bits keeps more than 53.
    """
    pulls = int(state.pulls[arm]) + 1
    state.pulls[arm] = state.seen[arm] = pulls
    if pulls == 1:
        state.first[arm] = reward
    first = float(state.first[arm])
    d, rest = two_sum(reward, -first)
    total, total_rest = add(state.sums, arm, d, rest)
    square, error = two_product(d, d)
    squares, squares_rest = add(state.d_squares, arm, square, error + 2.0 * d * rest)
    mean, mean_rest = two_quotient(total, total_rest, pulls)
    square, error = two_product(mean, total)
    error += mean * total_rest + mean_rest * total
    squares, rest = two_sum(squares, -square)
    state.squares[arm] = max(squares + (rest + (squares_rest - error)), 0.0)
    mean, rest = two_sum(first, mean)
    state.mean[arm] = mean + (rest + mean_rest)


@kernel
def biased_variance(state: Any, arm: int) -> float:
    """Return σ̂²_j = Σ (Y − X̄_j)² / T_j of the rewards seen; needs one."""
    return float(state.squares[arm]) / int(state.seen[arm])


@kernel
def unbiased_variance(state: Any, arm: int) -> float:
    """Return S²_j = Σ (Y − X̄_j)² / (T_j − 1) of the rewards seen; needs two."""
    return float(state.squares[arm]) / (int(state.seen[arm]) - 1)


@kernel
def same_moments(policy: Any, state: Any, one: int, other: int) -> bool:
    return bool(
        state.mean[one] == state.mean[other]
        and state.squares[one] == state.squares[other]
        and state.pulls[one] == state.pulls[other]
    )
