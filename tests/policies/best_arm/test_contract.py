"""What holds for every policy that looks for the best arm, one suite for all of them."""

import copy
import pickle
from itertools import cycle

import numpy as np
import pytest

import upperhand as uh
from tests.looping import for_each
from tests.tables import TABLES, draw
from upperhand import policies
from upperhand.errors import ParameterError
from upperhand.policies import BEST_ARM_POLICIES, POLICIES, best_arm_class, policy_class
from upperhand.policies.best_arm.base import FixedBudget, FixedConfidence
from upperhand.simulation.player import search
from upperhand.simulation.rewards import GivenRewards

from .examples import CAP, EXAMPLES, RANK_BASED, SYMMETRIC

every_policy = for_each("name", EXAMPLES)


def separate(seed=0):
    """Return rewards of three arms that are easy to tell apart: the last is best, then arm 0."""
    spread = np.random.default_rng(seed).normal(0.0, 1.0, (3, CAP))
    return spread + np.array([[1.5], [0.0], [3.0]])


def find(policy, table, *, cap=None, seed=0, **options):
    """Run a policy on a table, by default to the table's end."""
    rng = np.random.default_rng(seed)
    cap = np.shape(table)[1] if cap is None else cap
    return search(policy, GivenRewards(np.asarray(table, float)), rng, cap, **options)


def plain(ended):
    """Return how a run ended, to be compared."""
    return ended.samples, ended.decided, ended.recommended, ended.pulls.tolist()


def by_hand(policy, table, *, room=0, seed=0, nosy=False):
    """Play without the loop; a nosy caller looks after every round."""
    f, p, rng = policy.functions, policy.parameters, np.random.default_rng(seed)
    state = f.start(p, len(table), room)
    for t in range(1, table.shape[1] + 1):
        arm = f.choose(p, state, t, rng)
        f.update(p, state, arm, float(table[arm, state.pulls[arm]]))
        if nosy:
            f.recommend(p, state)
            f.stop(p, state, t)
        if f.stop(p, state, t):
            return t, True, f.recommend(p, state), state.pulls.tolist()
        if f.full(p, state, arm):
            state = f.grow(state)
    return table.shape[1], False, f.recommend(p, state), state.pulls.tolist()


@every_policy
class TestSearching:
    def test_it_stops_and_finds_the_best_arms(self, name):
        policy = EXAMPLES[name]
        ended = find(policy, separate())
        assert ended.decided
        assert ended.samples == ended.pulls.sum() < CAP
        assert sorted(ended.recommended) == ([2] if getattr(policy, "top", 1) == 1 else [0, 2])

    def test_there_is_an_answer_at_any_time(self, name):
        policy = EXAMPLES[name]
        for kind, cap in zip(TABLES, cycle((4 * policy.initial_pulls, 77, 300)), strict=False):
            answer = find(policy, draw(kind, 4, 300), cap=cap).recommended
            assert len(answer) == len(set(answer)) == getattr(policy, "top", 1)
            assert set(answer) <= set(range(4))

    def test_looking_changes_nothing(self, name):
        table = separate()[:, :700]
        assert by_hand(EXAMPLES[name], table, nosy=True) == by_hand(EXAMPLES[name], table)

    def test_growing_changes_nothing(self, name):
        """A state with room for nothing grows its way to the same end as the loop's."""
        table = separate()[:, :700]
        assert by_hand(EXAMPLES[name], table) == plain(find(EXAMPLES[name], table))

    def test_a_larger_cap_changes_nothing(self, name):
        policy, table = EXAMPLES[name], separate(1)
        ended = find(policy, table)
        assert plain(find(policy, table, cap=ended.samples)) == plain(ended)
        shorter = find(policy, table, cap=ended.samples - 1)
        assert not shorter.decided
        last = np.flatnonzero(ended.pulls - shorter.pulls)
        assert (ended.pulls - shorter.pulls)[last].tolist() == [1]

    def test_rewards_that_are_not_pulled_change_nothing(self, name):
        table = separate(2)
        first = find(EXAMPLES[name], table)
        beyond = np.arange(CAP) >= first.pulls[:, None]
        assert plain(find(EXAMPLES[name], np.where(beyond, 99.0, table))) == plain(first)

    def test_the_initial_pulls_are_a_round_robin(self, name):
        first = 3 * EXAMPLES[name].initial_pulls
        ended = find(EXAMPLES[name], draw("heavy", 3, 300), cap=first)
        assert ended.pulls.tolist() == [EXAMPLES[name].initial_pulls] * 3


@for_each("name", sorted(RANK_BASED))
def test_only_the_order_counts(name):
    table = separate(4)
    expected = plain(find(EXAMPLES[name], table))
    for changed in (8.0 * table - 64.0, np.arctan(table)):
        assert plain(find(EXAMPLES[name], changed)) == expected


@for_each("name", sorted(SYMMETRIC))
def test_arms_with_other_labels(name):
    table, order = separate(5), [2, 0, 1]
    first, again = find(EXAMPLES[name], table), find(EXAMPLES[name], table[order])
    assert (again.samples, again.decided) == (first.samples, first.decided)
    assert again.pulls.tolist() == first.pulls[order].tolist()
    assert sorted(order[arm] for arm in again.recommended) == sorted(first.recommended)


@every_policy
class TestValues:
    def test_settings_make_the_same_policy(self, name):
        policy = EXAMPLES[name].replace(random_ties=True)
        assert type(policy)(**policy.settings) == policy
        assert eval(repr(policy), vars(policies)) == policy  # noqa: S307
        assert pickle.loads(pickle.dumps(policy)) == copy.copy(policy) == policy  # noqa: S301

    def test_it_is_found_by_identify_alone(self, name):
        policy = EXAMPLES[name]
        assert BEST_ARM_POLICIES[policy.name] is type(policy) is best_arm_class(policy.name)
        assert getattr(uh, type(policy).__name__) is type(policy)
        assert policy.name not in POLICIES
        with pytest.raises(ParameterError, match="Run it by identify"):
            policy_class(policy.name)

    def test_settings_out_of_range(self, name):
        policy = EXAMPLES[name]
        bad = {"tau": (0, 1, "0.5"), "delta": (0, 1), "epsilon": (-0.1, 1, 1 - policy.tau)}
        bad |= {"budget": (0, 2.5), "top": (0, 1.5)}
        for setting in policy.settings.keys() & bad.keys():
            for value in bad[setting]:
                with pytest.raises(ParameterError, match=setting):
                    policy.replace(**{setting: value})

    def test_it_is_of_one_kind_and_has_what_identify_needs(self, name):
        policy = EXAMPLES[name]
        assert isinstance(policy, FixedConfidence) != isinstance(policy, FixedBudget)
        assert policy.functions.stop is not None
        assert policy.functions.recommend is not None


def test_every_policy_has_an_example():
    assert {policy.name for policy in EXAMPLES.values()} == BEST_ARM_POLICIES.keys()
    assert EXAMPLES.keys() >= RANK_BASED | SYMMETRIC
