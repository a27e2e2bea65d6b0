"""Playing a table: what is read from it, which tables are refused, and what is recorded."""

import math
import os
import re
import subprocess
import sys
from concurrent.futures import CancelledError
from itertools import count
from threading import Event

import numpy as np
import pandas as pd
import pytest

import upperhand as uh
from upperhand.errors import ParameterError, TableError
from upperhand.policies import ACPUCB1, UCB1
from upperhand.policies.base import check_horizon
from upperhand.simulation import player
from upperhand.simulation.player import Runner, arms_of, play, play_rounds, pulls_at
from upperhand.simulation.rewards import GivenRewards, reward_table

from ..looping import for_each
from ..policies.examples import EXAMPLES
from ..reference import acp_ucb1
from ..tables import TABLES, draw

ONE_OF_EACH = list({type(policy): policy for policy in EXAMPLES.values()}.values())


class TestTables:
    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.1e150, -1.7e308])
    def test_an_invalid_reward_is_named_with_its_place(self, bad):
        table = np.zeros((3, 5))
        table[1, 3] = table[2, 0] = bad
        message = f"a finite number from −1e+150 to 1e+150; got {bad} as reward 4 of arm 1."
        with pytest.raises(TableError, match=re.escape(message)):
            play(UCB1(), table)

    def test_a_wrong_shape_is_named(self):
        for table in ([1.0, 2.0], 3.0, [[[1.0]]], np.empty((0, 5)), np.empty((2, 0)), [], [[]]):
            with pytest.raises(TableError, match="must have shape") as caught:
                play(UCB1(), table)
            assert f"got shape {np.shape(table)}" in str(caught.value)

    def test_what_is_no_table_of_numbers(self):
        odd = [[["a", "b"]], "abc", [[{}, 1.0]], [[1j, 2.0]], ..., [["1", "2"]], [[1.0, None]]]
        for table in ([[1.0, 2.0], [3.0]], *odd):
            with pytest.raises(TableError, match="real numbers, its rows of equal length"):
                play(UCB1(), table)

    def test_rounds(self):
        with pytest.raises(TableError, match=r"6 rounds need .* at least 6 columns.* got 5"):
            play(UCB1(), np.zeros((2, 5)), rounds=6)
        for rounds in (0, -1, 2.0, "3", True):
            with pytest.raises(ParameterError, match="rounds must be a whole number, 1 or more"):
                play(UCB1(), np.zeros((2, 5)), rounds=rounds)

    def test_a_horizon_too_short_for_the_initial_pulls(self):
        for policy, least in ((ACPUCB1(), 6), (ACPUCB1(init=5), 15), (UCB1(), 3)):
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

    def test_what_else_is_refused(self):
        for seed in (-1, 1.5, "1", True, [1]):
            with pytest.raises(ParameterError, match="seed must be a whole number, 0 or more, or"):
                play(UCB1(), [[1.0]], seed)
        for policy in (5, None):
            with pytest.raises(ParameterError, match="A policy must be given, such as ACPUCB1"):
                play(policy, [[1.0, 2.0]])


@for_each("kind", TABLES)
def test_rewards_are_those_of_the_arms(kind):
    for policy in (ACPUCB1(), UCB1(random_ties=True)):
        table = draw(kind, 3, 200)
        found = play(policy, table)
        pulls = [0, 0, 0]
        for arm, reward in zip(found.arms.tolist(), found.rewards.tolist(), strict=True):
            assert reward == table[arm, pulls[arm]]
            pulls[arm] += 1
        assert found.state.pulls.tolist() == pulls


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_rewards_at_the_limit(compiled):
    """Endpoints are never NaN."""
    table = np.random.default_rng(0).choice([-1e150, 0.0, 1e150], (3, 200))
    found = play(ACPUCB1(eta=0.1), table, compiled=compiled)
    assert not np.isnan([found.state.lower, found.state.upper]).any()
    one = play(ACPUCB1(eta=0.1), table[:1], compiled=compiled).state
    expected = acp_ucb1(table[:1].tolist(), alpha="0.1", eta=0.1)
    assert (one.lower.tolist(), one.upper.tolist()) == (expected.lower, expected.upper)


