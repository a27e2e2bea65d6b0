"""Bernstein aggregation: means within range, and whom it trusts in the end."""

import numpy as np
import pytest

from upperhand._kernels.experts import equal_weights, learn, mixture


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


def test_one_outcome_by_hand():
    """Experts 0 and 2, y = 3, the median: r = ∓½, B = ½, η = min{1, √(4 ln 2)} = 1, R = −¾ and ¼.

    Other versions of opera have other weights: the quotient is e^1.25 in 1.2.1, e^1.35 in 1.2.2.
    """
    state, values = equal_weights(1, 2), np.array([[0.0, 2.0]])
    learn(state, 0, values, 0, mixture(state.weight, 0, values, 0), -0.5)
    assert state.regret.tolist() == [[-0.75, 0.25]]
    assert np.log(state.weight[0, 1] / state.weight[0, 0]) == pytest.approx(1, rel=1e-14)


def test_nothing_is_learned_from_experts_who_agree():
    state = equal_weights(1, 4)
    learn(state, 0, np.full((1, 4), 3.0), 0, 3.0, -0.95)
    assert state.weight.tolist() == [[0.25] * 4]
    assert not state.regret.any()
