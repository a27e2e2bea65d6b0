"""Frugal KL-QUCB+: the choices of its definition, its settings, and what its charge does."""

import math
from itertools import product

import numpy as np
import pytest

import upperhand as uh
from upperhand.checks import FAILED
from upperhand.policies.parsing import parse_policy, settings_for

from ..looping import for_each
from ..reference.frugal import Frugal
from .late import Worker

KINDS = ("log-normal", "normal", "exponential", "gumbel", "student", "beta", "ties", "failures")
LEVELS = dict(zip(KINDS, "0.05 0.9 0.01 0.917 0.1 0.75 0.5 0.2".split(), strict=True))


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
    m, horizon = (20, 40, 80)[seed % 3], (None, 90)[seed % 2]
    assert_agrees(kind, 120, seed, frugal=m, horizon=horizon, late=6 * (seed % 4 == 1))
    assert_agrees(kind, 60, seed, frugal=m, trust=3.0, late=4 * (seed % 4 == 2))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_choices_of_the_definition_at_length(kind):
    """20,480 rounds, and 5,120 with trust."""
    for seed, (m, horizon, late) in enumerate(product((0, 20, 40, 80), (None, 240), (0, 9))):
        assert_agrees(kind, 160, seed, frugal=m, horizon=horizon, late=late)
    for seed, (m, late) in enumerate(product((0, 40), (0, 9))):
        assert_agrees(kind, 160, 50 + seed, frugal=m, trust=3.0, late=late)
