"""identify: equal to plain loops on the same rewards; which answers are right; what it shows."""

import hashlib
import json
import math
import multiprocessing
import threading
from concurrent.futures import CancelledError, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import upperhand as uh
from upperhand.distributions.derived import Negated
from upperhand.errors import ParameterError
from upperhand.objectives import DIRECTIONS
from upperhand.simulation import identify as module
from upperhand.simulation import player
from upperhand.simulation.identify import (
    Answers,
    Identification,
    identify,
    tied_arms,
    wrong_answers,
)
from upperhand.simulation.player import search
from upperhand.simulation.rewards import FIRST, Rewards, policy_stream
from upperhand.simulation.statistics import mean_interval, share_interval

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


def small(arms=ARMS, policies=POLICIES, cap=1500, replications=5, seed=5, **options):
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


class TestReferences:
    @pytest.mark.parametrize(("name", "minimize"), [("bands", False), ("lax", True)])
    def test_bands(self, name, minimize):
        policy, arms = POLICIES[name], COSTS if minimize else ARMS
        found = small(arms, replications=3, direction=DIRECTIONS[minimize]).answers[name]
        tau = 1 - policy.tau if minimize else policy.tau
        assert found.decided.all()
        assert not found.wrong.any()
        for r in range(3):
            table = drawn(arms, r, 700, negated=minimize)
            t, decided, arm, pulls = searches.bands(table, tau, policy.delta, policy.epsilon, 1500)
            assert (found.samples[r], found.decided[r]) == (t, decided)
            assert found.recommended[r].tolist() == [arm]
            assert found.pulls[r].tolist() == pulls

    @pytest.mark.parametrize("minimize", [False, True], ids=["rewards", "costs"])
    def test_uniform(self, minimize):
        found = small(direction=DIRECTIONS[minimize]).answers["uniform"]
        for r in range(5):
            best, pulls = searches.uniform(drawn(ARMS, r, 110, negated=minimize), 0.5, 301, 2)
            assert found.recommended[r].tolist() == best
            assert found.pulls[r].tolist() == pulls

    def test_beyond_the_first_chunks(self):
        """2,500 rewards of each arm: three chunks."""
        budget = 2 * (2 * FIRST + 452)
        found = small(NEAR, uh.UniformSampling(0.9, budget=budget), cap=budget, replications=2)
        for r in range(2):
            best, _ = searches.uniform(drawn(NEAR, r, budget // 2), 0.9, budget, 1)
            assert found.answers["Uniform sampling"].recommended[r].tolist() == best

    def test_a_long_run_reads_the_stream_to_its_end(self):
        """The state and the rewards grow many times, and slices end where they may."""
        policy = Bands(0.5, delta=0.05)
        rewards = Rewards(NEAR, 5, 0)
        ended = search(policy, rewards, np.random.default_rng(0), 100_000)
        assert ended.decided
        assert ended.pulls.min() > 2 * FIRST
        table = drawn(NEAR, 0, int(ended.pulls.max()))
        for cap, decided in ((ended.samples - 1, False), (ended.samples, True)):
            histories = [row[: (cap - arm + 1) // 2] for arm, row in enumerate(table)]
            assert (searches._above_all(histories, 0.5, 0.05, 0.0) is not None) == decided


class TestSameSeedSameNumbers:
    def test_any_number_of_workers(self, expected):
        assert digest(small(workers=4)) == expected

    def test_processes(self, expected):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert digest(small(executor=executor)) == expected
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
    """Two policies that break ties at random draw the same, from the policies' stream."""
    lots = uh.UniformSampling(0.5, budget=50, random_ties=True)
    found = small(policies={"one": lots, "two": lots}).answers
    assert np.array_equal(found["one"].pulls, found["two"].pulls)
    for r, pulls in enumerate(found["one"].pulls):
        rng = policy_stream(5, r)
        ended = search(lots, Rewards(ARMS, 5, r), rng, 50, interpreted=True)
        assert pulls.tolist() == ended.pulls.tolist()


class TestCap:
    def test_a_run_that_gets_there_is_undecided(self):
        found = small(NEAR, Bands(0.5), cap=100, replications=12)
        answers = found.answers["Bands"]
        assert not answers.decided.any()
        assert answers.samples.tolist() == [100] * 12
        assert not answers.wrong.any()
        assert np.array_equal(answers.wrong_guess, answers.recommended[:, 0] == 0)
        assert 0 < answers.wrong_guess.sum() < 12
        assert found["Bands"].undecided == 1.0
        assert "cap of 100 pulls" in repr(found)

    def test_a_larger_cap_changes_no_decided_run(self):
        low, high = (small(policies=POLICIES["bands"], cap=cap).answers["Bands"] for cap in CAPS)
        assert 0 < low.decided.sum() < 5
        assert high.decided.all()
        assert np.array_equal(low.samples[low.decided], high.samples[low.decided])
        assert np.array_equal(low.recommended[low.decided], high.recommended[low.decided])

    def test_arms_that_tie_never_stop(self):
        tied = [uh.Normal(1, 1), uh.Normal(0, 1), uh.Uniform(0, 2)]
        found = small(tied, {"exact": Bands(0.5), "lax": Bands(0.5, epsilon=0.3)}, cap=1500)
        assert not found.answers["exact"].decided.any()
        assert found.answers["lax"].decided.all()
        assert "Arms 0, 2 tie exactly at level 0.5 and epsilon is 0: no policy can" in repr(found)

    def test_arms_that_share_an_atom_may_stop(self):
        alike = [uh.Bernoulli(0.9), uh.Bernoulli(0.9)]
        found = small(alike, Bands(0.5))
        assert found.answers["Bands"].decided.all()
        assert not found.answers["Bands"].wrong.any()
        assert found.notes == []


CAPS = (500, 5000)  # some of the five runs take longer than the first


class TestSettings:
    def test_delta_and_epsilon_replace_the_policies_own(self):
        found = small(policies={"bands": Bands(0.5), "uniform": POLICIES["uniform"]}, delta=0.3)
        assert found.policies["bands"] == Bands(0.5, delta=0.3)
        assert found.policies["uniform"] == POLICIES["uniform"]
        found = small(policies=Bands(0.5, delta=0.2), epsilon=0.1)
        assert found.policies["Bands"] == Bands(0.5, delta=0.2, epsilon=0.1)

    def test_out_of_range(self):
        for name in ("delta", "epsilon"):
            for bad in (-0.1, 1.0, "0.1", math.nan):
                with pytest.raises(ParameterError, match=f"{name} must be a"):
                    small(**{name: bad})
        for bad in (0, 2.5, "9", 2**41):
            with pytest.raises(ParameterError, match="cap must be a whole number"):
                small(cap=bad)

    def test_a_tolerance_that_leaves_no_level(self):
        with pytest.raises(ParameterError, match=r"tau \+ epsilon must be below 1.*smaller eps"):
            small(policies=Bands(0.9), epsilon=0.1)
        with pytest.raises(ParameterError, match=r"Of costs.*epsilon 0.3 and tau 0.2. Choose"):
            small(policies=Bands(0.2), epsilon=0.3, direction="minimize")

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
            ({"budget": 1501}, r"budget of 1,501 pulls, and the cap is 1,500\. Raise the cap"),
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

    def test_policies_that_play_on_are_refused(self):
        with pytest.raises(ParameterError, match=r"UCB1 plays for a small regret.*by simulate"):
            small(policies=uh.UCB1())

    def test_and_policies_that_stop_where_others_play_on(self):
        with pytest.raises(ParameterError, match=r"simulate plays on.*Run it by identify"):
            uh.simulate(ARMS, Bands(), 100)
        with pytest.raises(ParameterError, match=r"live use plays on.*Run it by identify"):
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
        search(policy, Rewards(NEAR, 0, 0), np.random.default_rng(0), 9, stop=stop)


LEVELS = [Fraction(k, 20) for k in range(1, 20)]


def lower(values, level):
    """Return inf{x : F(x) ≥ level} of equally likely values, by fractions."""
    return next(
        x for x in sorted(values) if Fraction(sum(v <= x for v in values), len(values)) >= level
    )


def upper(values, level):
    """Return sup{x : P(Y < x) ≤ level}, the largest value that is one."""
    below = {x: Fraction(sum(v < x for v in values), len(values)) for x in values}
    return max(x for x, share in below.items() if share <= level)


def wrong(arms, policy, *, minimize=False, sets=None):
    rows = np.array(sets if sets else [[arm] for arm in range(len(arms))])
    return wrong_answers(arms, policy, rows, minimize=minimize).tolist()


def few_values(seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 6, size=size).tolist() for size in (4, 5, 10)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1, 4)], ids=str)
class TestFixedConfidence:
    def test_rewards(self, seed, epsilon):
        data = few_values(seed)
        for tau in (level for level in LEVELS if level + epsilon < 1):
            best = max(lower(values, tau) for values in data)
            expected = [lower(values, tau + epsilon) < best for values in data]
            policy = Bands(float(tau), epsilon=float(epsilon))
            assert wrong([uh.Empirical(values) for values in data], policy) == expected

    def test_costs(self, seed, epsilon):
        """By upper quantiles at τ − ε and τ, and by the lower ones: wrong only by both."""
        data = few_values(seed)
        for tau in (level for level in LEVELS if epsilon < level < 1 - epsilon):
            expected = [True] * len(data)
            for end in (upper, lower):
                best = min(end(values, tau) for values in data)
                late = [end(values, tau - epsilon) > best for values in data]
                expected = [one and other for one, other in zip(expected, late, strict=True)]
            policy, arms = Bands(float(tau), epsilon=float(epsilon)), map(uh.Empirical, data)
            assert wrong(list(arms), policy, minimize=True) == expected


def test_costs_of_a_known_instance():
    """The p95 of latencies: U(0, 10) has 9.5, and at 0.9 the p90 of N(…) counts."""
    arms = [uh.Uniform(0, 10), uh.Uniform(0, 9.9), uh.Uniform(0, 10.4)]
    assert wrong(arms, Bands(0.95), minimize=True) == [True, False, True]
    assert wrong(arms, Bands(0.95, epsilon=0.02), minimize=True) == [False, False, True]
    assert wrong(arms, Bands(0.95)) == [True, True, False]


@pytest.mark.parametrize("seed", range(3))
def test_sets_of_best_arms(seed):
    data = few_values(seed)
    arms = [uh.Empirical(values) for values in data]
    for tau in LEVELS:
        values = [lower(each, tau) for each in data]
        sets = [[0, 1], [2, 0], [1, 2]]
        expected = [
            sum(sorted(values)[-2:]) != sum(values[arm] for arm in chosen) for chosen in sets
        ]
        policy = uh.UniformSampling(float(tau), budget=10, top=2)
        assert wrong(arms, policy, sets=sets) == expected


def test_rounding_is_no_difference():
    same = [uh.Normal(0.1, 0.3), uh.from_scipy(__import__("scipy.stats").stats.norm(0.1, 0.3))]
    for tau in (0.2, 0.9, 0.977):
        assert wrong(same, Bands(tau)) == [False, False]
        assert wrong(same, Bands(tau), minimize=True) == [False, False]
        assert wrong(same, uh.UniformSampling(tau, budget=9)) == [False, False]


@pytest.mark.parametrize(
    ("arms", "tied"),
    [
        ([uh.Normal(1, 1), uh.Normal(0, 1), uh.Uniform(0, 2)], [0, 2]),
        ([uh.Normal(1, 1), uh.Normal(0, 1)], []),
        ([uh.Bernoulli(0.6), uh.Bernoulli(0.7)], []),
        ([uh.Empirical([0, 1, 2]), uh.Empirical([1])], []),
        ([uh.Empirical([0, 1]), uh.Empirical([0, 2])], [0, 1]),
        ([uh.Bernoulli(0.6), uh.Uniform(0, 2)], []),
    ],
    ids=["laws", "none", "bernoulli", "atoms", "half", "one"],
)
def test_ties_without_an_end(arms, tied):
    """At the median. Where the laws have atoms across it, both arms can be told to be right; of an
    atom and a density at 1, the second: less mass below makes it better still."""
    assert tied_arms(arms, Bands(0.5)) == tied
    assert tied_arms(arms, Bands(0.5, epsilon=0.1)) == []


class TestNegated:
    def test_atoms(self):
        for values in [each for seed in range(5) for each in few_values(seed)]:
            law = Negated(uh.Empirical(values))
            exact = uh.Empirical([-v for v in values])
            levels = [float(level) for level in LEVELS]
            points = np.arange(-6.5, 1.0, 0.5)
            assert law.quantile(levels).tolist() == exact.quantile(levels).tolist()
            assert law.cdf(points) == pytest.approx(exact.cdf(points))
            assert law.sf(points) == pytest.approx(exact.sf(points))
            assert (law.mean, law.sd) == pytest.approx((exact.mean, exact.sd))
            assert law.magnitude == exact.magnitude

    def test_a_density(self):
        law, exact = Negated(uh.Normal(1.0, 2.0)), uh.Normal(-1.0, 2.0)
        levels, points = [0.01, 0.5, 0.99], [-3.0, 0.0, 4.0]
        assert law.quantile(levels) == pytest.approx(exact.quantile(levels), rel=1e-12)
        assert law.cdf(points) == pytest.approx(exact.cdf(points), rel=1e-12)
        assert law.pdf(points) == pytest.approx(exact.pdf(points), rel=1e-12)

    def test_draws(self):
        law = uh.Empirical([-0.0, 1.0, 2.0])
        drawn = Negated(law).sample(50, np.random.default_rng(0))
        assert drawn.tolist() == [-y for y in law.sample(50, np.random.default_rng(0))]
        assert not np.signbit(drawn[drawn == 0]).any()


TWO = (uh.Normal(0, 1), uh.Normal(1, 1))


def made(samples, wrong, cap=1000):
    """Return a search of one policy with these results."""
    samples, wrong = np.array(samples), np.array(wrong, bool)
    arms, decided = np.where(wrong, 0, 1)[:, None], samples < cap
    pulls = np.column_stack([samples // 2, samples - samples // 2])
    answers = Answers(samples, decided, arms, pulls, wrong & decided, wrong & ~decided)
    return Identification(TWO, {"Bands": Bands(0.5)}, cap, len(samples), 7, {"Bands": answers})


def test_summary():
    samples = [10, 20, 30, 40, 1000]
    summary = made(samples, [0, 1, 0, 0, 1])["Bands"]
    assert (summary.mean, summary.median, summary.p90) == (220.0, 30.0, 1000.0)
    assert (summary.error, summary.undecided) == (0.2, pytest.approx(0.2))
    low, high = mean_interval(np.array(samples, float), 0.0, 1000.0)
    assert (summary.low, summary.high) == (low, high)
    assert (summary.error_low, summary.error_high) == share_interval(1, 5)


def test_what_a_prompt_shows():
    lines = repr(made([10, 20, 30, 40, 1000], [0, 1, 0, 0, 1])).splitlines()
    assert lines[0] == "2 arms, 5 replications of at most 1,000 pulls, seed 7"
    assert lines[2].split()[:4] == ["policy", "lower", "bound", "samples"]
    assert "20 % (0.51–72 %)" in lines[3]
    assert lines[-2].startswith("Undecided runs were ended by the cap of 1,000 pulls")


def test_one_replication_has_no_interval_of_the_mean():
    found = made([10], [0])
    assert math.isnan(found["Bands"].low)
    assert "10      10   10  0 % (0–98 %)" in repr(found)
    assert found.to_dict()["policies"][0]["low"] is None


def test_json():
    told = made([10, 20, 30, 40, 1000], [0, 1, 0, 0, 1]).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    (policy,) = told["policies"]
    assert policy["settings"] == Bands(0.5).settings
    assert policy["mean"] == 220.0
    assert policy["pulls"] == [110.0, 110.0]
    assert policy["recommended"] == [0.4, 0.6]
    assert policy["wrong_guesses"] == 0.2
    assert [arm["law"] for arm in told["arms"]] == list(map(repr, TWO))
