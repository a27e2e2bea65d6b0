"""QoMax-SDA: rounds by hand, what a call asks for, duels, and answers under way."""

import math

import numpy as np
import pytest

from upperhand._kernels.extremes import push
from upperhand.policies import QoMaxSDA
from upperhand.policies.qomax_sda import _wins
from upperhand.simulation.player import play

from .. import reference
from ..tables import draw
from .late import Worker

FLAT = np.repeat([[1.0], [9.0]], 200, axis=1)


def grown_to(n):
    """Return ⌈n^(2/3)⌉ in whole numbers."""
    return next(b for b in range(n + 1) if b**3 >= n**2)


def test_rounds_by_hand():
    """Arm 1 is better in every reward, and arms with n ≤ f(r) = max(1, ln^(3/2) r) are called."""
    arms = play(QoMaxSDA(least=1), FLAT).arms.tolist()
    rounds = [
        [0, 1],  # r = 1
        [1, 1, 0, 1],  # r = 2: to n = 2, and arm 1 makes a second batch; the most owed first
        [0, 0],  # arm 0, the first leader, catches up
        [1, 1],  # r = 3: f = 1.15 < 2; arm 0 loses, and the leader goes on alone: n = 3
        [1, 1],  # r = 4: f = 1.63
        [0, 0, 0, 0, 0],  # r = 5: f = 2.04 ≥ 2: n = 3 and a third batch
        [1, 1, 1, 1],  # which the leader, n = 4, needs too
        [1, 1, 1],  # r = 6: alone, in three batches
    ]
    expected = [arm for each in rounds for arm in each]
    assert arms[: len(expected)] == expected


def test_an_arm_that_always_loses_is_called_as_often_as_it_must_be():
    """Its n is the first above f(r), so its pulls are polylogarithmic."""
    state = play(QoMaxSDA(), np.repeat([[1.0], [9.0], [2.0]], 20_000, axis=1)).state
    due = max(5.0, math.log(int(state.rounds[0])) ** 1.5)
    for arm in (0, 2):
        n = int(state.batches.length[arm])
        assert n == math.floor(due) + 1
        assert state.pulls[arm] == n * grown_to(n)
    assert state.pulls[1] > 19_000


@pytest.mark.parametrize("kind", ["gaussian", "ties", "heavy", "constant", "falling"])
def test_batches_are_as_long_as_each_other(kind):
    """Pulls are n_j B_j and what the call has added; a leader has as many batches as any arm."""
    worker, table, rounds = Worker(QoMaxSDA(), 3), draw(kind, 3, 1500), 2
    for t in range(1, 1501):
        arm = worker.choose(t)
        worker.learn(arm, table[arm, worker.state.pulls[arm]])
        state = worker.state
        between = state.batches.length * state.batches.made + state.batches.place
        assert state.pulls.tolist() == between.tolist()
        if int(state.rounds[0]) > rounds:
            rounds, leader = int(state.rounds[0]), int(state.leads.argmax())
            assert not state.batches.place.any()
            assert state.batches.length[leader] == state.batches.length.max()
            assert state.batches.made[leader] == state.batches.made.max()
    assert rounds > 20


def test_a_duel_is_on_the_last_rewards_of_the_leader():
    """Arm 1 has (2, 2) in its batches; the leader's last two are (9, 1), (1, 1) and (1, 3)."""
    worker = Worker(QoMaxSDA(0.5), 2)
    state = worker.state
    for row, values in enumerate([(5.0, 9.0, 1.0), (8.0, 1.0, 1.0), (7.0, 1.0, 3.0)]):
        for number, value in enumerate(values, 1):
            push(state.batches.maxima, 0, row, number, value)
    state.batches.length[:], state.qomax[:] = [3, 2], [8.0, 2.0]
    for batches, q, wins in (
        ([3, 3], 0.3, True),  # 1 is the smallest of 9, 1, 3
        ([3, 3], 0.5, False),  # 3 is the second
        ([3, 2], 0.5, True),  # 1 is the first of 9, 1
        ([3, 2], 0.9, False),
        ([3, 1], 0.1, False),
        ([2, 3], 0.5, True),  # a leader that still catches up is taken as far as it is
    ):
        state.batches.made[:] = batches
        assert _wins(QoMaxSDA(q), state, 1, 0) == wins
    state.qomax[1] = 9.0
    assert _wins(QoMaxSDA(0.9), state, 1, 0)  # equal is enough


def test_leaders_tie_by_qomax_then_by_the_lowest_arm():
    for worth, leader in (([1.0, 9.0, 9.0], 1), ([9.0, 1.0, 9.0], 0), ([5.0, 5.0, 7.0], 2)):
        table = np.repeat(np.array(worth)[:, None], 400, axis=1)
        worker = Worker(QoMaxSDA(), 3)
        while worker.state.rounds[0] < 4 or worker.state.batches.place.any():
            arm = worker.choose(9)
            worker.learn(arm, table[arm, 0])
        assert worker.state.leads.argmax() == leader


class TestUnderWay:
    def test_what_was_asked_for_is_not_asked_for_again(self):
        worker = Worker(QoMaxSDA(), 2)
        worker.learn(0, 1.0)
        worker.learn(1, 9.0)
        assert worker.state.batches.owed.tolist() == [1, 3]
        asked = []
        for _ in range(7):
            asked.append(worker.choose(9))
            worker.pending[asked[-1]] += 1
        assert asked == [1, 1, 0, 1, *[1, 1, 1]]  # then who leads by its maximum

    def test_a_reward_that_was_not_owed_calls_its_arm(self):
        worker = Worker(QoMaxSDA(), 2)
        worker.learn(0, 1.0)
        worker.learn(1, 9.0)
        worker.learn(0, 1.0)  # completes its call, alone: n = 2
        assert worker.state.batches.owed.tolist() == [0, 3]
        assert worker.state.rounds[0] == 2
        worker.learn(0, 1.0)  # not owed: n = 3, complete at once, as it has one batch
        assert worker.state.rounds[0] == 3  # though arm 1 has not answered
        assert worker.state.batches.length.tolist() == [3, 1]
        assert worker.state.batches.owed[1] == 3

    def test_arms_without_an_answer_do_not_stop_the_others(self):
        worker = Worker(QoMaxSDA(), 3)
        for _ in range(300):
            worker.learn(0, 1.0)
        assert worker.state.rounds[0] > 100


def test_the_reference_would_notice_duels_on_the_first_rewards():
    class Wrong(reference.Duels):
        def wins(self, arm):
            n = self.length(arm)
            rivals = self.complete(self.leader)[: len(self.complete(arm))]
            return self.qomax[arm] >= reference.quantile([max(b[:n]) for b in rivals], self.q)

    table = draw("gaussian", 3, 800).tolist()
    wrong = reference.qomax_sda(table, duels=Wrong(3, "0.9", 5))
    assert wrong != reference.qomax_sda(table, duels=reference.Duels(3, "0.9", 5))
