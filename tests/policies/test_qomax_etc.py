"""QoMax-ETC: how long it explores, quantiles of maxima by hand, and that it stays."""

import math

import numpy as np
import pytest

from upperhand.policies import QoMaxETC
from upperhand.policies.qomax_etc import index, start, update
from upperhand.simulation.player import play

from ..tables import draw
from .late import Worker


@pytest.mark.parametrize(
    ("horizon", "batches", "length"),
    [(1, 1, 1), (2, 1, 1), (3, 2, 2), (1000, 48, 7), (10_000, 85, 10), (50_000, 118, 11)],
)
def test_batches_by_hand(horizon, batches, length):
    """ln² n and ln n, rounded down, plus 1: as in the authors' experiments."""
    policy = QoMaxETC(horizon)
    assert (policy.count, policy.size, policy.initial_pulls) == (batches, length, batches * length)
    assert QoMaxETC(horizon, batches=3).initial_pulls == 3 * length
    assert QoMaxETC(horizon, length=3).initial_pulls == 3 * batches


def test_qomax_by_hand():
    """Batches (1, 5), (4, 2), (0, 3) and (7, 7): maxima 5, 4, 3, 7."""
    rewards = [1.0, 5.0, 4.0, 2.0, 0.0, 3.0, 7.0, 7.0]
    for q, expected in ((0.1, 3.0), (0.25, 3.0), (0.26, 4.0), (0.75, 5.0), (0.9, 7.0)):
        policy = QoMaxETC(100, q=q, batches=4, length=2)
        state = start(policy, 2, 0)
        for reward in rewards:
            assert index(policy, state, 0, 9) == math.inf
            update(policy, state, 0, reward)
        assert index(policy, state, 0, 9) == expected
        assert index(policy, state, 1, 9) == math.inf
        assert state.maxima[0].tolist() == [3.0, 4.0, 5.0, 7.0]


def test_round_robin_then_one_arm_for_good():
    table, policy = draw("heavy", 3, 400), QoMaxETC(400, batches=6, length=5)
    arms = play(policy, table).arms.tolist()
    assert arms[:90] == [0, 1, 2] * 30
    best = np.sort(table[:, :30].reshape(3, 6, 5).max(axis=2), axis=1)[:, 5].argmax()  # ⌈5.4⌉
    assert arms[90:] == [int(best)] * 310
    table[:, 30:] = -1e6
    assert play(policy, table).arms.tolist() == arms


def test_random_ties_commit_to_one_arm():
    policy, committed = QoMaxETC(60, batches=2, length=2, random_ties=True), set()
    for seed in range(20):
        later = play(policy, draw("constant", 3, 60), seed).arms[12:].tolist()
        assert len(set(later)) == 1
        committed.update(later)
    assert committed == {0, 1, 2}


def test_batches_begun_count_while_answers_are_under_way():
    """Two of three batches of arm 0 have begun when all its pulls are asked for: 4 and 9."""
    worker = Worker(QoMaxETC(50, q=0.5, batches=3, length=2), 2)
    for reward in (4.0, 1.0, 9.0):
        worker.learn(0, reward)
    for reward in range(6):
        worker.learn(1, float(reward))
    assert worker.index(0, 9) == math.inf
    worker.pending[0] = 3
    assert worker.index(0, 9) == 4.0
    assert worker.choose(9) == 0  # 3 of 1, 3, 5 is the other's
