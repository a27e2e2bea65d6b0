"""Arms that have paid the same, in whatever order, tie: bit for bit, and broken as documented."""

from copy import deepcopy

import numpy as np
import pytest

from upperhand.policies import KLUCB, MVLCB, UCB1, UCBV, ExpExp, UCB1Normal
from upperhand.simulation.player import play

from ..reference import exact_moments

ARMS, PULLS = 4, 60
POLICIES = {
    "UCB1": UCB1,
    "UCB1-NORMAL": UCB1Normal,
    "KL-UCB bernoulli": KLUCB,
    "KL-UCB gaussian": lambda **ties: KLUCB("gaussian", sd=0.5, **ties),
    "UCB-V": lambda **ties: UCBV(1.0, **ties),
    "MV-LCB": lambda **ties: MVLCB(1000, 1.0, **ties),
    "ExpExp": lambda **ties: ExpExp(6500, **ties),  # explores 60 pulls
}
every_policy = pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)


def paid_alike(policy, seed):
    """Return a state in which each arm has paid the same 0/1 rewards, in an order of its own."""
    rng, k = np.random.default_rng(seed), policy.functions
    rewards, state = (rng.random(PULLS) < 0.3).astype(float), k.start(policy, ARMS, PULLS)
    for arm in range(ARMS):
        for reward in rng.permutation(rewards).tolist():
            k.update(policy, state, arm, reward)
    return state


@every_policy
def test_ties_go_to_the_lowest_arm(make):
    policy = make()
    k, t, rng = policy.functions, ARMS * PULLS + 1, np.random.default_rng(0)
    for seed in range(20):
        state = paid_alike(policy, seed)
        assert len({k.index(policy, state, arm, t) for arm in range(ARMS)}) == 1
        assert k.choose(policy, state, t, rng) == 0


@every_policy
def test_random_ties_sees_them_all(make):
    """That 100 draws miss one of four arms, for one of 5 states: 5 · 4 · (3/4)¹⁰⁰ < 1e-11."""
    policy, rng = make(random_ties=True), np.random.default_rng(0)
    for seed in range(5):
        state = paid_alike(policy, seed)
        states = (deepcopy(state) for _ in range(100))  # ExpExp would remember its first choice
        found = {policy.functions.choose(policy, one, ARMS * PULLS + 1, rng) for one in states}
        assert found == set(range(ARMS))


def test_exp_exp_commits_to_the_lowest_of_the_tied_arms():
    policy, ties = ExpExp(200), 0
    e = policy.initial_pulls
    for seed in range(300):
        table = (np.random.default_rng(seed).random((3, 200)) < 0.5).astype(float)
        explored = [exact_moments(row[:e].tolist()) for row in table]
        worth = [mean - squares / n for n, mean, squares in explored]
        ties += worth.count(max(worth)) > 1
        assert play(policy, table).state.chosen.argmax() == worth.index(max(worth))
    assert ties > 50
