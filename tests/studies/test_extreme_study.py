"""The study of the largest rewards found: what its rows say, from the runs."""

import math
from functools import partial

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.policies.spec import endpoint_alpha
from upperhand.simulation.tables import draw_table
from upperhand.studies.extreme_study import (
    ALONE,
    DRAWS,
    FAR_DRAWS,
    IN_TURN,
    LONGER,
    QUANTILES,
    everyone,
    geometric_ratio,
    largest_found,
    run_extremes,
)
from upperhand.studies.extremes import EXPERIMENTS
from upperhand.studies.instances import Instance

SMALL = {"horizon": 300, "replications": 6, "seed": 4, "progress": False}
TWO = (EXPERIMENTS[4], Instance("mine", [uh.Exponential(1), uh.Exponential(3)]))


def some(_instance, _horizon):
    return {"IMED": uh.QuantileIMED(uh.BestOf(8).tau), "UCB1": uh.UCB1()}


@pytest.fixture(scope="module")
def found():
    return largest_found(TWO, some, **SMALL)


def test_a_row_for_each_policy_and_the_arms_in_turn(found):
    assert found.policies == ["IMED", "UCB1", IN_TURN]
    assert len(found.rows) == 6
    assert found.best == {"extreme-5": 1, "mine": 1}
    assert found.draws == {"extreme-5": 1, "mine": 1}
    assert found.horizon == 300
    assert list(found.by_instance("UCB1")) == ["extreme-5", "mine"]
    assert set(found.by_instance("nobody").values()) == {None}


def test_too_few_rounds_are_refused_before_anything_is_played(monkeypatch):
    def never(*_given, **_sizes):
        raise AssertionError("something was played")

    monkeypatch.setattr("upperhand.studies.extreme_study.simulate", never)
    with pytest.raises(ParameterError, match="20 arms of extreme-4 in 10 rounds"):
        run_extremes(horizon=10, replications=2)


@pytest.mark.parametrize("place", [0, 1])
def test_the_numbers_by_hand(found, place):
    """From the tables, plain loops: what the policy saw, and what the best arm alone pays."""
    instance = TWO[place]
    runs, best = found.runs[instance.name], found.best[instance.name]
    for policy in ("IMED", "UCB1"):
        logs, held, seen, shares = [], [], [], []
        for replication in range(6):
            table = draw_table(instance.arms, 300, 4, replication)
            pulls = runs.pulls[policy][replication, -1].tolist()
            rewards = [x for row, s in zip(table.tolist(), pulls, strict=True) for x in row[:s]]
            seen.append(max(rewards))
            held.append(max(table[best].tolist()))
            logs.append(math.log(seen[-1] / held[-1]))
            shares.append(pulls[best] / 300)
        row = found.by_instance(policy)[instance.name]
        assert row.ratio == pytest.approx(math.exp(sum(logs) / 6), rel=1e-12)
        assert row.medians == pytest.approx(np.median(seen) / np.median(held), rel=1e-12)
        assert row.share == pytest.approx(sum(shares) / 6)
        assert row.ratio_low <= row.ratio <= row.ratio_high
        assert found.largest[instance.name][policy].tolist() == seen
        assert found.largest[instance.name][ALONE].tolist() == held


def test_arms_in_turn(found):
    row = found.by_instance(IN_TURN)["extreme-5"]
    table = draw_table(TWO[0].arms, 300, 4, 0)
    assert row.share == pytest.approx(1 / 3)
    assert found.largest["extreme-5"][IN_TURN][0] == table[:, :100].max()


def test_turns_that_do_not_come_out_even():
    seven = largest_found([TWO[1]], some, **SMALL | {"horizon": 7})
    assert seven.by_instance(IN_TURN)["mine"].share == pytest.approx(3 / 7)


def test_policies_are_held_against_each_other_in_the_same_replications(found):
    largest = found.largest["mine"]
    value, _, low, high = found.against("mine", "IMED", "UCB1")
    assert value == pytest.approx(float(np.exp(np.log(largest["IMED"] / largest["UCB1"]).mean())))
    assert low <= value <= high
    assert found.against("mine", "IMED", "IMED") == (1, 0, 1, 1)


def test_a_ratio_needs_positive_rewards():
    with pytest.raises(ParameterError, match=r"must be positive; got -1\. Play more rounds"):
        geometric_ratio(np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    assert geometric_ratio(np.array([1.0, 4.0]), np.array([4.0, 1.0])).value == 1


@pytest.mark.parametrize("n", DRAWS)
def test_policies_for_a_quantile_are_told_n(n):
    players = everyone(EXPERIMENTS[0], 10_000)
    value = uh.BestOf(n)

    assert players[f"KL-QUCB+ {n}"] == uh.KLQUCB(value.tau, plus=True)
    assert players[f"Quantile-IMED {n}"] == uh.QuantileIMED(value.tau)
    assert players[f"ACP-UCB1 {n}"].alpha == endpoint_alpha(value)
    assert players[f"ACP-UCB1 auto {n}"].scale == "auto"
    assert {f"{name} {n}" for name in QUANTILES} < set(players)


def test_who_cannot_begin_in_time_is_left_out():
    for horizon in (7, 10, 40, 10_000):
        for instance in EXPERIMENTS:
            players = everyone(instance, horizon)
            pulls = [each.initial_pulls * len(instance.arms) for each in players.values()]
            assert all(pull <= horizon for pull in pulls)


def test_everything_small():
    """Where tails cross within the horizon, that instance is played again for longer."""
    study = run_extremes(horizon=400, replications=2, progress=False)

    assert [each.name for each in study.all.instances] == [each.name for each in EXPERIMENTS]
    assert [each.name for each in study.crossing.instances] == ["extreme-6"]
    assert study.crossing.horizon == LONGER * 400
    assert f"KL-QUCB+ {FAR_DRAWS}" in study.crossing.policies
    assert run_extremes(horizon=100, replications=2, progress=False).crossing is None


def test_the_numbers_do_not_depend_on_the_workers(found):
    again = largest_found(TWO, some, workers=3, **SMALL)
    assert again.rows == found.rows
    play = partial(largest_found, TWO, workers=1, **SMALL)
    alone = play(lambda *_: {"UCB1": uh.UCB1()})
    assert alone.by_instance("UCB1") == found.by_instance("UCB1")
