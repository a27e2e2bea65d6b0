"""Mean and variance of each arm, one reward at a time, as if rounded once.

So the order of the rewards makes no difference: arms that have seen the same ones tie. Squares are
summed around the arm's first reward, so that rewards far from zero keep their digits.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compensated_sums import CompensatedSums, add, no_sums, two_product, two_quotient, two_sum
from .compile import kernel


class Means(NamedTuple):
    """What a policy on means remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j; live, those asked and not yet told may be among them
    seen: NDArray[np.int64]  # (K,) the rewards that the mean is of
    mean: NDArray[np.float64]  # (K,) X̄_j
    sums: CompensatedSums  # (K,) Σ Y


class Moments(NamedTuple):
    """What a policy on means and variances remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j, as above
    seen: NDArray[np.int64]  # (K,) the rewards that the moments are of
    mean: NDArray[np.float64]  # (K,) X̄_j
    squares: NDArray[np.float64]  # (K,) Σ (Y − X̄_j)²
    first: NDArray[np.float64]  # (K,) Y_{j,1}
    sums: CompensatedSums  # (K,) Σ d, with d = Y − Y_{j,1}
    d_squares: CompensatedSums  # (K,) Σ d²


def no_means(arms: int) -> Means:
    """Return the state before the first reward."""
    return Means(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        mean=np.zeros(arms),
        sums=no_sums(arms),
    )


def no_moments(arms: int) -> Moments:
    """Return the state before the first reward."""
    return Moments(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        mean=np.zeros(arms),
        squares=np.zeros(arms),
        first=np.zeros(arms),
        sums=no_sums(arms),
        d_squares=no_sums(arms),
    )


@kernel
def learn_mean(state: Any, arm: int, reward: float) -> None:
    """Count the reward in pulls, sum and mean."""
    pulls = int(state.pulls[arm]) + 1
    _count_in_mean(state, arm, reward, pulls)


@kernel
def forget_mean(state: Any, arm: int, reward: float) -> None:
    """Take a reward that was learned out of pulls, sum and mean.

    What is left is the sum of the others where 106 bits hold them all, the one that leaves
    included; sums of nothing are 0 again in any case.
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
def alike_moments(policy: Any, state: Any, one: int, other: int) -> bool:
    """Tell whether two arms have the same mean, squares and pulls."""
    return bool(
        state.mean[one] == state.mean[other]
        and state.squares[one] == state.squares[other]
        and state.pulls[one] == state.pulls[other]
    )
