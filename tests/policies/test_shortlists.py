"""Choosing among many arms by shortlists: the same arms as by a look at each of them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from upperhand._kernels import argmax as choosing
from upperhand.policies import ACPUCB1, UCB1, ucb_cp
from upperhand.simulation import player
from upperhand.simulation.player import MANY, Runner, arms_of
from upperhand.simulation.rewards import GivenRewards
from upperhand.simulation.simulate import simulate

from ..looping import for_each
from ..reference.means import ucb1
from ..tables import draw
from .examples import EXAMPLES, FALLING, RISING

LISTED = sorted(RISING | FALLING)
KINDS = ["gaussian", "ties", "constant", "bernoulli", "heavy", "rising", "falling", "huge"]
each_listed = for_each("name", LISTED)
NEVER, ALWAYS = 10**9, 2


def played(policy, table, many, *, interpreted=True, seed=1):
    """Return the arms of as many rounds as the table has columns."""
    arms = np.empty(table.shape[1], np.int64)
    state = policy.functions.start(policy.parameters, len(table), 0)
    source = GivenRewards(table)
    runner = Runner(policy, state, source, arms_of(arms), interpreted=interpreted, many=many)
    runner.play(np.random.default_rng(seed), len(arms))
    return arms.tolist()


@pytest.fixture
def short(monkeypatch):
    """Lists down to two arms, so that a few arms make several of them."""
    monkeypatch.setattr(choosing, "SHORTEST", 2)
    monkeypatch.setattr(choosing, "PART", 2)
    monkeypatch.setattr(choosing, "PROBE", 4)


@pytest.mark.usefixtures("short")
@each_listed
@for_each("kind", KINDS)
def test_the_same_arms_as_by_a_look_at_each(name, kind):
    table = draw(kind, 24, 240)
    assert played(EXAMPLES[name], table, ALWAYS) == played(EXAMPLES[name], table, NEVER)


def test_a_reference_that_keeps_all_rewards():
    table = draw("ties", 70, 900)
    assert played(UCB1(), table, MANY) == ucb1(table.tolist())


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("kind", ["gaussian", "ties", "bernoulli", "constant"])
def test_compiled_at_a_thousand_arms(name, kind):
    table = draw(kind, 1000, 6000)
    by_lists, by_scan = (
        played(EXAMPLES[name], table, many, interpreted=False) for many in (MANY, NEVER)
    )
    assert by_lists == by_scan


def test_a_simulation_of_many_arms(monkeypatch):
    from upperhand.distributions import Bernoulli, Normal

    arms = [Normal(0.01 * (j % 7), 0.5) for j in range(60)] + [Bernoulli(0.5)] * 20
    policies = [UCB1(), ACPUCB1(b=0.3)]
    by_lists = simulate(arms, policies, 1500, 3, seed=4, workers=1)
    monkeypatch.setattr(player, "shortlist_for", lambda *_given: None)
    by_scan = simulate(arms, policies, 1500, 3, seed=4, workers=1)
    for name, pulls in by_lists.pulls.items():
        assert np.array_equal(pulls, by_scan.pulls[name])


class TestWhatPoliciesSay:
    def test_which_say_how_their_indices_move(self):
        said = {name: policy.index_trend for name, policy in EXAMPLES.items()}
        assert {name for name, moves in said.items() if moves == "rises"} == RISING
        assert {name for name, moves in said.items() if moves == "falls"} == FALLING

    @each_listed
    @for_each("kind", ("gaussian", "bernoulli", "heavy"))
    def test_an_index_moves_with_the_round_alone_and_one_way(self, name, kind):
        policy, arms = EXAMPLES[name], 5
        f, p = policy.functions, policy.parameters
        state, table = f.start(p, arms, 400), draw(kind, arms, 60)
        for s in range(60):
            for arm in range(arms):
                f.update(p, state, arm, float(table[arm, s]))
            times = [arms * (s + 1) + i for i in (1, 2, 3, 10, 100, 10**4, 10**7)]
            before = [[f.index(p, state, arm, t) for t in times] for arm in range(arms)]
            moved = before if name in RISING else [row[::-1] for row in before]
            for row in moved:
                for earlier, later in pairwise(row):
                    slack = choosing.ROUNDING * abs(later) if later < np.inf else 0.0
                    assert earlier <= later + slack
            f.update(p, state, 0, 0.7)
            assert [[f.index(p, state, j, t) for t in times] for j in range(1, arms)] == before[1:]

    @each_listed
    def test_arms_that_are_alike_have_one_index(self, name):
        """Where rewards take two values many arms are, if the policy tells."""
        policy, arms, found = EXAMPLES[name], 12, 0
        f, p = policy.functions, policy.parameters
        state, table = f.start(p, arms, 400), draw("bernoulli", arms, 30)
        rng = np.random.default_rng(0)
        for step in range(300):
            arm = int(rng.integers(arms))
            pulls = int(state.pulls[arm])
            if pulls < 30:
                f.update(p, state, arm, float(table[arm, pulls]))
            pair = rng.integers(arms, size=2)
            if pair[0] != pair[1] and f.same_index(p, state, *pair):
                found += 1
                for t in (step + 2, 10**3, 10**6):
                    one, other = (f.index(p, state, int(each), t) for each in pair)
                    assert one == other
        assert (found > 0) == (f.same_index is not choosing.never_same_index)

    def test_random_ties_look_at_every_arm(self):
        assert player.shortlist_for(UCB1(random_ties=True), 10**4, 60) is None
        assert player.shortlist_for(UCB1(), 59, 60) is None
        assert player.shortlist_for(UCB1(), 60, 60) is not None


def nowhere(*_given):
    """Stand for a step that is left out."""


def at_their_largest(index, policy, state, t, shortlist, level, arm, *, cut=choosing._cut):
    """Measure all by the guard's largest value."""
    highest = t + int(shortlist.span[level + 1])
    return cut(lambda p, s, a, _t: index(p, s, a, highest), policy, state, t, shortlist, level, arm)


