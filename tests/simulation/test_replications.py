"""Simulation: the numbers depend on the seed alone, and bad orders are refused."""

import dataclasses
import hashlib
import multiprocessing
import os
import pickle
import random
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.distributions import (
    Bernoulli,
    Distribution,
    Empirical,
    LogNormal,
    Normal,
    StudentT,
    Uniform,
)
from upperhand.distributions.base import one_by_one
from upperhand.errors import ParameterError
from upperhand.policies import ACPUCB1, UCB1
from upperhand.simulation import simulate as simulate_module
from upperhand.simulation import workers
from upperhand.simulation.player import play
from upperhand.simulation.rewards import draw_table, reward_stream
from upperhand.simulation.runs import Runs
from upperhand.simulation.simulate import simulate
from upperhand.simulation.workers import BLOCKS_PER_WORKER, cut

ARMS = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]
POLICIES = {
    "ACP": ACPUCB1(),
    "lots": ACPUCB1(random_ties=True),
    "mean": UCB1(),
    "lots, mean": UCB1(random_ties=True),
}


def small(arms=ARMS, policies=POLICIES, horizon=120, replications=21, seed=5, **options) -> Runs:
    return simulate(arms, policies, horizon, replications, seed, progress=False, **options)


def digest(runs: Runs) -> str:
    """Return one hash of all pull counts."""
    hashed = hashlib.sha256(runs.rounds.tobytes())
    for name, pulls in runs.pulls.items():
        hashed.update(name.encode() + str(pulls.shape).encode() + pulls.tobytes())
    return hashed.hexdigest()


class Shuffled(Executor):
    """Runs its tasks in a random order, once all of them are there."""

    def __init__(self, tasks: int, seed: int):
        self.tasks, self.seed, self.waiting = tasks, seed, []

    def submit(self, function, /, *args, **kwargs):
        self.waiting.append((Future(), function, args, kwargs))
        future = self.waiting[-1][0]
        if len(self.waiting) == self.tasks:
            random.Random(self.seed).shuffle(self.waiting)
            for task, function, args, kwargs in self.waiting:
                task.set_result(function(*args, **kwargs))
        return future


@pytest.fixture(scope="module")
def expected():
    return digest(small(workers=1))


class TestSameSeedSameNumbers:
    @pytest.mark.parametrize("workers", [1, 2, 4, 50])
    def test_any_number_of_workers(self, expected, workers):
        assert digest(small(workers=workers)) == expected

    def test_processes(self, expected):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert digest(small(executor=executor)) == expected
            assert executor.submit(int, 1).result() == 1  # left running

    @pytest.mark.parametrize("seed", range(3))
    def test_any_order(self, expected, seed):
        blocks = cut(21, length=120, pieces=2 * BLOCKS_PER_WORKER)
        executor = Shuffled(tasks=len(blocks), seed=seed)
        assert digest(small(workers=2, executor=executor)) == expected

    def test_an_executor_that_sends_arrays_read_only(self, expected):
        """As Dask does: what is unpickled from a message is not to be written to."""

        class Sending(Executor):
            def submit(self, function, /, *args):
                out = []
                text = pickle.dumps(args, protocol=5, buffer_callback=out.append)
                sent = [bytes(part.raw()) for part in out]
                future = Future()
                future.set_result(function(*pickle.loads(text, buffers=sent)))  # noqa: S301
                return future

        assert digest(small(executor=Sending())) == expected

    def test_the_callers_threads(self, expected):
        with ThreadPoolExecutor(3) as executor:
            assert digest(small(executor=executor)) == expected

    def test_another_seed_gives_others(self, expected):
        assert digest(small(seed=6)) != expected

    def test_no_seed_is_drawn_and_written_down(self):
        first, second = small(seed=None), small(seed=None)
        assert first.seed != second.seed
        assert digest(small(seed=first.seed)) == digest(first)

    def test_a_replication_does_not_depend_on_how_many_there_are(self):
        assert np.array_equal(small(replications=4).pulls["ACP"], small().pulls["ACP"][:4])


