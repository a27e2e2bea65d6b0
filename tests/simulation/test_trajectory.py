"""Playing a table: what is read from it, and which tables are refused."""

import math
import re
from concurrent.futures import CancelledError
from threading import Event

import numpy as np
import pytest

from upperhand.errors import ParameterError, TableError
from upperhand.policies import ACPUCB1, UCB1
from upperhand.simulation import player
from upperhand.simulation.player import check_horizon, play, play_rounds
from upperhand.simulation.rewards import reward_table

from ..policies.examples import EXAMPLES
from ..reference import acp_ucb1
from ..tables import TABLES, draw


class TestTables:
    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.1e150, -1.7e308])
    def test_a_number_that_is_no_reward_is_named_with_its_place(self, bad):
        table = np.zeros((3, 5))
        table[1, 3] = table[2, 0] = bad
        message = f"a finite number from −1e+150 to 1e+150; got {bad} as reward 4 of arm 1."
        with pytest.raises(TableError, match=re.escape(message)):
            play(UCB1(), table)

    @pytest.mark.parametrize(
        "table",
        [[1.0, 2.0], 3.0, [[[1.0]]], np.empty((0, 5)), np.empty((2, 0)), [], [[]]],
        ids=lambda table: str(np.shape(table)),
    )
    def test_a_wrong_shape_is_named(self, table):
        with pytest.raises(TableError, match="must have shape") as caught:
            play(UCB1(), table)
        assert f"got shape {np.shape(table)}" in str(caught.value)

    @pytest.mark.parametrize(
        "table",
        [[[1.0, 2.0], [3.0]], [["a", "b"]], "abc", [[{}, 1.0]], [[1j, 2.0]], ...],
        ids=repr,
    )
    def test_what_is_no_table_of_numbers(self, table):
        with pytest.raises(TableError, match="A reward table must"):
            play(UCB1(), table)

    def test_a_missing_reward(self):
        with pytest.raises(TableError, match=r"array of real numbers.*object values"):
            play(UCB1(), [[1.0, None]])

    def test_fewer_columns_than_rounds(self):
        with pytest.raises(
            TableError, match=r"6 rounds need a table of at least 6 columns.* got 5"
        ):
            play(UCB1(), np.zeros((2, 5)), rounds=6)

    @pytest.mark.parametrize("rounds", [0, -1, 2.0, "3", True])
    def test_rounds_must_be_a_whole_number(self, rounds):
        with pytest.raises(ParameterError, match="rounds must be a whole number, 1 or more"):
            play(UCB1(), np.zeros((2, 5)), rounds=rounds)

    @pytest.mark.parametrize(
        ("policy", "least"),
        [(ACPUCB1(), 6), (ACPUCB1(init=5), 15), (UCB1(), 3)],
        ids=["two", "five", "one"],
    )
    def test_a_horizon_too_short_for_the_initial_pulls(self, policy, least):
        message = f"the horizon must be {least} or more; got {least - 1}"
        with pytest.raises(ParameterError, match=message):
            play(policy, np.zeros((3, least - 1)))
        with pytest.raises(ParameterError, match=message):
            check_horizon(policy, 3, least - 1)
        assert play(policy, np.zeros((3, least))).arms[-1] == 2

    def test_lists_integers_and_views_are_tables(self):
        table = draw("ties", 3, 40) * 10
        expected = play(UCB1(), table).arms.tolist()
        wide = np.zeros((40, 6))
        wide[:, ::2] = table.T
        for same in (table.tolist(), table.astype(np.int64), np.asfortranarray(table), wide.T[::2]):
            assert play(UCB1(), same).arms.tolist() == expected

    def test_the_callers_table_is_left_alone(self):
        table = draw("zeros", 2, 60)
        before = table.copy()
        found = play(ACPUCB1(), table)
        found.rewards[:] = 7.0
        assert table.tobytes() == before.tobytes()

    def test_negative_zeros_become_zeros(self):
        table = reward_table(np.array([[-0.0, 0.0, -1.0]]))
        assert np.signbit(table).tolist() == [[False, False, True]]
        found = play(ACPUCB1(), draw("zeros", 2, 60))
        assert not np.signbit(found.rewards).any()
        assert not np.signbit(found.state.upper).any()


