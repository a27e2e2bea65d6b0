"""identify: equal to plain loops on the same rewards, whoever works and whoever takes part."""

import hashlib
import multiprocessing
import threading
from concurrent.futures import CancelledError, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.simulation import identify as module
from upperhand.simulation import player
from upperhand.simulation.identify import identify
from upperhand.simulation.player import search
from upperhand.simulation.rewards import FIRST, Rewards, policy_stream

from ..reference import searches
from .stopping import Bands

ARMS = [
    uh.Normal(0.0, 1.0),
    uh.Mixture([uh.Normal(1.0, 1.0), uh.Uniform(2.0, 3.0)], [0.7, 0.3]),
    uh.StudentT(0.2, 1.0, 3.0),
]
COSTS = [uh.Normal(2.0, 1.0), uh.StudentT(0.0, 1.0, 3.0), uh.Uniform(1.0, 3.0)]
NEAR = [uh.Normal(0.0, 1.0), uh.Normal(0.25, 1.0)]
POLICIES = {
    "bands": Bands(0.5, delta=0.1),
    "lax": Bands(0.3, delta=0.2, epsilon=0.1),
    "uniform": uh.UniformSampling(0.5, budget=301, top=2),
    "lots": uh.UniformSampling(0.5, budget=50, random_ties=True),
}


def small(arms=ARMS, policies=POLICIES, cap=2000, replications=9, seed=5, **options):
    return identify(
        arms, policies, cap=cap, replications=replications, seed=seed, progress=False, **options
    )


def digest(found) -> str:
    hashed = hashlib.sha256()
    for name, answers in found.answers.items():
        for part in answers:
            hashed.update(name.encode() + str((part.shape, part.dtype)).encode() + part.tobytes())
    return hashed.hexdigest()


@pytest.fixture(scope="module")
def expected():
    return digest(small(workers=1))


def drawn(arms, replication, count, *, seed=5, negated=False):
    return [
        searches.rewards(law, arm, seed, replication, count, negated=negated)
        for arm, law in enumerate(arms)
    ]


