"""QPAC: its guarantee, and what it does on the published comparison."""

import numpy as np
import pytest

from upperhand.calibrators.quantile_sequence import beta_binomial, beta_binomial_rank
from upperhand.policies import QPAC
from upperhand.policies.best_arm import qpac

from .guarantee import errors, most_errors, near_ties
from .runs import search

EPSILON, DELTA = 0.1, 0.05
RUNS = 60
RADII = ("dkw", "beta-binomial")


def policy(radius):
    return QPAC(tau=0.5, epsilon=EPSILON, delta=DELTA, radius=radius, t_opt=50)


@pytest.mark.compiled
@pytest.mark.parametrize("radius", RADII)
def test_the_answer_is_wrong_with_probability_at_most_delta(radius):
    found = errors(policy(radius), near_ties(RUNS, 2500, EPSILON), compiled=True)
    assert found <= most_errors(RUNS, DELTA)


def test_a_radius_cut_to_0_3_is_noticed(monkeypatch):
    """To a half is too mild: no run errs."""
    whole = qpac.bounds.dkw_radius
    monkeypatch.setattr(qpac.bounds, "dkw_radius", lambda t, delta: 0.3 * whole(t, delta))
    tables = near_ties(RUNS, 2500, EPSILON)
    assert errors(policy("dkw"), tables) > most_errors(RUNS, DELTA)


@pytest.mark.compiled
def test_a_mixture_of_error_0_95_an_arm_is_noticed(monkeypatch):
    """Instead of 0.005 an arm. A half is too mild: 2 runs in 60 err."""
    monkeypatch.setattr(
        qpac.bounds, "beta_binomial", lambda p, _, t_opt: beta_binomial(p, 0.95, t_opt)
    )
    tables = near_ties(RUNS, 2500, EPSILON)
    assert errors(policy("beta-binomial"), tables, compiled=True) > most_errors(RUNS, DELTA)


def test_the_ranks_of_the_ends_grow_with_the_level():
    """What the proof needs, that counts one error for each arm."""
    levels = np.linspace(0.02, 0.98, 49)
    for n in (1, 10, 300, 5000):
        ranks = [beta_binomial_rank(beta_binomial(p, 0.005, 1000.0), n, 0, 1) for p in levels]
        assert ranks == sorted(ranks)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("radius", "published", "error"), [("dkw", 93127.2, 841.6), ("beta-binomial", 3945.5, 190.8)]
)
def test_the_published_sample_size(radius, published, error):
    """Uniform arms, p = 0.95, ε = 0.025: mean and standard error of 64 runs (quantilecs).

    Twelve runs of ours; 4.5 standard errors of the difference are exceeded once in 10⁵ times.
    """
    rng, runs = np.random.default_rng(3), 12
    samples = np.empty(runs)
    for r in range(runs):
        table = rng.random((10, 20_000))
        table[0] += 0.05
        each = QPAC(tau=0.95, epsilon=0.025, radius=radius)
        found, state = search(each, table, 200_000, compiled=True)
        assert found.stopped
        assert found.answer == [0]
        samples[r] = state.pulls.sum()
    assert abs(samples.mean() - published) < 4.5 * error * np.sqrt(1 + 64 / runs)


def test_one_arm_is_the_answer_at_once():
    found, state = search(QPAC(), np.ones((1, 5)), 5)
    assert found.stopped
    assert found.answer == [0]
    assert state.pulls.tolist() == [1]


@pytest.mark.compiled
def test_equal_arms_are_not_told_apart_without_a_tolerance():
    table = np.random.default_rng(0).random((1, 3000)).repeat(3, axis=0)
    assert not search(QPAC(tau=0.5), table, 8000, compiled=True)[0].stopped
    assert search(QPAC(tau=0.5, epsilon=0.2), table, 8000, compiled=True)[0].stopped
