"""Small closures over kernels, to run as they are or compiled as the loop over rounds is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from upperhand._kernels import sorted_samples
from upperhand._kernels.compiler import compile_closure
from upperhand._kernels.sorted_samples import SortedSamples, values_of

worlds = pytest.mark.parametrize(
    "compiled",
    [
        pytest.param(True, marks=pytest.mark.compiled, id="compiled"),
        pytest.param(False, id="interpreted"),
    ],
)


def closure(make: Callable[..., Any], *kernels: Callable[..., Any], compiled: bool) -> Any:
    """Return the closure `make(*kernels)`, in the world asked for."""
    return compile_closure(make, *kernels, user=SortedSamples) if compiled else make(*kernels)


def make_fill(insert, full):
    def fill(samples, arms, values, done):
        """Insert values from the done-th on, until the last or until room is due."""
        for i in range(done, len(values)):
            insert(samples, arms[i], values[i])
            if full(samples, arms[i]):
                return i + 1
        return len(values)

    return fill


def make_edit(insert, remove, full):
    def edit(samples, arms, values, signs, done):
        """Insert (sign 1) and remove (−1) from the done-th on, until the last or room is due."""
        for i in range(done, len(values)):
            if signs[i] > 0:
                insert(samples, arms[i], values[i])
                if full(samples, arms[i]):
                    return i + 1
            elif not remove(samples, arms[i], values[i]):
                return -1
        return len(values)

    return edit


def make_read(value_at):
    def read(samples, arm, cursors, ranks, out):
        """Look up the ranks, each by its cursor."""
        for i in range(len(ranks)):
            out[i] = value_at(samples, arm, cursors[i], ranks[i])

    return read


def make_count(count_at_most):
    def count(samples, arm, cursors, values, out):
        """Count the values that are at most each of these, each by its cursor."""
        for i in range(len(values)):
            out[i] = count_at_most(samples, arm, cursors[i], values[i])

    return count


def make_score_quantile(score_quantile):
    def call(samples, arm, low, high, k, guess):
        """Return the k-th smallest score and its window."""
        return score_quantile(samples, arm, low, high, k, guess)

    return call


def filled(
    values: Any, arms: Any = None, *, k: int = 1, room: int = 0, compiled: bool = True
) -> SortedSamples:
    """Return samples of k arms into which the values went one by one, growing as need be."""
    return extended(sorted_samples.empty(k, room), values, arms, compiled=compiled)


def extended(
    samples: SortedSamples, values: Any, arms: Any = None, *, compiled: bool = True
) -> SortedSamples:
    """Return the samples with more values, put in one by one, growing as need be."""
    values = np.asarray(values, np.float64)
    arms = np.zeros(len(values), np.int64) if arms is None else np.asarray(arms, np.int64)
    fill = closure(make_fill, sorted_samples.insert, sorted_samples.full, compiled=compiled)
    done = 0
    while done < len(values):
        done = fill(samples, arms, values, done)
        if any(sorted_samples.full(samples, arm) for arm in range(len(samples.size))):
            samples = sorted_samples.grown(samples)
    return samples


def edited(
    samples: SortedSamples, values: Any, arms: Any, signs: Any, *, compiled: bool = True
) -> SortedSamples:
    """Return the samples after values were put in (sign 1) and taken out (−1), one by one."""
    kernels = (sorted_samples.insert, sorted_samples.remove, sorted_samples.full)
    edit, done = closure(make_edit, *kernels, compiled=compiled), 0
    values, arms = np.asarray(values, np.float64), np.asarray(arms, np.int64)
    signs = np.asarray(signs, np.int64)
    while done < len(values):
        done = edit(samples, arms, values, signs, done)
        assert done >= 0, "a value to be removed was not there"
        if any(sorted_samples.full(samples, arm) for arm in range(len(samples.size))):
            samples = sorted_samples.grown(samples)
    return samples


def read(
    samples: SortedSamples, arm: int, ranks: Any, cursors: Any = None, *, compiled: bool = True
) -> list[float]:
    """Return the values at these ranks of the arm, each by its cursor."""
    ranks = np.asarray(ranks, np.int64)
    cursors = np.zeros(len(ranks), np.int64) if cursors is None else np.asarray(cursors, np.int64)
    out = np.empty(len(ranks))
    look_up = closure(make_read, sorted_samples.value_at, compiled=compiled)
    look_up(samples, arm, cursors, ranks, out)
    return out.tolist()


def counted(
    samples: SortedSamples, arm: int, values: Any, cursors: Any, *, compiled: bool = True
) -> list[int]:
    """Return how many values of the arm are at most each of these, each by its cursor."""
    out = np.empty(len(values), np.int64)
    count = closure(make_count, sorted_samples.count_at_most, compiled=compiled)
    count(samples, arm, np.asarray(cursors, np.int64), np.asarray(values, np.float64), out)
    return out.tolist()


def sorted_values(samples: SortedSamples, arm: int = 0) -> list[float]:
    """Return the arm's whole sample, by rank."""
    return read(samples, arm, np.arange(1, samples.size[arm] + 1))


def check_blocks(samples: SortedSamples, seen: list[list[float]]) -> None:
    """Hold the samples to what they promise of blocks and cursors."""
    listed: list[int] = []
    for arm, values in enumerate(seen):
        first, count = int(samples.start[arm]), int(samples.blocks[arm])
        fill, top = samples.fill[first : first + count], samples.top[first : first + count]
        ids = samples.order[first : first + count].tolist()
        rows = [samples.values[i, :n] for i, n in zip(ids, fill, strict=True)]
        assert all(len(row) for row in rows)
        assert np.concatenate([*map(np.sort, rows), []]).tolist() == values
        assert values_of(samples, arm).tolist() == values
        for row, block in zip(rows, ids, strict=True):
            assert np.all(samples.values[block, len(row) :] == np.inf)
            assert samples.in_order[block] <= len(row)
            assert np.all(np.diff(row[: samples.in_order[block]]) >= 0)
        assert top.tolist() == [row.max() for row in rows]
        assert np.all(samples.top[first + count : int(samples.start[arm + 1])] == np.inf)
        starts = np.concatenate([[0], np.cumsum(fill)])
        places = samples.cursor_position[arm].tolist()
        assert samples.cursor_rank[arm].tolist() == [starts[place] for place in places]
        held = [samples.cursor_block[arm, c] for c, place in enumerate(places) if place < count]
        assert held == [ids[place] for place in places if place < count]
        listed += ids
    free = samples.free[: samples.freed[0]].tolist()
    assert sorted(listed + free) == list(range(samples.used[0]))
