"""What every policy of the library promises, one suite for all of them."""

import copy
import pickle

import numpy as np
import pytest

from upperhand import policies
from upperhand.errors import UnknownNameError
from upperhand.policies import POLICIES, Policy, policy_class
from upperhand.policies.contract import Kernels
from upperhand.trajectory import play

from ..tables import TABLES, draw

every_policy = pytest.mark.parametrize("cls", POLICIES.values(), ids=POLICIES)


def per_arm(state, arms):
    """Return the state's arrays of one number an arm, by name, nested tuples included."""
    found = {}
    for name, part in state._asdict().items():
        if isinstance(part, tuple):
            found |= {f"{name}.{key}": value for key, value in per_arm(part, arms).items()}
        elif part.shape == (arms,):
            found[name] = part
    return found


@every_policy
class TestEveryPolicy:
    @pytest.mark.parametrize("kind", TABLES)
    @pytest.mark.parametrize("arms", [1, 2, 5])
    def test_arms_are_arms_and_all_are_tried(self, cls, kind, arms):
        found = play(cls(), draw(kind, arms, 300))
        assert found.arms.shape == (300,)
        assert set(found.arms.tolist()) == set(range(arms))
        assert found.state.pulls.tolist() == np.bincount(found.arms, minlength=arms).tolist()

    def test_the_initial_pulls_are_a_round_robin(self, cls):
        first = 3 * cls().initial_pulls
        assert play(cls(), draw("heavy", 3, 100)).arms[:first].tolist() == (
            list(range(3)) * cls().initial_pulls
        )

    @pytest.mark.parametrize("kind", TABLES)
    def test_compiled_is_interpreted(self, cls, kind):
        table = draw(kind, 3, 400)
        compiled, interpreted = (play(cls(), table, 0, compiled=c) for c in (True, False))
        assert compiled.arms.tolist() == interpreted.arms.tolist()
        ours, theirs = per_arm(compiled.state, 3), per_arm(interpreted.state, 3)
        assert ours.keys() == theirs.keys() >= {"pulls"}
        for name, values in ours.items():
            assert values.tolist() == theirs[name].tolist(), name

    def test_the_same_again(self, cls):
        runs = [play(cls(random_ties=True), draw("ties", 3, 500), seed=7) for _ in range(2)]
        assert runs[0].arms.tolist() == runs[1].arms.tolist()

    def test_the_state_is_finite_after_heavy_tails(self, cls):
        state = play(cls(), draw("heavy", 4, 10_000)).state
        for name, values in per_arm(state, 4).items():
            assert np.isfinite(values).all(), name

    def test_random_ties_depend_on_the_seed(self, cls):
        table = draw("constant", 4, 60)
        by_seed = {tuple(play(cls(random_ties=True), table, seed).arms) for seed in range(10)}
        assert len(by_seed) == 10

    def test_other_ties_do_not(self, cls):
        table = draw("constant", 4, 60)
        assert len({tuple(play(cls(), table, seed).arms) for seed in range(5)}) == 1

    def test_the_table_is_read_by_pulls(self, cls):
        """Rewards beyond those that were pulled change nothing."""
        table = draw("gaussian", 3, 300)
        first = play(cls(), table)
        beyond = np.arange(300) >= first.state.pulls[:, None]
        assert play(cls(), np.where(beyond, 99.0, table)).arms.tolist() == first.arms.tolist()

    def test_it_does_not_know_the_horizon(self, cls):
        table = draw("gaussian", 3, 300)
        short, long = play(cls(), table, rounds=120), play(cls(), table)
        assert short.arms.tolist() == long.arms[:120].tolist()

    def test_settings_make_the_same_policy(self, cls):
        policy = cls(random_ties=True)
        assert cls(**policy.settings) == policy
        assert policy.settings["random_ties"] is True
        assert hash(cls(**policy.settings)) == hash(policy)

    def test_repr_evaluates_to_the_same_policy(self, cls):
        policy = cls(random_ties=True)
        assert eval(repr(policy), vars(policies)) == policy  # noqa: S307

    def test_equal_means_same_class_and_settings(self, cls):
        assert cls() == cls()
        assert not cls() == cls(random_ties=True)  # noqa: SIM201
        assert not cls() == tuple(cls())  # noqa: SIM201
        others = [other() for other in POLICIES.values() if other is not cls]
        assert not any(cls() == other for other in others)

    def test_unequal_is_the_opposite_of_equal(self, cls):
        assert not cls() != cls()  # noqa: SIM202
        assert cls() != cls(random_ties=True)
        assert cls() != tuple(cls())

    def test_it_can_be_sent_to_another_process(self, cls):
        policy = cls(random_ties=True)
        assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301
        assert copy.copy(policy) == policy
        assert copy.deepcopy(policy) == policy

    def test_it_is_immutable(self, cls):
        with pytest.raises(AttributeError):
            cls().random_ties = True
        with pytest.raises(AttributeError):
            cls().anything = 1

    def test_name_and_kernels(self, cls):
        assert issubclass(cls, Policy)
        assert isinstance(cls.kernels, Kernels)
        assert policy_class(cls.name) is cls
        assert policy_class(cls.name.lower()) is cls

    def test_growing_changes_nothing(self, cls):
        """A state with room for nothing grows its way to the same end."""
        table = draw("gaussian", 2, 800)
        k, policy, rng = cls.kernels, cls(), np.random.default_rng(0)
        state, arms = k.init(policy, 2, 0), []
        for t in range(1, 801):
            arms.append(int(k.select(policy, state, t, rng)))
            k.update(policy, state, arms[-1], table[arms[-1], state.pulls[arms[-1]]])
            if k.full(state, arms[-1]):
                state = k.grow(state)
        assert arms == play(policy, table).arms.tolist()


def test_policies_by_name():
    assert list(POLICIES) == [cls.name for cls in POLICIES.values()]
    with pytest.raises(UnknownNameError, match=r"Unknown policy 'ucb2'.*mean 'ucb1'"):
        policy_class("UCB2")
