"""Bernstein aggregation: powers of two, means within range, and whom it trusts in the end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels.boa import equal_weights, learn, mixture, power_of_two_from


@settings(derandomize=True)
@given(st.floats(1e-300, 1e300) | st.integers(-900, 900).map(lambda j: 2.0**j))
def test_the_next_power_of_two(value):
    power = power_of_two_from(value)
    assert power / 2 < value <= power
    assert np.frexp(power)[0] == 0.5


def test_a_mean_is_never_outside_of_the_values():
    """Weights sum to 1 up to rounding: 2.5 − 2.5 (1 + 2⁻⁵²) would be below 0."""
    rng, values = np.random.default_rng(0), np.array([[2.5, *[0.0] * 30]])
    for _ in range(100):
        weights = np.array([[0.0, *rng.dirichlet(np.ones(30))]])
        assert mixture(weights, 0, values, 0) >= 0
        assert mixture(weights, 0, np.full((1, 31), 0.1), 0) == 0.1


@pytest.mark.parametrize("level", [0.05, 0.5, 0.95])
def test_the_best_expert_gets_the_weight_and_the_mixture_its_loss(level):
    """Experts say −2, −1.5, …, 2 of a standard normal value; pinball losses at the level."""
    rng, values = np.random.default_rng(1), np.linspace(-2, 2, 9)[None]
    state, paid, own = equal_weights(1, 9), 0.0, np.zeros(9)
    for y in rng.normal(size=4000):
        mixed = mixture(state.weight, 0, values, 0)
        own += np.maximum(level * (y - values[0]), (level - 1) * (y - values[0]))
        paid += max(level * (y - mixed), (level - 1) * (y - mixed))
        learn(state, 0, values, 0, mixed, (1.0 if y < mixed else 0.0) - level)
    assert state.weight.sum() == pytest.approx(1)
    assert paid < own.min() + 15  # within √(4000 ln 9 / 40); equal weights for good pay 400 more
    quantile = np.quantile(rng.normal(size=10**5), level)
    assert float(state.weight[0] @ values[0]) == pytest.approx(quantile, abs=0.25)


def test_nothing_is_learned_from_experts_who_agree():
    state = equal_weights(1, 4)
    learn(state, 0, np.full((1, 4), 3.0), 0, 3.0, -0.95)
    assert state.weight.tolist() == [[0.25] * 4]
    assert not state.regret.any()
