"""ThresholdAscent: which rewards count, what equals the threshold, and the bound by hand."""

import math

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import ThresholdAscent
from upperhand.policies.threshold_ascent import index, start, update
from upperhand.simulation.player import play

from ..looping import for_each
from ..tables import draw
from .late import Worker


def told(policy, rewards, arms=2):
    state = start(policy, arms, 0)
    for arm, reward in rewards:
        update(policy, state, arm, reward)
    return state


def test_the_bound_by_hand():
    """Of 1, 5 and 3, 4 the two best are 5 and 4: one of each arm's two."""
    policy = ThresholdAscent(10, s=2)
    state = told(policy, [(0, 1.0), (1, 3.0), (0, 5.0), (1, 4.0), (1, 0.0)])
    assert state.successes.tolist() == [1, 1]
    a = math.log(2 * 2 * 10 / 0.1)
    assert index(policy, state, 0, 6) == 1 / 2 + (a + math.sqrt(2 * 2 * 0.5 * a + a * a)) / 2
    share = 1 / 3
    expected = share + (a + math.sqrt(2 * 3 * share * a + a * a)) / 3
    assert index(policy, state, 1, 6) == pytest.approx(expected, rel=1e-15)


def test_until_there_are_s_rewards_all_of_them_count():
    policy = ThresholdAscent(10, s=4)
    rewards = [(0, 1.0), (1, 9.0), (1, 2.0), (0, 3.0)]
    for count in range(1, 5):
        state = told(policy, rewards[:count])
        assert state.successes.tolist() == state.pulls.tolist()
    assert told(policy, [*rewards, (0, 0.5)]).successes.tolist() == [2, 2]
    assert told(policy, [*rewards, (0, 1.5)]).successes.tolist() == [2, 2]  # for the 1


def test_what_equals_the_threshold_counts():
    """All rewards at the s-th best, however many; none of them when that rises."""
    policy, rewards = ThresholdAscent(10, s=2), [(0, 4.0), (0, 4.0), (1, 4.0)]
    for reward, successes in [
        ((1, 3.0), [2, 1]),
        ((1, 5.0), [2, 2]),  # the two best are 4 and 5: still all that are 4 or more
        ((0, 4.0), [3, 2]),
        ((0, 6.0), [1, 1]),  # 5 and 6: the 4s count no more
        ((1, 5.0), [1, 2]),
        ((1, 4.0), [1, 2]),
    ]:
        rewards.append(reward)
        state = told(policy, rewards)
        assert state.successes.tolist() == successes
    assert sorted(state.best[0].tolist()) == [5.0, 6.0]


@for_each("kind", ["gaussian", "ties", "bernoulli", "constant", "rising", "zeros"])
@for_each("s", [1, 3, 40])
def test_successes_are_those_of_a_recount(kind, s):
    policy, rng = ThresholdAscent(10, s=s), np.random.default_rng(0)
    table, histories = draw(kind, 3, 150), [[], [], []]
    state = start(policy, 3, 0)
    for i in range(150):
        arm = int(rng.integers(3))
        update(policy, state, arm, float(table[arm, i]))
        histories[arm].append(table[arm, i])
        everything = sorted(y for past in histories for y in past)
        threshold = everything[-s] if len(everything) >= s else -math.inf
        assert state.successes.tolist() == [sum(y >= threshold for y in h) for h in histories]


def test_while_answers_are_under_way_the_share_is_of_those_seen():
    worker = Worker(ThresholdAscent(10, s=2), 2)
    for arm, reward in [(0, 1.0), (1, 3.0), (0, 5.0), (1, 4.0)]:
        worker.learn(arm, reward)
    worker.pending[0] = 6
    a = math.log(400)
    assert worker.index(0, 11) == 1 / 2 + (a + math.sqrt(2 * 8 * 0.5 * a + a * a)) / 8


def test_an_arm_that_is_always_better_has_all_successes():
    """Its rewards rise, so the s best are its last s; the other's bound falls with its pulls."""
    table = np.array([np.zeros(2000), np.arange(1.0, 2001.0)])
    state = play(ThresholdAscent(2000, s=50), table).state
    assert state.successes.tolist() == [0, 50]
    assert state.pulls[1] > 1000
    assert state.best.shape == (1, 50)  # whatever the horizon


def test_more_than_memory_holds_is_refused_by_name():
    with pytest.raises(ParameterError, match="s must be a whole number, 1 or more, and at most 10"):
        ThresholdAscent(100, s=10**12)
