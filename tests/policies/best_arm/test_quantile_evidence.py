"""Quantile-Evidence: its decisions against all thresholds, its counts, and whom it samples."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.policies.best_arm.quantile_evidence import QuantileEvidence, _cleared
from upperhand.simulation.player import NOTHING, Runner, arms_of
from upperhand.simulation.rewards import GivenRewards

from ...reference.evidence import Judge, least_evidence
from ...reference.quantiles import bernoulli_kl
from ...tables import draw


def search(policy, table, *, compiled=False, cap=None):
    """Return the rounds, whether it stopped, the answer and the state."""
    f, (arms, n) = policy.functions, table.shape
    state, source = f.start(policy.parameters, arms, 100), GivenRewards(table)
    runner = Runner(policy, state, source, arms_of(NOTHING), interpreted=not compiled)
    ended = runner.play(np.random.default_rng(0), cap or n)
    recommended = f.recommend(policy.parameters, ended.state)[0]
    return ended.rounds, ended.stopped, recommended, ended.state


def separated(kind, arms, n, gap=1.5):
    """A table whose arms differ enough to be told apart in a few hundred rounds."""
    return np.round(draw(kind, arms, n) + gap * np.arange(arms)[:, None], 12)


class TestDecisions:
    """Round by round, with a judge that looks at every real threshold."""

    @pytest.mark.parametrize("kind", ["gaussian", "ties", "subnormal", "bernoulli", "falling"])
    @pytest.mark.parametrize(("tau", "epsilon"), [("0.5", "0"), ("0.7", "0.1"), ("0.25", "0.2")])
    def test_discarded_when_no_threshold_is_left(self, kind, tau, epsilon):
        arms, n = 3, 100
        table = separated(kind, arms, n, 2.5)
        policy = QuantileEvidence(float(tau), delta=0.4, epsilon=float(epsilon))
        f, p = policy.functions, policy.parameters
        state = f.start(p, arms, 0)
        judge = Judge(arms, tau=tau, delta=0.4, epsilon=epsilon)
        for t in range(1, n + 1):
            arm = f.choose(p, state, t, None)
            reward = float(table[arm, state.pulls[arm]])
            f.update(p, state, arm, reward)
            state = f.grow(state) if f.full(p, state, arm) else state
            judge.learn(arm, reward)
            assert {tuple(map(int, pair)) for pair in np.argwhere(state.discarded)} == (
                judge.discarded
            )
            assert state.leader[0] == judge.leader
            assert f.recommend(p, state) == [judge.found if judge.found >= 0 else judge.leader]
            assert f.stop(p, state, t) == (judge.found >= 0)
        assert judge.discarded, "a table that decides nothing tests nothing"


@pytest.mark.parametrize("epsilon", ["0", "0.1"])
@pytest.mark.parametrize("seed", range(6))
def test_the_least_evidence_is_found_to_the_last_digits(epsilon, seed):
    """All is clear for a threshold a hair below the least evidence, and not a hair above it."""
    rng = np.random.default_rng(seed)
    policy = QuantileEvidence(0.5, delta=1e-9, epsilon=float(epsilon))
    f, p = policy.functions, policy.parameters
    state = f.start(p, 3, 2_000)
    past, pooled = [[], [], []], [[], [], []]
    for arm in [0, 1, 2, *rng.integers(0, 3, 240)]:
        reward = round(rng.normal(0.2 * arm, 1.0), 1)  # the lead changes, and values tie
        first, second = state.leader
        for a in range(3):
            if arm == (second if a == first else first):
                pooled[a].append(reward)
        past[arm].append(reward)
        f.update(p, state, int(arm), reward)
    h = int(state.leader[0])
    for a in {0, 1, 2} - {h}:
        witness = pooled[a] if epsilon == "0" else past[h]
        least = least_evidence(
            past[a], witness, tau="0.5", epsilon=epsilon,
            shares=1 if epsilon == "0" else 2, closed=epsilon != "0",
        )  # fmt: skip
        edge = math.log(least)
        assert _cleared(p, state, h, a, edge - 1e-9)
        assert not _cleared(p, state, h, a, edge + 1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_counts_at_the_thresholds(epsilon):
    """What is counted along the way is what a count of the raw rewards finds at the end."""
    table = draw("ties", 3, 400)
    policy = QuantileEvidence(0.6, delta=1e-9, epsilon=epsilon)
    *_, state = search(policy, table, cap=400)
    past = [table[j, : state.pulls[j]] for j in range(3)]
    for pairs in (state.guards, state.aims):
        for h in range(len(pairs.at)):
            for a in range(3):
                u = pairs.at[h, a]
                assert pairs.below[h, a] == np.sum(past[a] < u)
                if len(pairs.at) == 3:
                    assert pairs.above[h, a] == np.sum(past[h] >= u)


@pytest.mark.parametrize("epsilon", ["0", "0.3"])
def test_who_leads(epsilon):
    """The leader and the second, arms that are near and tie: the largest Q̂(τ+ε/2), then shares."""
    table = np.random.default_rng(3).integers(0, 4, (3, 200)).astype(float)
    policy = QuantileEvidence(0.4, delta=1e-9, epsilon=float(epsilon))
    f, p = policy.functions, policy.parameters
    state, judge = f.start(p, 3, 2_000), Judge(3, tau="0.4", delta=1e-9, epsilon=epsilon)
    judge.found = 0  # nothing is to be weighed
    for t in range(200):
        f.update(p, state, t % 3, float(table[t % 3, t // 3]))
        judge.learn(t % 3, float(table[t % 3, t // 3]))
        assert state.leader.tolist() == judge.order[:2]


def test_whom_it_samples():
    """Few pulls first; then the leader if its samples add more, else the least cost + ln N."""
    table, policy = draw("gaussian", 4, 300), QuantileEvidence(0.5, delta=1e-6, epsilon=0.05)
    f, p = policy.functions, policy.parameters
    state = f.start(p, 4, 0)
    for t in range(1, 301):
        arm, pulls = f.choose(p, state, t, None), state.pulls.copy()
        if min(pulls) < max(1, math.sqrt(t) - 2):
            assert pulls[arm] == min(pulls)
        else:
            h = int(state.leader[0])
            costs, ratio = {}, 0.0
            for a in set(range(4)) - {h}:
                low = bernoulli_kl(max(state.aims.below[h, a] / pulls[a], 0.5), 0.5)
                high = bernoulli_kl(max(state.aims.above[h, a] / pulls[h], 0.45), 0.45)
                costs[a] = pulls[a] * low + pulls[h] * high + math.log(pulls[a])
                ratio += 0 if high == 0 else high / low if low else math.inf
            challenger = min(costs, key=costs.__getitem__)
            assert arm == (h if ratio > 1 else challenger)
        f.update(p, state, arm, float(table[arm, state.pulls[arm]]))
        state = f.grow(state) if f.full(p, state, arm) else state


def test_one_arm_is_found_at_once():
    assert search(QuantileEvidence(0.5), draw("gaussian", 1, 10))[:3] == (1, True, 0)


@pytest.mark.parametrize("kind", ["constant", "zeros"])
def test_equal_arms_are_undecided_without_a_tolerance(kind):
    assert not search(QuantileEvidence(0.5), draw(kind, 3, 600))[1]


def test_with_a_tolerance_equal_values_are_good_enough():
    played, done, *_ = search(QuantileEvidence(0.5, epsilon=0.1), draw("constant", 3, 600))
    assert done
    assert played < 600


@pytest.mark.compiled
@pytest.mark.parametrize("tau", [0.2, 0.5, 0.9])
def test_it_never_gets_stuck(tau):
    """Where the lead changes after long, the new leader is sampled: 40 runs, each of which ends."""
    for run in range(40):
        table = np.random.default_rng([9, run]).standard_normal((2, 6_000))
        table[0] *= 2
        table[0] += {0.2: 1.7, 0.5: 0.7, 0.9: 0.0}[tau]
        found = search(QuantileEvidence(tau, delta=0.1), table, compiled=True)
        assert found[1:3] == (True, 0)


def test_far_apart():
    table = separated("gaussian", 5, 4_000)
    for epsilon in (0.0, 0.05):
        assert search(QuantileEvidence(0.9, epsilon=epsilon), table)[1:3] == (True, 4)


def test_costs_are_mirrored():
    policy = uh.QuantileEvidence(0.9, delta=0.1, epsilon=0.05).mirrored()
    assert (policy.tau, policy.delta, policy.epsilon) == (pytest.approx(0.1), 0.1, 0.05)