class TestWhoElseTakesPart:
    def test_other_policies_change_nothing(self):
        together = small()
        for name, policy in POLICIES.items():
            alone = small(policies={name: policy})
            assert np.array_equal(alone.pulls[name], together.pulls[name])

    def test_all_policies_meet_the_same_rewards(self):
        twins = small(policies={"one": ACPUCB1(), "two": ACPUCB1()})
        assert np.array_equal(twins.pulls["one"], twins.pulls["two"])

    def test_another_arm_at_the_end_leaves_the_rewards_of_the_others(self):
        seen = []

        class Watched(Normal):
            def _sample(self, rng, shape):
                seen.append(super()._sample(rng, shape))
                return seen[-1]

        watched = [Watched(arm.loc, arm.scale) for arm in ARMS]
        small(arms=watched, replications=1)
        small(arms=[*watched, Uniform(0, 1)], replications=1)
        assert len(seen) == 6
        assert np.array_equal(seen[:3], seen[3:])

    def test_each_replication_is_a_play_on_its_own_streams(self):
        runs = small(rounds=range(1, 121))
        for r in (0, 7, 20):
            rows = [arm.sample(reward_stream(5, r, j), 120) for j, arm in enumerate(ARMS)]
            found = play(ACPUCB1(), np.stack(rows)).arms
            counts = (found[:, None] == np.arange(3)).cumsum(axis=0)
            assert np.array_equal(runs.pulls["ACP"][r], counts)


class TestPulls:
    def test_shape_type_and_sum(self):
        runs = small(rounds=30)
        for pulls in runs.pulls.values():
            assert pulls.shape == (21, 30, 3)
            assert pulls.dtype == np.int64
            assert np.array_equal(pulls.sum(axis=2), np.broadcast_to(runs.rounds, (21, 30)))
            assert np.all(np.diff(pulls, axis=1) >= 0)

    def test_frozen_laws_of_scipy(self):
        runs = small(arms=[stats.norm(0.1, 0.05), stats.binom(3, 0.2), StudentT(0, 1, 3)])
        assert all(isinstance(arm, Distribution) for arm in runs.arms)
        assert runs.pulls["ACP"][:, -1].sum() == 21 * 120

    def test_settings_are_kept(self):
        runs = small()
        assert runs.arms == tuple(ARMS)
        assert runs.policies == POLICIES
        assert (runs.horizon, runs.replications, runs.seed) == (120, 21, 5)
        assert set(runs.versions) >= {"upperhand", "numpy", "numba", "python"}


class TestNames:
    def test_one_policy(self):
        assert list(small(policies=UCB1()).pulls) == ["UCB1"]

    def test_several(self):
        assert list(small(policies=[ACPUCB1(), UCB1()]).pulls) == ["ACP-UCB1", "UCB1"]
        assert list(small(policies=(p for p in [UCB1()])).pulls) == ["UCB1"]

    def test_a_mapping(self):
        assert list(small(policies={"b": ACPUCB1(), "a": ACPUCB1(b=2)}).pulls) == ["b", "a"]

    @pytest.mark.parametrize("policies", [[UCB1(), UCB1()], [ACPUCB1(b=1), ACPUCB1(b=2)]], ids=len)
    def test_the_same_name_twice(self, policies):
        with pytest.raises(ParameterError, match=r"a name of its own.*Name them with a map"):
            small(policies=policies)

    @pytest.mark.parametrize("none", [[], {}, ()], ids=repr)
    def test_no_policy(self, none):
        with pytest.raises(ParameterError, match="at least one policy"):
            small(policies=none)

    @pytest.mark.parametrize(
        "bad", [["UCB1"], [UCB1], [None], {"a": "b"}, "UCB1", [(1,)]], ids=repr
    )
    def test_what_is_no_policy(self, bad):
        with pytest.raises(ParameterError, match="A policy must be given"):
            small(policies=bad)


