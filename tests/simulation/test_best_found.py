"""The best reward found, against a loop over the whole history of every run."""

import numpy as np
import pytest

import upperhand as uh
from upperhand.simulation.best_found import best_found, best_of_pulls
from upperhand.simulation.seeds import policy_stream, reward_stream
from upperhand.simulation.tables import draw_table
from upperhand.simulation.trajectory import play_rounds

LAWS = [uh.Pareto(1, 1.1), uh.Normal(2, 3), uh.Empirical([0, 1, 1, 5])]
POLICIES = {"IMED": uh.QuantileIMED(0.9), "TS": uh.QuantileTS(0.9), "ACP": uh.ACPUCB1()}
ROUNDS = [1, 2, 3, 10, 57, 120]


def by_hand(policy, replication, minimize):
    """Play one run and walk through it, reward by reward."""
    table = draw_table(LAWS, ROUNDS[-1], 5, replication)
    parameters, negated = policy.playing(minimize)
    seen = 0.0 - table if negated else table
    arms = np.empty(ROUNDS[-1], np.int64)
    state = policy.functions.start(parameters, len(LAWS), ROUNDS[-1])
    play_rounds(policy, state, seen, policy_stream(5, replication), arms, parameters=parameters)
    pulls, best, found = [0] * len(LAWS), None, []
    for round_, arm in enumerate(arms.tolist(), 1):
        reward = table[arm][pulls[arm]]
        pulls[arm] += 1
        better = best is None or (reward < best if minimize else reward > best)
        best = reward if better else best
        if round_ in ROUNDS:
            found.append(best)
    return found


@pytest.mark.parametrize("minimize", [False, True])
def test_it_is_what_a_walk_through_the_history_finds(minimize):
    runs = uh.simulate(LAWS, POLICIES, ROUNDS[-1], 4, seed=5, rounds=ROUNDS, minimize=minimize)
    found = best_found(runs)

    assert list(found) == list(POLICIES)
    for name, policy in POLICIES.items():
        walked = [by_hand(policy, replication, minimize) for replication in range(4)]
        assert found[name].tolist() == walked


def test_choices_that_look_at_nothing_meet_the_same_rewards():
    runs = uh.simulate(LAWS, POLICIES, 120, 3, seed=5, rounds=[10, 120])
    first = np.array([[10, 0, 0], [120, 0, 0]])
    found = best_found(runs, {"first": first, "spread": np.array([[4, 3, 3], [40, 40, 40]])})

    for replication in range(3):
        rows = [law.sample(reward_stream(5, replication, j), 120) for j, law in enumerate(LAWS)]
        alone = [max(rows[0][:10]), max(rows[0])]
        spread = [
            max(*rows[0][:4], *rows[1][:3], *rows[2][:3]),
            max(map(max, (r[:40] for r in rows))),
        ]
        assert found["first"][replication].tolist() == alone
        assert found["spread"][replication].tolist() == spread


def test_an_arm_that_was_never_pulled_counts_for_nothing():
    best = np.array([[-5.0, -3.0], [9.0, 9.0]])
    counts = np.array([[1, 0], [2, 0], [1, 1], [0, 0]])

    assert best_of_pulls(best, counts, False).tolist() == [-5, -3, 9, -np.inf]
    assert best_of_pulls(-best, counts, True).tolist() == [5, 3, -9, np.inf]


def test_it_never_falls_and_no_policy_finds_more_than_there_is():
    runs = uh.simulate(LAWS, POLICIES, 120, 3, seed=2, rounds=ROUNDS)
    for name, found in best_found(runs).items():
        assert (np.diff(found, axis=1) >= 0).all(), name
        tables = [draw_table(LAWS, 120, 2, replication).max() for replication in range(3)]
        assert (found[:, -1] <= tables).all()


def test_saved_runs_give_the_same(tmp_path):
    runs = uh.simulate(LAWS, POLICIES, 60, 2, seed=1)
    runs.save(tmp_path / "runs.npz")
    again = best_found(uh.Runs.load(tmp_path / "runs.npz"))
    assert {name: v.tolist() for name, v in best_found(runs).items()} == {
        name: v.tolist() for name, v in again.items()
    }
