"""UCB1, UCB1-NORMAL, UCB-V, KL-UCB, MV-LCB and ExpExp: indices by hand, what each is good at."""

import math
from copy import deepcopy

import numpy as np
import pytest

from upperhand._kernels.states import widened
from upperhand.errors import ParameterError
from upperhand.live import Bandit
from upperhand.policies import KLUCB, MVLCB, UCB1, UCBV, ExpExp, UCB1Normal
from upperhand.policies.kl_ucb import budget
from upperhand.simulation.player import play

from ..reference import exact_moments
from ..tables import draw
from .late import state_of


def index_of(policy, rewards, t):
    """Return the index of an arm with these rewards; the other arm has none."""
    state = state_of(policy, rewards, ())
    assert policy.functions.index(policy, state, 1, t) == math.inf
    return policy.functions.index(policy, state, 0, t)


def pulls(policy, table):
    return play(policy, table).state.pulls


LN = math.log(10)
KL = math.log(10) + 3 * math.log(math.log(10))
BY_HAND = [  # 1, 2 and 6 have the mean 3 and Σ(Y − 3)² = 14
    (UCB1(), (1, 2, 6), 10, 3.0 + math.sqrt(2 * LN / 3)),
    (UCB1Normal(), (1, 3) * 8, 7, 2 + math.sqrt(16 * (16 / 15) * math.log(6) / 16)),
    (
        UCBV(2, zeta=1.5, c=0.5), (1, 2, 6), 10,
        3 + math.sqrt(2 * (14 / 3) * 1.5 * LN / 3) + 3 * 0.5 * 2 * 1.5 * LN / 3,
    ),
    (UCBV(1), (0.5,) * 10, 100, 0.5 + 3 * 1.2 * math.log(100) / 10),  # the range term alone
    (KLUCB("gaussian", sd=0.5, c=3), (1, 2, 6), 10, 3 + 0.5 * math.sqrt(2 * KL / 3)),
    (KLUCB(), (0, 0), 9, 2 / 3),  # no success in two: 1 − q = t^(−1/2)
    (KLUCB(), (1, 1), 9, 1.0),
    (KLUCB(), (0, 1), 9, (1 + math.sqrt(1 - 1 / 9)) / 2),  # one in two: 4 q (1 − q) = 1/t
    (KLUCB(), (-3, -5), 9, 2 / 3),  # means are clipped
    (KLUCB(), (2, 1), 9, 1.0),
    (
        MVLCB(100, 2, rho=0.5), (1, 2, 6), 10,
        0.5 * 3 - 14 / 3 + (5 * 2**2 + 0.5 * 2) * math.sqrt(math.log(100**2) / (2 * 3)),
    ),
    (
        MVLCB(1000, 1, rho=2), (0.2, 0.4, 0.9), 999,  # the published bound, negated, at any round
        2 * 0.5 - 0.26 / 3 + (5 + 2) * math.sqrt(math.log(1000**2) / (2 * 3)),
    ),
    (ExpExp(50, rho=0.5), (1, 2, 6), 6, 0.5 * 3 - 14 / 3),  # explores (50/14)^(2/3) = 2.3…: 3 pulls
    (ExpExp(50, rho=0.5), (1, 2), 6, math.inf),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "rewards", "t", "expected"), BY_HAND)
def test_the_index_by_hand(policy, rewards, t, expected):
    assert index_of(policy, rewards, t) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("policy", [UCB1(), KLUCB()], ids=lambda policy: policy.name)
def test_every_arm_once_then_the_largest_index(policy):
    """For KL-UCB an arm of one failure has 1 − 1/4 at round 4, below an arm without failure."""
    expected = {"UCB1": [0, 1, 2, 1, 1, 1, 1, 0, 2], "KL-UCB": [0, 1, 2, 1, 1, 1]}[policy.name]
    table = np.repeat([[0.0], [1.0], [0.0]], len(expected), axis=1)
    assert play(policy, table).arms.tolist() == expected


def test_ucb1_finds_the_best_mean_and_does_not_see_the_tail():
    assert pulls(UCB1(), draw("bernoulli", 2, 5000))[1] > 4500
    table = np.random.default_rng(0).normal(0.0, [[0.05], [0.15]], (2, 4000))
    assert abs(int(np.subtract(*pulls(UCB1(), table)))) < 800