class TestPlay:
    @pytest.mark.parametrize("kind", TABLES)
    @pytest.mark.parametrize("policy", EXAMPLES.values(), ids=EXAMPLES)
    def test_rewards_are_those_of_the_arms(self, policy, kind):
        table = draw(kind, 3, 200)
        found = play(policy, table)
        pulls = [0, 0, 0]
        for arm, reward in zip(found.arms.tolist(), found.rewards.tolist(), strict=True):
            assert reward == table[arm, pulls[arm]]
            pulls[arm] += 1
        assert found.state.pulls.tolist() == pulls

    @pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
    def test_rewards_at_the_limit(self, compiled):
        """Endpoints are never NaN."""
        table = np.random.default_rng(0).choice([-1e150, 0.0, 1e150], (3, 200))
        found = play(ACPUCB1(eta=0.1), table, compiled=compiled)
        assert not np.isnan([found.state.lower, found.state.upper]).any()
        one = play(ACPUCB1(eta=0.1), table[:1], compiled=compiled).state
        expected = acp_ucb1(table[:1].tolist(), alpha="0.1", eta=0.1)
        assert (one.lower.tolist(), one.upper.tolist()) == (expected.lower, expected.upper)

    @pytest.mark.parametrize("policy", EXAMPLES.values(), ids=EXAMPLES)
    def test_the_slices_change_nothing(self, policy, monkeypatch):
        """Played in slices of 1, 7 and all rounds, from a state without room: the same bits."""
        table, found = draw("gaussian", 3, 200), []
        for scores in (3, 21, 10**9):
            monkeypatch.setattr(player, "ARMS_PER_SLICE", scores)
            rng, arms = np.random.default_rng(0), np.empty(200, np.int64)
            state = policy.functions.start(policy.parameters, 3, 0)
            state = play_rounds(policy, state, table, rng, arms)
            found.append((arms.tolist(), rng.random(), state.pulls.tolist()))
        assert found[0] == found[1] == found[2]

    def test_a_thread_can_be_stopped_between_slices(self, monkeypatch):
        monkeypatch.setattr(player, "ARMS_PER_SLICE", 1)

        class Later(Event):
            """Not set the first 51 times that it is looked at."""

            looks = 0

            def is_set(self):
                self.looks += 1
                return self.looks > 51

        arms, table = np.full(10_000, -1), np.zeros((1, 10_000))
        state, rng = UCB1().functions.start(UCB1().parameters, 1, 0), np.random.default_rng(0)
        with pytest.raises(CancelledError):
            play_rounds(UCB1(), state, table, rng, arms, interpreted=True, stop=Later())
        assert (arms[:51].tolist(), arms[51]) == ([0] * 51, -1)

    def test_one_arm_one_round(self):
        found = play(UCB1(), [[5.0]])
        assert (found.arms.tolist(), found.rewards.tolist()) == ([0], [5.0])

    @pytest.mark.parametrize("seed", [-1, 1.5, "1", True, [1]])
    def test_the_seed_is_checked(self, seed):
        with pytest.raises(ParameterError, match="seed must be a whole number, 0 or more, or None"):
            play(UCB1(), [[1.0]], seed)

    def test_it_is_immutable(self):
        with pytest.raises(AttributeError):
            play(UCB1(), [[1.0]]).arms = None


@pytest.mark.parametrize("table", [[["1", "2"]], [[1j, 2]], [[1.0, 2.0], [3.0]]])
def test_only_real_numbers_make_a_table(table):
    with pytest.raises(TableError, match="real numbers, its rows of equal length"):
        play(UCB1(), table)


@pytest.mark.parametrize("policy", [5, UCB1, "ucb1", None])
def test_only_a_policy_plays(policy):
    with pytest.raises(ParameterError, match="A policy must be given, such as ACPUCB1"):
        play(policy, [[1.0, 2.0]])
