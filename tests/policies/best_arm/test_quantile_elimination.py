"""Successive elimination: its guarantee, and that it is as private as it says."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from upperhand._kernels.sorted_samples import insert
from upperhand.errors import ParameterError
from upperhand.policies import QuantileElimination
from upperhand.policies.best_arm import quantile_elimination

from ...reference.best_arm_policies import evidence as reference_evidence
from .guarantee import CHANCE, errors, most_errors, near_ties
from .runs import search

EPSILON, DELTA, RUNS = 0.1, 0.05, 60


@pytest.mark.compiled
def test_the_answer_is_wrong_with_probability_at_most_delta():
    policy = QuantileElimination(tau=0.5, epsilon=EPSILON, delta=DELTA)
    wrong = errors(policy, near_ties(RUNS, 2500, EPSILON), compiled=True)
    assert wrong <= most_errors(RUNS, DELTA)


def test_a_radius_cut_to_0_3_is_noticed(monkeypatch):
    """To a half is too mild: one run in sixty errs."""
    whole = quantile_elimination.round_radius
    monkeypatch.setattr(quantile_elimination, "round_radius", lambda *given: 0.3 * whole(*given))
    policy = QuantileElimination(tau=0.5, epsilon=EPSILON, delta=DELTA)
    tables = near_ties(RUNS, 2500, EPSILON)
    assert errors(policy, tables) > most_errors(RUNS, DELTA)


def private_tables(runs):
    """Two arms, 0.05 apart: closer ones would take too long with noise, and equal ones for ever."""
    return near_ties(runs, 70_000, 0.04, arms=2)


@pytest.mark.compiled
def test_the_private_answer_is_wrong_with_probability_at_most_delta():
    policy = QuantileElimination(tau=0.5, delta=DELTA, privacy=0.5)
    assert errors(policy, private_tables(20), compiled=True) <= most_errors(20, DELTA)


@pytest.mark.parametrize(
    ("part", "cut", "privacy"), [("noise_bound", 0.1, 0.1), ("round_radius", 0.1, 50.0)]
)
def test_either_part_of_the_private_bound_cut_is_noticed(part, cut, privacy, monkeypatch):
    """To a tenth, where the noise is large, or where it is small.

    To a fifth, the noise bound's cut is noticed as well (21 errors of 60), the radius's is not (8).
    """
    whole = getattr(quantile_elimination, part)
    monkeypatch.setattr(quantile_elimination, part, lambda *given: cut * whole(*given))
    policy = QuantileElimination(tau=0.5, delta=DELTA, privacy=privacy)
    assert errors(policy, private_tables(RUNS)) > most_errors(RUNS, DELTA)


def scores(rewards, tau):
    """Return the evidence against each arm by the reference, which is the policy's exactly."""
    arms = range(len(rewards))
    return [
        max(reference_evidence(rewards[a], rewards[b], tau) for b in arms if b != a) for a in arms
    ]


@pytest.mark.parametrize("tau", ["0.5", "0.9", "0.07", "0.3"])
def test_the_evidence_is_that_of_the_reference(tau):
    rng = np.random.default_rng(9)
    policy = QuantileElimination(tau=float(tau), privacy=1.0)
    for _ in range(60):
        n = int(rng.integers(1, 30))
        pair = rng.integers(0, rng.integers(2, 40), (2, n)).astype(float)
        state = policy.functions.start(policy.parameters, 2, 60)
        for arm, value in np.ndenumerate(pair):
            insert(state.samples, arm[0], float(value))
        for a, b in ((0, 1), (1, 0)):
            found = quantile_elimination.evidence(state, a, b, policy.tau, n)
            assert found == reference_evidence(pair[a].tolist(), pair[b].tolist(), Fraction(tau))


@pytest.mark.parametrize("tau", ["0.5", "0.9", "0.07"])
def test_one_reward_moves_each_score_by_one_at_most(tau):
    """So noise of scale A/η hides it; and no less would do: the sum of the moves can be A."""
    rng, largest = np.random.default_rng(8), 0
    for _ in range(150):
        arms, n = rng.integers(2, 5), 2 ** rng.integers(1, 5)
        rewards = rng.integers(0, rng.integers(2, 40), (arms, n)).tolist()
        before = scores(rewards, Fraction(tau))
        rewards[rng.integers(arms)][rng.integers(n)] = int(rng.integers(-5, 45))
        moves = [abs(a - b) for a, b in zip(before, scores(rewards, Fraction(tau)), strict=True)]
        assert max(moves) <= 1
        largest = max(largest, sum(moves) / arms)
    assert largest == 1


def test_the_noise_is_the_two_sided_geometric_law():
    """Noise z has a chance ∝ exp(−|z| η/A), by a chi-square test that fails once in 10⁶ times."""
    privacy, draws = 1.5, 4000
    policy = QuantileElimination(tau=0.5, privacy=privacy)
    rng, seen = np.random.default_rng(1), []
    for _ in range(draws // 2):
        state = policy.functions.start(policy.parameters, 2, 0)
        policy.functions.choose(policy.parameters, state, 1, rng)
        seen += state.noise.tolist()
    ratio = math.exp(-privacy / 2)
    inner = np.arange(-6, 7)
    tail = ratio**7 / (1 + ratio)
    chances = [tail, *(ratio ** abs(inner) * (1 - ratio) / (1 + ratio)), tail]
    edges = [-math.inf, *(inner - 0.5), 6.5, math.inf]
    counts, _ = np.histogram(seen, edges)
    assert sum(chances) == pytest.approx(1)
    assert stats.chisquare(counts, np.array(chances) * draws).pvalue > CHANCE
    assert stats.chisquare(counts, np.roll(chances, 1) * draws).pvalue < CHANCE


def test_the_private_guess_depends_on_noisy_evidence_alone():
    """Before the first batch is compared there is none, whatever the rewards."""
    table = np.array([[0.0] * 50, [1.0] * 50])
    policy = QuantileElimination(tau=0.5, privacy=0.1)
    assert search(policy, table, 3)[0].answer == [0]
    assert search(QuantileElimination(tau=0.5), table, 3)[0].answer == [1]
    answers = {search(policy, table, 4, seed=seed)[0].answer[0] for seed in range(30)}
    assert answers == {0, 1}


def test_only_order_counts():
    shifts = np.array([[0.0], [0.4], [0.2]])
    table = shifts + np.random.default_rng(2).random((3, 4000))
    for privacy in (None, 2.0):
        policy = QuantileElimination(tau=0.5, privacy=privacy)
        runs = [search(policy, rewards, 8000)[1] for rewards in (table, np.exp(table))]
        assert runs[0].pulls.tolist() == runs[1].pulls.tolist()
        assert runs[0].found.tolist() == runs[1].found.tolist() == [1]


def test_tolerance_and_privacy_do_not_go_together():
    with pytest.raises(ParameterError, match="epsilon must be 0 with privacy"):
        QuantileElimination(tau=0.5, epsilon=0.1, privacy=1.0)
