"""Rewards drawn as needed: the same for every policy, from streams of their own, and no more."""

import numpy as np
import pytest

import upperhand as uh
from upperhand import checks
from upperhand.distributions.base import one_by_one
from upperhand.distributions.derived import Negated
from upperhand.distributions.scipy_adapter import ScipyDistribution
from upperhand.errors import ParameterError, TableError
from upperhand.objectives import DIRECTIONS
from upperhand.simulation.rewards import (
    FIRST,
    LEAST,
    GivenRewards,
    Rewards,
    draw_table,
    policy_stream,
    reward_stream,
)

from ..reference import searches

MIXTURE = uh.Mixture([uh.Normal(0, 1), uh.Uniform(2, 3)], [0.5, 0.5])
ARMS = (uh.Normal(0, 1), MIXTURE, uh.Empirical([-0.0, 1.0]))
ONE_BY_ONE = [
    uh.Normal(1, 2),
    uh.StudentT(0, 1, 3),
    uh.Uniform(-1, 1),
    uh.Exponential(2),
    uh.LogNormal(0, 1),
    uh.Pareto(2, 1),
    uh.Bernoulli(0.3),
    uh.Empirical([3.0, 1.0, -0.0]),
    Negated(uh.Normal(1, 2)),
]
ALL_AT_ONCE = [MIXTURE, uh.SkewedStudentT(0, 1, 5, 0.3), Negated(MIXTURE)]
SOME = [ONE_BY_ONE[0], ONE_BY_ONE[-2], ONE_BY_ONE[-1], MIXTURE, Negated(MIXTURE)]


def of_arm(rewards, arm):
    """Return what was drawn of an arm."""
    first, count = rewards.stock.first[arm], rewards.stock.drawn[arm]
    return rewards.stock.values[first : first + count]


class TestStreams:
    def test_seeds(self):
        for seed in (0, 1, 2**32, 2**127, np.int64(7), np.uint8(3)):
            assert checks.seed(seed) == seed
            assert type(checks.seed(seed)) is int
        for bad in (-1, 1.0, "1", True, False, [1], np.float64(1), np.bool_(True)):
            with pytest.raises(ParameterError, match="seed must be a whole number, 0 or more, or"):
                checks.seed(bad)
        fresh = {checks.seed(None) for _ in range(20)}
        assert len(fresh) == 20
        assert all(type(seed) is int and seed >= 0 for seed in fresh)

    def test_the_same_key_the_same_stream_and_another_key_another_one(self):
        assert reward_stream(3, 1, 2).random() == reward_stream(3, 1, 2).random()
        assert policy_stream(3, 1).random() == policy_stream(3, 1).random()
        keys = [(seed, r, arm) for seed in (0, 1, 2**64) for r in range(10) for arm in range(10)]
        draws = [reward_stream(*key).random() for key in keys]
        draws += [policy_stream(*key[:2]).random() for key in keys[::10]]
        assert len(set(draws)) == len(keys) + len(keys) // 10

    def test_they_are_pinned(self):
        """Another generator or another key would silently change every published number.

        From NumPy alone: PCG64(SeedSequence(seed, spawn_key=(replication, purpose, arm))), with
        purpose 0 for rewards, and without an arm, purpose 1, for the policy.
        """
        assert reward_stream(0, 0, 0).integers(2**63) == 5559497400832831700
        assert reward_stream(7, 3, 2).integers(2**63) == 1945310180055556990
        assert policy_stream(0, 0).integers(2**63) == 3364714723560915154

    def test_a_table_is_what_they_draw_without_negative_zeros(self):
        arms = (uh.Normal(0, 1), uh.Empirical([-0.0, 1.0]))
        table = draw_table(arms, 50, 7, 3)
        expected = [law.sample(50, reward_stream(7, 3, arm)) for arm, law in enumerate(arms)]
        assert np.array_equal(table, expected)
        assert not np.signbit(table[1]).any()


def test_which_distributions_can_be_cut_anywhere():
    for law in [*ONE_BY_ONE, *ALL_AT_ONCE]:
        assert law.in_sequence == (law in ONE_BY_ONE)
        whole, rng = law.sample(500, np.random.default_rng(3)), np.random.default_rng(3)
        parts = [law.sample(size, rng) for size in (1, 2, 7, 64, 100, 326)]
        assert np.array_equal(np.concatenate(parts), whole) == law.in_sequence


def test_a_distribution_with_a_sampler_of_its_own_must_say_it_again():
    class Backwards(uh.Normal):
        def _sample(self, rng, shape):
            return super()._sample(rng, shape)[::-1]

    assert not Backwards(0, 1).in_sequence
    assert not ScipyDistribution("norm").in_sequence