def test_one_arm_one_round():
    found = play(UCB1(), [[5.0]])
    assert (found.arms.tolist(), found.rewards.tolist()) == ([0], [5.0])
    with pytest.raises(AttributeError):
        found.arms = None


@for_each("policy", ONE_OF_EACH)
def test_slices_change_nothing(policy, monkeypatch):
    """Played in slices of 1, 7 and all rounds, from a state without room: the same bits."""
    table, found = draw("gaussian", 3, 120), []
    for looks in (3, 21, 10**9):
        monkeypatch.setattr(player, "ARMS_PER_SLICE", looks)
        rng, arms = np.random.default_rng(0), np.empty(120, np.int64)
        state = policy.functions.start(policy.parameters, 3, 0)
        state = play_rounds(policy, state, table, rng, arms)
        found.append((arms.tolist(), rng.random(), state.pulls.tolist()))
    assert found[0] == found[1] == found[2]


def test_a_thread_can_be_stopped_between_slices(monkeypatch):
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


@pytest.mark.parametrize("interpreted", [False, True])
def test_pulls_are_counted_at_the_recorded_rounds(interpreted):
    table = np.random.default_rng(0).normal(size=(4, 7))
    policy = uh.ThompsonSampling("gaussian", sd=1)
    for rounds in ([7], [1, 2, 7], [3, 7], [1, 2, 3, 4, 5, 6, 7]):
        arms, tally = np.empty(7, np.int64), pulls_at(np.array(rounds), 4)
        for kept in (arms_of(arms), tally):
            state = policy.functions.start(policy.parameters, 4, 7)
            runner = Runner(policy, state, GivenRewards(table), kept, interpreted=interpreted)
            runner.play(np.random.default_rng(1), 7)
        expected = [[int(np.sum(arms[:t] == j)) for j in range(4)] for t in rounds]
        assert tally.pulls.tolist() == expected


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.Philox])
def test_compiled_code_draws_from_the_generator_that_is_given(kind):
    """Afterwards it is where it is after the same rounds without the compiler."""
    policy, after = uh.QuantileTS(), []
    table = np.random.default_rng(0).normal(size=(2, 50))
    for interpreted in (False, True):
        rng, arms = np.random.Generator(kind(7)), np.empty(50, np.int64)
        state = policy.functions.start(policy.parameters, 2, 50)
        play_rounds(policy, state, table, rng, arms, interpreted=interpreted)
        after.append((arms.tolist(), rng.random()))
    assert after[0] == after[1]


def test_a_frame_is_played_by_column_and_an_array_by_row():
    table = np.random.default_rng(0).random((3, 40))
    frame = pd.DataFrame(table.T, columns=list("xyz"))
    expected = play(uh.UCB1(), table).arms.tolist()
    assert play("ucb1", frame).arms.tolist() == play(uh.UCB1, table).arms.tolist() == expected
    with pytest.raises(ParameterError, match=r"If your columns are the arms, write table\.T"):
        play("ucb1", frame.to_numpy())


SHORT = """
import sys
import upperhand as uh

arms = [uh.Normal(0.1, 1), uh.Normal(0, 1), uh.Normal(-0.1, 1)]
uh.simulate(arms, ["acp-ucb1", "kl-qucb:plus=true", "ucb1"], 300, replications=4, quantile=0.95)
uh.identify(arms, uh.UniformSampling(0.5, budget=90), replications=4)
uh.compare(policies=["acp-ucb1", "ucb1"], horizon=100, replications=2)
uh.play(uh.UCB1(), [[1.0, 2.0], [0.0, 1.0]])
print("numba" in sys.modules)
"""


