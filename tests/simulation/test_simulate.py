"""Simulation: the numbers depend on the seed alone, and mistakes are refused."""

import dataclasses
import hashlib
import multiprocessing
import pickle
import random
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.distributions.base import one_by_one
from upperhand.errors import ParameterError
from upperhand.objectives import DIRECTIONS
from upperhand.simulation import simulate as simulate_module
from upperhand.simulation.rewards import reward_stream
from upperhand.simulation.simulate import recorded_rounds, simulate
from upperhand.simulation.workers import BLOCKS_PER_WORKER, cut

from ..looping import for_each

ARMS = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
POLICIES = {
    "ACP": uh.ACPUCB1(),
    "lots": uh.ACPUCB1(random_ties=True),
    "mean": uh.UCB1(),
    "lots, mean": uh.UCB1(random_ties=True),
}


def small(arms=ARMS, policies=POLICIES, horizon=60, replications=13, seed=5, **options):
    return simulate(arms, policies, horizon, replications, seed, progress=False, **options)


def digest(runs):
    """Return one hash of all pull counts."""
    hashed = hashlib.sha256(runs.rounds.tobytes())
    for name, pulls in runs.pulls.items():
        hashed.update(name.encode() + str(pulls.shape).encode() + pulls.tobytes())
    return hashed.hexdigest()


class Shuffled(Executor):
    """Runs its tasks in a random order, once all of them are there."""

    def __init__(self, tasks, seed):
        self.tasks, self.seed, self.waiting = tasks, seed, []

    def submit(self, function, /, *args, **kwargs):
        self.waiting.append((Future(), function, args, kwargs))
        future = self.waiting[-1][0]
        if len(self.waiting) == self.tasks:
            random.Random(self.seed).shuffle(self.waiting)
            for task, function, args, kwargs in self.waiting:
                task.set_result(function(*args, **kwargs))
        return future


class Sending(Executor):
    """Sends arrays read-only, as Dask does."""

    def submit(self, function, /, *args):
        out = []
        text = pickle.dumps((function, args), protocol=5, buffer_callback=out.append)
        sent = [bytes(part.raw()) for part in out]
        function, args = pickle.loads(text, buffers=sent)  # noqa: S301
        future = Future()
        future.set_result(function(*args))
        return future


@pytest.fixture(scope="module")
def expected():
    return digest(small(workers=1))


class TestSameSeedSameNumbers:
    def test_any_number_of_workers_in_any_order(self, expected):
        for workers in (2, 4, 50):
            assert digest(small(workers=workers)) == expected
        blocks = cut(13, length=60, pieces=2 * BLOCKS_PER_WORKER)
        for seed in range(3):
            assert digest(small(workers=2, executor=Shuffled(len(blocks), seed))) == expected

    def test_processes(self, expected):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert digest(small(executor=executor)) == expected
            costs = digest(small(direction="minimize", executor=executor))
            assert executor.submit(int, 1).result() == 1  # left running
        assert costs == digest(small(direction="minimize"))

    def test_other_executors(self, expected):
        assert digest(small(executor=Sending())) == expected
        with ThreadPoolExecutor(3) as executor:
            assert digest(small(executor=executor)) == expected

    def test_seeds(self, expected):
        assert digest(small(seed=6)) != expected
        first, second = small(seed=None), small(seed=None)
        assert first.seed != second.seed
        assert digest(small(seed=first.seed)) == digest(first)

    def test_a_replication_does_not_depend_on_how_many_there_are(self):
        assert np.array_equal(small(replications=4).pulls["ACP"], small().pulls["ACP"][:4])

    def test_other_policies_change_nothing(self):
        together = small()
        for name, policy in POLICIES.items():
            alone = small(policies={name: policy})
            assert np.array_equal(alone.pulls[name], together.pulls[name])
        both = small(policies={"one": uh.ACPUCB1(), "two": uh.ACPUCB1()})
        assert np.array_equal(both.pulls["one"], both.pulls["two"])

    def test_another_arm_at_the_end_leaves_the_rewards_of_the_others(self):
        seen = []

        class Watched(uh.Normal):
            def _sample(self, rng, shape):
                seen.append(super()._sample(rng, shape))
                return seen[-1]

        watched = [Watched(arm.loc, arm.scale) for arm in ARMS]
        small(arms=watched, replications=1)
        small(arms=[*watched, uh.Uniform(0, 1)], replications=1)
        assert len(seen) == 6
        assert np.array_equal(seen[:3], seen[3:])

    def test_each_replication_is_a_play_on_its_own_streams(self):
        runs = small(rounds=range(1, 61))
        for r in (0, 7, 12):
            rows = [arm.sample(60, reward_stream(5, r, j)) for j, arm in enumerate(ARMS)]
            found = uh.play(uh.ACPUCB1(), np.stack(rows)).arms
            counts = (found[:, None] == np.arange(3)).cumsum(axis=0)
            assert np.array_equal(runs.pulls["ACP"][r], counts)

    def test_a_replication_after_one_in_which_the_state_grew(self, monkeypatch):
        """Played one after the other by one worker, each is what it is when it is played alone."""
        arms = [uh.Normal(0, 1), *(uh.Normal(-9, 0.1) for _ in range(4))]
        monkeypatch.setattr("upperhand.simulation.workers.ROUNDS_PER_BLOCK", 8_000)
        for policy in (uh.QuantileUCB(b=0.1), uh.KLQUCB(0.9), uh.UCBCP(), uh.QuantileTS(0.9)):
            functions, grown = policy.functions, []

            def start(policy, arms, _room, functions=functions):
                return functions.start(policy, arms, 0)

            def grow(state, functions=functions, grown=grown):
                grown.append(1)
                return functions.grow(state)

            made = dataclasses.replace(functions, start=start, grow=grow)
            with monkeypatch.context() as patch:
                patch.setattr(type(policy), "functions", made)
                together = simulate(arms, policy, 1_000, 3, seed=3, workers=1, rounds=2)
            alone = simulate(arms, policy, 1_000, 3, seed=3, workers=8, rounds=2)
            assert len(grown) >= 3
            assert np.array_equal(together.pulls[policy.name], alone.pulls[policy.name])
            assert (together.pulls[policy.name].sum(axis=2) == [500, 1_000]).all()


