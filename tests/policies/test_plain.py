"""Plain classes as policies: the choices of the same policy as functions, wherever one plays."""

import copy
import math
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import FileError, ParameterError
from upperhand.policies import Functions, as_policy, kernel

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")
ARMS = {"a": uh.Normal(0.1, 0.5), "b": uh.Normal(0.0, 0.5), "c": uh.Uniform(-0.5, 0.5)}
SMALL = {"horizon": 120, "replications": 4, "seed": 1}


class Mine:
    """UCB1."""

    def __init__(self, c=2.0):
        self.c = c

    def start(self, n_arms):
        self.pulls, self.sums = [0] * n_arms, [0.0] * n_arms

    def select(self, t):
        if 0 in self.pulls:
            return self.pulls.index(0)
        means = np.divide(self.sums, self.pulls)
        return np.argmax(means + np.sqrt(self.c * math.log(t) / np.array(self.pulls)))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.sums[arm] += reward


class Drawing(Mine):
    """An arm at random, of an order that is random too."""

    def start(self, n_arms, rng):
        super().start(n_arms)
        self.rng, self.order = rng, rng.permutation(n_arms)

    def select(self):
        return self.order[self.rng.integers(len(self.order))]


class Failing(Mine):
    def update(self, reward):
        raise KeyError(reward)


class Beyond(Mine):
    def select(self):
        return 3


class Level(Mine):
    name = "Of a level"

    def __init__(self, tau):
        super().__init__()
        self.tau = tau


class Forgetful(Mine):
    def __init__(self, c=2.0):
        self._c = c

    def select(self):
        return 0


class Uncompiled(uh.Policy):
    """A policy of which a kernel cannot be compiled."""

    name = "Uncompiled"


class Pulls(NamedTuple):
    pulls: np.ndarray


@kernel
def index(policy, state, arm, t):
    return float(open("nothing").read())


@kernel
def update(policy, state, arm, reward):
    state.pulls[arm] += 1


Uncompiled.functions = Functions(lambda *given: Pulls(np.zeros(given[1], np.int64)), index, update)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_simulated_as_functions_are(direction):
    runs = uh.simulate(ARMS, [Mine, uh.UCB1()], direction=direction, **SMALL)

    assert np.array_equal(runs.pulls["Mine"], runs.pulls["UCB1"])
    assert "Mine" in str(runs)


def test_compared_and_played_as_functions_are():
    compared = uh.compare(ARMS, {"one": Mine(), "two": "ucb1"}, horizon=90, replications=3)
    (runs,) = compared.runs.values()
    assert np.array_equal(runs.pulls["one"], runs.pulls["two"])
    table = np.random.default_rng(0).normal(size=(3, 50))
    assert np.array_equal(uh.play(Mine(), table).arms, uh.play(uh.UCB1(), table).arms)


def test_live_as_functions_are():
    bandit, expected = (uh.Bandit(["a", "b"], policy) for policy in (Mine(), uh.UCB1()))
    rng = np.random.default_rng(0)
    for step in range(60):
        arm = bandit.ask()
        assert arm == expected.ask()
        reward = rng.normal(arm == "a")
        bandit.tell(arm, reward)
        expected.tell(arm, reward)
        if step == 20:
            bandit = copy.deepcopy(bandit)
        if step == 40:
            bandit = pickle.loads(pickle.dumps(bandit))  # noqa: S301


def test_a_bandit_leaves_an_arm_that_does_not_answer():
    bandit = uh.Bandit(["a", "b", "c"], Mine)
    bandit.tell("b", 1.0)
    assert {bandit.ask() for _ in range(40)} == {"a", "b", "c"}


def test_an_error_in_a_bandit_is_undone():
    class Once(Mine):
        def update(self, arm, reward):
            super().update(arm, reward)
            if reward > 1:
                raise ValueError

    bandit = uh.Bandit(["a", "b"], Once())
    bandit.tell("a", 0.5)
    with pytest.raises(ValueError):  # noqa: PT011
        bandit.tell("a", 2.0)
    assert bandit.ask() == "b"
    assert len(bandit) == 1


def test_a_trial_draws_the_same_again():
    arms = list("abcdefgh")
    asked = [[uh.Bandit(arms, Drawing, seed=seed).ask() for _ in range(2)] for seed in range(9)]
    assert all(one == two for one, two in asked)
    assert len({one for one, _ in asked}) > 1


