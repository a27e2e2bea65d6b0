"""QUCB and Quantile-UCB: their indices by hand."""

import math

import upperhand as uh
from upperhand.policies import quantile_ucb, qucb

from ..tables import draw
from .late import state_of


def test_qucb_raises_the_level():
    policy = uh.QUCB(0.5, c=2.0)
    state = state_of(policy, range(1, 101))
    level = 0.5 + math.sqrt(2 * math.log(100) / 100)
    assert qucb.index(policy, state, 0, 101) == math.ceil(100 * level)


def test_qucb_is_round_robin_until_the_level_is_below_1():
    """At τ = 0.95 and c = 2 over the whole of the paper's horizon (catalogue of rivals)."""
    pulls = uh.play(uh.QUCB(0.95), draw("gaussian", 3, 3_000)).state.pulls
    assert pulls.tolist() == [1_000] * 3


def test_quantile_ucb_adds_a_bonus():
    policy = uh.QuantileUCB(0.2, b=0.3)
    state = state_of(policy, range(1, 101))
    assert quantile_ucb.index(policy, state, 0, 50) == 90 + 0.3 * math.sqrt(math.log(50) / 100)
    assert quantile_ucb.ends(policy, state, 0) == (10.0, 90.0)
    lower = uh.QuantileUCB(0.2, b=0.3, tail="lower")
    assert quantile_ucb.index(lower, state, 0, 50) == 10 + 0.3 * math.sqrt(math.log(50) / 100)