class TestTwins:
    @pytest.mark.parametrize("name", ["bands", "lax"])
    @pytest.mark.parametrize("minimize", [False, True], ids=["rewards", "costs"])
    def test_bands(self, name, minimize):
        policy, arms = POLICIES[name], COSTS if minimize else ARMS
        found = small(arms, replications=3, minimize=minimize).answers[name]
        tau = 1 - policy.tau if minimize else policy.tau
        assert found.decided.all()
        assert not found.wrong.any()
        for r in range(3):
            table = drawn(arms, r, 700, negated=minimize)
            t, decided, arm, pulls = searches.bands(table, tau, policy.delta, policy.epsilon, 2000)
            assert (found.samples[r], found.decided[r]) == (t, decided)
            assert found.recommended[r].tolist() == [arm]
            assert found.pulls[r].tolist() == pulls

    @pytest.mark.parametrize("minimize", [False, True], ids=["rewards", "costs"])
    def test_uniform(self, minimize):
        found = small(minimize=minimize).answers["uniform"]
        for r in range(9):
            best, pulls = searches.uniform(drawn(ARMS, r, 110, negated=minimize), 0.5, 301, 2)
            assert found.recommended[r].tolist() == best
            assert found.pulls[r].tolist() == pulls

    def test_beyond_the_first_chunks(self):
        """2,500 rewards of each arm: three chunks."""
        budget = 2 * (2 * FIRST + 452)
        found = small(NEAR, uh.UniformSampling(0.9, budget=budget), cap=budget, replications=4)
        for r in range(4):
            best, _ = searches.uniform(drawn(NEAR, r, budget // 2), 0.9, budget, 1)
            assert found.answers["Uniform sampling"].recommended[r].tolist() == best

    def test_a_long_run_reads_the_stream_to_its_end(self):
        """The state and the rewards grow many times, and slices end where they may."""
        policy = Bands(0.5, delta=0.05)
        rewards = Rewards(NEAR, 5, 0)
        ended = search(policy, policy.parameters, rewards, np.random.default_rng(0), 100_000)
        assert ended.decided
        assert ended.pulls.min() > 2 * FIRST
        table = drawn(NEAR, 0, int(ended.pulls.max()))
        for cap, decided in ((ended.samples - 1, False), (ended.samples, True)):
            histories = [row[: (cap - arm + 1) // 2] for arm, row in enumerate(table)]
            assert (searches._above_all(histories, 0.5, 0.05, 0.0) is not None) == decided


class TestSameSeedSameNumbers:
    @pytest.mark.parametrize("workers", [2, 4])
    def test_any_number_of_workers(self, expected, workers):
        assert digest(small(workers=workers)) == expected

    def test_processes(self, expected):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert digest(small(executor=executor)) == expected

    def test_the_callers_threads(self, expected):
        with ThreadPoolExecutor(3) as executor:
            assert digest(small(executor=executor)) == expected

    def test_another_seed_gives_others(self, expected):
        assert digest(small(seed=6)) != expected

    def test_no_seed_is_drawn_and_written_down(self):
        first = small(seed=None, replications=2)
        assert digest(small(seed=first.seed, replications=2)) == digest(first)

    def test_a_replication_does_not_depend_on_how_many_there_are(self):
        few, many = small(replications=3).answers["bands"], small().answers["bands"]
        assert np.array_equal(few.samples, many.samples[:3])

    def test_slices_change_nothing(self, expected, monkeypatch):
        monkeypatch.setattr(player, "ARMS_PER_SLICE", 21)
        assert digest(small(workers=1)) == expected


def test_other_policies_change_nothing():
    together = small()
    for name, policy in POLICIES.items():
        alone = small(policies={name: policy})
        for part, other in zip(alone.answers[name], together.answers[name], strict=True):
            assert np.array_equal(part, other)


def test_policies_draw_from_streams_of_their_own():
    """Two policies that draw lots draw the same, and those of the policies' stream."""
    lots = uh.UniformSampling(0.5, budget=50, random_ties=True)
    found = small(policies={"one": lots, "two": lots}).answers
    assert np.array_equal(found["one"].pulls, found["two"].pulls)
    for r, pulls in enumerate(found["one"].pulls):
        rng = policy_stream(5, r)
        ended = search(lots, lots.parameters, Rewards(ARMS, 5, r), rng, 50, interpreted=True)
        assert pulls.tolist() == ended.pulls.tolist()


class TestCap:
    def test_a_run_that_gets_there_is_undecided(self):
        found = small(NEAR, Bands(0.5), cap=300, replications=20)
        answers = found.answers["Bands"]
        assert not answers.decided.any()
        assert answers.samples.tolist() == [300] * 20
        assert not answers.wrong.any()
        assert np.array_equal(answers.wrong_guess, answers.recommended[:, 0] == 0)
        assert 0 < answers.wrong_guess.sum() < 20
        assert found.summary("Bands").undecided == 1.0
        assert "cap of 300 pulls" in repr(found)

    def test_a_larger_cap_changes_no_decided_run(self):
        low, high = (small(policies=POLICIES["bands"], cap=cap).answers["Bands"] for cap in CAPS)
        assert 0 < low.decided.sum() < 9
        assert high.decided.all()
        assert np.array_equal(low.samples[low.decided], high.samples[low.decided])
        assert np.array_equal(low.recommended[low.decided], high.recommended[low.decided])

    def test_arms_that_tie_never_stop(self):
        tied = [uh.Normal(1, 1), uh.Normal(0, 1), uh.Uniform(0, 2)]
        found = small(tied, {"exact": Bands(0.5), "lax": Bands(0.5, epsilon=0.2)}, cap=3000)
        assert not found.answers["exact"].decided.any()
        assert found.answers["lax"].decided.all()
        assert "Arms 1, 3 tie exactly at level 0.5 and epsilon is 0: no policy can" in repr(found)

    def test_arms_that_share_an_atom_may_stop(self):
        alike = [uh.Bernoulli(0.9), uh.Bernoulli(0.9)]
        found = small(alike, Bands(0.5))
        assert found.answers["Bands"].decided.all()
        assert not found.answers["Bands"].wrong.any()
        assert found.notes == []


CAPS = (500, 5000)  # some of the nine runs take longer than the first


class TestSettings:
    def test_delta_and_epsilon_replace_the_policies_own(self):
        found = small(policies={"bands": Bands(0.5), "uniform": POLICIES["uniform"]}, delta=0.3)
        assert found.policies["bands"] == Bands(0.5, delta=0.3)
        assert found.policies["uniform"] == POLICIES["uniform"]
        found = small(policies=Bands(0.5, delta=0.2), epsilon=0.1)
        assert found.policies["Bands"] == Bands(0.5, delta=0.2, epsilon=0.1)

    @pytest.mark.parametrize("name", ["delta", "epsilon"])
    @pytest.mark.parametrize("bad", [-0.1, 1.0, "0.1", float("nan")], ids=repr)
    def test_out_of_range(self, name, bad):
        with pytest.raises(ParameterError, match=f"{name} must be a"):
            small(**{name: bad})

    def test_a_tolerance_that_leaves_no_level(self):
        with pytest.raises(ParameterError, match=r"tau \+ epsilon must be below 1.*smaller eps"):
            small(policies=Bands(0.9), epsilon=0.1)
        with pytest.raises(ParameterError, match=r"Of costs.*epsilon 0.3 and tau 0.2. Choose"):
            small(policies=Bands(0.2), epsilon=0.3, minimize=True)

    def test_settings_that_no_policy_has(self):
        with pytest.raises(ParameterError, match="none of uniform is one: their budget decides"):
            small(policies={"uniform": POLICIES["uniform"]}, delta=0.1)

    def test_one_arm(self):
        with pytest.raises(ParameterError, match="two arms or more; got one"):
            small(arms=[uh.Normal(0, 1)])

    def test_a_cap_below_the_initial_pulls(self):
        with pytest.raises(ParameterError, match="the cap must be 3 or more; got 2"):
            small(policies=Bands(), cap=2)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"budget": 2}, "the budget must be 3 or more; got 2"),
            ({"budget": 2001}, r"budget of 2,001 pulls, and the cap is 2,000\. Raise the cap"),
            ({"budget": 100, "top": 3}, "best 3 of 3 arms: top must be below"),
        ],
        ids=["small", "large", "top"],
    )
    def test_budgets(self, settings, message):
        with pytest.raises(ParameterError, match=message):
            small(policies=uh.UniformSampling(**settings))

    def test_the_same_name_twice(self):
        with pytest.raises(ParameterError, match="a name of its own"):
            small(policies=[Bands(0.5), Bands(0.6)])

    @pytest.mark.parametrize("bad", [0, 2.5, "9", 2**41], ids=repr)
    def test_the_cap_is_a_whole_number(self, bad):
        with pytest.raises(ParameterError, match="cap must be a whole number"):
            small(cap=bad)

    def test_policies_that_play_on_are_refused(self):
        with pytest.raises(ParameterError, match=r"UCB1 plays for a small regret.*by simulate"):
            small(policies=uh.UCB1())

    def test_and_policies_that_stop_where_others_play_on(self):
        with pytest.raises(ParameterError, match=r"simulate plays on.*Run it by identify"):
            uh.simulate(ARMS, Bands(), 100)
        with pytest.raises(ParameterError, match=r"a Bandit plays on.*Run it by identify"):
            uh.Bandit(["a", "b"], Bands())


def test_an_error_stops_the_runs_that_are_under_way(monkeypatch):
    ended = []
    running = threading.Semaphore(1)

    def fake(*_given, stop, **_options):
        if running.acquire(blocking=False):
            assert stop.wait(60)
            ended.append("stopped")
            raise CancelledError
        raise ZeroDivisionError

    monkeypatch.setattr(module, "search", fake)
    with pytest.raises(ZeroDivisionError):
        small(policies=Bands(), workers=2, replications=2)
    assert ended == ["stopped"]


def test_a_search_that_is_told_to_stop_does():
    stop, policy = threading.Event(), Bands(0.5)
    stop.set()
    with pytest.raises(CancelledError):
        search(
            policy, policy.parameters, Rewards(NEAR, 0, 0), np.random.default_rng(0), 9, stop=stop
        )
