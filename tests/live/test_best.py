"""Bandit.best: the arm, its confidence against all thresholds, and that looking often is safe."""

import copy
import re

import numpy as np
import pytest

import upperhand as uh
from upperhand.calibrators.quantile_sequence import central_ranks
from upperhand.live import best
from upperhand.live.best import best_of, counted

from ..looping import for_each
from ..reference.evidence import least_evidence
from ..tables import draw


def named(told, tau, *, minimize):
    """Return the arm with the best end of its 95 % confidence interval; None if none has one."""
    ends = []
    for values in map(sorted, told):
        lower, upper = central_ranks(float(tau), 0.05, len(values))
        known = upper <= len(values) if minimize else lower > 0
        ends.append((-values[upper - 1] if minimize else values[lower - 1]) if known else -np.inf)
    return None if max(ends) == -np.inf else ends.index(max(ends))


def plain_best(told, tau, *, minimize=False):
    """Return the best arm, its confidence and its rival: every pair, every real threshold."""
    h = named(told, tau, minimize=minimize)
    samples = [[-y for y in values] if minimize else list(values) for values in told]
    level = str(1 - float(tau)) if minimize else tau
    least = {
        a: least_evidence(
            samples[a], samples[h], tau=level, epsilon="0", shares=len(told) - 1, closed=False
        )
        for a in range(len(told))
        if a != h
    }
    rival = min(least, key=least.__getitem__)
    return h, max(0.0, 1 - 1 / float(least[rival])), rival


@for_each("minimize", [False, True])
@for_each("kind", ["gaussian", "ties", "bernoulli", "heavy"])
@for_each("tau", ["0.5", "0.9", "0.2"])
def test_all_thresholds(kind, tau, minimize):
    told = [row[:n] for row, n in zip(draw(kind, 3, 300), (60, 150, 201), strict=True)]
    told[1] = told[1] + (-1.0 if minimize else 1.0)
    h, confidence, rival = plain_best([row.tolist() for row in told], tau, minimize=minimize)
    found = best_of("abc", list(map(counted, told)), float(tau), minimize=minimize)
    if h is None:
        assert found == (None, 0.0, None, float(tau))
        return
    assert found.arm == "abc"[h]
    assert found.confidence == pytest.approx(confidence, rel=1e-9, abs=1e-12)
    if confidence > 0:
        assert found.rival == "abc"[rival]


@pytest.mark.parametrize("kind", ["gaussian", "ties", "heavy"])
@pytest.mark.parametrize("tau", [0.5, 0.9])
def test_a_coarse_grid_finds_what_a_full_one_does(monkeypatch, kind, tau):
    values, witness = draw(kind, 2, 1_500)
    found = []
    for grid in (5, 128, 10**4):
        monkeypatch.setattr(best, "GRID", grid)
        found.append(best.least_evidence(counted(values), counted(witness + 0.1), tau, 1))
    assert found[0] == found[1] == found[2]


def test_something_is_concluded():
    told = list(draw("gaussian", 2, 400) + np.array([[1.0], [0.0]]))
    assert best_of("ab", list(map(counted, told)), 0.5).confidence > 0.999
    costs = [counted(-row) for row in told]
    assert best_of("ab", costs, 0.5, minimize=True).confidence > 0.999


def told(bandit, **values):
    for arm, rewards in values.items():
        for reward in rewards:
            bandit.tell(arm, reward)
    return bandit