FAULTS = {
    "the guard may be pulled": (choosing, "serving", lambda _state, _t, found: int(found.depth[0])),
    "the guard is at its largest": (choosing, "_cut", at_their_largest),
    "every two arms are alike": (choosing, "same_index", lambda *_given: True),
    "a turn does not look at pulls": (choosing, "_turn", lambda _state, arm: arm),
    "who explores is not listed": (ucb_cp, "enlist", nowhere),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.usefixtures("short")
def test_a_fault_shows(fault, monkeypatch):
    """Each of them changes the choices of some policy on some table."""
    names, kinds = ("UCB1", "ACP-UCB1", "UCB-CP U"), ("gaussian", "ties")
    tables = {(name, kind): draw(kind, 24, 240) for name in names for kind in kinds}
    expected = {pair: played(EXAMPLES[pair[0]], table, NEVER) for pair, table in tables.items()}
    monkeypatch.setattr(*FAULTS[fault])
    found = {pair: played(EXAMPLES[pair[0]], table, ALWAYS) for pair, table in tables.items()}
    assert found != expected


class TestHeirs:
    """What a policy says of its index, it does not say of an heir's."""

    def test_an_index_of_its_own(self):
        class Falling(UCB1):
            name = "falling"

        def index(policy, state, arm, t):
            return np.inf if state.pulls[arm] == 0 else state.mean[arm] - 0.001 * t * arm

        Falling.functions = replace(UCB1.functions, index=index)
        assert player.shortlist_for(Falling(), 100, 60) is None

    def test_the_same_functions(self):
        class Renamed(UCB1):
            name = "renamed"

        assert player.shortlist_for(Renamed(), 100, 60) is not None

    def test_one_that_says_it_again(self):
        class Again(UCB1):
            name = "again"
            index_trend = "falls"

        Again.functions = replace(UCB1.functions)
        assert not player.shortlist_for(Again(), 100, 60).rises[0]