def test_what_runs_hold():
    runs = small(rounds=30)
    for pulls in runs.pulls.values():
        assert (pulls.shape, pulls.dtype) == ((13, 30, 3), np.int64)
        assert np.array_equal(pulls.sum(axis=2), np.broadcast_to(runs.rounds, (13, 30)))
        assert np.all(np.diff(pulls, axis=1) >= 0)
    assert (runs.arms, runs.policies) == (tuple(ARMS), POLICIES)
    assert (runs.horizon, runs.replications, runs.seed) == (60, 13, 5)
    assert set(runs.versions) >= {"upperhand", "numpy", "numba", "python"}


def test_frozen_laws_of_scipy():
    runs = small(arms=[stats.norm(0.1, 0.05), stats.binom(3, 0.2), uh.StudentT(0, 1, 3)])
    assert all(isinstance(arm, uh.Distribution) for arm in runs.arms)
    assert runs.pulls["ACP"][:, -1].sum() == 13 * 60


def test_names_of_policies():
    for given, names in [
        (uh.UCB1(), ["UCB1"]),
        ([uh.ACPUCB1(), uh.UCB1()], ["ACP-UCB1", "UCB1"]),
        ((p for p in [uh.UCB1()]), ["UCB1"]),
        ({"b": uh.ACPUCB1(), "a": uh.ACPUCB1(b=2)}, ["b", "a"]),
    ]:
        assert list(small(policies=given, replications=1).pulls) == names


REFUSED = [
    ("policies", [uh.UCB1(), uh.UCB1()], r"a name of its own.*Name them with a map"),
    ("policies", [uh.ACPUCB1(b=1), uh.ACPUCB1(b=2)], "a name of its own"),
    *(("policies", none, "at least one policy") for none in ([], {}, ())),
    *(("policies", bad, "A policy must be given") for bad in ([None], {"a": 3}, [(1,)], 7)),
    ("policies", {0.1: uh.ACPUCB1(), 0.2: uh.UCB1()}, r"must be strings; got \[0\.1, 0\.2\]"),
    *(
        (name, bad, f"{name} must be a whole number, 1 or more")
        for name in ("horizon", "replications", "workers")
        for bad in (0, -1, 2.5, "10", [3], True)
    ),
    *((name, 10**30, f"{name} must.* at most") for name in ("horizon", "replications")),
    *(("seed", bad, "seed must be a whole number") for bad in (-1, 0.5, "0", True)),
    ("arms", [], "at least one arm"),
    *(("arms", [uh.Normal(0, 1), bad], "arm|law") for bad in (1.0, None, stats.norm)),
    ("horizon", 5, "horizon must be 6 or more; got 5"),
    *(
        ("executor", bad, r"executor must be a concurrent\.futures\.Executor")
        for bad in (3, "threads", ThreadPoolExecutor)
    ),
]