class TestOfASimulation:
    """With a horizon: the rewards are those of a table."""

    @pytest.mark.parametrize("law", SOME, ids=lambda law: repr(law)[:30])
    def test_every_reward_is_that_of_the_whole_table(self, law):
        horizon = 3000
        rewards = Rewards((uh.Normal(0, 1), law), 7, 3, horizon)
        for replication in (3, 4):
            if replication == 4:
                rewards.note(np.array([2500, 400]))
                rewards.begin(4)
            table = draw_table((uh.Normal(0, 1), law), horizon, 7, replication)
            for _ in range(100):
                for arm in (0, 1):
                    if rewards.stock.drawn[arm] < horizon:
                        rewards.draw(arm)
                    found = of_arm(rewards, arm)
                    assert np.array_equal(found, table[arm, : len(found)])
            assert rewards.stock.drawn.tolist() == [horizon, horizon]

    def test_no_more_is_drawn_than_was_pulled_the_last_time(self):
        rewards = Rewards((uh.Normal(0, 1), uh.Normal(1, 1)), 0, 0, 10_000)
        assert rewards.stock.drawn.tolist() == [FIRST, FIRST]
        rewards.note(np.array([7000, 10]))
        rewards.note(np.array([6000, 300]))
        rewards.begin(1)
        assert rewards.stock.drawn.tolist() == [7000, 300]
        rewards.draw(0)
        rewards.draw(1)
        assert rewards.stock.drawn.tolist() == [7000 + 7000 // 8, 300 + LEAST]

    def test_many_arms_have_little_each(self):
        rewards = Rewards([uh.Normal(0, 1)] * 1000, 0, 0, 10_000)
        assert rewards.stock.drawn.tolist() == [LEAST] * 1000
        assert len(rewards.stock.values) == 1000 * LEAST

    def test_the_memory_is_used_again(self):
        rewards = Rewards(ARMS, 0, 0, 5000)
        while rewards.stock.drawn[0] < 5000:
            rewards.draw(0)
        values = rewards.stock.values
        for replication in range(1, 5):
            rewards.note(np.array([5000, 10, 10]))
            rewards.begin(replication)
        assert rewards.stock.values is values


class TestOfALongSimulation:
    """What was pulled is forgotten: memory stays, and the rewards are the same."""

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch):
        monkeypatch.setattr("upperhand.simulation.rewards.LONG", 2_000)
        monkeypatch.setattr("upperhand.simulation.rewards.WINDOW", 200)

    @pytest.mark.parametrize("law", SOME, ids=lambda law: repr(law)[:30])
    def test_every_reward_is_that_of_the_whole_table(self, law):
        horizon = 3_000
        rewards = Rewards((uh.Normal(0, 1), law), 7, 3, horizon)
        for replication, turn in ((3, 0), (3, 1), (4, 0)):
            if turn > 0:
                rewards.rewind(replication)
            elif replication == 4:
                rewards.note(np.array([2_500, 400]))
                rewards.begin(4)
            table = draw_table((uh.Normal(0, 1), law), horizon, 7, replication)
            for arm in (0, 1):
                before = 0
                while True:
                    drawn, first = int(rewards.stock.drawn[arm]), int(rewards.stock.first[arm])
                    chunk = rewards.stock.values[first + before : first + drawn]
                    assert np.array_equal(chunk, table[arm, before:drawn])
                    if drawn == horizon:
                        break
                    before = drawn
                    rewards.draw(arm)
        wide = 0 if law.in_sequence else horizon
        assert len(rewards.stock.values) <= 4 * 200 + 2 * FIRST + 2 * wide

    @pytest.mark.parametrize("minimize", [False, True])
    def test_runs_are_the_same(self, minimize, monkeypatch):
        middle = uh.Mixture([uh.Normal(0, 1), uh.Normal(0.5, 1)], [0.5, 0.5])
        arms = [uh.Normal(-2, 1), middle, uh.Normal(2, 1)]  # the best and the worst pass
        policies = {"ucb1": uh.UCB1(), "ts": uh.QuantileTS(), "sketched": uh.KLQUCB(sketch=64)}
        found = uh.simulate(
            arms, policies, 2_200, 3, 5, direction=DIRECTIONS[minimize], progress=False
        )
        monkeypatch.setattr("upperhand.simulation.rewards.LONG", 10**9)
        expected = uh.simulate(
            arms, policies, 2_200, 3, 5, direction=DIRECTIONS[minimize], progress=False
        )
        for name in policies:
            assert np.array_equal(found.pulls[name], expected.pulls[name])

    def test_a_reward_that_is_none_is_refused_when_it_is_pulled(self):
        broken = TestARewardThatIsNone.Broken(0, 1)
        rewards = Rewards([uh.Normal(0, 1), broken], 0, 0, 5_000)
        bad = int(np.argmax(draw_table([uh.Normal(0, 1)] * 2, 5_000, 0, 0)[1] > 2.5))
        for _ in range(2):
            while rewards.stock.drawn[1] <= bad:
                rewards.draw(1)
            assert rewards.stock.drawn[1] == bad + 1
            rewards.note(np.array([9, bad]))
            with pytest.raises(ParameterError, match="drew the reward inf"):
                rewards.draw(1)
            rewards.rewind(0)


