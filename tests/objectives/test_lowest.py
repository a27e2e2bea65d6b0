"""Objectives of costs, against sums over sorted lists in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

import upperhand as uh
from upperhand.objectives import OBJECTIVES, Minimized, oriented

COSTS = [[*range(1, 21)], [3, 3, 9, 14, 1, 0, 25, 2, 2, 8], [12], [-4, -1, 30, 5]]


@pytest.mark.parametrize("costs", COSTS, ids=len)
@pytest.mark.parametrize("share", ["1/20", "1/10", "1/4", "1/3", "1"])
def test_cvar_is_the_mean_of_the_highest_costs(costs, share):
    left, total, m = Fraction(share), Fraction(0), len(costs)
    for cost in sorted(costs, reverse=True):
        taken = min(left, Fraction(1, m))
        total, left = total + taken * cost, left - taken
    expected = float(total / Fraction(share))

    assert uh.CVaR(float(Fraction(share))).cost(uh.Empirical(costs)) == pytest.approx(expected)


@pytest.mark.parametrize("costs", COSTS, ids=len)
def test_others(costs):
    law, m = uh.Empirical(costs), len(costs)
    mean = Fraction(sum(costs), m)
    variance = sum((cost - mean) ** 2 for cost in costs) / m

    assert uh.MeanVariance(2).cost(law) == pytest.approx(float(2 * mean + variance))
    assert uh.Mean().cost(law) == pytest.approx(float(mean))
    assert uh.UpperTail(0.1).cost(law) == sorted(costs)[-(-19 * m // 20) - 1]
    assert uh.Quantile(0.3).cost(law) == sorted(costs)[-(-3 * m // 10) - 1]


def test_the_p95_of_the_costs_1_to_20_is_19():
    assert Minimized(uh.UpperTail(0.1)).value(uh.Empirical(range(1, 21))) == -19


@pytest.mark.parametrize("name", OBJECTIVES)
def test_negated_symmetric_laws_are_as_good_as_the_costs(name):
    """For Gaussian arms −X is known in full: an objective of costs is one of −X."""
    numbers = {"mean": [], "best-of": [8]}.get(name, [0.2])
    objective = OBJECTIVES[name](*numbers)
    of_rewards = {"upper-tail": uh.LowerTail(0.2), "lower-tail": uh.UpperTail(0.2),
                  "quantile": uh.Quantile(0.8), "utility": uh.Utility(-0.2)}  # fmt: skip
    arms = [uh.Normal(0.3, 1), uh.Normal(0, 2), uh.Normal(0.1, 0.5)]
    negated = [uh.Normal(-arm.loc, arm.scale) for arm in arms]
    twin = of_rewards.get(name, objective)

    np.testing.assert_allclose(Minimized(objective).gaps(arms), twin.gaps(negated), atol=1e-12)
    assert oriented(objective, True).best(arms) == twin.best(negated)
    assert oriented(objective, False) is objective
