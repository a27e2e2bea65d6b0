"""References for Thompson sampling: NumPy's draws, arm after arm, from the rewards so far."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from .means import exact_mean, exact_moments
from .rounds import Histories, Late, Table, best, play_choice

Draw = Callable[[np.random.Generator, Sequence[float]], float]


def play_draws(
    table: Table, seed: int, draw: Draw, initial_pulls: int = 1, late: Late | None = None
) -> list[int]:
    """Return the arms: each round the largest draw; no draw for arms that lack initial pulls."""
    rng = np.random.default_rng(seed)

    def choice(histories: Histories, t: int) -> int:
        drawn = [math.inf if len(past) < initial_pulls else draw(rng, past) for past in histories]
        return best(drawn, histories)

    return play_choice(table, choice, late)


def thompson_beta(table: Table, *, seed: int, late: Late | None = None) -> list[int]:
    """Beta(1 + S, 1 + N − S), S the sum of the rewards, each clipped to [0, 1]."""

    def draw(rng: np.random.Generator, past: Sequence[float]) -> float:
        successes = math.fsum(min(max(y, 0.0), 1.0) for y in past)
        return rng.beta(1 + successes, 1 + len(past) - successes)

    return play_draws(table, seed, draw, late=late)


def thompson_gaussian_known(
    table: Table, *, sd: float, seed: int, late: Late | None = None
) -> list[int]:
    """X̄ + sd/√N · z."""

    def draw(rng: np.random.Generator, past: Sequence[float]) -> float:
        return exact_mean(past) + sd / math.sqrt(len(past)) * rng.standard_normal()

    return play_draws(table, seed, draw, late=late)


def thompson_gaussian(
    table: Table, *, prior: float = -1.0, seed: int, late: Late | None = None
) -> list[int]:
    """X̄ + √(Σ(y − X̄)² / (N ν)) · t_ν, with ν = N + 2 prior − 1 degrees of freedom."""

    def draw(rng: np.random.Generator, past: Sequence[float]) -> float:
        n, mean, squares = exact_moments(past)
        freedom = n + 2 * prior - 1
        return mean + math.sqrt(squares / (n * freedom)) * rng.standard_t(freedom)

    return play_draws(table, seed, draw, max(2, 3 - math.floor(2 * prior)), late)
