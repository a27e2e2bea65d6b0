"""Q-SAR, Q-SR and batch elimination: budgets, published error rates, what is refused."""

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.policies import QSAR, QSR, QBatch

from ...reference.best_arm_policies import phases
from ...tables import draw
from .runs import search

RULES = {QSAR: "SAR", QSR: "SR", QBatch: "batch"}


@pytest.mark.parametrize("kind", RULES)
def test_phases_are_those_in_fractions_and_keep_the_budget(kind):
    for arms in (2, 3, 7, 20):
        for top in {1, 2, arms - 1} - {arms}:
            for budget in [*range(arms * (arms + 1) // 2, 400, 7), 10_000]:
                planned = kind(tau=0.5, budget=budget, top=top).phases(arms)
                assert planned == phases(RULES[kind], budget, arms, top)
                steps = np.diff([0, *planned])
                assert planned[0] >= 1
                assert np.all(steps >= 0)
                assert np.sum(steps * (arms - np.arange(len(steps)))) <= budget


@pytest.mark.parametrize("kind", ["gaussian", "ties", "heavy"])
@pytest.mark.parametrize("interpolated", [True, False])
def test_one_arm_is_found_alike_by_both(kind, interpolated):
    for seed in range(8):
        table = draw(kind, 6, 300, seed)
        settings = {"tau": 0.7, "budget": 250, "interpolated": interpolated}
        (one, state), (other, again) = (search(k(**settings), table, 250) for k in (QSAR, QSR))
        assert one == other
        assert one.stopped
        assert state.pulls.tolist() == again.pulls.tolist()


# Group 1 of Zhang and Ong: 15 × |N(0, 2²)|, m × |N(3.5, 2²)|, 5 × exponential of mean 4; τ = ½.
PUBLISHED = [
    (QSR, 1, 1000, 0.1446),
    (QSAR, 1, 1000, 0.1362),
    (QBatch, 1, 1000, 0.3356),
    (QSR, 5, 2000, 0.3770),
    (QSAR, 5, 2000, 0.3156),
    (QBatch, 5, 2000, 0.4426),
]


def error_rate(policy, top, runs):
    """Return the share of runs that do not find the `top` arms of B, which are the best ones."""
    rng, wrong = np.random.default_rng(6), 0
    for _ in range(runs):
        n = 4 * policy.budget // (top + 2)
        good = np.abs(rng.normal(3.5, 2, (top, n)))
        bad = np.abs(rng.normal(0, 2, (15, n)))
        table = np.vstack([good, bad, rng.exponential(4, (5, n))])
        wrong += search(policy, table, policy.budget, compiled=True)[0].answer != list(range(top))
    return wrong / runs


@pytest.mark.compiled
@pytest.mark.parametrize("runs", [150, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "top", "budget", "published"),
    [pytest.param(*row, id=f"{row[0].__name__}-{row[1]}-{row[2]}") for row in PUBLISHED],
)
def test_the_published_error_rates(kind, top, budget, published, runs):
    """Theirs are of 5,000 runs; 4.5 standard errors are exceeded once in 10⁵ times."""
    found = error_rate(kind(tau=0.5, budget=budget, top=top), top, runs)
    spread = np.sqrt(published * (1 - published) * (1 / runs + 1 / 5000))
    assert abs(found - published) < 4.5 * spread


@pytest.mark.parametrize("kind", RULES)
def test_what_cannot_be_is_refused(kind):
    with pytest.raises(ParameterError, match="top must be at most 3"):
        kind(tau=0.5, budget=100, top=4).phases(3)
    with pytest.raises(ParameterError, match="budget must be at least"):
        kind(tau=0.5, budget=9).phases(10)


def test_batches_never_exceed_the_budget():
    """One pull a phase of each arm that is left is the least: 32 + 31 + … + 2 = 527."""
    assert QBatch(tau=0.5, budget=527).phases(32) == list(range(1, 32))
    with pytest.raises(ParameterError, match="at least 527"):
        QBatch(tau=0.5, budget=526).phases(32)


@pytest.mark.parametrize("kind", RULES)
def test_if_all_arms_are_to_be_named_one_pull_is_enough(kind):
    found, state = search(kind(tau=0.5, budget=10, top=3), np.ones((3, 9)), 9)
    assert found.stopped
    assert found.answer == [0, 1, 2]
    assert state.pulls.sum() == 1


def test_of_equal_arms_the_lowest_are_kept():
    for kind in RULES:
        found, _ = search(kind(tau=0.5, budget=200, top=2), np.ones((5, 200)), 200)
        assert found.answer == [0, 1]
