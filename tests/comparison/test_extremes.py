"""Published instances on extremes."""

import pytest

from upperhand.comparison.instances import (
    EXPERIMENTS,
    GROUPS,
    INSTANCES,
    NAMES,
    as_instances,
    named,
    tail,
)
from upperhand.errors import UnknownNameError


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
