"""A hundred thousand short streams, and a few very long ones, against sort: to the bit."""

import numpy as np
import pytest

from upperhand._kernels.sorted_samples import CURSORS
from upperhand.calibrators.base import score_quantile

from ..kernels.closures import closure, extended, filled, make_score_quantile, read
from ..tables import TABLES, draw

pytestmark = pytest.mark.slow
STREAMS = 100_000


@pytest.mark.parametrize("kind", TABLES)
def test_short_streams(kind):
    """Every rank, and a score quantile at a random rank, guess and pair of endpoints."""
    rng = np.random.default_rng(1)
    search = closure(make_score_quantile, score_quantile, compiled=True)
    count = STREAMS // len(TABLES) + 1
    for seed, n in enumerate(rng.integers(1, 60, count)):
        values = draw(kind, 1, n, seed)[0]
        ordered = np.sort(values)
        samples = filled(values)
        ranks = rng.permutation(n) + 1
        cursors = rng.integers(CURSORS, size=n)
        assert read(samples, 0, ranks, cursors) == ordered[ranks - 1].tolist()

        low, high = np.sort(rng.choice(values, 2))
        k, guess = int(rng.integers(1, n + 1)), int(rng.integers(-2, n + 3))
        scores = np.sort(np.maximum(low - values, values - high))
        assert search(samples, 0, low, high, k, guess)[0] == scores[k - 1]


@pytest.mark.parametrize("kind", TABLES)
def test_long_streams(kind):
    """A quarter of a million values over three arms, read at random while they arrive."""
    rng = np.random.default_rng(2)
    values, arms = draw(kind, 1, 250_000, 3)[0], rng.integers(3, size=250_000)
    search = closure(make_score_quantile, score_quantile, compiled=True)
    samples = filled([], k=3)
    for end in range(10_000, 250_001, 10_000):
        batch = slice(end - 10_000, end)
        samples = extended(samples, values[batch], arms[batch])
        for arm in range(3):
            ordered = np.sort(values[:end][arms[:end] == arm])
            ranks = rng.integers(1, len(ordered) + 1, 500)
            cursors = rng.integers(CURSORS, size=500)
            assert read(samples, arm, ranks, cursors) == ordered[ranks - 1].tolist()
            low, high = ordered[len(ordered) // 20], ordered[-len(ordered) // 20]
            scores = np.sort(np.maximum(low - ordered, ordered - high))
            for k in rng.integers(1, len(ordered) + 1, 20):
                guess = int(rng.integers(-2, len(ordered) + 3))
                assert search(samples, arm, low, high, int(k), guess)[0] == scores[k - 1]
