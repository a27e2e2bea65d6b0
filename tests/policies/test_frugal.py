"""Frugal KL-QUCB+: the choices of its definition, its settings, and what its charge does."""

from itertools import product

import numpy as np
import pytest

import upperhand as uh
from upperhand.checks import FAILED
from upperhand.policies.parsing import parse_policy, settings_for

from ..looping import for_each
from ..reference.frugal import Frugal
from .late import Worker

LEVELS = {  # of rewards; costs are negated
    "log-normal": "0.05", "normal": "0.9", "exponential": "0.01", "gumbel": "0.917",
    "student": "0.1", "beta": "0.75", "ties": "0.5", "failures": "0.2", "apart": "0.95",
}  # fmt: skip
KINDS = list(LEVELS)


def drawn(kind, rounds, seed):
    """Return rewards of a few arms; those of costs are negated."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    arms = int(rng.integers(2, 9))
    loc, scale = rng.normal(0, 0.6, (arms, 1)), rng.uniform(0.4, 1.3, (arms, 1))
    shape = arms, rounds
    match kind:
        case "log-normal":
            return -rng.lognormal(loc, scale / 2, shape)
        case "normal":
            return rng.normal(loc, scale, shape)
        case "exponential":
            return -rng.exponential(scale, shape)
        case "gumbel":
            return rng.gumbel(loc, scale, shape)
        case "student":
            return loc - scale * rng.standard_t(3, shape)
        case "beta":
            return rng.beta(2 + 4 * scale, 2 + loc**2, shape)
        case "apart":
            return rng.normal(6 * loc, scale, shape)
        case "ties":
            return np.round(rng.normal(loc, scale, shape))
    failed = rng.random(shape) < rng.uniform(0, 0.4, (arms, 1))
    return np.where(failed, -FAILED, -rng.lognormal(loc, scale / 2, shape))


def assert_agrees(kind, rounds, seed, *, late=0, **settings):
    """Assert that each choice is one of the reference's best; return how many arms were charged.

    Answers come up to `late` rounds late.
    """
    table, tau = drawn(kind, rounds, seed), LEVELS[kind]
    policy = uh.KLQUCB(float(tau), plus=True, **settings)
    reference = Frugal(len(table), tau, m=policy.frugal, horizon=policy.end, trust=policy.trust)
    worker, rng, under_way = Worker(policy, len(table)), np.random.default_rng(seed), []
    for t in range(1, rounds + 1):
        arm = worker.choose(t)
        assert arm in reference.best(t), (kind, seed, settings, t)
        answer = table[arm, reference.seen[arm].asked]
        under_way.append((t + int(rng.integers(late + 1)), arm, answer))
        worker.pending[arm] += 1
        reference.ask(arm)
        for _, j, reward in [each for each in under_way if each[0] <= t]:
            worker.pending[j] -= 1
            worker.learn(j, reward)
            reference.tell(j, reward)
        under_way = [each for each in under_way if each[0] > t]


@for_each("kind", KINDS)
def test_the_choices_of_the_definition(kind):
    seed = KINDS.index(kind)
    m, horizon = (4, 20, 40, 80)[seed % 4], (None, 90)[seed % 2]
    assert_agrees(kind, 120, seed, frugal=m, horizon=horizon, late=6 * (seed % 3 == 1))
    assert_agrees(kind, 100, seed, frugal=m, trust=2.0, late=4 * (seed % 3 == 2))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_choices_of_the_definition_at_length(kind):
    """23,040 rounds, and 5,760 with trust."""
    for seed, (m, horizon, late) in enumerate(product((0, 20, 40, 80), (None, 110), (0, 9))):
        assert_agrees(kind, 160, seed, frugal=m, horizon=horizon, late=late)
    for seed, (m, late) in enumerate(product((0, 40), (0, 9))):
        assert_agrees(kind, 160, 50 + seed, frugal=m, trust=3.0, late=late)


def test_an_arm_far_behind_is_retried_less_often():
    """Plain KL-QUCB+ sees ranks only, and retries both bad arms alike."""
    costs = -np.random.default_rng(0).exponential([[1.0], [1.5], [150.0]], (3, 600))
    pulls = [
        np.bincount(uh.play(uh.KLQUCB(0.1, plus=True, frugal=m), costs).arms, minlength=3)
        for m in (0, 40)
    ]
    assert pulls[1][2] < pulls[0][2]
    assert pulls[1][2] < pulls[1][1] / 2


def test_less_is_tried_towards_a_known_end():
    rewards = np.random.default_rng(1).normal([[0.1], [0.0], [0.05]], 1.0, (3, 400))
    arms = [
        uh.play(uh.KLQUCB(0.9, plus=True, horizon=horizon), rewards).arms
        for horizon in (None, 400, 800)
    ]
    changes = [np.count_nonzero(np.diff(each[350:])) for each in arms]
    assert changes[1] < changes[0] / 2
    assert arms[2].tolist() == arms[0].tolist()


def test_settings_that_do_not_go_together():
    with pytest.raises(uh.ParameterError, match=r"frugal=40 charges .*: add plus=True"):
        uh.KLQUCB(frugal=40)
    for given in ({"plus": True, "frugal": 40}, {"horizon": 900}):
        with pytest.raises(uh.ParameterError, match=r"with all rewards kept, .* got sketch=64"):
            uh.KLQUCB(sketch=64, **given)


def test_nobody_fills_in_the_horizon():
    for objective in (uh.Quantile(0.9), uh.UpperTail(0.1)):
        _, policy = parse_policy("kl-qucb:plus=true", **settings_for(objective, 0.1, 1000))
        assert policy.horizon is None
    arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    assert uh.simulate(arms, "kl-qucb", 50, 2, 0).policies["KL-QUCB"].horizon is None