class TestOrders:
    @pytest.mark.parametrize("bad", [0, -1, 2.0, "10", [3], True])
    @pytest.mark.parametrize("name", ["horizon", "replications", "workers"])
    def test_counts(self, name, bad):
        with pytest.raises(ParameterError, match=f"{name} must be a whole number, 1 or more"):
            small(**{name: bad})

    @pytest.mark.parametrize("bad", [-1, 0.5, "0", True])
    def test_seed(self, bad):
        with pytest.raises(ParameterError, match="seed must be a whole number"):
            small(seed=bad)

    def test_no_arm(self):
        with pytest.raises(ParameterError, match="at least one arm"):
            small(arms=[])

    @pytest.mark.parametrize("bad", [1.0, "normal", None, stats.norm])
    def test_what_is_no_arm(self, bad):
        with pytest.raises(ParameterError):
            small(arms=[Normal(0, 1), bad])

    def test_a_horizon_too_short_for_the_initial_pulls(self):
        with pytest.raises(ParameterError, match="horizon must be 6 or more; got 5"):
            small(horizon=5)

    def test_an_error_in_a_worker_comes_out_as_it_is(self):
        class Broken(Bernoulli):
            def _sample(self, rng, shape):  # noqa: ARG002
                raise ZeroDivisionError("in the middle of the work")

        with pytest.raises(ZeroDivisionError, match="in the middle"):
            small(arms=[Broken(0.5)], workers=2)


def test_one_worker_for_each_core_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {1, 5, 7}, raising=False)
    made = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, workers):
            made.append(workers)
            super().__init__(workers)

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Threads)
    small()
    small(workers=2)
    assert made == [3, 2]


def test_an_error_stops_the_replications_that_are_under_way(monkeypatch):
    """One thread fails, the other is cancelled between two slices."""
    ended = []

    class Waiting:
        """A runner that plays until it is stopped."""

        def __init__(self, _policy, state, *given, **_options):
            self.tally, self.state = given[1], state

        def again(self):
            """Nothing is to be made anew."""

        def play(self, _rng, _last, stop):
            assert stop.wait(60)
            ended.append("stopped")
            return self

    class Broken(Bernoulli):
        def _sample(self, rng, shape):
            if waiting.acquire(blocking=False):
                return super()._sample(rng, shape)
            raise ZeroDivisionError

    waiting = threading.Semaphore(1)
    monkeypatch.setattr(simulate_module, "Runner", Waiting)
    with pytest.raises(ZeroDivisionError):
        small(arms=[Broken(0.5)], policies=UCB1(), workers=2, replications=2)
    assert ended == ["stopped"]


def test_the_grid_of_rounds_only_selects():
    dense, sparse = small(rounds=range(1, 121)), small(rounds=[7, 90])
    assert sparse.rounds.tolist() == [7, 90, 120]
    assert np.array_equal(sparse.pulls["ACP"], dense.pulls["ACP"][:, [6, 89, 119]])


def test_rounds_that_there_are_not():
    with pytest.raises(ParameterError, match="whole numbers from 1 to the horizon 120"):
        small(rounds=[0])


@pytest.mark.parametrize("law", [LogNormal(0, 400), Normal(2e150, 1)], ids=repr)
def test_a_law_that_draws_too_large_rewards_is_named(law):
    message = rf"Arm 2, {type(law).__name__}.* drew the reward .* not a finite number from −1e\+150"
    with pytest.raises(ParameterError, match=message):
        simulate([Normal(0, 1), law], UCB1(), horizon=1000, replications=1, seed=0)


@pytest.mark.parametrize("executor", [3, "threads", ThreadPoolExecutor])
def test_something_other_than_an_executor_is_refused(executor):
    with pytest.raises(ParameterError, match=r"executor must be a concurrent\.futures\.Executor"):
        simulate([Normal(0, 1)], UCB1(), horizon=5, replications=1, executor=executor)


@pytest.mark.parametrize("name", ["horizon", "replications"])
def test_a_number_beyond_all_bounds_is_refused(name):
    sizes = {"horizon": 10, "replications": 1, name: 10**30}
    with pytest.raises(ParameterError, match=f"{name} must be a whole number.* at most"):
        simulate([Normal(0, 1)], UCB1(), **sizes)


