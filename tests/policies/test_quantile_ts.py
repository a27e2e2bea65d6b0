"""Quantile-TS: its draws are those of the Bayesian bootstrap."""

import math

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.policies.quantile_ts import draw as draw_quantile

from .late import state_of


def bootstrap_ranks(n, tau, count, rng):
    """Return ranks of weighted τ-quantiles: Dirichlet weights on n rewards and one at +∞."""
    weights = rng.dirichlet(np.ones(n + 1), size=count)
    return (np.cumsum(weights, axis=1) < tau).sum(axis=1) + 1


@pytest.mark.parametrize(("n", "tau"), [(1, 0.5), (6, 0.3), (12, 0.95), (40, 0.9)])
def test_draws_are_quantiles_of_the_bayesian_bootstrap(n, tau):
    """χ² of 20,000 draws against 20,000 of the definition; a false alarm once in 10⁵ tests."""
    rng = np.random.default_rng(1)
    policy = uh.QuantileTS(tau)
    state = state_of(policy, range(1, n + 1))
    draws = [draw_quantile(policy, state, 0, rng) for _ in range(20_000)]
    ours = np.array([n + 1 if math.isinf(value) else int(value) for value in draws])
    theirs = bootstrap_ranks(n, tau, 20_000, rng)
    counts = np.array([np.bincount(ranks, minlength=n + 2)[1:] for ranks in (ours, theirs)])
    common = counts.sum(axis=0) >= 20
    assert stats.chi2_contingency(counts[:, common]).pvalue > 1e-5


def test_chance_of_infinity():
    """τ^N, within five standard deviations."""
    policy = uh.QuantileTS(0.95)
    state = state_of(policy, range(30))
    rng, count = np.random.default_rng(2), 20_000
    share = sum(math.isinf(draw_quantile(policy, state, 0, rng)) for _ in range(count)) / count
    chance = 0.95**30
    assert abs(share - chance) < 5 * math.sqrt(chance * (1 - chance) / count)
