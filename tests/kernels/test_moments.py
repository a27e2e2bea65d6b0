"""Means, variances and compensated sums against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from upperhand._kernels.moments import (
    add,
    learn_moments,
    no_moments,
    no_sums,
    start_means,
    two_product,
    two_quotient,
    two_sum,
    update_mean,
)
from upperhand.policies import UCB1, UCBV
from upperhand.simulation.player import play

from ..reference import exact_mean, exact_moments
from ..tables import TABLES, draw

SHIFTS = {
    "far away": lambda y: 1e12 + 1e-3 * y,
    "tiny spread": lambda y: 1.0 + 1e-15 * y,
    "large": lambda y: 1e149 * y,
    "small": lambda y: 1e-140 * y,
}
NICE = {
    "0/1": lambda rng, n: (rng.random(n) < 0.4).astype(float),
    "tenths": lambda rng, n: rng.integers(-30, 30, n) / 10,
    "prices": lambda rng, n: rng.integers(1, 10**6, n) / 100,
}


def told(rewards):
    """Return the mean as it is kept alone, and mean and squares as they are kept together."""
    means, moments = start_means(None, 1, 0), no_moments(1)
    for reward in rewards:
        update_mean(None, means, 0, reward)
        learn_moments(moments, 0, reward)
    return float(means.mean[0]), float(moments.mean[0]), float(moments.squares[0])


@pytest.mark.parametrize("kind", TABLES)
def test_after_every_reward_they_are_the_exact_ones_rounded(kind):
    means, moments = start_means(None, 1, 0), no_moments(1)
    rewards = draw(kind, 2, 250)[1].tolist()
    for n, reward in enumerate(rewards, start=1):
        update_mean(None, means, 0, reward)
        learn_moments(moments, 0, reward)
        _, mean, squares = exact_moments(rewards[:n])
        assert (means.mean[0], moments.squares[0]) == (mean, squares)
        # Half of the smallest double is none: then Y_1 + Σ d / n is rounded a second time.
        assert abs(moments.mean[0] - mean) <= (5e-324 if kind == "subnormal" else 0.0)


@pytest.mark.parametrize("shift", SHIFTS.values(), ids=SHIFTS)
def test_so_they_are_in_other_units(shift):
    for seed in range(5):
        rewards = shift(draw("gaussian", 1, 100, seed)[0]).tolist()
        _, mean, squares = exact_moments(rewards)
        assert told(rewards) == (mean, mean, squares)


@pytest.mark.parametrize("make", NICE.values(), ids=NICE)
def test_the_order_of_the_rewards_makes_no_difference(make):
    rng = np.random.default_rng(0)
    for n in (2, 3, 10, 49, 300):
        rewards = make(rng, n)
        assert len({told(rng.permutation(rewards).tolist()) for _ in range(10)}) == 1


@pytest.mark.parametrize("kind", ["gaussian", "ties", "bernoulli", "heavy"])
def test_after_100_000_rewards_they_are_still_exact(kind):
    """0 ulp off, where 4 are allowed."""
    table = draw(kind, 1, 100_000)
    _, mean, squares = exact_moments(table[0].tolist())
    assert play(UCB1(), table).state.mean[0] == mean
    state = play(UCBV(1.0), table).state
    assert (state.mean[0], state.squares[0]) == (mean, squares)


@pytest.mark.parametrize("first", [0.0, 1e16, -1e100])
def test_squares_are_never_negative(first):
    rng = np.random.default_rng(1)
    for _ in range(200):
        near = first + rng.choice([0.0, 1e-300, math.ulp(first)]) * rng.integers(-2, 3, 20)
        assert told([first, *near.tolist()])[2] >= 0.0
    assert told([0.1] * 1000) == (0.1, 0.1, 0.0)


def test_pairs_of_doubles_lose_nothing():
    rng = np.random.default_rng(2)
    for a, b in rng.normal(size=(500, 2)) * 10.0 ** rng.integers(-30, 30, (500, 2)):
        for pair, exact in (
            (two_sum(a, b), Fraction(a) + Fraction(b)),
            (two_product(a, b), Fraction(a) * Fraction(b)),
        ):
            assert sum(map(Fraction, pair)) == exact
            assert pair[0] == float(exact)
        n = int(rng.integers(1, 2**26))
        error = sum(map(Fraction, two_quotient(a, 0.0, n))) / (Fraction(a) / n) - 1
        assert abs(error) <= Fraction(1, 2**104)


def test_a_mean_of_one_kind_of_reward_is_that_reward():
    for value in (0.1, 1 / 3, 1e150, -7.7e-12):
        assert exact_mean([value] * 77) == told([value] * 77)[0] == value


def test_a_reward_that_cancels_the_others_leaves_what_they_lost():
    """The others are about as large as its last digit, and have 40 digits: 106 hold them all."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        large = 2.0 ** rng.integers(50, 58)
        small = (rng.normal(0.0, 2.0**40, 6).round() * math.ulp(large) / 2**40).tolist()
        rewards = [large, *small[:5], -large, small[5]]
        for n in range(1, len(rewards) + 1):
            assert told(rewards[:n])[0] == exact_mean(rewards[:n])


def test_a_giant_that_comes_and_goes_takes_nothing_with_it():
    sums = no_sums(2)
    for value in (0.1, 1e16, 0.2, -1e16, 1e12, -1e12):
        add(sums, 1, value, 0.0)
    assert sums.rounded[1] == math.fsum([0.1, 0.2])
    assert sums.rounded[0] == 0.0


@pytest.mark.parametrize("spread", [0, 3, 12])
def test_a_long_history_is_summed_as_exactly_as_its_last_state(spread):
    rng = np.random.default_rng(1)
    values = rng.normal(size=20_000) * 10.0 ** rng.uniform(-spread, spread, 20_000)
    sums = no_sums(1)
    for value in values:
        add(sums, 0, float(value), 0.0)
    for value in values[:19_990]:
        add(sums, 0, -float(value), 0.0)
    exact = math.fsum(values[19_990:])
    assert abs(sums.rounded[0] - exact) <= 1e-15 * np.abs(values[19_990:]).max()