def test_each_replication_starts_again_whoever_plays_it():
    used = Drawing()
    used.start(3, np.random.default_rng(5))
    policies = {"used": used, "class": Drawing, "set": Mine(0.3)}
    alone = uh.simulate(ARMS, policies, workers=1, **SMALL)
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        elsewhere = uh.simulate(ARMS, policies, workers=2, executor=processes, **SMALL)
    for name, pulls in alone.pulls.items():
        assert np.array_equal(pulls, elsewhere.pulls[name])
        assert np.array_equal(pulls, uh.simulate(ARMS, policies, workers=2, **SMALL).pulls[name])
    assert np.array_equal(alone.pulls["used"], alone.pulls["class"])
    assert not np.array_equal(alone.pulls["used"][0], alone.pulls["used"][1])


def test_the_level_and_the_horizon_are_filled_in():
    runs = uh.simulate(ARMS, Level, quantile=0.8, **SMALL)
    assert repr(runs.policies["Of a level"]) == "Level(tau=0.8)"
    with pytest.raises(ParameterError, match=r"Level needs tau\. Give an instance"):
        uh.play(Level, [[0.0]])


def test_what_was_saved_needs_the_classes(tmp_path):
    path = tmp_path / "runs.npz"
    runs = uh.simulate(ARMS, {"m": Mine(3.0), "u": "ucb1"}, **SMALL)
    runs.save(path)
    loaded = uh.load(path, policies=[Drawing, Mine])
    assert repr(loaded.policies) == repr(runs.policies)
    assert np.array_equal(loaded.pulls["m"], runs.pulls["m"])
    with pytest.raises(FileError, match=r"a policy of your own\. Give its class.*policies=\[Mine"):
        uh.load(path)
    bandit = uh.Bandit(["a", "b"], Mine(3.0), direction="minimize")
    bandit.tell("b", 1.0)
    bandit.save(path)
    loaded = uh.load(path, policies=[Mine])
    assert loaded.ask() == "a"
    assert "Mine (c=3.0)" in str(loaded)
    uh.compare(ARMS, [Mine], horizon=20, replications=2).save(path)
    assert uh.load(path, policies=[Mine]).policies == ["Mine"]
    with pytest.raises(ParameterError, match=r"under their names in the class \(self\.c = c\)"):
        uh.simulate(ARMS, Forgetful, **SMALL).save(path)


def test_errors_name_the_policy():
    for play in (uh.Bandit(["a"], Failing()).tell, lambda *_: uh.simulate(ARMS, Failing, **SMALL)):
        with pytest.raises(KeyError) as caught:
            play("a", 0.5)
        assert caught.value.__notes__ == ["This happened in the policy Failing."]
    with pytest.raises(
        ParameterError, match=r"arm that Beyond selects must be .* at most 2; got 3"
    ):
        uh.simulate(ARMS, Beyond, **SMALL)


@pytest.mark.compiled
def test_errors_of_the_compiler_name_the_policy():
    with pytest.raises(Exception, match="open") as caught:
        uh.play(Uncompiled(), np.zeros((2, 9)))
    assert caught.value.__notes__ == ["This happened in the policy Uncompiled."]


def test_what_is_no_policy_is_refused():
    class Renamed(Mine):
        def update(self, action, reward):
            pass

    class Unfinished:
        def start(self): ...
        def select(self): ...

    for wrong, method in ((Renamed, "update"), (Unfinished(), "update")):
        with pytest.raises(ParameterError, match=rf"{method} is missing, .* start\(n_arms, rng\)"):
            as_policy(wrong)
    for wrong in (object(), {}, dict):
        with pytest.raises(ParameterError, match="A policy must be given"):
            as_policy(wrong)
    made = {"arms": ["a", "b"], "direction": "maximize", "quantile": 0.5}
    with pytest.raises(ParameterError, match="Mine is a plain class, which only a Bandit"):
        uh.Experiment("e", policy=Mine(), **made)
    with pytest.raises(ParameterError, match="identify runs policies that look for the best arm"):
        uh.identify(ARMS, Mine)


def test_the_example_of_the_page_runs():
    (code,) = re.findall(r"## One of your own\n.*?```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(code, {})  # noqa: S102


def test_a_bandits_seed_changes_what_a_start_draws():
    def choices(seed):
        bandit = uh.Bandit(9, Drawing(), seed=seed)
        assert copy.deepcopy(bandit).policy.seed == seed
        return [bandit.ask() for _ in range(4)], bandit.state.started[0][0].order.tolist()

    assert choices(0) == choices(0)
    assert choices(0)[1] != choices(1)[1]
