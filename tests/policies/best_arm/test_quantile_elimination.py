"""Successive elimination: its guarantee, and that only the order of rewards counts."""

import numpy as np
import pytest

from upperhand.policies import QuantileElimination
from upperhand.policies.best_arm import quantile_elimination

from .guarantee import errors, most_errors, near_ties
from .runs import search

EPSILON, DELTA, RUNS = 0.1, 0.05, 60


@pytest.mark.compiled
def test_the_answer_is_wrong_with_probability_at_most_delta():
    policy = QuantileElimination(tau=0.5, epsilon=EPSILON, delta=DELTA)
    wrong = errors(policy, near_ties(RUNS, 2500, EPSILON), compiled=True)
    assert wrong <= most_errors(RUNS, DELTA)


def test_a_radius_cut_to_0_3_is_noticed(monkeypatch):
    """To a half is too mild: one run in sixty errs."""
    whole = quantile_elimination.round_radius
    monkeypatch.setattr(quantile_elimination, "round_radius", lambda *given: 0.3 * whole(*given))
    policy = QuantileElimination(tau=0.5, epsilon=EPSILON, delta=DELTA)
    tables = near_ties(RUNS, 2500, EPSILON)
    assert errors(policy, tables) > most_errors(RUNS, DELTA)


def test_only_order_counts():
    shifts = np.array([[0.0], [0.4], [0.2]])
    table = shifts + np.random.default_rng(2).random((3, 4000))
    policy = QuantileElimination(tau=0.5)
    runs = [search(policy, rewards, 8000)[1] for rewards in (table, np.exp(table))]
    assert runs[0].pulls.tolist() == runs[1].pulls.tolist()
    assert runs[0].found.tolist() == runs[1].found.tolist() == [1]
