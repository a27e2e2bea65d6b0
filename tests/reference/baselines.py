"""The four baselines, recomputed from raw histories."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .means import exact_mean
from .ranks import quantile
from .rounds import Histories, Late, Table, best, play_choice, play_index, pulls


def round_robin(table: Table, *, late: Late | None = None) -> list[int]:
    """Play arm 1, …, K, 1, …, whatever they pay."""
    return play_choice(table, lambda histories, t: (t - 1) % len(histories), late)


def epsilon_greedy(
    table: Table, *, tau: str, epsilon: float, seed: int, late: Late | None = None
) -> list[int]:
    """Play the largest quantile, and any arm with probability ε."""
    rng = np.random.default_rng(seed)

    def choice(histories: Histories, t: int) -> int:
        if all(histories) and rng.random() < epsilon:
            return int(rng.random() * len(histories))
        return best([quantile(past, tau) if past else math.inf for past in histories], histories)

    return play_choice(table, choice, late)


def explore_in_turn(
    table: Table, *, tau: str, horizon: int, share: str, late: Late | None = None
) -> list[int]:
    """Play all arms in turn in a share of the rounds, and the largest quantile of these after."""
    explored, found = math.floor(Fraction(share) * horizon), [list[float]() for _ in table]

    def explores(counts: Sequence[int]) -> bool:
        return min(counts) == 0 or sum(counts) < explored

    def choice(histories: Histories, t: int) -> int:
        if explores([pulls(past) for past in histories]):
            return min(range(len(histories)), key=lambda arm: pulls(histories[arm]))
        return best([quantile(past, tau) if past else math.inf for past in found], histories)

    def learn(histories: Histories, arm: int, reward: float) -> None:
        if explores([len(past) for past in histories]):
            found[arm].append(reward)

    return play_choice(table, choice, late, learn)


def mean_of_last(table: Table, *, last: int, late: Late | None = None) -> list[int]:
    """Play the largest mean of the last few outcomes."""

    def worth(past: Sequence[float], t: int) -> float:
        return exact_mean(past[-last:]) if past else math.inf

    return play_index(table, worth, late)
