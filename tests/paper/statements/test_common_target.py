"""Section 4.3.3, played, and the same runs by policies that settle on other arms."""

from dataclasses import replace

import numpy as np
import pytest
from upperhand.paper.statements.common_target import COMMON

import upperhand as uh
from upperhand.paper.claim import Verdict
from upperhand.paper.settings import ACP, ALPHA, MEAN_BASED
from upperhand.paper.statements import common_target
from upperhand.paper.statements.proposition import LARGER_B, played

from .opposites import SMALL

HOLDS, NOTE, FAILS = Verdict


@pytest.fixture(scope="module")
def runs():
    return played(COMMON, LARGER_B, 20_000, 4, 1)


def test_both_policies_are_logarithmic_under_both_metrics():
    claim = common_target.both_logarithmic(SMALL)

    assert claim.verdict is HOLDS
    assert not claim.ours
    assert "N(1, 1.5²), N(0, 0.5²), N(0.4, 0.8²)" in claim.check
    assert list(claim.numbers) == [
        "ACP-UCB1, ACP regret",
        "ACP-UCB1, mean regret",
        "UCB1, ACP regret",
        "UCB1, mean regret",
        "UCB1-NORMAL, ACP regret",
        "UCB1-NORMAL, mean regret",
    ]


def test_the_arms_share_the_best_one():
    assert uh.Mean().best(COMMON.arms) == uh.UpperTail(ALPHA).best(COMMON.arms) == 0


@pytest.mark.parametrize("policy", [ACP, MEAN_BASED, "UCB1-NORMAL"])
def test_one_policy_that_settles_elsewhere_fails_the_claim(runs, policy):
    other = runs.pulls | {policy: np.roll(runs.pulls[policy], 1, axis=2)}
    assert common_target._judged(runs).verdict is HOLDS
    assert common_target._judged(replace(runs, pulls=other)).verdict is FAILS


def test_arms_without_a_common_best_one_fail_the_claim(runs):
    """The same pulls are linear under the mean if the arm that they favour has the lowest one."""
    arms = tuple(map(uh.Normal, (0.0, 1.0, 0.4), (1.5, 0.5, 0.8)))
    assert common_target._judged(replace(runs, arms=arms)).verdict is FAILS
