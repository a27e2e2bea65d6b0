"""Uniform sampling: equal pulls, what is left over, ties, and an error rate that is known."""

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.policies import UniformSampling

from .test_contract import find


@pytest.mark.parametrize("budget", range(12, 17))
def test_what_is_left_over_goes_to_the_first_arms(budget):
    pulls = find(UniformSampling(budget=budget), np.zeros((4, 20))).pulls
    assert pulls.tolist() == [(budget + 3 - arm) // 4 for arm in range(4)]


def test_or_to_arms_at_random():
    policy = UniformSampling(budget=5, random_ties=True)
    more = {find(policy, np.zeros((4, 20)), seed=s).pulls.argmax() for s in range(40)}
    assert more == {0, 1, 2, 3}


def test_equal_quantiles_go_to_the_lowest_arms():
    table = [[1.0] * 9, [2.0] * 9, [1.0] * 9, [2.0] * 9]
    assert find(UniformSampling(0.5, budget=9, top=3), table).recommended == [1, 3, 0]


def test_the_error_rate_is_that_of_binomials():
    """Arm 1 pays 1 with chance 0.6, arm 2 with 0.3: at the median of 9, it is 1 from 5 ones on.

    Arm 1 is the answer unless arm 2 alone has a median of 1: an error of P(X < 5) P(Y ≥ 5). In
    1,000 runs the count is off by more than four standard deviations with a chance of 6e-5.
    """
    chance = stats.binom.cdf(4, 9, 0.6) * stats.binom.sf(4, 9, 0.3)
    arms, policy = [uh.Bernoulli(0.6), uh.Bernoulli(0.3)], UniformSampling(0.5, budget=18)
    wrong = uh.identify(arms, policy, replications=1000, seed=1).answers[policy.name].wrong.sum()
    assert abs(wrong - 1000 * chance) < 4 * np.sqrt(1000 * chance * (1 - chance))