@for_each("name, value, message", REFUSED)
def test_what_is_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        small(**{name: value})


def test_a_set_is_refused_where_order_matters():
    arms = {uh.Normal(0, 1), uh.Normal(1, 1)}
    for call in (
        lambda: uh.simulate(arms, uh.UCB1(), 10, 1),
        lambda: uh.compare(arms, uh.UCB1(), horizon=10, replications=1),
        lambda: uh.theory_card(arms, uh.ACPUCB1()),
        lambda: uh.Instance("mine", arms),
        lambda: uh.simulate([uh.Normal(0, 1)], {uh.UCB1(), uh.ACPUCB1()}, 10, 1),
    ):
        with pytest.raises(uh.ParameterError, match="must have an order; got a set"):
            call()


@pytest.mark.parametrize("minimize", [False, True], ids=["rewards", "costs"])
def test_an_arm_that_draws_too_large_rewards_is_named_as_it_was_given(minimize):
    for arm in (uh.LogNormal(0, 400), uh.Normal(2e150, 1)):
        named = rf"Arm 1, {type(arm).__name__}.* drew the reward [0-9inf]"
        with pytest.raises(ParameterError, match=named + r".* not a finite number from −1e\+150"):
            simulate(
                [uh.Normal(0, 1), arm], uh.UCB1(), 1000, 1, seed=0, direction=DIRECTIONS[minimize]
            )


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate([uh.Normal(0, 1)], uh.KLQUCB(1e-17), 10, 1, direction="minimize"),
        lambda: uh.identify([uh.Normal(0, 1)] * 2, uh.QLUCB(1e-17), direction="minimize"),
        lambda: uh.theory.kl_qucb_pulls([uh.Normal(0, 1)], 1e-17, 10, minimize=True),
        lambda: uh.theory.quantile_pulls([uh.Normal(0, 1)], 1e-17, minimize=True),
    ],
)
def test_a_level_of_costs_that_doubles_lose_is_named_as_it_was_given(call):
    with pytest.raises(ParameterError, match="Of costs, tau must be 1e-16 or more; got 1e-17"):
        call()


def test_what_is_refused_does_not_depend_on_the_workers():
    """Only a reward that is pulled is refused, however far beyond it some chunk was drawn."""

    class Seldom(uh.Normal):
        """A distribution with an invalid reward in 30,000."""

        @one_by_one
        def _sample(self, rng, shape):
            values = super()._sample(rng, shape)
            return np.where(values > 4.0, np.inf, values)

    arms = [Seldom(0, 1), Seldom(0, 1), uh.Normal(0, 1)]

    def found(seed, workers):
        try:
            return digest(simulate(arms, uh.UCB1(), 1_000, 12, seed=seed, workers=workers))
        except ParameterError as error:
            return "refused" if "drew the reward" in str(error) else str(error)

    ends = [(found(seed, 1), found(seed, 12)) for seed in range(6)]
    assert all(one == other for one, other in ends)
    assert {one == "refused" for one, _ in ends} == {True, False}


def test_an_error_stops_the_replications_that_are_under_way(monkeypatch):
    """One thread fails, the other is cancelled between two slices."""
    ended = []

    class Waiting:
        """A runner that plays until it is stopped."""

        def __init__(self, _policy, state, *given, **_options):
            self.tally, self.state = given[1], state

        def again(self):
            pass

        def play(self, _rng, _last, stop):
            assert stop.wait(60)
            ended.append("stopped")
            return self

    class Broken(uh.Bernoulli):
        def _sample(self, rng, shape):
            if waiting.acquire(blocking=False):
                return super()._sample(rng, shape)
            raise ZeroDivisionError("in the middle of the work")

    waiting = threading.Semaphore(1)
    monkeypatch.setattr(simulate_module, "Runner", Waiting)
    with pytest.raises(ZeroDivisionError, match="in the middle"):
        small(arms=[Broken(0.5)], policies=uh.UCB1(), workers=2, replications=2)
    assert ended == ["stopped"]