def test_short_jobs_do_not_load_the_compiler(tmp_path):
    plain = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    done = subprocess.run(
        [sys.executable, "-c", SHORT],
        env={**plain, "NUMBA_CACHE_DIR": str(tmp_path), "UPPERHAND_COMPILE": ""},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("False\n", "")


class TestWhatIsCompiled:
    """A loop is compiled if the rest of the work takes less than to interpret it."""

    @pytest.fixture(autouse=True)
    def _auto(self, monkeypatch):
        """Compile nothing, but note when it is asked for."""
        self.compiled = []
        monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
        monkeypatch.delenv("UPPERHAND_COMPILE", raising=False)
        monkeypatch.setattr(player, "_interpreted", {})
        monkeypatch.setattr(player, "compile_closure", self.compile_closure)

    def compile_closure(self, make, *parts, **_):
        self.compiled.append(make)
        return make(*parts)

    def plays(self, monkeypatch, seconds, expected, rounds=1000):
        monkeypatch.setattr(player, "compile_seconds", lambda *_, **__: seconds)
        table, arms = np.zeros((3, rounds)), np.empty(rounds, np.int64)
        state = UCB1().functions.start(UCB1().parameters, 3, rounds)
        rng = np.random.default_rng(0)
        play_rounds(UCB1(), state, table, rng, arms, expected=expected)
        return bool(self.compiled)

    @pytest.mark.parametrize(
        ("seconds", "expected", "compiled"),
        [
            (5.0, 1e5, False),
            (5.0, 1e6, True),
            (0.1, 1e3, False),
            (0.1, 1e5, True),
            (0.0, 1, True),
            (5.0, math.inf, True),
        ],
    )
    def test_by_the_rounds_and_what_is_in_the_cache(self, monkeypatch, seconds, expected, compiled):
        assert self.plays(monkeypatch, seconds, expected) == compiled

    def test_once_it_has_taken_as_long_interpreted(self, monkeypatch):
        monkeypatch.setattr(player, "thread_time", count().__next__)  # each call takes a second
        assert not self.plays(monkeypatch, 4.0, 900, rounds=900)  # three calls of 333 rounds
        assert self.plays(monkeypatch, 4.0, 900, rounds=900)

    @pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT=1", "UPPERHAND_COMPILE=0"])
    def test_never_if_the_environment_says_so(self, monkeypatch, setting):
        monkeypatch.setenv(*setting.split("="))
        assert not self.plays(monkeypatch, 0.0, math.inf)

    def test_always_if_the_environment_says_so(self, monkeypatch):
        monkeypatch.setenv("UPPERHAND_COMPILE", "1")
        assert self.plays(monkeypatch, 5.0, 10, rounds=10)


def test_without_numba_a_long_run_goes_on_interpreted(monkeypatch):
    asked = []
    monkeypatch.setattr(player, "compile_wanted", lambda: None)
    monkeypatch.setattr(player, "compile_seconds", lambda *_parts, **_user: 1e-6)
    monkeypatch.setattr(player, "ARMS_PER_SECOND", 10**12)
    monkeypatch.setattr(player, "is_installed", lambda: asked.append(1))
    table = np.random.default_rng(0).random((2, 3_000))
    assert (
        play(uh.UCB1(), table).arms.tolist() == play(uh.UCB1(), table, compiled=False).arms.tolist()
    )
    assert asked  # more time was spent than compiling would take


def test_a_frame_of_a_dataframes_trajectory():
    table = pd.DataFrame({"eu": [0.5, 0.4, 0.3], "us": [0.1, 0.2, 0.3]})
    found = uh.play("kl-qucb", table, quantile=0.9)
    assert found.to_frame()["arm"].tolist()[:2] == ["eu", "us"]
    assert found.to_frame()["reward"].tolist()[:2] == [0.5, 0.1]
    assert repr(found) == "Trajectory of 3 rounds, pulls (eu: 2, us: 1)"


def test_columns_of_one_name_are_refused():
    with pytest.raises(TableError, match="needs its own name"):
        uh.play("ucb1", pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], columns=["a", "a"]))
