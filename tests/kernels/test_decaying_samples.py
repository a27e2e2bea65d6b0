"""Samples whose weights decay, against all weights in a list."""

import math

import numpy as np
import pytest

from upperhand._kernels.decaying_samples import LATE, empty, full, grown, insert, quantile
from upperhand._kernels.samples import ABSOLUTE_SLACK
from upperhand.calibrators import NexCP


def plain_quantile(values, level, decay):
    """Return the weighted quantile from all values, and how near the choice was to another."""
    weights = decay ** np.arange(len(values), 0, -1)
    target = level * (1.0 + math.fsum(weights)) - ABSOLUTE_SLACK
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    reached = np.flatnonzero(sums >= target)
    margin = np.abs(sums - target).min() if len(sums) else math.inf
    return (values[order[reached[0]]] if len(reached) else math.inf), margin


def extended(samples, row, values, decay, window):
    for value in values:
        if full(samples, row):
            samples = grown(samples)
            assert not full(samples, row)
        insert(samples, row, float(value), decay, window)
    return samples


@pytest.mark.parametrize("decay", [0.3, 0.9, 0.99, 0.9999, 1.0])
def test_quantiles_of_all_that_ever_came(decay):
    rng, samples, values = np.random.default_rng(1), empty(2), np.empty(0)
    window = NexCP(decay=decay).parameters.window
    for count in (1, 5, LATE - 6, 1, 1, LATE, 700, 3, 900):
        more = np.round(rng.normal(size=count), 2)
        samples, values = extended(samples, 1, more, decay, window), np.append(values, more)
        for level in (0.03, 0.2, 0.5, 0.8, 0.97):
            expected, margin = plain_quantile(values, level, decay)
            assert margin > 1e-11
            assert quantile(samples, 1, level, decay) == expected
            assert quantile(samples, 0, level, decay) == math.inf
    assert samples.seen.tolist() == [0, len(values)]


@pytest.mark.parametrize("decay", [0.97, 0.995, 1.0])
def test_quantiles_of_a_few_values_that_come_again_and_again(decay):
    """Old and late values that are equal count together, at every level."""
    values = np.random.default_rng(3).integers(0, 6, LATE + 70).astype(float)
    samples = extended(empty(1), 0, values, decay, 2**62)
    for level in np.linspace(0.0013, 0.9987, 997):
        assert quantile(samples, 0, level, decay) == plain_quantile(values, level, decay)[0]


def test_the_other_row_is_left_alone():
    samples = extended(empty(2), 0, np.arange(300.0), 0.99, 4114)
    before = [part[0].copy() for part in samples]
    samples = extended(samples, 1, -np.arange(700.0), 0.99, 4114)
    for part, old in zip(samples, before, strict=True):
        assert np.array_equal(part[0][: len(old)] if old.ndim else part[0], old)


def test_what_is_forgotten_weighs_less_than_a_rounding():
    for decay in (0.01, 0.5, 0.9, 0.99, 0.999, 0.999999):
        window = NexCP(decay=decay).parameters.window
        assert decay**window / (1 - decay) <= 2.0**-53 * (1 + 1e-9)
        assert decay ** (window - 1) / (1 - decay) > 2.0**-53 * (1 - 1e-9)


def test_the_state_stays_of_one_size_and_nothing_drifts():
    """After 6,000 values the sums are those of the last ones alone, to a few roundings."""
    decay, window = 0.9, NexCP(decay=0.9).parameters.window
    values = np.random.default_rng(2).normal(size=6_000)
    samples = extended(empty(1), 0, values, decay, window)
    assert samples.values.shape[1] <= 2 * (window + 2 * LATE)
    assert samples.size[0] <= window + LATE
    old = decay ** samples.late[0] * samples.weight[0, samples.size[0] - 1]
    total = old + samples.late_weight[0, samples.late[0] - 1]
    assert total == pytest.approx(decay / (1 - decay), rel=1e-13)
    assert quantile(samples, 0, 0.8, decay) == plain_quantile(values[-2000:], 0.8, decay)[0]


def test_equal_values_keep_all_their_weight():
    samples = extended(empty(1), 0, np.ones(400), 1.0, 2**62)
    assert quantile(samples, 0, 400 / 401, 1.0) == 1.0
    assert quantile(samples, 0, 400.5 / 401, 1.0) == math.inf
    assert "400 kept" in repr(samples)
