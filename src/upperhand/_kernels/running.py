"""Running mean and variance of each arm, one reward at a time."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

LARGEST = 1e150  # a spread, or a factor of a mean, whose square or product is still finite


class Means(NamedTuple):
    """What a policy on means remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j
    mean: NDArray[np.float64]  # (K,) X̄_j


class Moments(NamedTuple):
    """What a policy on means and variances remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j
    mean: NDArray[np.float64]  # (K,) X̄_j
    squares: NDArray[np.float64]  # (K,) Σ (Y − X̄_j)²


def no_means(arms: int) -> Means:
    """Return the state before the first reward."""
    return Means(pulls=np.zeros(arms, np.int64), mean=np.zeros(arms))


def no_moments(arms: int) -> Moments:
    """Return the state before the first reward."""
    return Moments(pulls=np.zeros(arms, np.int64), mean=np.zeros(arms), squares=np.zeros(arms))


@kernel
def learn_mean(state: Any, arm: int, reward: float) -> None:
    """Count the reward; X̄_j moves by (Y − X̄_j) / T_j."""
    pulls, mean = int(state.pulls[arm]) + 1, float(state.mean[arm])
    state.pulls[arm] = pulls
    state.mean[arm] = mean + (reward - mean) / pulls


@kernel
def learn_moments(state: Any, arm: int, reward: float) -> None:
    """Count the reward in mean and squares, by Welford's update: no large sums to cancel."""
    before = float(state.mean[arm])
    learn_mean(state, arm, reward)
    moved = (reward - before) * (reward - float(state.mean[arm]))
    state.squares[arm] = float(state.squares[arm]) + moved


@kernel
def biased_variance(state: Any, arm: int) -> float:
    """Return σ̂²_j = Σ (Y − X̄_j)² / T_j."""
    return float(state.squares[arm]) / int(state.pulls[arm])


@kernel
def unbiased_variance(state: Any, arm: int) -> float:
    """Return S²_j = Σ (Y − X̄_j)² / (T_j − 1); needs two rewards."""
    return float(state.squares[arm]) / (int(state.pulls[arm]) - 1)
