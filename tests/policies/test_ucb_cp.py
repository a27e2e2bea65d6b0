"""UCB-CP: its interval by hand, its exploring, and its scores."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.policies import ucb_cp
from upperhand.simulation.player import play

from ..tables import draw
from .late import state_of


def test_the_interval_by_hand():
    """α = 0.5: quartiles of the rewards before the newest one, levels from η = 0.1."""
    policy = uh.UCBCP(alpha=0.5, eta=0.1, level_max=0.9)
    seen = []
    state = ucb_cp.start(policy, 1, 0)
    for reward in (0.0, 4.0, 2.0, 2.0):
        ucb_cp.update(policy, state, 0, reward)
        seen.append((*ucb_cp.ends(policy, state, 0), float(state.calibration.level[0])))
    assert seen[0] == (-math.inf, math.inf, 0.5)
    # 4 against {0}: no score yet, the interval is [0, 0], a miss; score 4.
    assert seen[1] == (0.0, 0.0, 0.5 + 0.1 * (0.5 - 1))
    # 2 against {0, 4}: quartiles 1 and 3; of one score the first; a hit; score −1.
    assert seen[2] == (1.0 - 4.0, 3.0 + 4.0, 0.45 + 0.1 * 0.5)
    # 2 against {0, 2, 4}: quartiles 1 and 3; rank ⌈0.5 · 3⌉ = 2 of {−1, 4}.
    assert seen[3][:2] == (-3.0, 7.0)


def test_the_scores_stay_as_they_were():
    policy = uh.UCBCP(alpha=0.5)
    state = state_of(policy, [0.0, 4.0, 2.0, 2.0])
    assert np.sort(state.calibration.scores.values[0, :3]).tolist() == [-1.0, -1.0, 4.0]
    assert int(state.calibration.scores.size[0]) == 3


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        (uh.UCBCP("U", alpha=0.5), 7.0),
        (uh.UCBCP("L", alpha=0.5), -3.0),
        (uh.UCBCP("UL", alpha=0.5), 2.0),
        (uh.UCBCP("comb", alpha=0.5), (1 - 0.7) * 7.0 + 0.7 * -3.0),
        (uh.UCBCP("comb", alpha=0.5, lam=0.25), 4.5),
        (uh.UCBCP("U", alpha=0.5, lam=0.25), 7.0),
    ],
    ids=repr,
)
def test_what_an_arm_is_worth(policy, value):
    state = state_of(policy, [0.0, 4.0, 2.0], [])
    assert ucb_cp.index(policy, state, 0, 9) == value
    assert ucb_cp.index(policy, state, 1, 9) == math.inf


def test_levels_stay_within_their_bounds():
    rising = np.arange(200.0)  # every reward is a miss until the corrections catch up
    found = state_of(uh.UCBCP(alpha=0.3, eta=0.2, level_min=0.1, level_max=0.4), rising)
    assert 0.1 <= float(found.calibration.level[0]) <= 0.4
    constant = state_of(uh.UCBCP(alpha=0.3, eta=0.2, level_min=0.1, level_max=0.4), [1.0] * 9)
    assert float(constant.calibration.level[0]) == 0.4


def test_it_explores_as_often_as_it_says():
    """5 standard deviations: an honest policy fails with probability 1e-6; the seed is fixed."""
    table = np.array([[1.0] * 20_000, [0.0] * 20_000, [0.0] * 20_000])
    pulls = play(uh.UCBCP(decay=0.4), table, 5).state.pulls
    chances = 0.5 * np.arange(6.0, 20_000) ** -0.4
    spread = math.sqrt(np.sum(chances * (1 - chances)))
    assert abs(pulls[1:].sum() - 4 - chances.sum()) < 5 * spread
    assert abs(int(pulls[1] - pulls[2])) < 5 * math.sqrt(chances.sum())


def test_the_interval_has_the_coverage_asked_for():
    """Of 20 000 rewards all but α are covered; the levels see to it, to about 1/(ηn)."""
    policy, values = uh.UCBCP(alpha=0.2, eta=0.01), draw("heavy", 1, 20_000)[0]
    state, missed = ucb_cp.start(policy, 1, 20_000), 0
    for reward in values.tolist():
        ucb_cp.update(policy, state, 0, reward)
        lower, upper = ucb_cp.ends(policy, state, 0)
        missed += not lower <= reward <= upper
    assert missed / 20_000 == pytest.approx(0.2, abs=0.01)


def test_live_it_has_intervals_also_of_costs():
    bandit = uh.Bandit(["a", "b"], uh.UCBCP(alpha=0.5), 0, direction="minimize")
    assert bandit.interval("a") == (-math.inf, math.inf)
    for cost in (0.0, 4.0, 2.0):
        bandit.tell("a", cost)
    assert bandit.interval("a") == (-3.0, 7.0)
