"""Lemma 3: the supremum over levels, taken one level at a time, and bounds that are too small."""

import numpy as np
import pytest

import upperhand as uh
from reproductions.claims import method, score_quantiles
from upperhand.paper.claim import Verdict
from upperhand.theory import concentration

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_lemma_3_holds():
    claims = score_quantiles.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 4
    numbers = claims[1].numbers
    assert numbers["m = 2000, ε = 0.1"] == "0.0000, bound 0.328"
    assert numbers["m = 4000, ε = 0.1224"] == "0.0000, bound 0.00223"
    assert numbers["m = 4000, ε = 0.06"] == "0.0000, bound 0.661"
    assert claims[3].numbers["uniform, largest"] == "1.0000"


def slow_deviation(rewards):
    """Return the largest error of ĉ over 20,001 levels, straight from the definitions."""
    ordered, m = np.sort(rewards), len(rewards)
    low, high = ordered[m // 4 - 1], ordered[3 * m // 4 - 1]
    scores = np.sort(np.maximum(low - rewards, rewards - high))
    masses = np.linspace(0.49, 0.51, 20_001)
    ranks = np.ceil(np.round(masses * m, 9)).astype(int)
    return np.max(np.abs(scores[ranks - 1] - (masses - 0.5) / 2))


@pytest.mark.parametrize("m", [40, 2000])
def test_the_supremum_is_that_over_many_levels(m):
    found = score_quantiles.deviations(np.random.default_rng(2), 20, m)
    rewards = np.random.default_rng(2).uniform(0, 1, (20, m))

    slow = [slow_deviation(row) for row in rewards]
    assert np.allclose(found, slow, atol=1e-6)  # the grid of levels is 1e-6 wide
    assert np.all(found >= np.array(slow) - 1e-12)


def test_samples_are_drawn_in_portions(monkeypatch):
    whole = score_quantiles.deviations(np.random.default_rng(2), 7, 40)
    monkeypatch.setattr(score_quantiles, "ROWS", 3)
    assert np.array_equal(score_quantiles.deviations(np.random.default_rng(2), 7, 40), whole)


def test_lemma_3_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, score_quantiles, "deviations", lambda errors: errors + 0.11)
    claim = score_quantiles.claims(SMALL)[1]

    assert claim.verdict is FAILS
    assert claim.numbers["m = 2000, ε = 0.1"] == "1.0000, bound 0.328"
    assert claim.numbers["m = 4000, ε = 0.1224"].startswith("0.0000")


@pytest.mark.parametrize("name", ["score_bound", "distance_bound"])
def test_lemma_3_refuses_bounds_that_are_too_small(monkeypatch, name):
    """Errors of 0.001 are common, and distances are sharp: frequencies above 0 on both sides."""
    altered(monkeypatch, score_quantiles, name, lambda bound: bound / 20)
    assert score_quantiles._score_quantile(SMALL).verdict is FAILS


def test_the_random_level_is_the_policys_own_and_in_the_window():
    rewards = np.random.default_rng(1).uniform(0, 1, 200)
    correction, level = score_quantiles.adapted(rewards)
    ends = np.sort(rewards)[[49, 149]]  # ranks 50 and 150 of 200 at α = 0.5
    scores = np.sort(np.maximum(ends[0] - rewards, rewards - ends[1]))
    assert 0.49 <= level <= 0.51
    assert correction == scores[int(np.ceil(round((1 - level) * 200, 9))) - 1]


def test_a_level_outside_the_window_is_noticed(monkeypatch):
    wide = score_quantiles.ADAPTIVE.replace(level_min=0.2, level_max=0.8, eta=0.1)
    monkeypatch.setattr(score_quantiles, "ADAPTIVE", wide)
    assert score_quantiles._random_level(SMALL).verdict is FAILS


def test_stability_fed_with_the_opposite(monkeypatch):
    def smaller(scores):
        return scores._replace(low_error=scores.low_error / 2, high_error=scores.high_error / 2)

    altered(monkeypatch, score_quantiles, "scored_twice", smaller)
    assert score_quantiles.claims(SMALL)[0].verdict is FAILS


def test_the_shift_by_the_level_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, concentration, "correction_error", lambda bound: bound * 0.999)
    assert score_quantiles.claims(SMALL)[3].verdict is FAILS


def test_scores_are_taken_from_the_same_samples():
    scores = method.scored_twice(uh.Normal(0, 1), np.random.default_rng(0), 4, 20)
    rewards = uh.Normal(0, 1).sample(np.random.default_rng(0), (4, 20))
    ends = np.sort(rewards, axis=1)[:, [0, 18]]  # ranks 1 and 19 of 20 at α = 0.1
    assert np.array_equal(
        scores.plugged_in, np.maximum(ends[:, :1] - rewards, rewards - ends[:, 1:])
    )
    assert scores.high_error == pytest.approx(np.abs(ends[:, 1] - 1.6448536))
