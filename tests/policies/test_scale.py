"""b and the spread of the rewards: the automatic scale, and the advice on a b that does not fit."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.objectives import DIRECTIONS
from upperhand.policies.acp_ucb1 import index, scale_advice, widest

from ..tables import draw


def test_widest():
    assert widest(np.array([0.0, -1.0, 2.0]), np.array([0.5, 1.5, 2.0])) == 2.5
    assert widest(np.zeros(3), np.zeros(3)) == 0.0
    assert widest(np.array([1.0, -2.0, 3.0]), np.array([1.0, -2.0, 3.0])) == 5.0


def test_the_bonus_counts_in_widths_of_the_widest_interval():
    table = draw("gaussian", 3, 500)
    policy = uh.ACPUCB1(b=0.7, scale="auto")
    state = uh.play(policy, table).state
    widths = state.high - state.low
    assert state.spread[0] == widths.max()
    for arm in range(3):
        bonus = 0.7 * widths.max() * math.sqrt(math.log(501) / state.pulls[arm])
        assert index(policy, state, arm, 501) == state.upper[arm] + bonus


def test_arms_that_pay_the_same_each_time_are_told_apart():
    """A central interval of one atom: costs of 10 and 20, now and then 100."""
    table = np.array([[10.0], [20.0]]) * np.ones((2, 1_000))
    table[:, 37::40] = 100.0
    assert uh.play(uh.ACPUCB1(scale="auto"), -table).state.pulls[0] > 900


def test_without_any_spread_all_arms_are_played_in_turn():
    arms = uh.play(uh.ACPUCB1(scale="auto"), np.full((3, 30), 0.5)).arms.tolist()
    assert arms == [0, 1, 2] * 10


@pytest.mark.parametrize(
    ("b", "spread", "word"),
    [(1.0, 0.5, None), (1.0, 10.0, None), (1.0, 0.01, None), (1.0, 0.0, None), (0.0, 5.0, None),
     (1.0, 10.1, "small"), (1.0, 0.0099, "large")],
)  # fmt: skip
def test_advice(b, spread, word):
    advice = scale_advice(b, spread, "Mend it.")
    assert advice is None if word is None else word in advice and advice.endswith("Mend it.")


class TestLive:
    POLICIES = (uh.ACPUCB1(), uh.QuantileUCB())

    def told(self, policy, factor, rounds=200, **options):
        bandit = uh.Bandit(["a", "b"], policy, seed=0, **options)
        for reward in factor * np.random.default_rng(0).normal(size=rounds):
            bandit.tell(bandit.ask(), reward)

    @pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
    @pytest.mark.parametrize("direction", DIRECTIONS)
    @pytest.mark.parametrize(("factor", "word"), [(1e3, "small"), (1e-3, "large")])
    def test_a_b_far_from_the_spread_gives_one_warning(self, policy, direction, factor, word):
        with pytest.warns(uh.FitWarning, match=f"{policy.name}: b = 1 .*very {word}") as caught:
            self.told(policy, factor, direction=direction)
        assert len(caught) == 1
        assert caught[0].filename == __file__

    @pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
    def test_a_b_that_fits_gives_none(self, policy):
        self.told(policy, 0.3)

    def test_neither_does_the_automatic_scale(self):
        self.told(uh.ACPUCB1(scale="auto"), 1e6)

    def test_it_looks_again_as_rewards_come_in(self):
        bandit = uh.Bandit(["a", "b"], uh.ACPUCB1(), seed=0)
        for reward in np.random.default_rng(0).normal(size=20):
            bandit.tell(bandit.ask(), reward)
        for reward in 1e4 * np.random.default_rng(1).normal(size=19):
            bandit.tell(bandit.ask(), reward)
        with pytest.warns(uh.FitWarning, match="small"):
            bandit.tell(bandit.ask(), 0.0)

    def test_an_arm_never_told_is_no_reason(self):
        bandit = uh.Bandit(["a", "b"], uh.QuantileUCB(), seed=0)
        for reward in np.random.default_rng(0).normal(size=50):
            bandit.tell("a", reward)

    @pytest.mark.parametrize("policy", [uh.KLUCB(), uh.ThompsonSampling()])
    def test_rewards_that_would_be_clipped(self, policy):
        with pytest.warns(uh.FitWarning, match=r"must lie in \[0, 1\], and the mean of an arm is"):
            self.told(policy, 100.0)

    @pytest.mark.parametrize(
        "policy", [uh.KLUCB("gaussian", sd=1), uh.ThompsonSampling("gaussian")]
    )
    def test_models_without_bounds_take_any(self, policy):
        self.told(policy, 100.0)

    @pytest.mark.parametrize("policy", [uh.KLUCB(), uh.ThompsonSampling()])
    def test_rewards_between_0_and_1_are_fine(self, policy):
        bandit = uh.Bandit(["a", "b"], policy, seed=0)
        for reward in np.random.default_rng(0).random(100):
            bandit.tell(bandit.ask(), reward)


@pytest.mark.parametrize("policy", [uh.ACPUCB1(), uh.QuantileUCB()])
@pytest.mark.parametrize("value", [250.0, -250.0])
def test_an_arm_without_rewards_is_no_reward_of_zero(policy, value):
    bandit = uh.Bandit(["a", "b", "never told"], policy)
    for _ in range(40):
        bandit.tell("a", value)
        bandit.tell("b", value + 1)  # together they spread over 1


@pytest.mark.parametrize("policy", [uh.ACPUCB1(b=0.01), uh.QuantileUCB(b=0.01)])
def test_advice_does_not_wait_for_every_arm(policy):
    bandit = uh.Bandit(["a", "never told"], policy)
    for reward in range(19):
        bandit.tell("a", reward)
    with pytest.warns(uh.errors.FitWarning, match="very small"):
        bandit.tell("a", 19)
