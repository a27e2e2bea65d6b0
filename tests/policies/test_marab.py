"""MaRaB: the mean of the worst rewards, by hand, and kept exactly as rewards arrive."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.samples import rank
from upperhand.policies import marab
from upperhand.simulation.player import play

from ..tables import TABLES, draw
from .late import state_of


def test_the_index_by_hand():
    policy = uh.MaRaB(0.3, c=2.0)
    state = state_of(policy, [5, 1, 4, 2, 3, 8, 7], [])  # k = ⌈2.1⌉ = 3
    assert marab.index(policy, state, 0, 10) == 2.0 - 2.0 * math.sqrt(math.log(3) / 3)
    assert marab.index(policy, state, 0, 11) == 2.0 - 2.0 * math.sqrt(math.log(4) / 3)
    assert marab.index(policy, state, 1, 10) == math.inf


def test_there_is_no_caution_while_the_share_of_rounds_is_one():
    policy = uh.MaRaB(0.1)
    state = state_of(policy, [5.0, 1.0])
    assert [marab.index(policy, state, 0, t) for t in (3, 10)] == [1.0, 1.0]
    assert marab.index(policy, state, 0, 11) == 1.0 - math.sqrt(math.log(2))


def test_the_caution_lowers_what_is_little_known():
    """The minus of the paper: with equal rewards the arm pulled more often looks better."""
    policy = uh.MaRaB(0.5)
    state = state_of(policy, [0.5], [0.5, 0.5, 0.5])
    assert marab.index(policy, state, 0, 5) < marab.index(policy, state, 1, 5)


def test_one_bad_reward_drives_it_away_and_it_does_not_come_back():
    table = np.array([[0.5, -9.0] + [0.5] * 98, [0.4] * 100])
    assert play(uh.MaRaB(0.1, c=0.01), table).arms.tolist() == [0, 1, 0] + [1] * 97


@pytest.mark.parametrize("kind", TABLES)
def test_the_running_sum_is_the_sum_of_the_smallest(kind):
    values = draw(kind, 1, 700)[0]
    for level in (0.07, 0.1, 0.5, 1):
        state = play(uh.MaRaB(level), values[None, :]).state
        smallest = np.sort(values)[: rank(level, 700)]
        found = state.worst.rounded[0] + state.worst.lost[0]
        assert found == pytest.approx(math.fsum(smallest), rel=1e-15, abs=1e-15 * abs(smallest[0]))


def test_outliers_leave_no_trace():
    """Values of ±10¹² pass through the sum; what is left is right to the last digit."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.choice([-1e12, 1e12], 40), rng.normal(-1e13, 1.0, 400)])
    state = play(uh.MaRaB(0.5), values[None, :]).state
    exact = math.fsum(np.sort(values)[:220]) / 220
    assert (state.worst.rounded[0] + state.worst.lost[0]) / 220 == exact


def test_it_finds_the_best_bad_days():
    rng = np.random.default_rng(2)
    table = np.stack([rng.normal(0.1, 1.0, 3000), rng.normal(0.0, 0.2, 3000)])
    assert play(uh.MaRaB(0.1, c=0.1), table).state.pulls[1] > 2900


def test_of_costs_the_worst_are_the_highest():
    bandit = uh.Bandit(["steady", "spiky"], uh.MaRaB(0.1, c=0), direction="minimize")
    for arm, costs in {"steady": [3.0, 3.1, 3.2], "spiky": [1.0, 1.0, 9.0]}.items():
        for cost in costs:
            bandit.tell(arm, cost)
    assert bandit.ask() == "steady"
