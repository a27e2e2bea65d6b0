"""Reward tables (K, n), each hard in its own way."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


def gaussian(rng: np.random.Generator, arms: int, n: int) -> Table:
    return rng.normal(np.linspace(0.0, 0.3, arms)[:, None], 1.0, (arms, n))


def ties(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.round(gaussian(rng, arms, n), 1)


def constant(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.full((arms, n), 0.5)


def bernoulli(rng: np.random.Generator, arms: int, n: int) -> Table:
    chances = np.linspace(0.3, 0.7, arms)[:, None]
    return (rng.random((arms, n)) < chances).astype(np.float64)


def heavy(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.clip(rng.standard_t(1, (arms, n)), -1e12, 1e12)


def rising(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.sort(gaussian(rng, arms, n), axis=1)


def falling(rng: np.random.Generator, arms: int, n: int) -> Table:
    return rising(rng, arms, n)[:, ::-1].copy()


def alternating(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.where(np.arange(n) % 2, 1.0, -1.0) * np.linspace(1.0, 1.5, arms)[:, None]


def subnormal(rng: np.random.Generator, arms: int, n: int) -> Table:
    return rng.integers(-40, 40, (arms, n)) * 5e-324


def huge(rng: np.random.Generator, arms: int, n: int) -> Table:
    return gaussian(rng, arms, n) * 1e149  # 1e150 is the limit


def zeros(rng: np.random.Generator, arms: int, n: int) -> Table:
    return np.where(rng.random((arms, n)) < 0.5, 0.0, -0.0)


TABLES: dict[str, Callable[[np.random.Generator, int, int], Table]] = {
    make.__name__: make
    for make in (
        gaussian,
        ties,
        constant,
        bernoulli,
        heavy,
        rising,
        falling,
        alternating,
        subnormal,
        huge,
        zeros,
    )
}


def draw(kind: str, arms: int, n: int, seed: int = 0) -> Table:
    """Return a table of that kind."""
    return TABLES[kind](np.random.default_rng(seed), arms, n)