def test_ucb1_normal_pulls_each_arm_8_ln_t_times():
    """8 ln 7 = 15.6 and 8 ln 8 = 16.6: sixteen pulls are enough at round 7 and not at round 8."""
    assert index_of(UCB1Normal(), (1, 3) * 8, 8) == math.inf
    assert index_of(UCB1Normal(), (1,), 1) == math.inf  # a variance takes two
    found = play(UCB1Normal(), draw("gaussian", 3, 1000))
    assert found.state.pulls.min() >= math.floor(8 * math.log(1000))
    due = next(t for t in range(2, 300) if (t - 1) // 3 >= 8 * math.log(t))
    assert found.arms[: due - 1].tolist() == [t % 3 for t in range(due - 1)]


def test_ucb1_normal_finds_the_best_mean_of_arms_that_differ_in_spread():
    table = np.random.default_rng(0).normal([[0.1], [0.0]], [[0.05], [0.15]], (2, 10_000))
    assert pulls(UCB1Normal(), table)[0] > 8000


def test_ucb_v_explores_less_where_the_variance_is_small():
    table = 0.5 + np.random.default_rng(0).normal([[0.0], [0.05]], 0.02, (2, 20_000))
    assert 2 * pulls(UCBV(1), table)[0] < pulls(UCB1(), table)[0]


def test_kl_ucb_beats_ucb1_on_small_chances():
    table = (np.random.default_rng(0).random((3, 20_000)) < [[0.02], [0.05], [0.1]]).astype(float)
    assert pulls(KLUCB(), table)[2] > 19_000 > pulls(UCB1(), table)[2]


def test_the_budget_of_kl_ucb_has_ln_ln_t_from_round_3_on():
    assert [budget(KLUCB(c=3), t) for t in (1, 2)] == [0.0, math.log(2)]
    assert budget(KLUCB(c=3), 3) > math.log(3)
    assert budget(KLUCB(), 1000) == math.log(1000)


def test_the_gaussian_kl_ucb_needs_sd_and_the_bernoulli_one_refuses_it():
    with pytest.raises(ParameterError, match=r'needs.*KLUCB\("gaussian", sd=…\)'):
        KLUCB("gaussian")
    with pytest.raises(ParameterError, match=r'sd belongs to model="gaussian"; got sd=0.5'):
        KLUCB(sd=0.5)


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**20])
def test_span_and_rho_in_the_unit_of_the_rewards_make_the_same_choices(factor):
    table = draw("gaussian", 3, 1000)
    for policy, scaled in (
        (UCBV(4), UCBV(4 * factor)),
        (MVLCB(1000, 0.5, rho=2), MVLCB(1000, 0.5 * factor, rho=2 * factor)),
    ):
        arms = play(policy, table).arms.tolist()
        assert play(scaled, factor * table).arms.tolist() == arms


@pytest.mark.parametrize(("rho", "best"), [(0, 0), (0.1, 0), (10, 1)])
def test_rho_trades_mean_for_variance(rho, best):
    """Arm 0 is steady; arm 1 has the better mean and the larger variance."""
    table = np.random.default_rng(0).normal([[0.4], [0.5]], [[0.05], [0.3]], (2, 20_000))
    assert pulls(MVLCB(20_000, 0.1, rho=rho), table)[best] > 15_000
    assert pulls(ExpExp(10_000, rho=rho), table[:, :10_000])[best] == 10_000 - 80


def test_exp_exp_explores_all_arms_whatever_outcomes_arrive_first():
    bandit = Bandit(["a", "b"], ExpExp(50), 0)
    for _ in range(10):
        bandit.tell("b", 1.0)
    for _ in range(3):
        assert bandit.ask() == "a"
        bandit.tell("a", 0.0)
    assert bandit.ask() == "b"


def test_exp_exp_keeps_its_choice_until_an_arm_is_added():
    policy, rng = ExpExp(14), np.random.default_rng(0)
    k, state = policy.functions, state_of(policy, [0.1], [0.9])
    assert k.choose(policy, state, 3, rng) == 1
    assert state.chosen.tolist() == [False, False]
    for arm, chosen in (
        (0, [False, False]),
        (1, [False, True]),
    ):  # not what was chosen, and what was
        k.update(policy, state, arm, 0.9 * arm)
        assert state.chosen.tolist() == chosen
    state = widened(state, k.start(policy, 3, 0))
    assert k.choose(policy, state, 4, rng) == 2
    k.update(policy, state, 2, 0.95)
    assert state.chosen.tolist() == [False, False, False]
    assert k.choose(policy, state, 5, rng) == 2


class TestTies:
    """Arms that have paid the same, in any order, tie: bit for bit, and broken as documented."""

    POLICIES = (
        UCB1(), UCB1Normal(), KLUCB(), KLUCB("gaussian", sd=0.5), UCBV(1.0), MVLCB(1000, 1.0),
        ExpExp(6500),  # explores 60 pulls
    )  # fmt: skip
    ARMS, PULLS = 4, 60

    @pytest.mark.parametrize("policy", POLICIES, ids=repr)
    def test_by_the_lowest_arm_or_at_random(self, policy):
        """That 100 draws miss one of four arms, for one of 5 states: 5 · 4 · (3/4)¹⁰⁰ < 1e-11."""
        k, t = policy.functions, self.ARMS * self.PULLS + 1
        for seed in range(10):
            rng = np.random.default_rng(seed)
            rewards = (rng.random(self.PULLS) < 0.3).astype(float)
            state = state_of(policy, *(rng.permutation(rewards) for _ in range(self.ARMS)))
            assert len({k.index(policy, state, arm, t) for arm in range(self.ARMS)}) == 1
            assert k.choose(policy, deepcopy(state), t, rng) == 0
            if seed < 5:
                drawing = policy.replace(random_ties=True)
                states = (deepcopy(state) for _ in range(100))  # ExpExp keeps its first choice
                found = {k.choose(drawing, each, t, rng) for each in states}
                assert found == set(range(self.ARMS))

    def test_exp_exp_commits_to_the_lowest_of_the_tied_arms(self):
        policy, ties = ExpExp(200), 0
        for seed in range(150):
            table = (np.random.default_rng(seed).random((3, 200)) < 0.5).astype(float)
            explored = [exact_moments(row[: policy.initial_pulls].tolist()) for row in table]
            worth = [mean - squares / n for n, mean, squares in explored]
            ties += worth.count(max(worth)) > 1
            assert play(policy, table).state.chosen.argmax() == worth.index(max(worth))
        assert ties > 25
