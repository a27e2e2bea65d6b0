"""The guarantee: over all times together, the quantile is outside with probability at most δ.

The ends are order statistics, so the values themselves do not matter: the upper end of rank k is
below the largest p-quantile exactly if k or more values are. The ranks come from the sequence
itself, fed with 1, 2, 3, … (its ends are then its ranks); the counts of many paths are compared
with them at once.

With the binomial test below, a method that misses with probability δ or less fails with probability
below 10⁻⁶. The tests have power: with the boundary cut (how far is said there) they must fail.
"""

import math

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.calibrators import quantile_sequence
from upperhand.calibrators.quantile_sequence import METHODS

LEVELS, DELTA, LAST, FALSE_ALARM = (0.1, 0.5, 0.95), 0.1, 2000, 1e-6


def uniform(rng, p, shape):
    return rng.random(shape), p, p


def atom(rng, p, shape):
    """Return draws with half the mass on one value, which is the quantile."""
    u = rng.random(shape)
    return (u >= p / 2).astype(np.int8) + (u >= (p + 1) / 2), 1, 1


def flat(rng, p, shape):
    """Return draws of two values with F(0) = p: both, and all between, are p-quantiles."""
    return (rng.random(shape) >= p).astype(np.int8), 0, 1


LAWS = {law.__name__: law for law in (uniform, atom, flat)}


def ranks(method, tau, t_opt):
    """Return the ranks of the lower and the upper end after 1 … LAST values, ±∞ included."""
    sequence = uh.QuantileSequence(tau, DELTA, method, t_opt)
    found = []
    for y in range(1, LAST + 1):
        sequence.update(y)
        found.append(sequence.interval())
    return np.array(found).T


def missed(law, p, lower, upper, paths, seed):
    """Return in how many of the paths the interval lacks one of the p-quantiles at some time."""
    rng, t, count = np.random.default_rng(seed), np.arange(1, LAST + 1), 0
    for _ in range(0, paths, 500):
        values, least, largest = LAWS[law](rng, p, (500, LAST))
        below = np.cumsum(values < largest, axis=1, dtype=np.int32)
        above = np.cumsum(values > least, axis=1, dtype=np.int32)
        count += ((below >= upper) | (above >= t + 1 - lower)).any(axis=1).sum()
    return int(count)


def too_many(misses, paths):
    """Tell whether a method of error δ would miss so often with probability below 10⁻⁶."""
    return stats.binomtest(misses, paths, DELTA, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("method", METHODS)
def test_few_paths(method):
    for p, law in zip(LEVELS, LAWS, strict=True):
        misses = missed(law, p, *ranks(method, p, 50), paths=1000, seed=3)
        assert not too_many(misses, 1000), (misses, law)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("tau", LEVELS)
@pytest.mark.parametrize("method", METHODS)
def test_ten_thousand_paths(method, tau, law):
    for t_opt in (20, 1000):
        misses = missed(law, tau, *ranks(method, tau, t_opt), paths=10_000, seed=len(law))
        assert not too_many(misses, 10_000), (misses, t_opt)


def cut(monkeypatch, method):
    """Cut a boundary: ln(1/δ) to a third, the stitched radius² to a third, that of DKW to 1/5."""
    if method == "beta-binomial":
        make = quantile_sequence.beta_binomial

        def lower_threshold(p, delta, t_opt):
            mixture = make(p, delta, t_opt)
            return mixture._replace(threshold=mixture.threshold + math.log(delta) * 2 / 3)

        monkeypatch.setattr(quantile_sequence, "beta_binomial", lower_threshold)
        return
    name, factor = {"stitched": ("stitched_radius", 3), "dkw": ("dkw_radius", 5)}[method]
    radius = getattr(quantile_sequence, name)
    monkeypatch.setattr(quantile_sequence, name, lambda *args: radius(*args) / math.sqrt(factor))


@pytest.mark.parametrize("method", METHODS)
def test_a_cut_boundary_is_seen(method, monkeypatch):
    cut(monkeypatch, method)
    misses = missed("uniform", 0.5, *ranks(method, 0.5, 50), paths=1000, seed=3)
    assert too_many(misses, 1000), misses


def test_the_beta_binomial_bound_is_not_loose():
    """It misses in a good part of δ already within 2000 values: 0.3 δ is far below (10⁻⁶)."""
    misses = missed("flat", 0.5, *ranks("beta-binomial", 0.5, 20), paths=2000, seed=5)
    assert stats.binomtest(misses, 2000, 0.3 * DELTA, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("law", LAWS)
def test_counting_is_the_same_as_looking(law, monkeypatch):
    """On 500 paths at four times: the ends as values, with a cut boundary so that some miss."""
    cut(monkeypatch, "dkw")
    times = np.array([30, 100, 400, LAST])
    lower, upper = np.full(LAST, -math.inf), np.full(LAST, math.inf)
    for end, all_times in zip((lower, upper), ranks("dkw", 0.5, 1), strict=True):
        end[times - 1] = all_times[times - 1]
    values, least, largest = LAWS[law](np.random.default_rng(6), 0.5, (500, LAST))
    seen = np.zeros(500, np.bool_)
    for t in times:
        ordered = np.sort(values[:, :t], axis=1)
        seen |= ordered[:, int(lower[t - 1]) - 1] > least
        seen |= ordered[:, int(upper[t - 1]) - 1] < largest
    assert missed(law, 0.5, lower, upper, paths=500, seed=6) == seen.sum()
    assert seen.any() == (law != "atom")  # half the mass on the quantile: it is never lost
