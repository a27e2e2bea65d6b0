"""Policies that keep sketches: as without one while it is exact, and as on what stands for it."""

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.samples import values_of
from upperhand._kernels.states import with_samples
from upperhand.errors import ParameterError
from upperhand.policies import POLICIES
from upperhand.simulation.player import play

from ..tables import draw
from .late import Worker

PLAIN = {
    "ACP-UCB1": uh.ACPUCB1(b=0.3, sketch=64),
    "Quantile-UCB": uh.QuantileUCB(b=0.3, sketch=64),
    "KL-QUCB": uh.KLQUCB(0.9, sketch=64),
    "Quantile-IMED": uh.QuantileIMED(0.9, sketch=64),
    "Quantile-TS": uh.QuantileTS(0.9, sketch=64),
    "QUCB": uh.QUCB(0.8, c=0.1, sketch=64),
}
SKETCHED = PLAIN | {
    "H-KL-QUCB": uh.KLQUCB(0.9, trust=3.0, sketch=64),
    "H-Quantile-IMED": uh.QuantileIMED(0.9, trust=3.0, sketch=64),
}
every = pytest.mark.parametrize("name", PLAIN)
every_and_hedged = pytest.mark.parametrize("name", SKETCHED)


def test_who_offers_it():
    offering = {name for name, policy in POLICIES.items() if "sketch" in policy.declared()}
    assert offering == set(PLAIN)


@every_and_hedged
def test_with_capacity_for_all_nothing_changes(name):
    for kind in ("gaussian", "heavy"):
        assert_no_difference(name, draw(kind, 3, 600), 601)


@every_and_hedged
def test_few_different_rewards_change_nothing(name):
    assert_no_difference(name, np.round(draw("gaussian", 3, 2_000), 1).clip(-2, 2), 64)


def assert_no_difference(name, table, sketch):
    policies = (SKETCHED[name].replace(sketch=each) for each in (sketch, None))
    found, expected = (play(policy, table, 5).arms.tolist() for policy in policies)
    assert found == expected


@every
def test_the_index_is_that_of_the_sample_that_stands_for_it(name):
    """At any moment, as if all rewards were kept, each being the value that stands for it."""
    policy, rng = SKETCHED[name], np.random.default_rng(3)
    if name == "ACP-UCB1":
        policy = policy.replace(eta=0.0)  # a level is no matter of the sample
    worker, table = Worker(policy, 3), draw("gaussian", 3, 700)
    for i in range(700):
        arm = int(rng.integers(3))
        worker.learn(arm, table[arm, i])
        if i % 60 == 59:
            stands = {arm: values_of(worker.state.samples, arm) for arm in range(3)}
            state = with_samples(policy.parameters, policy.functions, worker.state, stands)
            other = Worker(policy, 3, state=state)
            for t in (i + 2, 10 * i, 10**6):
                if name == "Quantile-TS":  # its index draws
                    seeds = (np.random.default_rng(t) for _ in range(2))
                    assert worker.choose(t, next(seeds)) == other.choose(t, next(seeds))
                    continue
                assert worker.choose(t) == other.choose(t)
                for arm in range(3):
                    assert worker.index(arm, t) == other.index(arm, t)


@every
def test_memory_is_bounded(name):
    def taken(state):
        return sum(map(taken, state)) if isinstance(state, tuple) else state.nbytes

    states = [play(SKETCHED[name], draw("gaussian", 2, n), 0).state for n in (100, 4_000)]
    assert taken(states[0].samples) == taken(states[1].samples) <= 2 * 64 * 32 + 200
    assert taken(states[0]) == taken(states[1])


@every
def test_a_sketch_forgets_nothing(name):
    assert SKETCHED[name].replace(sketch=None).forgets
    assert not SKETCHED[name].forgets


@pytest.mark.parametrize("given", [0, 63, 10**7, 64.5, "many", True])
def test_what_may_not_be_given(given):
    with pytest.raises(ParameterError, match="sketch"):
        uh.KLQUCB(sketch=given)


def test_scores_are_not_sketched():
    with pytest.raises(ParameterError, match="ACI the score of each"):
        uh.ACPUCB1(calibrator="aci", sketch=64)
    assert uh.ACPUCB1(calibrator=uh.Rescored(), sketch=64).sketch == 64
