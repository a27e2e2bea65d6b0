"""Published instances on extremes, and the N from which on the quantile names the right arm."""

import math

import pytest

import upperhand as uh
from upperhand.comparison.instances import (
    EXPERIMENTS,
    GROUPS,
    INSTANCES,
    NAMES,
    as_instances,
    best_by_draws,
    draws_needed,
    named,
    tail,
)
from upperhand.errors import UnknownNameError

CROSSING = (1 / 0.2) ** (1 / 0.4)  # where 0.2 x^−1.1 = x^−1.5


def test_a_group_of_its_own():
    assert named("extreme") == EXPERIMENTS
    assert [each.name for each in as_instances("extreme")] == [f"extreme-{i}" for i in range(1, 9)]
    assert named("extreme-6") == (EXPERIMENTS[5],)
    assert not {each.name for each in EXPERIMENTS} & set(INSTANCES)
    assert not set(EXPERIMENTS) & set(GROUPS["all"])
    for wrong in ("extreme-9", "extrem", "extremes"):
        with pytest.raises(UnknownNameError, match="extreme-8"):
            named(wrong)


def test_all_names_are_known():
    assert [each.name for each in EXPERIMENTS] == [name for name in NAMES if "extreme-" in name]
    assert all(named(name) for name in NAMES)
    assert len(set(NAMES)) == len(NAMES)


def test_the_arms_are_as_many_as_published():
    assert [len(each.arms) for each in EXPERIMENTS] == [5, 7, 10, 20, 3, 3, 5, 8]
    assert all(each.note for each in EXPERIMENTS)


def test_some_arms_in_numbers():
    """From the authors' list of settings: tails C x^−λ, exponential arms by their means."""
    first, second, third, fourth, _, sixth, seventh, eighth = (each.arms for each in EXPERIMENTS)

    assert [arm.shape for arm in first] == [2.1, 2.3, 1.3, 1.1, 1.9]
    assert second[-1].sf(10.0) == pytest.approx(1.1 * second[4].sf(10.0))
    assert [arm.mean for arm in third][5] == 2.9
    assert {arm.mean for arm in fourth} == {1}
    assert (max(arm.sd for arm in fourth), min(arm.sd for arm in fourth)) == (3.35, 0.12)
    assert sixth[2].cdf(0) == pytest.approx(0.8)
    assert sixth[2].sf(50) == pytest.approx(0.2 * 50**-1.1)
    assert (seventh[0].mu, seventh[0].sigma) == (1, 4)
    assert [arm.args[0] for arm in eighth] == pytest.approx([0.2 * i for i in range(1, 9)])


def test_a_tail_is_a_constant_times_a_power():
    assert tail(1.4, 1.1).sf(7) == pytest.approx(1.1 * 7**-1.4)


@pytest.mark.parametrize(
    ("place", "best", "draws"),
    [(1, 3, 1), (2, 6, 1), (3, 5, 1), (4, 14, 2), (5, 1, 1), (6, 2, 290), (7, 0, 3), (8, 0, 2)],
)
def test_from_which_n_on(place, best, draws):
    assert draws_needed(EXPERIMENTS[place - 1].arms, 10_000) == (best, draws)


def test_where_the_tails_of_the_sixth_cross():
    """The best of N reaches the crossing when P(maximum ≤ crossing) falls below one half."""
    mass = CROSSING**-1.5
    n = math.log(2) / -math.log1p(-mass)
    assert draws_needed(EXPERIMENTS[5].arms, 10_000)[1] == math.ceil(n)


@pytest.mark.parametrize("place", range(8))
def test_by_the_objective_itself(place):
    """The vectorised search against BestOf(N).best, N by N."""
    arms, most = EXPERIMENTS[place].arms, 40
    assert best_by_draws(arms, most).tolist() == [
        (uh.BestOf(n).gaps(arms) == 0).tolist() for n in range(1, most + 1)
    ]


def test_a_tie_does_not_show_the_best_arm():
    """The medians of extreme-8 are all 0; arms that are the same to the end are best together."""
    arms = EXPERIMENTS[7].arms
    assert best_by_draws(arms, 2).tolist() == [[True] * 8, [True] + [False] * 7]
    assert draws_needed([uh.Normal(0, 1), uh.Normal(0, 2)], 50) == (1, 2)
    assert draws_needed([uh.Normal(0, 2), uh.Normal(0, 1)], 50) == (0, 2)
    assert draws_needed([uh.Normal(0, 1), uh.Normal(0, 1)], 50) == (0, 1)


def test_few_rounds_see_another_best_arm():
    assert draws_needed(EXPERIMENTS[5].arms, 100) == (0, 1)
    assert draws_needed([uh.Normal(0, 1)], 50) == (0, 1)