def test_long_runs_are_cut_into_short_blocks():
    blocks = cut(1000, length=100_000, pieces=8)
    assert max(map(len, blocks)) <= 10
    assert [i for block in blocks for i in block] == list(range(1000))
    assert len(cut(60, length=10_000, pieces=8)) == 8
    assert len(cut(3, length=10_000, pieces=8)) == 3


def test_names_must_be_strings():
    with pytest.raises(
        ParameterError, match=r"names of policies must be strings; got \[0\.1, 0\.2\]"
    ):
        simulate([Normal(0, 1)], {0.1: ACPUCB1(), 0.2: UCB1()}, horizon=5, replications=1)


def test_the_table_is_what_the_arms_streams_draw_without_negative_zeros():
    arms = (Normal(0, 1), Empirical([-0.0, 1.0]))
    table = draw_table(arms, 50, 7, 3)
    expected = [law.sample(reward_stream(7, 3, arm), 50) for arm, law in enumerate(arms)]
    assert np.array_equal(table, expected)
    assert not np.signbit(table[1]).any()


@pytest.mark.parametrize(
    "call",
    [
        lambda arms: uh.simulate(arms, uh.UCB1(), 10, 1),
        lambda arms: uh.compare(arms, uh.UCB1(), horizon=10, replications=1),
        lambda arms: uh.theory_card(arms, uh.ACPUCB1()),
        lambda arms: uh.Instance("mine", arms),
        lambda _arms: uh.simulate([uh.Normal(0, 1)], {uh.UCB1(), uh.ACPUCB1()}, 10, 1),
    ],
    ids=["simulate", "compare", "theory_card", "Instance", "policies"],
)
def test_a_set_is_refused_where_order_matters(call):
    with pytest.raises(uh.ParameterError, match="must have an order; got a set"):
        call({uh.Normal(0, 1), uh.Normal(1, 1)})


@pytest.mark.parametrize(
    "policy",
    [uh.QuantileUCB(b=0.1), uh.KLQUCB(0.9), uh.UCBCP(), uh.QuantileTS(0.9)],
    ids=lambda policy: policy.name,
)
def test_a_replication_after_one_in_which_the_state_grew(policy, monkeypatch):
    """Played one after the other by one worker, each is what it is when it is played alone."""
    grown, arms = [], [Normal(0, 1), *(Normal(-9, 0.1) for _ in range(9))]
    functions = policy.functions

    def grow(state):
        grown.append(1)
        return functions.grow(state)

    monkeypatch.setattr(type(policy), "functions", dataclasses.replace(functions, grow=grow))
    together = simulate(arms, policy, 10_000, 8, seed=3, workers=1, rounds=2)
    growths = len(grown)
    alone = simulate(arms, policy, 10_000, 8, seed=3, workers=8, rounds=2)
    assert len(cut(8, 10_000, pieces=BLOCKS_PER_WORKER)) < 8
    assert growths >= 8
    assert np.array_equal(together.pulls[policy.name], alone.pulls[policy.name])
    assert (together.pulls[policy.name].sum(axis=2) == [5_000, 10_000]).all()


def test_what_is_refused_does_not_depend_on_the_workers():
    """Only a reward that is pulled is refused, however far beyond it some chunk was drawn."""

    class Seldom(Normal):
        """A law with a reward in 30,000 that is none."""

        @one_by_one
        def _sample(self, rng, shape):
            values = super()._sample(rng, shape)
            return np.where(values > 4.0, np.inf, values)

    arms = [Seldom(0, 1), Seldom(0, 1), Normal(0, 1)]

    def found(seed, workers):
        try:
            return digest(simulate(arms, UCB1(), 2_000, 12, seed=seed, workers=workers))
        except ParameterError as error:
            return "refused" if "drew the reward" in str(error) else str(error)

    ends = [(found(seed, 1), found(seed, 12)) for seed in range(12)]
    assert all(one == other for one, other in ends)
    assert {one == "refused" for one, _ in ends} == {True, False}