class TestBandit:
    def test_the_level_is_that_of_the_policy(self):
        levels = {
            uh.KLQUCB(0.7): 0.7,
            uh.ACPUCB1(alpha=0.1): 0.95,
            uh.ACPUCB1(alpha=0.1, tail="lower"): 0.05,
        }
        for policy, tau in levels.items():
            assert uh.Bandit(["a", "b"], policy).best().tau == pytest.approx(tau)
            assert uh.Bandit(["a", "b"], policy).best(0.4).tau == 0.4
        with pytest.raises(TypeError, match=r"^best\(\) takes no tau=: write quantile=0.95"):
            uh.Bandit(["a", "b"]).best(tau=0.4)

    def test_a_policy_on_means_must_be_told(self):
        for call in (uh.Bandit.best, lambda bandit: bandit.best(quantile=0.5)):
            with pytest.raises(uh.ParameterError, match=r"UCB1 plays for no.*with quantile=0.95"):
                call(uh.Bandit(["a", "b"], uh.UCB1()))
        bandit = uh.Bandit(["a", "b"], uh.UCB1(), quantile=0.95)
        told(bandit, a=[1.0] * 40, b=[0.5] * 40)
        assert bandit.best(quantile=0.5).arm == "a"
        with pytest.raises(uh.ParameterError, match="quantile must be"):
            bandit.best(quantile=1.0)

    @pytest.mark.parametrize(
        ("direction", "quantile", "needed"),
        [("maximize", 0.95, 8), ("minimize", 0.95, 165), ("minimize", 0.5, 31)],
    )
    def test_no_arm_is_named_by_a_few_outcomes(self, direction, quantile, needed):
        """Arm b has the better outcomes, but too few for a bound; with one more it is named."""
        better = 1.0 if direction == "maximize" else -1.0
        settings = {"quantile": quantile, "direction": direction}
        bandit = told(uh.Bandit(["a", "b"], **settings), b=[better] * (needed - 1))
        assert bandit.best() == uh.Best(None, 0.0, None, quantile)
        assert re.search(rf"No arm leads yet: .* needs {needed} outcomes or more", repr(bandit))
        told(bandit, a=[0.0] * (needed + 50))
        assert bandit.best().arm == "a"
        assert told(bandit, b=[better]).best().arm == "b"

    def test_nothing_told_one_arm_and_an_arm_untold(self):
        empty = uh.Bandit(["a", "b"], uh.KLQUCB(0.5))
        assert empty.best() == uh.Best(None, 0.0, None, 0.5)
        assert uh.Bandit(["a"], uh.KLQUCB(0.5)).best() == uh.Best("a", 1.0, None, 0.5)
        assert told(empty, b=[1.0] * 500).best() == uh.Best("b", 0.0, "a", 0.5)

    def test_equal_rewards_are_undecided(self):
        bandit = told(uh.Bandit(["a", "b"], uh.KLQUCB(0.5)), a=[1.0] * 300, b=[1.0] * 300)
        assert bandit.best() == uh.Best("a", 0.0, "b", 0.5)

    def test_the_lowest_costs(self):
        """The 0.95-quantile of costs is the convention of all quantiles: F̂(x) ≥ 0.95."""
        values = {"a": list(range(1, 21)) * 20, "b": [*range(1, 20), 30] * 20}
        bandit = uh.Bandit(["b", "a"], uh.KLQUCB(0.95), direction="minimize")
        told(bandit, **values)
        assert bandit.quantile("a") == bandit.quantile("b") == 19
        assert bandit.best().arm == "a"  # whose bound is 20, and that of b is 30

    def test_what_was_told_without_an_ask_counts_and_copies_agree(self):
        bandit = uh.Bandit(["a", "b"], uh.KLQUCB(0.5))
        for reward in np.linspace(0, 1, 40):
            bandit.tell(bandit.ask(), reward)
            bandit.tell("b", reward + 5)
        assert copy.deepcopy(bandit).best() == bandit.best()
        assert bandit.best().arm == "b"
        assert bandit.pulls("b") >= 40


def surest_of_the_second(runs, rounds):
    """Return the largest confidence in the second of two equal arms, looking every 10 rounds.

    IMED samples them. The first is the best arm, the limit of a near-tie: the second is wrong.
    """
    surest = np.zeros(runs)
    for run in range(runs):
        rng = np.random.default_rng([20, run])
        bandit = uh.Bandit(["best", "same"], uh.QuantileIMED(0.5))
        for t in range(rounds):
            bandit.tell(bandit.ask(), rng.normal())
            if t % 10 == 9 and (found := bandit.best()).arm == "same":
                surest[run] = max(surest[run], found.confidence)
    return surest


def check_looks(runs, rounds, allowed, part):
    """δ = 0.01: few enough runs reach 1 − δ; with a part of the threshold ln(1/δ), too many."""
    surest = surest_of_the_second(runs, rounds)
    assert np.sum(surest >= 1 - 0.01) <= allowed
    assert np.sum(surest >= 1 - 0.01**part) > allowed


def test_looking_often_is_safe():
    """Binomial(120, 0.01) is above 4 with a chance of 0.7 %; cut to a 20th, it is seen."""
    check_looks(120, 200, 4, 1 / 20)


@pytest.mark.slow
def test_looking_often_is_safe_for_longer():
    """Binomial(1000, 0.01) is above 19 with a chance of 0.3 %; cut to a tenth, it is seen."""
    check_looks(1000, 600, 19, 1 / 10)