class TestRecordedRounds:
    def test_a_number_of_them(self):
        assert recorded_rounds(4, 100).tolist() == [25, 50, 75, 100]
        for count in (1, 3, 50, 200, 10**6):
            for horizon in (1, 2, 199, 200, 201, 777, 10_000):
                rounds = recorded_rounds(count, horizon)
                assert (rounds[0] >= 1, rounds[-1]) == (True, horizon)
                assert np.all(np.diff(rounds) > 0)
                assert (len(rounds), rounds.dtype) == (min(count, horizon), np.int64)

    def test_a_list_is_sorted_and_ends_with_the_horizon(self):
        for given in ([10, 3, 3], (3, 10), np.array([3, 10], np.uint8), range(3, 11, 7)):
            assert recorded_rounds(given, 50).tolist() == [3, 10, 50]
        assert recorded_rounds([3, 50], 50).tolist() == [3, 50]

    def test_what_is_refused(self):
        for bad in ([0], [-1, 5], [51], [1.5], ["1"], [], [True], [[1], [2]], [[1], [1, 2]]):
            with pytest.raises(ParameterError, match=r"rounds must be whole .* from 1 to .* 50"):
                recorded_rounds(bad, 50)
        for bad in (0, -3, 2.5, "ten", None, True):
            with pytest.raises(ParameterError, match="rounds must be a whole number, 1 or more"):
                recorded_rounds(bad, 50)

    def test_the_grid_of_rounds_only_selects(self):
        dense, sparse = small(rounds=range(1, 61)), small(rounds=[7, 50])
        assert sparse.rounds.tolist() == [7, 50, 60]
        assert np.array_equal(sparse.pulls["ACP"], dense.pulls["ACP"][:, [6, 49, 59]])


def test_policies_are_objects_classes_or_names():
    arms, size = {"a": "normal:0,1", "b": [1.0, 2.0, 5.0]}, {"horizon": 1e2, "replications": 2.0}
    runs = simulate(arms, ["kl-qucb:plus=true", uh.ACPUCB1, uh.UCB1()], quantile=0.9, **size)
    assert runs.policies == {
        "KL-QUCB plus=True": uh.KLQUCB(0.9, plus=True),
        "ACP-UCB1": uh.ACPUCB1(0.2),
        "UCB1": uh.UCB1(),
    }
    assert (runs.horizon, runs.replications, runs.names) == (100, 2, ("a", "b"))
    costs = simulate(arms, uh.KLQUCB, best_of=2, direction="minimize", **size)
    assert costs.policies["KL-QUCB"].tau == pytest.approx(1 - 0.5**0.5)
    with pytest.raises(uh.UnknownNameError, match="Did you mean 'kl-qucb'"):
        simulate(arms, "kl-quc", **size)


def test_keywords_of_other_libraries_name_ours():
    for name, ours in {"random_state": "seed=0", "n_jobs": "workers=2", "tau": "quantile="}.items():
        with pytest.raises(TypeError, match=rf"simulate\(\) takes no {name}=: write {ours}"):
            uh.simulate([uh.Normal(0, 1)], uh.UCB1(), 10, **{name: 1})


def test_an_arm_that_draws_too_large_rewards_is_named():
    arms = {"calm": uh.Normal(0, 1), "wild": uh.Normal(2e150, 1)}
    for play in (lambda: uh.simulate(arms, "ucb1", 50, 2), lambda: uh.identify(arms, "qlucb")):
        with pytest.raises(ParameterError, match=r"Arm wild, Normal.* drew the reward"):
            play()


def test_unknown_keywords_are_answered_by_the_known_ones():
    for call, words in (
        (lambda: uh.simulate(ARMS, "ucb1", 10, epochs=3), "no epochs=: it takes arms, policies"),
        (lambda: uh.ACI().fit([1.0], y_pred=[1.0]), r"fit\(\) takes no y_pred=: write forecast=f"),
        (lambda: uh.Bandit(2, n_jobs=2), r"no n_jobs=: it takes arms, "),
        (lambda: uh.Normal(mean=0, sd=1), r"Normal\(\) takes no mean=: it takes loc, scale"),
        (lambda: uh.KLQUCB(quantile=0.9), r"KLQUCB\(\) takes no quantile=: it takes tau, "),
        (lambda: uh.ACI(confidence_level=0.9), r"ACI\(\) takes no confidence_level=: .*alpha"),
        (
            lambda: uh.theory_card(ARMS, quantile=0.9),
            r"no quantile=: write policy=ACPUCB1\(tau=0.95\)",
        ),
    ):
        with pytest.raises(TypeError, match=words):
            call()
