"""KL-QUCB: the bound as defined, what it promises, and the number of pulls that it asks for."""

import math

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.policies.kl_qucb import index
from upperhand.theory.lower_bounds import bernoulli_kl

from ..tables import draw


def state_of(rewards, tau=0.95, **settings):
    """Return the state after these rewards of one arm."""
    policy = uh.KLQUCB(tau, **settings)
    kernels = policy.functions
    state = kernels.start(policy, 1, len(rewards))
    for reward in rewards:
        kernels.update(policy, state, 0, reward)
    return policy, state


def bound_below(n, tau, budget):
    """Return r from its definition, counted down from n."""
    return next(
        r for r in range(n, -1, -1) if r <= tau * n or n * bernoulli_kl(r / n, tau) <= budget
    )


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("tau", [0.05, 0.5, 0.9, 0.975])
def test_the_bound_by_definition(tau, plus):
    rewards = draw("gaussian", 1, 400)[0]
    for n in (1, 2, 10, 60, 150, 400):
        policy, state = state_of(rewards[:n], tau, plus=plus)
        for t in (n + 1, 2 * n + 5, 10 * n + 50, 10**6):
            r = bound_below(n, tau, math.log(t / n if plus else t))
            expected = sorted(rewards[:n])[r] if r < n else math.inf
            assert index(policy, state, 0, t) == expected


@pytest.mark.parametrize("tau", [0.5, 0.9, 0.95, 0.99])
def test_it_lies_below_the_quantile_with_chance_at_most_one_in_t(tau):
    """Exactly so: x_(r+1) < q needs r + 1 rewards below q, of a Binomial(n, τ) number."""
    for n in (1, 5, 20, 100, 500, 2_000):
        policy, state = state_of(np.arange(n, dtype=float), tau)
        for t in (2, 10, 10**3, 10**6):
            bound = index(policy, state, 0, t)
            r = n if math.isinf(bound) else int(bound)  # the reward x_(r+1) is r
            assert stats.binom.sf(r, n, tau) <= 1 / t


def test_pulls_before_the_bound_is_finite():
    """+∞ for the first ln t / ln(1/τ) pulls: 179 at τ = 0.95 and t = 10⁴."""
    finite = [n for n in range(170, 190) if math.isfinite(index(*state_of(range(n)), 0, 10_000))]
    assert finite[0] == math.floor(math.log(10_000) / math.log(1 / 0.95)) + 1 == 180


def test_the_bound_never_falls_as_time_goes_by():
    policy, state = state_of(draw("gaussian", 1, 300)[0])
    bounds = [index(policy, state, 0, t) for t in range(301, 3_000_000, 9_973)]
    assert bounds == sorted(bounds)
    assert len(set(bounds)) > 3


def test_plus_is_never_more_hopeful():
    rewards = draw("gaussian", 1, 300)[0]
    bounds = [index(*state_of(rewards, plus=plus), 0, 9_000) for plus in (True, False)]
    assert bounds[0] < bounds[1]


def test_the_lowest_p95_live():
    """Costs: the arm with the lowest p95 has the higher mean; it takes most pulls, and soon."""
    rng = np.random.default_rng(0)
    bandit = uh.Bandit(["steady", "wild"], uh.KLQUCB(), seed=0, minimize=True)
    cost = {"steady": lambda: rng.normal(110, 1), "wild": lambda: rng.exponential(100)}
    for _ in range(600):
        arm = bandit.ask()
        bandit.tell(arm, cost[arm]())
    assert bandit.pulls("steady") > 500


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("policy", [uh.KLQUCB(0.9), uh.QuantileTS(0.9)], ids=lambda p: p.name)
def test_of_equal_bounds_the_arm_that_reaches_it_most_often(policy, swapped):
    """Rewards 0 and 1: both bounds are 1; one arm is there already, in either order of the arms."""
    often, seldom = [0.0] * 160 + [1.0] * 40, [0.0] * 188 + [1.0] * 12
    kernels, rng = policy.functions, np.random.default_rng(1)
    state = kernels.start(policy, 2, 400)
    for arm, rewards in enumerate([seldom, often] if swapped else [often, seldom]):
        for reward in rewards:
            kernels.update(policy, state, arm, reward)
    ties = 0
    for _ in range(400):
        assert kernels.choose(policy, state, 401, rng) == int(swapped)
        ties += kernels.index(policy, state, 0, 401) == kernels.index(policy, state, 1, 401)
    assert ties > 0