class TestOfASearch:
    """Without a horizon: chunks that double what there is."""

    def test_chunks_in_any_order_hold_the_same_rewards(self):
        one, other = Rewards(ARMS, 7, 3), Rewards(ARMS, 7, 3)
        for arm in (0, 0, 2, 1, 0):
            one.draw(arm)
        for arm in (1, 0, 0, 0, 2):
            other.draw(arm)
        expected = [8 * FIRST, 2 * FIRST, 2 * FIRST]
        assert one.stock.drawn.tolist() == other.stock.drawn.tolist() == expected
        for arm, count in enumerate(expected):
            drawn = searches.rewards(ARMS[arm], arm, 7, 3, count)
            assert of_arm(one, arm).tolist() == of_arm(other, arm).tolist() == drawn

    def test_the_first_rewards_are_those_of_a_simulation(self):
        """Of laws that draw rewards one by one; a mixture draws all components first."""
        table, rewards = draw_table(ARMS, 2 * FIRST, 7, 3), Rewards(ARMS, 7, 3)
        for arm in (0, 2):
            rewards.draw(arm)
            assert np.array_equal(of_arm(rewards, arm), table[arm])

    def test_a_zero_has_no_sign(self):
        found = of_arm(Rewards(ARMS, 7, 3), 2)
        assert (found == 0).any()
        assert not np.signbit(found).any()

    def test_memory_grows_with_what_is_drawn(self):
        rewards = Rewards(ARMS, 0, 0)
        for doublings in range(1, 8):
            rewards.draw(1)
            there = FIRST * 2**doublings
            assert len(rewards.stock.values) <= 4 * (there + 3 * FIRST)
        assert rewards.stock.drawn.tolist() == [FIRST, 128 * FIRST, FIRST]

    def test_a_reward_that_is_too_large_is_refused_in_any_chunk(self):
        class Late(uh.Normal):
            def _sample(self, rng, shape):
                return np.full(shape, 1e200) if shape[0] > FIRST else super()._sample(rng, shape)

        rewards = Rewards([uh.Normal(0, 1), Late(0, 1)], 0, 0)
        rewards.draw(1)
        with pytest.raises(ParameterError, match=r"Arm 1, .*Late.* drew the reward 1e"):
            rewards.draw(1)


def test_a_table_that_is_at_its_end_says_so():
    with pytest.raises(TableError, match="no more rewards of arm 1"):
        GivenRewards(np.zeros((2, 3))).draw(1)


class TestARewardThatIsNone:
    """In a simulation it is refused when it is pulled."""

    class Broken(uh.Normal):
        @one_by_one
        def _sample(self, rng, shape):
            values = super()._sample(rng, shape)
            values[values > 2.5] = np.inf
            return values

    def rewards(self):
        made = Rewards([uh.Normal(0, 1), self.Broken(0, 1)], 0, 0, 5_000)
        bad = int(np.argmax(draw_table([uh.Normal(0, 1)] * 2, 5_000, 0, 0)[1] > 2.5))
        return made, bad

    def test_no_arm_has_rewards_beyond_it(self):
        rewards, bad = self.rewards()
        assert rewards.stock.drawn.tolist() == [FIRST, bad + 1]
        assert of_arm(rewards, 1)[-1] == 0.0
        rewards.note(np.array([9, bad]))

    def test_who_pulls_it_and_goes_on(self):
        rewards, _ = self.rewards()
        with pytest.raises(ParameterError, match=r"Arm 1, .*Broken.* drew the reward inf"):
            rewards.draw(1)

    def test_who_pulls_it_last_of_all(self):
        rewards, bad = self.rewards()
        with pytest.raises(ParameterError, match=r"Arm 1, .*Broken.* drew the reward inf"):
            rewards.note(np.array([9, bad + 1]))

    def test_the_next_replication_is_another(self):
        rewards, bad = self.rewards()
        rewards.note(np.array([9, bad]))
        rewards.begin(1)
        assert len(of_arm(rewards, 0)) == LEAST
