"""The rounds at which pulls are counted, in every form they can be asked for."""

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import ThompsonSampling
from upperhand.simulation.player import Runner, arms_of, pulls_at, recorded_rounds
from upperhand.simulation.rewards import GivenRewards


def test_a_number_of_them():
    assert recorded_rounds(4, 100).tolist() == [25, 50, 75, 100]
    assert recorded_rounds(1, 100).tolist() == [100]
    assert recorded_rounds(200, 7).tolist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("horizon", [1, 2, 199, 200, 201, 777, 10_000])
@pytest.mark.parametrize("count", [1, 3, 50, 200, 10**6])
def test_rising_from_1_to_the_horizon(count, horizon):
    rounds = recorded_rounds(count, horizon)
    assert rounds[0] >= 1
    assert rounds[-1] == horizon
    assert np.all(np.diff(rounds) > 0)
    assert len(rounds) == min(count, horizon)
    assert rounds.dtype == np.int64


@pytest.mark.parametrize(
    "given", [[10, 3, 3], (3, 10), np.array([3, 10], np.uint8), range(3, 11, 7)], ids=repr
)
def test_a_list_is_sorted_and_ends_with_the_horizon(given):
    assert recorded_rounds(given, 50).tolist() == [3, 10, 50]


def test_the_horizon_is_not_there_twice():
    assert recorded_rounds([3, 50], 50).tolist() == [3, 50]


@pytest.mark.parametrize(
    "bad", [[0], [-1, 5], [51], [1.5], ["1"], [], [True], [[1], [2]], [[1], [1, 2]]], ids=repr
)
def test_rounds_that_there_are_not(bad):
    with pytest.raises(ParameterError, match=r"rounds must be whole numbers from 1 to .* 50"):
        recorded_rounds(bad, 50)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "ten", None, True])
def test_no_number_of_rounds(bad):
    with pytest.raises(ParameterError, match="rounds must be a whole number, 1 or more"):
        recorded_rounds(bad, 50)


@pytest.mark.parametrize("rounds", [[7], [1, 2, 7], [3, 7], [1, 2, 3, 4, 5, 6, 7]], ids=str)
@pytest.mark.parametrize("interpreted", [False, True])
def test_pulls_are_counted_at_these_rounds(rounds, interpreted):
    table, policy = np.random.default_rng(0).normal(size=(4, 7)), ThompsonSampling("gaussian", sd=1)
    arms, tally = np.empty(7, np.int64), pulls_at(np.array(rounds), 4)
    for kept in (arms_of(arms), tally):
        state = policy.functions.start(policy.parameters, 4, 7)
        runner = Runner(policy, state, GivenRewards(table), kept, interpreted=interpreted)
        runner.play(np.random.default_rng(1), 7)
    expected = [[int(np.sum(arms[:t] == j)) for j in range(4)] for t in rounds]
    assert tally.pulls.tolist() == expected
