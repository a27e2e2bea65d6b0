"""KL-QUCB: the bound as defined, its guarantee, and the number of pulls that it asks for."""

import math

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.policies.kl_qucb import index

from .late import state_of


@pytest.mark.parametrize("tau", [0.5, 0.9, 0.95, 0.99])
def test_it_lies_below_the_quantile_with_chance_at_most_one_in_t(tau):
    """Exactly so: x_(r+1) < q needs r + 1 rewards below q, of a Binomial(n, τ) number."""
    for n in (1, 5, 20, 100, 500, 2_000):
        policy = uh.KLQUCB(tau)
        state = state_of(policy, range(n))
        for t in (2, 10, 10**3, 10**6):
            bound = index(policy, state, 0, t)
            r = n if math.isinf(bound) else int(bound)  # the reward x_(r+1) is r
            assert stats.binom.sf(r, n, tau) <= 1 / t


def test_pulls_before_the_bound_is_finite():
    """+∞ for the first ln t / ln(1/τ) pulls: 179 at τ = 0.95 and t = 10⁴."""
    policy = uh.KLQUCB(0.95)
    bounds = {n: index(policy, state_of(policy, range(n)), 0, 10_000) for n in range(170, 190)}
    finite = [n for n, bound in bounds.items() if math.isfinite(bound)]
    assert finite[0] == math.floor(math.log(10_000) / math.log(1 / 0.95)) + 1 == 180


def test_the_lowest_p95_live():
    """Costs: the arm with the lowest p95 has the higher mean; it takes most pulls, and soon."""
    rng = np.random.default_rng(0)
    bandit = uh.Bandit(["steady", "wild"], uh.KLQUCB(), seed=0, direction="minimize")
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
    state = state_of(policy, *([seldom, often] if swapped else [often, seldom]))
    ties = 0
    for _ in range(400):
        assert kernels.choose(policy, state, 401, rng) == int(swapped)
        ties += kernels.index(policy, state, 0, 401) == kernels.index(policy, state, 1, 401)
    assert ties > 0
