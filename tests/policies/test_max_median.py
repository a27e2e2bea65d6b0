"""MaxMedian: orders by hand, how often it explores, and pending trials."""

import math

import numpy as np
import pytest

from upperhand.policies import MaxMedian
from upperhand.policies.max_median import index
from upperhand.simulation.player import play

from .. import reference
from ..tables import draw
from .late import Worker, state_of


def learned(*histories):
    return Worker(MaxMedian(), len(histories), state=state_of(MaxMedian(), *histories))


@pytest.mark.parametrize(
    ("histories", "indices"),
    [
        (([5.0, 1.0, 2.0, 7.0], [6.0, 3.0]), [5.0, 6.0]),  # ⌈4/2⌉ = 2nd largest, and the largest
        (([5.0, 1.0, 2.0, 7.0, 8.0], [6.0, 3.0]), [5.0, 6.0]),  # ⌈5/2⌉ = 3rd
        (([5.0, 1.0, 2.0, 7.0], [6.0]), [1.0, 6.0]),  # m = 1: the smallest
        (([5.0, 1.0], [6.0, 3.0]), [5.0, 6.0]),
        (([5.0, 5.0, 4.0], [5.0, 5.0]), [5.0, 5.0]),
        (([5.0, 1.0], []), [1.0, math.inf]),
    ],
)
def test_orders_by_hand(histories, indices):
    worker = learned(*histories)
    assert [worker.index(arm, 9) for arm in (0, 1)] == indices
    never = type("Never", (), {"random": lambda _: 0.999})()
    assert worker.choose(9, never) == indices.index(max(indices))


def test_what_is_under_way_counts_as_rewards_without_a_record():
    """W = (4, 4): both maxima. W = (8, 2): ⌈8/2⌉ = 4th of 4. W = (20, 2): there is no 10th."""
    worker = learned([5.0, 1.0, 2.0, 7.0], [6.0, 3.0])
    for pending, indices in (((0, 2), [7.0, 6.0]), ((4, 0), [1.0, 6.0]), ((16, 0), [1.0, 6.0])):
        worker.pending[:] = pending
        assert [worker.index(arm, 9) for arm in (0, 1)] == indices


def test_it_explores_one_round_in_t():
    """Arm 0 is worse in every reward, so only exploring pulls it: with chance 1/(2t) in round t.

    Of 400 runs: 957 pulls expected, with a variance below that. By chance more than 5 standard
    deviations off less than once in a million.
    """
    table = np.repeat([[0.0], [1.0]], 300, axis=1)
    pulls = sum(int(play(MaxMedian(), table, seed).state.pulls[0]) - 1 for seed in range(400))
    expected = 400 * sum(1 / (2 * t) for t in range(3, 301))
    assert abs(pulls - expected) < 5 * math.sqrt(expected)


def test_exploring_reaches_every_arm_alike():
    """In 3000 rounds that all explore, each of 5 arms 600 times: within 5 sd of a binomial."""
    worker, rng = learned(*[[float(arm)] for arm in range(5)]), np.random.default_rng(0)
    found = np.bincount([worker.choose(1, rng) for _ in range(3000)], minlength=5)
    assert abs(found - 600).max() < 5 * math.sqrt(3000 * 0.2 * 0.8)


def test_the_reference_would_notice():
    table = draw("gaussian", 3, 400)
    arms = play(MaxMedian(), table, 11).arms.tolist()
    assert arms == reference.max_median(table.tolist(), seed=11)
    assert arms != reference.max_median(table.tolist(), seed=12)
    again = np.where(np.arange(400) == 5, -9.0, table)  # a reward less among those seen
    assert arms != reference.max_median(again.tolist(), seed=11)


def test_the_index_is_that_of_the_choice():
    """`select` finds m once; `index` finds it by itself."""
    worker = learned([5.0, 1.0, 2.0, 7.0], [6.0, 3.0], [4.0, 4.5, 4.5])
    worker.choose(10**9)
    assert worker.state.fewest[0] == 2
    worker.learn(1, 0.0)
    assert [index(worker.parameters, worker.state, arm, 9) for arm in range(3)] == [5.0, 6.0, 4.5]
